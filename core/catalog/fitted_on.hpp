// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace orrery {

/// Which measured runs a constant was fitted to.
enum class FittedOn : std::uint8_t {
    own,    ///< those of the same generation or profile
    others, ///< none of these: it is the middle of the other generations or profiles
};

} // namespace orrery
