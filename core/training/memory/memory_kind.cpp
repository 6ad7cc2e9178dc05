// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/memory/memory_kind.hpp"

namespace orrery {

std::string_view toString(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::weights: return "weights";
    case MemoryKind::gradients: return "gradients";
    case MemoryKind::optimizer_states: return "optimizer_states";
    case MemoryKind::activations: return "activations";
    case MemoryKind::kv_cache: return "kv_cache";
    case MemoryKind::temporary: return "temporary";
    case MemoryKind::communication_buffers: return "communication_buffers";
    case MemoryKind::fragmentation: return "fragmentation";
    case MemoryKind::framework: return "framework";
    }
    return "";
}

} // namespace orrery
