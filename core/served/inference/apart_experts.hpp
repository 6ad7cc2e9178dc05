// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/served/inference/engine_formats.hpp"
#include "core/served/inference/engine_model.hpp"

namespace orrery {

/// Attention and routed experts on accelerators of their own, between which micro-batches of decodes go back and forth (Zhu et al. 2025,
/// MegaScale-Infer, arXiv:2504.02263, section 4).

/// Seconds of one layer for one micro-batch.
struct ApartLayer {
    double attention = 0; ///< all that is not routed experts
    double experts = 0;
    double send = 0; ///< one way

    double wholeWay() const { return attention + experts + 2 * send; }
    double slower() const { return attention > experts ? attention : experts; }
};

/// Seconds of a step of `layers` layers in `microBatches` micro-batches (equation 5, and where these are too few to keep the slower side busy the way of one
/// micro-batch through all layers, the others right behind it).
double apartStepTime(const ApartLayer& layer, double layers, int microBatches);

/// Seconds that a micro-batch's hidden states take one way between `attention` and its `experts`, with `tokens` on each of the attention's ranks and
/// elements of `element` bytes: a token goes once to each rank that has one of its experts, and either side may be the slower one.
double apartSend(const EngineModel& attention, double tokens, double element);

/// Bytes of an accelerator with experts: their matrices, a step's rows and the software.
double apartWeightBytes(const EngineModel& experts, const EngineFormats& formats);

} // namespace orrery
