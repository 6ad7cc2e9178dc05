// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/comparison/record_difference.hpp"

#include "core/base/json.hpp"
#include "core/records/comparison/record_groups.hpp"
#include "core/records/comparison/record_words.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery {
namespace {

constexpr double nanosecond = 1e-9;
/// What sums of rounded shares leave over; a record's clock counts whole nanoseconds.
constexpr double leastChange = 1e-3;

std::string partOf(GroupKind kind, const std::string& name, double delta) {
    switch (kind) {
    case GroupKind::same:
    case GroupKind::paced: return delta > 0 ? "kernels.slower" : "kernels.faster";
    case GroupKind::replaced: return "kernels.replaced";
    case GroupKind::added: return "kernels.new";
    case GroupKind::gone: return "kernels.gone";
    case GroupKind::communication: return "communication." + name;
    case GroupKind::peers: return "waits.peers";
    case GroupKind::copies: return "memory_copies";
    case GroupKind::launch_gap: return "gaps.launch";
    case GroupKind::queued_gap: return "waits.queued";
    case GroupKind::other_gap: return "gaps.other";
    }
    return "";
}

/// What follows from something else rather than takes time by itself.
bool isWaiting(GroupKind kind) { return kind == GroupKind::peers || kind == GroupKind::queued_gap || kind == GroupKind::other_gap; }

class CauseMaker {
public:
    CauseMaker(const RecordGroups& groups, RecordDifference& to) : groups_(groups), to_(to) {}

    void run() {
        std::map<GroupKind, Gaps> gaps;
        for (const auto& [key, sums] : groups_.groups) {
            if (isWaiting(key.kind) || key.kind == GroupKind::launch_gap) {
                takeGap(gaps[key.kind], key, sums);
                continue;
            }
            addPart(partOf(key.kind, text(key.nameA), sums.own()), sums.own());
            addPart("overlap", sums.hidden());
            if (key.kind == GroupKind::paced) addPacedCause(key, sums);
            else addCause(key, sums, sums.own());
            addOverlap(key, sums);
        }
        for (const auto& [kind, gap] : gaps) addGapCause(kind, gap);
        absorbRounding();
        sortCauses();
    }

private:
    struct Gaps {
        GroupSums sums;
        double own = 0, largest = 0;
        GroupKey at;
    };
    std::string text(std::uint32_t number) const { return groups_.book.text(number); }

    void addPart(const std::string& name, double nanoseconds) {
        if (nanoseconds == 0) return;
        const auto part = std::find_if(to_.parts.begin(), to_.parts.end(), [&](const auto& one) { return one.name == name; });
        if (part == to_.parts.end()) to_.parts.push_back({name, nanoseconds * nanosecond});
        else part->delta += nanoseconds * nanosecond;
    }

    /// Sums of shares are rounded: parts that are nothing else go, and the largest takes what is left.
    void absorbRounding() {
        std::erase_if(to_.parts, [](const RecordDifference::Part& part) { return std::abs(part.delta) < leastChange * nanosecond; });
        if (to_.parts.empty()) return;
        double sum = 0;
        for (const RecordDifference::Part& part : to_.parts) sum += part.delta;
        const auto largest = std::max_element(to_.parts.begin(), to_.parts.end(), [](const auto& x, const auto& y) { return std::abs(x.delta) < std::abs(y.delta); });
        largest->delta += to_.difference - sum;
    }

    void sortCauses() {
        constexpr double leastShare = 1e-5; // of the largest: what is less is rounding
        double largest = 0;
        for (const RecordCause& cause : to_.causes) largest = std::max(largest, std::abs(cause.delta));
        std::erase_if(to_.causes, [&](const RecordCause& cause) { return std::abs(cause.delta) < leastShare * largest; });
        const bool longer = to_.difference > 0;
        const auto explains = [&](const RecordCause& cause) { return (cause.delta > 0) == longer; };
        std::stable_sort(to_.causes.begin(), to_.causes.end(), [&](const RecordCause& x, const RecordCause& y) { return explains(x) != explains(y) ? explains(x) : std::abs(x.delta) > std::abs(y.delta); });
        // Waiting follows from something: it is told first only where all that might be its reason is less. What one of n ranks takes longer is an n-th in their mean,
        // and lets n − 1 wait.
        double reasons = 0;
        for (const RecordCause& cause : to_.causes)
            if (!isWait(cause)) reasons += longer ? cause.delta : -cause.delta;
        constexpr double nearly = 0.8;
        const double ranksThatWait = std::max<double>(1, static_cast<double>(groups_.ranks) - 1);
        const auto reason = std::find_if(to_.causes.begin(), to_.causes.end(), [&](const RecordCause& cause) { return explains(cause) && !isWait(cause); });
        if (reason != to_.causes.end() && nearly * std::abs(to_.causes.front().delta) < reasons * ranksThatWait) std::rotate(to_.causes.begin(), reason, reason + 1);
    }
    static bool isWait(const RecordCause& cause) { return cause.part.starts_with("waits.") || cause.part == "gaps.other"; }

    void takeGap(Gaps& gap, const GroupKey& key, const GroupSums& sums) {
        addPart(partOf(key.kind, "", 0), sums.own());
        addPart("overlap", sums.hidden()); // of waits; nothing hides a gap
        gap.sums += sums;
        gap.own += sums.own();
        if (std::abs(sums.own()) <= std::abs(gap.largest)) return;
        gap.largest = sums.own();
        gap.at = key;
    }

    std::string whereOf(const GroupKey& key) const {
        const std::string module = text(key.module), op = text(key.op);
        return module.empty() || op.empty() ? module + op : module + ", " + op;
    }

    RecordCause causeOf(const GroupKey& key, const GroupSums& sums, double nanoseconds) const {
        RecordCause cause;
        cause.delta = nanoseconds * nanosecond;
        cause.name = text(key.nameA);
        if (key.nameB != key.nameA) cause.nameB = text(key.nameB);
        if (key.kind != GroupKind::copies) cause.where = whereOf(key);
        cause.a = sums.durationA * nanosecond;
        cause.b = sums.durationB * nanosecond;
        cause.countA = sums.countA;
        cause.countB = sums.countB;
        return cause;
    }
    void add(RecordCause cause) {
        if (std::abs(cause.delta) >= leastChange * nanosecond) to_.causes.push_back(std::move(cause));
    }
    void addCause(const GroupKey& key, const GroupSums& sums, double nanoseconds) {
        RecordCause cause = causeOf(key, sums, nanoseconds);
        cause.part = partOf(key.kind, cause.name, nanoseconds);
        cause.text = causeText(key.kind, cause);
        add(std::move(cause));
    }
    void addOverlap(const GroupKey& key, const GroupSums& sums) {
        RecordCause cause = causeOf(key, sums, sums.hidden());
        cause.part = "overlap";
        if (key.kind == GroupKind::paced) cause.name = "what all kernels do";
        cause.text = overlapText(cause);
        add(std::move(cause));
    }
    void addPacedCause(const GroupKey& key, const GroupSums& sums) {
        const PacedRanks& paced = groups_.paced.at(key);
        RecordCause cause;
        cause.delta = sums.own() * nanosecond;
        cause.part = partOf(GroupKind::same, "", cause.delta);
        cause.name = "all kernels";
        cause.a = sums.durationA * nanosecond;
        cause.b = sums.durationB * nanosecond;
        cause.countA = sums.countA;
        cause.countB = sums.countB;
        cause.text = pacedText(paced, groups_.ranks);
        add(std::move(cause));
    }
    void addGapCause(GroupKind kind, const Gaps& gap) {
        RecordCause cause;
        cause.delta = gap.own * nanosecond;
        cause.part = partOf(kind, "", 0);
        cause.name = text(gap.at.nameA);
        cause.where = whereOf(gap.at);
        cause.a = gap.sums.chargedA * nanosecond;
        cause.b = gap.sums.chargedB * nanosecond;
        cause.countA = gap.sums.countA;
        cause.countB = gap.sums.countB;
        cause.text = causeText(kind, cause);
        add(std::move(cause));
    }

    const RecordGroups& groups_;
    RecordDifference& to_;
};

Problem comparisonProblem(std::string code, std::string file, std::string message, std::string mend) {
    Problem problem;
    problem.code = std::move(code);
    problem.file = std::move(file);
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

bool hasWork(const RecordedJob& job, Problems& problems) {
    for (const RecordedRank& rank : job.ranks)
        if (rank.trace->device.empty()) problems.push_back(comparisonProblem("no-kernels", rank.file, "The record has no kernel, copy or fill of a device.", "Record again with the device's activities: activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]."));
    return !hasErrors(problems);
}

} // namespace

std::optional<RecordDifference> compareRecords(const RecordedJob& a, const RecordedJob& b, Problems& problems) {
    Problems found;
    const bool ofA = hasWork(a, found), ofB = hasWork(b, found);
    problems.insert(problems.end(), found.begin(), found.end());
    if (!ofA || !ofB) return std::nullopt;
    const auto pairs = comparedRanks(a, b);
    if (pairs.empty()) {
        problems.push_back(comparisonProblem("no-common-rank", "", "No rank was recorded in both A and B.", "Give records of the same ranks, or one record each."));
        return std::nullopt;
    }
    const RecordGroups groups = groupsOf(a, b, pairs);
    RecordDifference difference;
    difference.metric = groups.perStep ? "device_span_per_step_s" : "device_span_s";
    difference.a = groups.spanA * nanosecond;
    difference.b = groups.spanB * nanosecond;
    difference.difference = (groups.spanB - groups.spanA) * nanosecond;
    difference.matched = groups.matched;
    difference.replacedA = groups.replacedA;
    difference.replacedB = groups.replacedB;
    difference.added = groups.added;
    difference.gone = groups.gone;
    difference.ranks = groups.ranks;
    CauseMaker(groups, difference).run();
    difference.summary = summaryText(difference);
    return difference;
}

Json toJson(const RecordDifference& difference) {
    Json parts = Json::array(), causes = Json::array();
    for (const RecordDifference::Part& part : difference.parts) parts.push_back({{"name", part.name}, {"delta", part.delta}});
    for (const RecordCause& cause : difference.causes)
        causes.push_back({{"part", cause.part}, {"name", cause.name}, {"name_b", cause.nameB}, {"where", cause.where}, {"delta", cause.delta}, {"a_s", cause.a}, {"b_s", cause.b}, {"a_count", cause.countA}, {"b_count", cause.countB}, {"text", cause.text}});
    const auto& matched = difference.matched;
    return Json{{"format", "orrery-comparison/1"},
                {"metric", difference.metric},
                {"a", difference.a},
                {"b", difference.b},
                {"difference", difference.difference},
                {"parts", std::move(parts)},
                {"causes", std::move(causes)},
                {"summary", difference.summary},
                {"ranks", difference.ranks},
                {"matched", {{"everything", matched[0]}, {"program", matched[1]}, {"call", matched[2]}, {"name", matched[3]}, {"place", matched[4]}, {"replaced_a", difference.replacedA}, {"replaced_b", difference.replacedB}, {"new", difference.added}, {"gone", difference.gone}}}};
}

} // namespace orrery
