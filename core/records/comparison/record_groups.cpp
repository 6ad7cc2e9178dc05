// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/comparison/record_groups.hpp"

#include "core/records/comparison/record_wall.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace orrery {
namespace {

/// When the last rank came to the collectives of one rank, and which it was.
struct Arrivals {
    std::vector<std::int64_t> when; ///< by device event; empty: nobody knows of any
    std::vector<std::uint32_t> last;
};

Arrivals arrivalsAt(const RecordedJob& job, std::size_t place, NameBook& book) {
    Arrivals arrivals;
    if (job.collectives.empty()) return arrivals;
    const std::size_t events = job.ranks[place].trace->device.size();
    arrivals.when.assign(events, noArrival);
    arrivals.last.assign(events, 0);
    for (const JobCollective& collective : job.collectives) {
        const std::uint32_t event = collective.events[place];
        if (event == JobCollective::noEvent || event >= events) continue;
        arrivals.when[event] = collective.lastArrival + job.clockOffsets[place];
        const RecordedRank& last = job.ranks[collective.last];
        arrivals.last[event] = book.number(last.rank ? "rank " + std::to_string(*last.rank) : last.file);
    }
    return arrivals;
}

/// One record of a comparison, made ready to be summed up.
struct ReadyRecord {
    const KinetoTrace& trace;
    Arrivals arrivals;
    RecordWall wall;
    std::vector<KernelPlace> places;
    std::vector<std::uint32_t> classes; ///< by device event that communicates: name of its class
    std::vector<std::uint32_t> modules; ///< by device event: class of its module
    double share = 1;                   ///< of a sum over this record, what counts: one of its steps and ranks

    ReadyRecord(const RecordedJob& job, std::size_t place, NameBook& book) : trace(*job.ranks[place].trace), arrivals(arrivalsAt(job, place, book)), wall(wallOf(trace, arrivals.when)), places(placesOf(trace, book)) {
        std::vector<CollectiveKind> said(trace.device.size(), CollectiveKind::none);
        for (const CollectiveCall& call : trace.collectiveCalls)
            if (call.deviceEvent < said.size()) said[call.deviceEvent] = call.kind;
        std::map<std::uint32_t, std::uint32_t> classOfModule;
        classes.assign(trace.device.size(), 0);
        modules.assign(trace.device.size(), 0);
        for (std::size_t i = 0; i < trace.device.size(); ++i) {
            const auto [known, isNew] = classOfModule.try_emplace(places[i].module, 0);
            if (isNew) known->second = book.number(moduleClass(std::string(book.text(places[i].module))));
            modules[i] = known->second;
            if (!trace.device[i].communication) continue;
            CollectiveKind kind = said[i];
            if (kind == CollectiveKind::none) kind = collectiveCalled(trace.names[trace.device[i].name]);
            if (kind == CollectiveKind::none) kind = collectiveCalled(book.text(places[i].op));
            classes[i] = book.number(kind == CollectiveKind::none ? "other" : toString(kind));
        }
    }
    double length(std::uint32_t event) const { return share * static_cast<double>(trace.device[event].when.end - trace.device[event].when.start); }
    double charge(std::uint32_t event) const { return share * static_cast<double>(wall.charged[event]); }
};

using Groups = std::map<GroupKey, GroupSums>;

/// How many times as long all kernels of a rank take, as a slower clock makes them: at least four kinds, and most of the time. 1: they don't.
class CommonPace {
public:
    explicit CommonPace(const Groups& groups) {
        constexpr double leastPace = 0.005, most = 0.8;
        constexpr std::size_t fewest = 4;
        std::vector<std::pair<double, double>> ratios; // and time
        double all = 0;
        for (const auto& [key, sums] : groups) {
            if (!mayFollow(key, sums)) continue;
            ratios.emplace_back(sums.durationB / sums.durationA, sums.durationA);
            all += sums.durationA;
        }
        std::sort(ratios.begin(), ratios.end());
        double before = 0, median = 1, alike = 0;
        for (const auto& [ratio, time] : ratios) {
            before += time;
            median = ratio;
            if (before >= all / 2) break;
        }
        if (ratios.size() < fewest || std::abs(median - 1) < leastPace) return;
        pace_ = median;
        for (const auto& [ratio, time] : ratios)
            if (isPace(ratio)) alike += time;
        if (alike < most * all) pace_ = 1;
    }
    double pace() const { return pace_; }
    bool follows(const GroupKey& key, const GroupSums& sums) const { return pace_ != 1 && mayFollow(key, sums) && isPace(sums.durationB / sums.durationA); }

private:
    static bool mayFollow(const GroupKey& key, const GroupSums& sums) { return key.kind == GroupKind::same && sums.durationA > 0 && sums.countA == sums.countB; }
    bool isPace(double ratio) const {
        constexpr double band = 0.1, clockTick = 0.002;
        return std::abs(ratio - pace_) <= band * std::abs(pace_ - 1) + clockTick;
    }
    double pace_ = 1;
};

class GroupSummer {
public:
    GroupSummer(RecordGroups& to, const ReadyRecord& a, const ReadyRecord& b, std::string rank) : to_(to), a_(a), b_(b), rank_(std::move(rank)) {}

    void run() {
        to_.spanA += a_.share * static_cast<double>(a_.wall.span());
        to_.spanB += b_.share * static_cast<double>(b_.wall.span());
        takeKernels();
        takeOthers(a_, true);
        takeOthers(b_, false);
        handOver();
    }

private:
    /// Adds this rank's sums to those of all; what became longer alike is one group.
    void handOver() {
        const CommonPace pace(own_);
        char words[32];
        std::snprintf(words, sizeof words, "%.2f", pace.pace());
        const std::uint32_t name = to_.book.number(words);
        const GroupKey paced{GroupKind::paced, 0, 0, name, name};
        std::size_t kinds = 0;
        for (const auto& [key, sums] : own_) {
            const bool follows = pace.follows(key, sums);
            to_.groups[follows ? paced : key] += sums;
            if (follows) ++kinds;
        }
        if (kinds == 0) return;
        PacedRanks& ranks = to_.paced[paced];
        ranks.pace = pace.pace();
        ranks.kinds = std::max(ranks.kinds, kinds);
        ranks.ranks.push_back(rank_);
    }

    void addA(GroupSums& sums, std::uint32_t event) const {
        sums.durationA += a_.length(event);
        sums.chargedA += a_.charge(event);
        sums.countA += a_.share;
    }
    void addB(GroupSums& sums, std::uint32_t event) const {
        sums.durationB += b_.length(event);
        sums.chargedB += b_.charge(event);
        sums.countB += b_.share;
    }

    void takeKernels() {
        const MatchedKernels matched = matchKernels(a_.trace, a_.places, b_.trace, b_.places);
        for (std::size_t by = 0; by < matchedByCount; ++by) to_.matched[by] += matched.count[by];
        std::map<GroupKey, GroupKey> ofKindA, ofKindB; // the group that has such kernels of A, of B
        for (const KernelPair& pair : matched.pairs) {
            const GroupKey key{GroupKind::same, a_.modules[pair.a], a_.places[pair.a].op, a_.places[pair.a].name, b_.places[pair.b].name};
            GroupSums& sums = own_[key];
            addA(sums, pair.a);
            addB(sums, pair.b);
            if (!to_.perStep) continue;
            ofKindA.try_emplace(loneKey(GroupKind::gone, a_, pair.a), key);
            ofKindB.try_emplace(loneKey(GroupKind::added, b_, pair.b), key);
        }
        // Where one record has more steps, it has more of every kernel: such are not new.
        const auto groupOf = [](const std::map<GroupKey, GroupKey>& ofKind, const GroupKey& lone) {
            const auto found = ofKind.find(lone);
            return found == ofKind.end() ? lone : found->second;
        };
        for (const std::uint32_t event : matched.gone) addA(own_[groupOf(ofKindA, loneKey(GroupKind::gone, a_, event))], event);
        for (const std::uint32_t event : matched.added) addB(own_[groupOf(ofKindB, loneKey(GroupKind::added, b_, event))], event);
        to_.gone += matched.gone.size();
        to_.added += matched.added.size();
        for (const ReplacedKernels& replaced : matched.replaced) {
            GroupSums& sums = own_[{GroupKind::replaced, 0, 0, namesOf(a_, replaced.a), namesOf(b_, replaced.b)}];
            for (const std::uint32_t event : replaced.a) addA(sums, event);
            for (const std::uint32_t event : replaced.b) addB(sums, event);
            to_.replacedA += replaced.a.size();
            to_.replacedB += replaced.b.size();
        }
    }

    static GroupKey loneKey(GroupKind kind, const ReadyRecord& of, std::uint32_t event) {
        const std::uint32_t name = of.places[event].name;
        return {kind, of.modules[event], of.places[event].op, kind == GroupKind::gone ? name : 0, kind == GroupKind::added ? name : 0};
    }

    /// The names of a run, one a line.
    std::uint32_t namesOf(const ReadyRecord& of, const std::vector<std::uint32_t>& events) {
        std::string all;
        for (const std::uint32_t event : events) all += (all.empty() ? "" : "\n") + to_.book.text(of.places[event].name);
        return to_.book.number(all);
    }

    void add(const GroupKey& key, bool isA, double duration, double charged, double count) {
        GroupSums& sums = own_[key];
        (isA ? sums.durationA : sums.durationB) += duration;
        (isA ? sums.chargedA : sums.chargedB) += charged;
        (isA ? sums.countA : sums.countB) += count;
    }

    void takeOthers(const ReadyRecord& of, bool isA) {
        for (std::uint32_t i = 0; i < of.trace.device.size(); ++i) {
            const DeviceEvent& event = of.trace.device[i];
            if (event.work != DeviceWork::kernel) {
                add({GroupKind::copies, 0, 0, of.places[i].name, of.places[i].name}, isA, of.length(i), of.charge(i), of.share);
                continue;
            }
            if (!event.communication) continue;
            double length = of.length(i), charged = of.charge(i);
            if (i < of.arrivals.when.size() && of.arrivals.when[i] > event.when.start) {
                const double waits = of.share * static_cast<double>(std::min(of.arrivals.when[i], event.when.end) - event.when.start), waitsAlone = of.share * static_cast<double>(of.wall.waiting[i]);
                add({GroupKind::peers, 0, 0, of.arrivals.last[i], of.arrivals.last[i]}, isA, waits, waitsAlone, of.share);
                length -= waits;
                charged -= waitsAlone;
            }
            add({GroupKind::communication, 0, 0, of.classes[i], of.classes[i]}, isA, length, charged, of.share);
        }
        for (const DeviceGap& gap : of.wall.gaps) {
            const GroupKind kind = gap.kind == GapKind::launch ? GroupKind::launch_gap : gap.kind == GapKind::queued ? GroupKind::queued_gap
                                                                                                                     : GroupKind::other_gap;
            const double length = of.share * static_cast<double>(gap.length);
            add({kind, of.modules[gap.before], of.places[gap.before].called, 0, 0}, isA, length, length, of.share);
        }
    }

    RecordGroups& to_;
    const ReadyRecord &a_, &b_;
    std::string rank_;
    Groups own_;
};

std::size_t stepsOf(const RecordedJob& job, std::size_t place) { return job.ranks[place].trace->profilerSteps.size(); }

} // namespace

GroupSums& GroupSums::operator+=(const GroupSums& more) {
    durationA += more.durationA;
    durationB += more.durationB;
    chargedA += more.chargedA;
    chargedB += more.chargedB;
    countA += more.countA;
    countB += more.countB;
    return *this;
}

double GroupSums::own() const {
    const double longer = durationB - durationA;
    return longer > 0 ? std::clamp(change(), 0.0, longer) : std::clamp(change(), longer, 0.0);
}

std::vector<std::pair<std::size_t, std::size_t>> comparedRanks(const RecordedJob& a, const RecordedJob& b) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    if (a.ranks.size() == 1 && b.ranks.size() == 1) return {{0, 0}};
    for (std::size_t i = 0; i < a.ranks.size(); ++i)
        for (std::size_t j = 0; j < b.ranks.size(); ++j)
            if (a.ranks[i].rank && a.ranks[i].rank == b.ranks[j].rank) {
                pairs.emplace_back(i, j);
                break;
            }
    return pairs;
}

RecordGroups groupsOf(const RecordedJob& a, const RecordedJob& b, const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
    RecordGroups groups;
    groups.ranks = pairs.size();
    groups.perStep = std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return stepsOf(a, pair.first) != stepsOf(b, pair.second); }) &&
                     std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return stepsOf(a, pair.first) > 0 && stepsOf(b, pair.second) > 0; });
    for (const auto& [i, j] : pairs) {
        ReadyRecord ofA(a, i, groups.book), ofB(b, j, groups.book);
        const double rank = 1 / static_cast<double>(pairs.size());
        ofA.share = groups.perStep ? rank / static_cast<double>(stepsOf(a, i)) : rank;
        ofB.share = groups.perStep ? rank / static_cast<double>(stepsOf(b, j)) : rank;
        GroupSummer(groups, ofA, ofB, a.ranks[i].rank ? std::to_string(*a.ranks[i].rank) : a.ranks[i].file).run();
    }
    return groups;
}

} // namespace orrery
