// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace orrery {

struct Architecture;
struct ModelPieces;
struct Operator;

/// A model for teaching: equal layers whose times are stated, so that a schedule's order is all that is left to see. Embedding, head,
/// optimizer and links take no time, and there are no parameters.
struct ToyModel {
    double forward = 0;        ///< s of a layer and micro-batch
    double backwardInput = 0;  ///< s of the backward's part that the layer before waits for (Qi et al. 2023 write B)
    double backwardWeight = 0; ///< s of the part that nobody waits for (W)
    double keptBytes = 0;      ///< that a layer keeps of a micro-batch from forward to backward
};

/// An architecture of so many toy layers.
Architecture toyArchitecture(const ToyModel& toy, int layers);
/// Its pieces: a layer is one product, whose backward falls into the two parts.
ModelPieces buildToyPieces(const Architecture& architecture);
/// s that an operator of these pieces takes; 0 of all but the layer's product.
double toySeconds(const ToyModel& toy, const Operator& op);

} // namespace orrery
