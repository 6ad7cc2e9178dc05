// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace orrery {

/// A rank, stage or position as an index into a vector. It is never negative.
constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

} // namespace orrery
