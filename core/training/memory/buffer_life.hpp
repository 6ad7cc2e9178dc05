// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/memory/memory_kind.hpp"

#include <cstdint>
#include <string_view>

namespace orrery {

/// A buffer that belongs to no operator: gathered weights, gradients not there all the time, what is on its way to or from the
/// host. Its life is counted in slots: work w of the stage has slot 2w for its operators but the last, 2w + 1 for the last.
struct BufferLife {
    MemoryKind kind = MemoryKind::communication_buffers;
    std::string_view name; ///< a literal
    int piece = 0;         ///< index into MemoryDetail::pieces
    std::int32_t layer = -1;
    double bytes = 0;
    std::int32_t first = 0, last = 0; ///< slots
};

} // namespace orrery
