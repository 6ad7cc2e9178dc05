// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/comparison/record_words.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace orrery {
namespace {

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

} // namespace

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

std::string pacedText(const PacedRanks& paced, std::size_t ranks) {
    constexpr std::size_t told = 8;
    std::string whose;
    if (ranks > 1) {
        std::vector<std::string> names(paced.ranks.begin(), paced.ranks.begin() + static_cast<std::ptrdiff_t>(std::min(told, paced.ranks.size())));
        whose = paced.ranks.size() == 1 ? " of rank " + names.front() : " of ranks " + joinWords(names, "and") + (paced.ranks.size() > told ? " and " + std::to_string(paced.ranks.size() - told) + " more" : "");
    }
    return "all kernels" + whose + " take " + fixed(paced.pace, 2) + " times as long alike (" + counted(static_cast<std::int64_t>(paced.kinds), "kind") + "), as another clock or device makes them";
}

std::string overlapText(const RecordCause& cause) { return (cause.name.empty() ? cause.nameB : shortKernelName(cause.name)) + " is hidden " + (cause.delta > 0 ? "less" : "more") + " behind other work"; }

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

} // namespace orrery
