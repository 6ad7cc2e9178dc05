// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace orrery {

struct Scenario;

/// Ranks of a training job that do the same: the same stage of the pipeline, as slow, and where experts are loaded unevenly the same place in the
/// expert group. Tensor, context and data ranks of a class compute the same shapes; they differ by chance alone.
struct RankClass {
    std::string name;       ///< "stage 3", "stage 3, 1.2 times as slow", "stage 3, experts 5"
    std::vector<int> ranks; ///< rising; the first is the one to record
};

/// The classes of a planned training, by their first rank. Each rank stands in one of them.
std::vector<RankClass> rankClasses(const Scenario& scenario);

/// A part of a training script that records one rank of each class with PyTorch's profiler.
std::string profilerSnippet(const std::vector<RankClass>& classes);

} // namespace orrery
