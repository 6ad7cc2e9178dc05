// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <optional>
#include <string>

namespace orrery {

/// What a job trains. What is left out gets a usual value, which the answer says.
struct AskedTraining {
    int sequence = 0; ///< tokens; 0: 8,192, or the longest that the model takes
    int batch = 0;    ///< sequences of an iteration; 0: four for each accelerator
};

/// What a server has to do.
struct AskedServing {
    double rate = 0;            ///< requests/s of the whole machine; 0: as many as it can
    int input = 1024;           ///< tokens of a prompt
    int output = 256;           ///< tokens of an answer
    std::optional<double> ttft; ///< s, 9 of 10 first tokens must come within
    std::optional<double> tpot; ///< s, 9 of 10 requests must get their tokens within
};

/// A question that one line asks: which plan is best for this model on this machine?
struct PlanRequest {
    BoxedJson model;                   ///< the scenario's `/model`
    std::string modelName;             ///< as a person calls it
    std::string machine;               ///< "32xdgx-h100": hosts of a platform; "256xh100-sxm5-80gb": accelerators
    std::optional<double> network;     ///< bytes/s between hosts, per accelerator and direction; nothing: the platform's
    std::optional<double> margin;      ///< share of the memory that stays free; nothing: what the error of the memory account justifies
    std::string framework;             ///< profile id; empty: the usual one for the work
    std::string precision;             ///< of matrix products; empty: bf16, of servers what the checkpoint is stored in
    std::optional<AskedServing> serve; ///< nothing: `train`
    AskedTraining train;
};

} // namespace orrery
