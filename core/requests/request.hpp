// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace orrery {

/// What a user asks of a server of a language model.
struct Request {
    double arrival = 0; ///< s; in a closed loop the run sets it
    int input = 1;      ///< tokens of the prompt
    int output = 1;     ///< tokens that are generated, at least 1
    int priority = 0;   ///< the lower, the sooner
    /// One for each `hashBlockSize` tokens of the prompt, chained: equal ids mean equal prompts up to the end of that block. Tokens that no
    /// hash covers are like nobody else's.
    std::vector<std::uint64_t> hashes;
};

/// Requests in the order of their arrival.
struct RequestList {
    std::vector<Request> requests;
    int hashBlockSize = 512; ///< tokens
    int concurrency = 0;     ///< of a closed loop: the next request arrives when one of this many ends; 0: requests arrive at their times
    double ramp = 0;         ///< s over which the users of a closed loop begin, one after the other
};

} // namespace orrery
