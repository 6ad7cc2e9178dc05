// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/generators.hpp"

namespace orrery {

/// Whether `order` with one more forward ahead has, between its first and last passes, forwards next to backwards of other work, so that
/// the all-to-alls of one can hide behind the products of the other. Interleaving has (its stages are two passes apart); so has 1F1B on a
/// single stage. 1F1B over several stages has not: each pair would wait for the next stage's.
bool canRunPaired(PipelineOrder order, const PipelineShape& shape);

/// The order with such pairs run together (Megatron-Core's combined 1F1B, `--overlap-moe-expert-parallel-comm`). Every stage has one more
/// forward in its warm-up, so that neither pass of a pair waits for the other on any stage (NVIDIA/Megatron-LM,
/// megatron/core/pipeline_parallel/schedules.py, get_pp_rank_microbatches), and one more micro-batch's chunk in memory. For shapes that
/// `canRunPaired` accepts.
PipelineSchedule pairedOrder(PipelineOrder order, const PipelineShape& shape);

} // namespace orrery
