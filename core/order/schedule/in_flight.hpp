// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"

#include <vector>

namespace orrery {

/// When a chunk's activations are free again. What a weight part needs of them (its layers' inputs) is a part of A that depends on the
/// model; the two rules bound it, and the papers' peaks (physics row 12) are those of `with_weight_part`.
enum class ActivationRelease : std::uint8_t {
    with_weight_part, ///< a split backward frees nothing before its weight part
    with_input_part,  ///< a split backward frees everything with its input part
};

/// Activations a stage holds after each of its steps, in micro-batches of one chunk. Where a pair runs together, the forward's
/// come before the backward's go.
std::vector<int> activationsInFlight(const std::vector<PipelineStep>& steps, ActivationRelease release = ActivationRelease::with_weight_part);

/// The most each stage ever holds, in A: one micro-batch's activations in a stage of the plain pipeline.
std::vector<double> peakActivations(const PipelineSchedule& schedule, ActivationRelease release = ActivationRelease::with_weight_part);

} // namespace orrery
