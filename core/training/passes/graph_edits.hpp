// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"

#include <string>
#include <string_view>

namespace orrery {

/// What passes do to graphs again and again.

inline constexpr double sixteenBit = 2; ///< bytes an element

/// Adds a tensor of so many bytes on a rank.
TensorId addTensor(Graph& graph, std::string name, double bytes, TensorRole role);

inline double& bytesOf(Graph& graph, TensorId id) { return graph.tensors[static_cast<std::size_t>(id)].bytes; }
inline double bytesOf(const Graph& graph, TensorId id) { return graph.tensors[static_cast<std::size_t>(id)].bytes; }

/// A collective of the rank's group, with `bytes` by its own convention (Operator::messageBytes). What it is, reads and writes is the
/// caller's to say.
Operator collectiveOperator(std::string name, RankGroup group, double bytes);

/// Backward's two products of a matrix: its input's gradient and its own.
inline constexpr std::string_view inputGradientSuffix = ".dgrad", weightGradientSuffix = ".wgrad";
/// The name of the product that a gradient of this name belongs to.
inline std::string productOf(const std::string& gradient) { return gradient.substr(0, gradient.size() - weightGradientSuffix.size()); }

} // namespace orrery
