// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/comparison/record_difference.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/records/comparison/record_groups.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace orrery {
namespace {

/// "12.3 ms", "−4.5 µs" without a sign for what is longer.
std::string shortTime(double seconds);

/// A kernel's name without what its templates and arguments say: "vectorized_elementwise_kernel".
std::string shortKernelName(const std::string& name);

std::string fixed(double value, int decimals) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

std::string signedTime(double seconds) { return (seconds < 0 ? "" : "+") + shortTime(seconds); }

/// The names of a run of kernels, one a line.
std::string runText(const std::string& names) {
    constexpr std::size_t told = 3;
    std::string each;
    std::size_t from = 0, count = 0;
    while (from <= names.size()) {
        const std::size_t end = std::min(names.find('\n', from), names.size());
        if (++count <= told) each += (each.empty() ? "" : ", ") + shortKernelName(names.substr(from, end - from));
        from = end + 1;
    }
    return counted(static_cast<std::int64_t>(count), "kernel") + " (" + each + (count > told ? ", …)" : ")");
}

std::string longerText(double a, double b) {
    if (a <= 0 || b <= 0) return "takes " + shortTime(b) + " instead of " + shortTime(a);
    const double ratio = b / a;
    if (std::abs(ratio - 1) < 0.005) return "takes " + shortTime(b - a) + (b > a ? " more" : " less");
    return "takes " + fixed(ratio, ratio < 10 ? 2 : 0) + " times as long";
}

std::string countText(double count) { return std::abs(count - std::round(count)) < 1e-6 ? fixed(count, 0) : fixed(count, 1); }

/// What `causes` say of events that both records have.
std::string sameText(const RecordCause& cause, const std::string& name) {
    std::string text = name;
    if (!cause.nameB.empty()) text += shortKernelName(cause.nameB) == name ? " (another variant in B)" : " (" + shortKernelName(cause.nameB) + " in B)";
    if (!cause.where.empty()) text += " in " + cause.where;
    const bool asOften = std::abs(cause.countA - cause.countB) < 1e-6;
    if (!asOften) return text + " runs " + countText(cause.countB) + " times instead of " + countText(cause.countA) + ", and " + longerText(cause.a, cause.b) + " in all";
    return text + " " + longerText(cause.a, cause.b) + " (" + counted(static_cast<std::int64_t>(std::llround(cause.countA)), "call") + ")";
}

std::string shortTime(double seconds) {
    const double size = std::abs(seconds);
    const auto three = [](double value) {
        const double magnitude = std::abs(value);
        return fixed(value, magnitude >= 100 ? 0 : magnitude >= 10 ? 1
                                                                   : 2);
    };
    if (size >= 1 || size == 0) return three(seconds) + " s";
    if (size >= 1e-3) return three(seconds * 1e3) + " ms";
    return three(seconds * 1e6) + " µs";
}

std::string shortKernelName(const std::string& name) {
    constexpr std::size_t longest = 60;
    std::string_view rest = name;
    if (rest.starts_with("void ")) rest.remove_prefix(5);
    // "(anonymous namespace)" is no list of arguments.
    std::string plain(rest);
    for (const std::string_view unnamed : {"(anonymous namespace)::", "(anonymous_namespace)::"})
        for (std::size_t at = plain.find(unnamed); at != std::string::npos; at = plain.find(unnamed)) plain.erase(at, unnamed.size());
    if (plain.find("::") != std::string::npos || plain.find('<') != std::string::npos) {
        plain = plain.substr(0, std::min(plain.find('<'), plain.find('(')));
        if (const std::size_t scope = plain.rfind("::"); scope != std::string::npos && scope + 2 < plain.size()) plain = plain.substr(scope + 2);
    }
    return shortened(plain.empty() ? name : plain, longest);
}

/// What a cause is, as a sentence without its end.
std::string causeText(GroupKind kind, const RecordCause& cause) {
    const std::string place = cause.where.empty() ? std::string() : " in " + cause.where;
    switch (kind) {
    case GroupKind::same: return sameText(cause, shortKernelName(cause.name));
    case GroupKind::replaced: return runText(cause.nameB) + " in place of " + runText(cause.name) + (cause.countA == cause.countB ? "" : ", " + countText(cause.countB) + " instead of " + countText(cause.countA) + " in all");
    case GroupKind::added: return shortKernelName(cause.nameB) + place + " runs in B alone (" + countText(cause.countB) + " times)";
    case GroupKind::gone: return shortKernelName(cause.name) + place + " runs in A alone (" + countText(cause.countA) + " times)";
    case GroupKind::communication: return sameText(cause, cause.name);
    case GroupKind::peers: return "ranks wait for others in collectives: " + shortTime(cause.b) + " instead of " + shortTime(cause.a) + (cause.name.empty() ? "" : ", with the largest change for " + cause.name);
    case GroupKind::paced: break; // pacedText
    case GroupKind::copies: return sameText(cause, cause.name);
    case GroupKind::launch_gap: return "the host launches " + std::string(cause.delta > 0 ? "later" : "sooner") + ": the device idles " + shortTime(cause.b) + " instead of " + shortTime(cause.a) + (cause.where.empty() ? "" : ", with the largest change before kernels of " + cause.where);
    case GroupKind::queued_gap: return "what has been launched waits " + shortTime(cause.b) + " instead of " + shortTime(cause.a) + " on an idle device";
    case GroupKind::other_gap: return "the device idles " + shortTime(cause.b) + " instead of " + shortTime(cause.a);
    }
    return "";
}

/// "all kernels of ranks 4 and 5 take 1.30 times as long", of a comparison of `ranks` ranks.
std::string pacedText(const PacedRanks& paced, std::size_t ranks) {
    constexpr std::size_t told = 8;
    std::string whose;
    if (ranks > 1) {
        std::vector<std::string> names(paced.ranks.begin(), paced.ranks.begin() + static_cast<std::ptrdiff_t>(std::min(told, paced.ranks.size())));
        whose = paced.ranks.size() == 1 ? " of rank " + names.front() : " of ranks " + joinWords(names, "and") + (paced.ranks.size() > told ? " and " + std::to_string(paced.ranks.size() - told) + " more" : "");
    }
    return "all kernels" + whose + " take " + fixed(paced.pace, 2) + " times as long alike (" + counted(static_cast<std::int64_t>(paced.kinds), "kind") + "), as another clock or device makes them";
}

/// "all_reduce is hidden less behind other work".
std::string overlapText(const RecordCause& cause) { return (cause.name.empty() ? cause.nameB : shortKernelName(cause.name)) + " is hidden " + (cause.delta > 0 ? "less" : "more") + " behind other work"; }

/// What differs, and why: the first three causes.
std::string summaryText(const RecordDifference& difference) {
    if (difference.parts.empty()) return "Nothing differs.";
    const double size = std::abs(difference.difference);
    std::string text;
    if (difference.difference == 0) text = "A and B take " + shortTime(difference.a) + " each";
    else text = "B takes " + shortTime(size) + (difference.difference > 0 ? " longer than A" : " less than A") + " (" + shortTime(difference.b) + " instead of " + shortTime(difference.a) + ")";
    constexpr std::size_t told = 3;
    constexpr double worthTelling = 0.01; // of the first
    for (std::size_t i = 0; i < std::min(told, difference.causes.size()) && std::abs(difference.causes[i].delta) >= worthTelling * std::abs(difference.causes[0].delta); ++i) text += (i == 0 ? ": " : "; ") + difference.causes[i].text + " (" + signedTime(difference.causes[i].delta) + ")";
    return text + ".";
}

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
