// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_order.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace orrery {

/// A schedule by the class of torch.distributed.pipelining that torchtitan's `pipeline_parallel_schedule` names. torchtitan
/// has no class for a schedule without a row.
struct TorchtitanSchedule {
    std::string_view name;
    PipelineOrder order;
    std::int64_t usualChunks;      ///< of a stage, where the configuration says nothing else
    std::string_view differs = {}; ///< what of it is not simulated; empty: nothing
};

inline constexpr std::array torchtitanSchedules{
    TorchtitanSchedule{"1F1B", PipelineOrder::one_f_one_b, 1},
    TorchtitanSchedule{"GPipe", PipelineOrder::gpipe, 1},
    TorchtitanSchedule{"Interleaved1F1B", PipelineOrder::interleaved, 2},
    TorchtitanSchedule{"ZBVZeroBubble", PipelineOrder::zb_v, 1},
    TorchtitanSchedule{"DualPipeV", PipelineOrder::zb_v, 1, "DualPipeV was taken as zb-v: the same V of two chunks a stage, each weight held once. That a forward and a backward run at once there is not simulated."},
    TorchtitanSchedule{"InterleavedZeroBubble", PipelineOrder::interleaved, 2, "InterleavedZeroBubble was taken as interleaved: the same chunks. That weight gradients fill its gaps is not simulated."},
    TorchtitanSchedule{"LoopedBFS", PipelineOrder::interleaved, 2, "LoopedBFS was taken as interleaved: the same chunks. That every micro-batch runs forward before the first backward is not simulated, and takes more memory."},
    TorchtitanSchedule{"FlexibleInterleaved1F1B", PipelineOrder::interleaved, 2},
};

} // namespace orrery
