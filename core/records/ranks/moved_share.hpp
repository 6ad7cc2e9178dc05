// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"

namespace orrery {

/// Bytes that each of `ranks` moves, over those of the message (the whole buffer, as nccl-tests counts): 2 (n − 1)/n of an all-reduce, (n − 1)/n of an all-gather,
/// a reduce-scatter or an all-to-all, all of a send or a broadcast; 0 among fewer than two.
inline double movedShare(CollectiveKind kind, double ranks) {
    if (ranks < 2) return 0;
    switch (kind) {
    case CollectiveKind::all_reduce: return 2 * (ranks - 1) / ranks;
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all: return (ranks - 1) / ranks;
    case CollectiveKind::send_receive:
    case CollectiveKind::broadcast: return 1;
    case CollectiveKind::none: break;
    }
    return 0;
}

} // namespace orrery
