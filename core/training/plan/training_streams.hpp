// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/segment.hpp"

#include <cstddef>

namespace orrery {

/// The rows of a rank that trains, beside the two that every program has.
namespace TrainingStream {
inline constexpr StreamKind pipeline{2}; ///< transfers between stages
inline constexpr StreamKind data{3};     ///< gradients and weights
inline constexpr StreamKind to_host{4};  ///< copies of what is offloaded
inline constexpr StreamKind from_host{5};
inline constexpr std::size_t count = 6; ///< with those two
} // namespace TrainingStream

/// What each is called; the row of collectives within a segment is "tensor" here.
StreamNames trainingStreamNames();

} // namespace orrery
