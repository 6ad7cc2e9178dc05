// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/order/requests/request.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

enum class LengthKind { constant,
                        uniform,
                        normal,
                        lognormal,
                        exponential,
                        zipf };

/// How many tokens a prompt or an answer has: always the same, or by chance.
struct LengthLaw {
    LengthKind kind = LengthKind::constant;
    double mean = 1;      ///< tokens: of constant, normal, lognormal, exponential, before it is cut at `least` and `most`
    double deviation = 0; ///< tokens: standard deviation of normal and lognormal (of the lengths, not of their logarithm)
    double exponent = 1;  ///< of zipf: a length n from `least` to `most` has a chance in proportion to (n − least + 1)^−exponent
    int least = 1, most = 1 << 20;
};

/// "a number, or {"distribution": …}" of a scenario, at `pointer`. The distributions and their keys: `uniform` (`min`, `max`), `normal` and
/// `lognormal` (`mean`, `std`), `exponential` (`mean`), `zipf` (`min`, `max`, `exponent`); all take `min` and `max`.
/// Gives nothing, and problems with `pointer`, for anything else.
std::optional<LengthLaw> readLengthLaw(const Json& value, const std::string& pointer, Problems& problems);

class RandomStream;

/// Draws lengths by a law; a table is made once for zipf.
class LengthSource {
public:
    explicit LengthSource(const LengthLaw& law);
    int draw(RandomStream& random) const;

private:
    LengthLaw law_;
    double logMean_ = 0, logDeviation_ = 0; ///< of lognormal
    std::vector<double> cumulative_;        ///< of zipf, up to 1
};

enum class ArrivalProcess {
    poisson,     ///< gaps by an exponential law
    uniform,     ///< equal gaps
    gamma,       ///< gaps by a gamma law: `shape` below 1 is burstier than poisson, above 1 more even
    closed_loop, ///< `concurrency` users, each sends the next request when its last has ended
    all_at_once, ///< everything at 0
};

/// Conversations and agents: a turn's prompt is all that was said before it, and something new.
struct SessionLaw {
    LengthLaw turns;                    ///< requests of a session one after the other
    double toolWait = 0;                ///< s from an answer to the next turn
    int branches = 0;                   ///< subagents that each session forks after its first turn; its second waits for all of them
    LengthLaw branchTurns;              ///< requests of each, which share what was said up to the fork
    std::optional<LengthLaw> turnInput; ///< new tokens of turns after the first; nothing: as the first's
};

/// Requests as a scenario describes them instead of listing them.
struct RequestLaw {
    int count = 1; ///< with sessions: of sessions
    ArrivalProcess process = ArrivalProcess::poisson;
    double ratePerSecond = 1; ///< of poisson, uniform and gamma, above 0
    double shape = 1;         ///< of gamma, above 0
    /// How the rate of poisson, uniform and gamma goes over a period again and again: weights of equal parts of it, their mean counts as 1. Empty: it stays.
    std::vector<double> curve;
    double curvePeriod = 86400; ///< s
    int concurrency = 1;        ///< of closed_loop
    double ramp = 0;            ///< s over which its users begin, one after the other; 0: all at once
    LengthLaw input, output;
    int imageTokens = 0;  ///< that every prompt has beside its input
    int sharedPrefix = 0; ///< first tokens of every prompt that are the same in all; a shorter prompt is all of it
    std::uint64_t seed = 0;
    std::optional<SessionLaw> sessions;
};

/// The same bytes from the same law on every machine. The first request arrives at 0 (with a curve: when its first part begins that is not empty); in a closed loop all do, and the run says when.
/// Arrivals, inputs and outputs are drawn apart: another rate leaves the lengths as they are.
RequestList generateRequests(const RequestLaw& law);

/// The longest prompt of these.
int longestInput(const RequestLaw& law);

} // namespace orrery
