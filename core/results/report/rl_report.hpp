// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery {

struct Result;

/// What a step of reinforcement learning waits for; the parts sum to it.
enum class RlPart : std::uint8_t { rollout, ///< engines answer
                                   reward,  ///< answers are judged
                                   training,
                                   sync,      ///< new weights go to the engines
                                   offload }; ///< the trainer's states go to host memory and come back
inline constexpr std::size_t rlPartCount = 5;
std::string_view toString(RlPart part);

/// How the new weights come to the engines.
struct WeightSync {
    double bytes = 0;         ///< of all weights
    double gatherTime = 0;    ///< s, all-gather of what the trainer's ranks hold apart
    double broadcastTime = 0; ///< s, from one of the trainer's accelerators to all engines; 0: colocated
    int gatherRanks = 1;
    int engineAccelerators = 0; ///< that a broadcast reaches
    double time() const { return gatherTime + broadcastTime; }
};

/// Figures of one step of training and serving in a loop.
struct RlReport {
    std::shared_ptr<const Result> rollout, training; ///< each alone; never null
    bool ran = false;                                ///< false: no request was answered, so no figure below counts
    bool colocated = true;
    int staleness = 0;
    int answers = 0, iterations = 0;          ///< of a step
    std::array<double, rlPartCount> whole{};  ///< s that each part takes
    std::array<double, rlPartCount> waited{}; ///< s of the step that go on it: the longer side where both run at once
    double stepTime = 0;                      ///< s, steady
    double answersPerSecond = 0;
    double outputTokensPerSecond = 0;           ///< generated
    double trainedTokensPerSecond = 0;          ///< of the sequences trained
    double rolloutIdle = 0, trainingIdle = 0;   ///< shares of a step in which a half's accelerators wait
    int accelerators = 0;                       ///< of both halves
    std::optional<double> costPerBillionTokens; ///< of trained tokens; nothing: nobody says the price of an hour
    WeightSync sync;
    double keptBytes = 0;   ///< colocated: what the trainer holds on an accelerator while engines answer
    double asleepBytes = 0; ///< colocated: what an engine holds while the trainer works
    double parkedBytes = 0; ///< colocated: of an accelerator's states in host memory while engines answer

    double of(RlPart part) const { return whole[static_cast<std::size_t>(part)]; }
};

/// Adds the report's keys to a result document.
void addMetrics(Json& document, const RlReport& report);

} // namespace orrery
