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

/// A request that is sent only once another has ended, and some time after it: a turn of a session behind the one before.
struct Follow {
    int before = 0, request = 0; ///< places in the list
    double wait = 0;             ///< s, of tools
};

/// Requests in the order of their arrival; those that follow others stand behind all that do not, each behind what it follows.
struct RequestList {
    std::vector<Request> requests;
    int hashBlockSize = 512;    ///< tokens
    int concurrency = 0;        ///< of a closed loop: the next request (with sessions: session) arrives when one of this many ends; 0: requests arrive at their times
    double ramp = 0;            ///< s over which the users of a closed loop begin, one after the other
    bool answersHashed = false; ///< hashes name prompt and answer: later turns find what was answered
    std::vector<Follow> follows;
    int followers = 0; ///< requests at the end of the list that follow others
};

} // namespace orrery
