// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/recorded/operator_map.hpp"
#include "core/records/traces/kineto_reader.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What an operator of a record was doing when it ran, told by the calls around it.
enum class TracedPhase : std::uint8_t { forward,
                                        backward,
                                        recompute, ///< a forward inside a backward
                                        optimizer };

/// An operator that is known and stands in no other known one: a linear, not the product inside it.
struct TracedOperator {
    std::uint32_t call = 0; ///< index into KinetoTrace::operators
    RecordedNode node;      ///< its name and the shapes of its arguments
    OperatorFacts facts;
    MappedOperator mapped;
    TracedPhase phase = TracedPhase::forward;
};

/// The calls of a record by what stands in what.
class TracedCalls {
public:
    explicit TracedCalls(const KinetoTrace& trace);

    /// By start.
    const std::vector<TracedOperator>& operators() const { return operators_; }
    /// The known operator during which a call of the thread begins at that moment; nothing: none.
    const TracedOperator* around(std::uint32_t thread, std::int64_t moment) const;
    /// What such a call is part of.
    TracedPhase phaseAt(std::uint32_t thread, std::int64_t moment) const;

private:
    struct Span {
        Interval when;
        std::uint32_t index = 0; ///< of an operator, or a TracedPhase
    };
    using ByThread = std::vector<std::vector<Span>>; ///< outermost ones, by start
    static const Span* at(const ByThread& spans, std::uint32_t thread, std::int64_t moment);
    void findPhases(const KinetoTrace& trace);

    std::vector<TracedOperator> operators_;
    ByThread known_, backward_, optimizer_;
};

/// An operator's name and arguments as the readers of recorded graphs have them.
RecordedNode nodeOf(const KinetoTrace& trace, const HostCall& call);

/// PyTorch's name of a number format in a program ("bfloat16") from the one in a trace ("c10::BFloat16"); empty: another type.
std::string formatName(const std::string& type);

/// How a record's job is cut, as far as it says.
struct TracedGroups {
    struct Degree {
        std::int64_t ranks = 0; ///< 0: not said
        std::string why;
    };
    Degree tensor, pipeline, context, expert;
    bool forwardCommunicates = false; ///< some collective was launched from a forward
    bool sends = false;               ///< point to point
    bool scatters = false;            ///< gradients are scattered, not summed up whole
    bool gathersInForward = false;
};

/// Reads the names that the job gave its groups of ranks (Megatron's, PyTorch's mesh), and what the communication itself rules out: where nothing is sent and no forward communicates
/// there are neither tensor, context nor expert groups nor a pipeline.
TracedGroups tracedGroups(const KinetoTrace& trace, const TracedCalls& calls);

} // namespace orrery
