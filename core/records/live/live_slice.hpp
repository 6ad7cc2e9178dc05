// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/records/live/live_call.hpp"
#include "core/records/live/live_groups.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A line of a program.
struct LivePlace {
    std::string file, function;
    std::uint32_t line = 0;
};

/// "train.py:31 in step"; empty where the line is not known.
std::string placeText(const LivePlace& place);

/// What one rank did in a live run, in a form that another rank of its class can be thought to do as well: groups are the rank's own, counted in
/// the order in which it entered them ("axes": the first is the world), others are places in them.
struct LiveSlice {
    struct Axis {
        std::int32_t size = 0, place = 0;
    };
    struct Event {
        LiveEvent::Kind kind = LiveEvent::Kind::call;
        std::int64_t compute = 0; ///< ns, before it
        std::uint32_t axis = 0;
        std::int32_t peer = LiveCall::nobody; ///< place on the axis, of a call between two; rank of the job where they share no group but the world
        LiveCall call;                        ///< of a call; of a wait: `operation`
    };
    int rank = 0, world = 0;
    bool recorded = false; ///< of an earlier run
    std::vector<Axis> axes;
    std::vector<Event> events;
    std::map<std::uint32_t, LivePlace> places;
    std::uint64_t heldBytes = 0, peakBytes = 0;
    std::uint32_t peakPlace = 0;
    std::int64_t processTime = 0, threadTime = 0; ///< ns of CPU at the end; 0: not known

    std::size_t steps() const;
};

/// The event of a call as a slice has it.
LiveSlice::Event sliceEvent(const LiveGroups& groups, int rank, const LiveCall& call);

/// `orrery-live-rank/1`.
Json toDocument(const LiveSlice& slice);
std::optional<LiveSlice> readLiveSlice(const Json& document, const std::string& file, Problems& problems);

/// A difference between what two ranks of one class did, or one rank in two worlds: call by call, in words.
struct SliceDifference {
    std::size_t calls = 0;          ///< both made alike, but for sizes
    std::vector<std::string> sizes; ///< what differs in size alone, each kind once
    std::string first;              ///< the first call that is another one; empty: none
};
SliceDifference compareSlices(const LiveSlice& a, const LiveSlice& b);

} // namespace orrery
