// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery {

/// Kinds of a stage's memory, in the order the charts stack them.
enum class MemoryKind : std::uint8_t {
    weights,
    gradients,
    optimizer_states,
    activations,
    kv_cache,
    temporary,
    communication_buffers,
    fragmentation,
    framework,
};
inline constexpr std::size_t memoryKindCount = 9;
std::string_view toString(MemoryKind kind);

} // namespace orrery
