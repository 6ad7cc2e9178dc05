// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"
#include "core/scenario/precisions.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace orrery {

struct Scenario;

/// The two jobs that reinforcement learning alternates.
enum class RlHalf : std::uint8_t { rollout, ///< engines answer prompts with the newest weights that they have
                                   training };

/// One of the two as a scenario of its own, on its part of the cluster.
struct RlJob {
    std::shared_ptr<const Scenario> scenario; ///< never null
    std::vector<int> placement;               ///< by accelerator of the job: the cluster's
};

/// Training and serving in one loop: a step is the answers to a batch of prompts, their rewards, the training on them, and the new weights'
/// way to the engines.
struct RlWorkload {
    RlJob rollout;                      ///< an inference or serving workload
    RlJob training;                     ///< a planned iteration
    bool colocated = true;              ///< both take turns on the same accelerators
    bool parksTrainer = false;          ///< colocated: the trainer's states lie in host memory while engines answer
    int answers = 0;                    ///< of a step
    int iterations = 0;                 ///< of training on them
    double rewardTime = 0;              ///< s from a step's last answer until all are judged
    int staleness = 0;                  ///< steps by which an answer's weights may lag behind those that it trains
    Precision sentAs = Precision::bf16; ///< number format of the weights on their way
};

template <> struct WordsOf<RlHalf> {
    static constexpr std::array table{Word{RlHalf::rollout, "rollout"}, Word{RlHalf::training, "training"}};
};

} // namespace orrery
