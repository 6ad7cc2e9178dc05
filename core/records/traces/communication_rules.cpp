// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/communication_rules.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

char smallLetter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string withSmallLetters(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), smallLetter);
    return small;
}

/// Characters of well-formed UTF-8: bytes that go on with one begin with the bits 10.
std::size_t lettersIn(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// What the rules say of each kernel, each name looked at once.
class KernelVerdicts {
public:
    KernelVerdicts(const KinetoTrace& trace, const CommunicationRules& rules) : trace_(trace), judge_(rules), byName_(trace.names.size()) {}
    bool of(const DeviceEvent& event) {
        if (event.work != DeviceWork::kernel || event.name >= byName_.size()) return false;
        std::optional<bool>& known = byName_[event.name];
        if (!known) known = judge_.communicates(trace_.names[event.name]);
        return *known;
    }

private:
    const KinetoTrace& trace_;
    CommunicationJudge judge_;
    std::vector<std::optional<bool>> byName_;
};

/// Problems of a list of rules, in a file or at a place of a scenario.
class RuleProblems {
public:
    RuleProblems(std::string fileName, std::string pointer, Problems& problems) : file_(std::move(fileName)), pointer_(std::move(pointer)), problems_(problems) {}
    void add(const char* code, const std::string& below, std::string message, std::string mend) {
        Problem problem;
        problem.code = code;
        problem.file = file_;
        if (file_.empty()) problem.pointer = pointer_ + below;
        problem.message = std::move(message);
        problem.mend = std::move(mend);
        problems_.push_back(std::move(problem));
    }

private:
    std::string file_, pointer_;
    Problems& problems_;
};

constexpr std::size_t shownBytes = 60; ///< of what is wrong, in a message

std::string shownRule(std::size_t place) { return "Rule " + std::to_string(place + 1); }

void readRule(const Json& given, std::size_t place, CommunicationRules& rules, RuleProblems& problems) {
    const std::string at = "/" + std::to_string(place), name = shownRule(place);
    if (!given.is_object()) return problems.add("wrong-type", at, name + " is " + shortened(given.dump(), shownBytes) + ".", R"(Write {"match": "nccl", "communication": true}.)");
    for (const auto& [key, value] : given.items())
        if (key != "match" && key != "communication") problems.add("unknown-key", at, name + " has the unknown key " + inQuotes(shortened(key, shownBytes)) + ".", R"(A rule has "match" and "communication".)");
    CommunicationRule rule;
    const auto match = given.find("match"), communication = given.find("communication");
    if (match == given.end()) return problems.add("missing-key", at, name + " has no \"match\".", R"(Write a part of kernels' names, for example "match": "nccl"; "" matches every name.)");
    if (!match->is_string()) return problems.add("wrong-type", at + "/match", name + " has " + shortened(match->dump(), shownBytes) + " as \"match\".", "Write a text, a part of kernels' names.");
    rule.match = match->get<std::string>();
    if (const std::size_t letters = lettersIn(rule.match); letters > longestCommunicationMatch)
        problems.add("out-of-range", at + "/match", name + " has a \"match\" of " + std::to_string(letters) + " letters.", "Write at most " + std::to_string(longestCommunicationMatch) + ".");
    if (communication != given.end()) {
        if (!communication->is_boolean()) return problems.add("wrong-type", at + "/communication", name + " has " + shortened(communication->dump(), shownBytes) + " as \"communication\".", "Write true or false.");
        rule.communication = communication->get<bool>();
    }
    rules.push_back(std::move(rule));
}

} // namespace

const CommunicationRules& shippedCommunicationRules() {
    // The alternatives of the regular expression by which the reference figures of recorded traces tell communication kernels (the README beside those traces):
    // nccl|rccl|all_?reduce|reduce_?scatter|all_?gather|all_?to_?all|sendrecv|multimem|cross_device_reduce|deep_?ep|dpsk::ep|nvshmem|mscclpp
    static const CommunicationRules rules{{"nccl"}, {"rccl"}, {"all_?reduce"}, {"reduce_?scatter"}, {"all_?gather"}, {"all_?to_?all"}, {"sendrecv"}, {"multimem"}, {"cross_device_reduce"}, {"deep_?ep"}, {"dpsk::ep"}, {"nvshmem"}, {"mscclpp"},
                                          // Operators of XLA's instruction set, and of Huawei's library (HCCL).
                                          {"all-reduce"},
                                          {"reduce-scatter"},
                                          {"all-gather"},
                                          {"all-to-all"},
                                          {"collective-permute"},
                                          {"collective-broadcast"},
                                          {"hccl"},
                                          {"hcom_"}};
    return rules;
}

CommunicationJudge::CommunicationJudge(const CommunicationRules& rules) {
    patterns_.reserve(rules.size());
    for (const CommunicationRule& rule : rules) patterns_.push_back(patternOf(rule));
}

CommunicationJudge::Pattern CommunicationJudge::patternOf(const CommunicationRule& rule) {
    Pattern pattern;
    pattern.communication = rule.communication;
    const std::string& match = rule.match;
    for (std::size_t i = 0; i < match.size(); ++i) {
        if (match[i] != '_') {
            pattern.pieces.push_back({smallLetter(match[i])});
            continue;
        }
        const bool optional = i + 1 < match.size() && match[i + 1] == '?';
        if (optional) ++i;
        // Underscores one after another are one piece: what follows is a letter, so that taking as many as may stand there is never wrong.
        if (pattern.pieces.empty() || pattern.pieces.back().letter != '_') pattern.pieces.push_back({'_', 0, 0});
        pattern.pieces.back().most += 1;
        if (!optional) pattern.pieces.back().least += 1;
    }
    return pattern;
}

bool CommunicationJudge::standsAt(const Pattern& pattern, std::string_view text) {
    std::size_t at = 0;
    for (const Piece& piece : pattern.pieces) {
        std::size_t count = 0;
        while (count < piece.most && at < text.size() && text[at] == piece.letter) {
            ++at;
            ++count;
        }
        if (count < piece.least) return false;
    }
    return true;
}

bool CommunicationJudge::standsIn(const Pattern& pattern, std::string_view text) {
    if (standsAt(pattern, text)) return true;
    const bool beginsAnywhere = pattern.pieces.empty() || pattern.pieces.front().least == 0;
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (!beginsAnywhere) at = text.find(pattern.pieces.front().letter, at);
        if (at == std::string_view::npos) return false;
        if (standsAt(pattern, text.substr(at))) return true;
    }
    return false;
}

std::optional<std::size_t> CommunicationJudge::rule(std::string_view kernel) const {
    const std::string small = withSmallLetters(kernel);
    for (std::size_t i = 0; i < patterns_.size(); ++i)
        if (standsIn(patterns_[i], small)) return i;
    return std::nullopt;
}

bool CommunicationJudge::communicates(std::string_view kernel) const {
    const auto decides = rule(kernel);
    return decides && patterns_[*decides].communication;
}

bool isCommunication(std::string_view kernel) {
    static const CommunicationJudge judge(shippedCommunicationRules());
    return judge.communicates(kernel);
}

void sortKernels(KinetoTrace& trace, const CommunicationRules& rules) {
    KernelVerdicts verdicts(trace, rules);
    for (DeviceEvent& event : trace.device) event.communication = verdicts.of(event);
}

std::optional<KinetoTrace> sortedOtherwise(const KinetoTrace& trace, const CommunicationRules& rules) {
    KernelVerdicts verdicts(trace, rules);
    if (std::all_of(trace.device.begin(), trace.device.end(), [&](const DeviceEvent& event) { return event.communication == verdicts.of(event); })) return std::nullopt;
    std::optional<KinetoTrace> sorted(trace);
    for (DeviceEvent& event : sorted->device) event.communication = verdicts.of(event);
    return sorted;
}

std::optional<CommunicationRules> readCommunicationRules(const Json& list, const std::string& fileName, const std::string& pointer, Problems& problems) {
    const std::size_t before = problems.size();
    RuleProblems found(fileName, pointer, problems);
    CommunicationRules rules;
    if (!list.is_array()) {
        found.add("wrong-type", "", "Rules of what counts as communication are a list; this is " + shortened(list.dump(), shownBytes) + ".", R"(Write [{"match": "nccl", "communication": true}]; "orrery-cli trace rules" prints the shipped ones.)");
    } else if (list.size() > mostCommunicationRules) {
        found.add("out-of-range", "", "There are " + std::to_string(list.size()) + " rules of what counts as communication.", "Give at most " + std::to_string(mostCommunicationRules) + ".");
    } else {
        for (std::size_t i = 0; i < list.size(); ++i) readRule(list[i], i, rules, found);
    }
    if (problems.size() != before) return std::nullopt;
    return rules;
}

Json communicationRulesDocument(const CommunicationRules& rules) {
    Json list = Json::array();
    for (const CommunicationRule& rule : rules) list.push_back({{"match", rule.match}, {"communication", rule.communication}});
    return list;
}

} // namespace orrery
