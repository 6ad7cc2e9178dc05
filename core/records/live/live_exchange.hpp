// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/live/live_call.hpp"
#include "core/records/live/live_groups.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace orrery {

/// Something that stops a live run: what, of which ranks, in which lines.
struct LiveFault {
    std::string code; ///< stable, kebab-case: "collective-mismatch", "hang", …
    std::string message;
    std::vector<int> ranks; ///< whom it concerns, those missing first
};

/// What one rank gave to a call for another, or for all.
struct LivePart {
    std::int32_t member = -1; ///< of the group, who gets it; once delivered, who gave it
    std::shared_ptr<const std::string> data;
    std::size_t begin = 0, size = 0;
};

/// Brings together the calls of real ranks: the n-th collective of a group is the same at all of its members, the n-th send from one to another with
/// a tag belongs to the n-th receive. A send is over when its receive has come, never before: what would deadlock without buffers does.
/// Virtual ranks are never waited for here.
class LiveExchange {
public:
    /// `placeText` names the line of a rank's program for people.
    using PlaceText = std::string (*)(const void* owner, int rank, std::uint32_t place);

    LiveExchange(const LiveGroups& groups, std::vector<int> real, const void* owner, PlaceText placeText) : groups_(groups), real_(real.begin(), real.end()), owner_(owner), placeText_(placeText) {}

    /// A call that is over at a rank, with what it takes.
    struct Ended {
        int rank = 0;
        std::uint64_t operation = 0;
        std::int32_t source = -1; ///< of a receive
        std::vector<LivePart> parts;
    };
    struct Outcome {
        std::vector<Ended> ended;
        std::optional<LiveFault> fault;
    };
    /// `rank` calls. Calls that await no other real rank are over at the rank already and give nothing.
    Outcome arrive(int rank, const LiveCall& call, std::vector<LivePart> parts);

    /// Who waits for whom, where nobody can go on: the oldest call that ranks wait in and others have not come to. `ended` are ranks whose process has
    /// gone. Nothing where no call is open.
    std::optional<LiveFault> stuck(const std::set<int>& ended) const;

    /// Whether the call needs another real rank.
    bool awaitsOthers(const LiveCall& call) const;

    /// "all_reduce of 4096 float32 over ranks 0, 2 (call 17 of the group), train.py:31 in step".
    std::string describe(int rank, const LiveCall& call, std::uint64_t index) const;

private:
    struct Arrival {
        int rank = 0;
        LiveCall call;
        std::vector<LivePart> parts;
        std::uint64_t serial = 0; ///< order of arrival
    };
    struct Meeting {
        std::vector<Arrival> arrivals;
    };
    using Channel = std::tuple<std::uint32_t, std::int32_t, std::int32_t, std::int32_t>; ///< group, from, to, tag

    Outcome arriveTogether(Arrival arrival);
    Outcome arriveSend(Arrival arrival);
    Outcome arriveReceive(Arrival arrival);
    std::optional<LiveFault> mismatch(const Arrival& first, const Arrival& other, std::uint64_t index) const;
    std::optional<LiveFault> sizeMismatch(const Arrival& send, const Arrival& receive) const;
    static Outcome handedOver(const Arrival& send, const Arrival& receive, std::int32_t from);
    const std::map<int, std::int32_t>& realMembers(std::uint32_t group) const;
    std::string shortText(int rank, const LiveCall& call) const;

    const LiveGroups& groups_;
    std::set<int> real_;
    const void* owner_;
    PlaceText placeText_;
    mutable std::map<std::uint32_t, std::map<int, std::int32_t>> realOf_; ///< by group: its real members and their places
    std::uint64_t serial_ = 0;
    std::map<std::pair<std::uint32_t, int>, std::uint64_t> counts_; ///< collectives of a group that a rank has called
    std::map<std::pair<std::uint32_t, std::uint64_t>, Meeting> meetings_;
    std::map<Channel, std::deque<Arrival>> sends_, receives_;
    std::deque<std::pair<int, Arrival>> fromAnybody_; ///< receives that name no sender, by the place of who receives
};

} // namespace orrery
