// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/schedule/generators.hpp"

namespace orrery {

/// Whether `order` leaves, between its first and last passes, forwards next to backwards of other work, so that the all-to-alls of
/// one can hide behind the products of the other without anything waiting for it. Interleaving does (its stages are two passes
/// apart); so does 1F1B on a single stage, one forward ahead. 1F1B over several stages does not: each pair would wait for the next stage's.
bool canRunPaired(PipelineOrder order, const PipelineShape& shape);

/// The order with such pairs run together (Megatron-Core's combined 1F1B, `--overlap-moe-expert-parallel-comm`). For shapes that
/// `canRunPaired` accepts.
PipelineSchedule pairedOrder(PipelineOrder order, const PipelineShape& shape);

} // namespace orrery
