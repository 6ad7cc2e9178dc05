// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/hybrid_answer.hpp"

#include "core/base/json.hpp"
#include "core/records/ranks/planned_report.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/document/schema_check.hpp"

#include <algorithm>
#include <map>

namespace orrery {
namespace {

/// The scenario of a plan; nothing where it names no model or no work, or, with errors, can't be read.
std::optional<Scenario> planOf(Json document, const Catalog& catalog, const FileReader& readFile, Problems& problems) {
    if (!document.contains("model") || !document.contains("workload")) return std::nullopt;
    document.erase("hybrid"); // the plan itself has no recorded ranks
    const ScenarioReading reading = readScenario(document, catalog, readFile);
    problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
    if (hasErrors(problems)) return std::nullopt;
    return reading.scenario;
}

using Classes = std::vector<RankClass>;

/// What is asked names what the plan has.
bool namesOnlyThePlans(const HybridQuestion& question, const Classes& classes, int ranks, Problems& problems) {
    const std::size_t before = problems.size();
    const auto check = [&](std::int64_t rank, const std::string& pointer) {
        if (rank >= ranks) problems.push_back(error("unknown-rank", pointer, "There is no rank " + std::to_string(rank) + ": the job has " + std::to_string(ranks) + " ranks.").mend("Name a rank from 0 to " + std::to_string(ranks - 1) + "."));
    };
    for (const auto& [rank, file] : question.recorded) check(rank, "/hybrid/ranks/" + std::to_string(rank));
    for (std::size_t i = 0; i < question.whatIfs.delays.size(); ++i) check(question.whatIfs.delays[i].rank, "/hybrid/delays/" + std::to_string(i) + "/rank");
    for (std::size_t i = 0; i < question.whatIfs.stops.size(); ++i) check(question.whatIfs.stops[i].rank, "/hybrid/stops/" + std::to_string(i) + "/rank");
    std::string names;
    for (const RankClass& one : classes) names += (names.empty() ? "\"" : ", \"") + one.name + "\"";
    for (const auto& [name, source] : question.classes)
        if (std::none_of(classes.begin(), classes.end(), [&name = name](const RankClass& one) { return one.name == name; }))
            problems.push_back(error("unknown-class", below("/hybrid/classes", name), "No ranks of the plan are of a class \"" + name + "\".").mend("Its classes are " + names + "."));
    return problems.size() == before;
}

/// The records of a question, read as records of a plan's ranks.
struct PlannedRecords {
    std::map<int, RecordedPasses> ranks;
    PlannedQuestion question;
    HybridFiles files;
};

/// Which ranks and classes take after each file.
struct FileUses {
    std::vector<int> ranks;
    std::vector<std::size_t> classes;
};

std::map<std::string, FileUses> usesOf(const HybridQuestion& question, const Classes& classes) {
    std::map<std::string, FileUses> uses;
    for (const auto& [rank, name] : question.recorded) uses[name].ranks.push_back(static_cast<int>(rank));
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const auto named = question.classes.find(classes[i].name);
        if (named == question.classes.end()) continue;
        const auto* file = std::get_if<std::string>(&named->second);
        uses[file != nullptr ? *file : question.recorded.at(std::get<std::int64_t>(named->second))].classes.push_back(i);
    }
    return uses;
}

/// Nothing where a record is of something else than the plan.
std::optional<PlannedRecords> recordsOfPlan(const HybridQuestion& question, const PlannedRanks& ranks, const Classes& classes, const TraceOpener& open) {
    PlannedRecords records;
    records.question = {{}, question.whatIfs, question.scaled, question.prune};
    records.files.asksMemory = question.vram.has_value();
    Problems unlike;
    for (const auto& [name, uses] : usesOf(question, classes)) {
        const auto trace = open(name, unlike);
        if (!trace) return std::nullopt;
        const RankFile file{name, recordedPeak(*trace), question.vram ? firstBeyond(*trace, *question.vram) : std::nullopt};
        for (const int rank : uses.ranks) {
            auto record = passesIn(*trace, ranks, rank, name, unlike);
            if (!record) return std::nullopt;
            records.ranks[rank] = std::move(*record);
            records.files.ranks[rank] = file;
        }
        for (const std::size_t one : uses.classes) {
            auto record = passesIn(*trace, ranks, classes[one].ranks.front(), name, unlike);
            if (!record) return std::nullopt;
            records.question.likeness[one] = std::move(*record);
            records.files.classes[one] = file;
        }
    }
    return records;
}

/// The run over the plan; nothing where the records are of something else.
std::optional<HybridAnswer> plannedRun(const HybridQuestion& question, const Scenario& scenario, const Classes& classes, const TraceOpener& open, Problems& problems) {
    constexpr int draws = 4;
    Problems impossible;
    PlannedRanks ranks(scenario, impossible);
    if (!impossible.empty()) return std::nullopt;
    if (!namesOnlyThePlans(question, classes, scenario.parallelism.ranks(), problems)) return std::nullopt;
    const auto records = recordsOfPlan(question, ranks, classes, open);
    if (!records) return std::nullopt;
    const auto hybrid = playPlannedHybrid(ranks, records->ranks, classes, 0, draws, problems, records->question);
    if (!hybrid) return std::nullopt;
    HybridAnswer answer{BoxedJson(plannedHybridDocument(ranks, *hybrid, classes, records->files)), std::nullopt, std::nullopt};
    std::map<int, std::string> recorded;
    for (const auto& [rank, file] : records->files.ranks) recorded[rank] = file.file;
    if (!hybrid->hang) answer.planned = plannedTimeline(ranks, hybrid->draws.front(), classes, recorded);
    return answer;
}

void addWarnings(HybridAnswer& answer, const Problems& warnings, Problems& problems) {
    if (warnings.empty()) return;
    Json document = *answer.document;
    for (const Problem& one : warnings) document["warnings"].push_back(one.message);
    answer.document = std::move(document);
    problems.insert(problems.end(), warnings.begin(), warnings.end());
}

/// Rules of scaled kernels that no kernel of the records goes by.
class IdleRules {
public:
    explicit IdleRules(const std::vector<ScaledKernels>& rules) : rules_(rules), used_(rules.size(), false) {}
    void see(const KinetoTrace& trace) {
        std::vector<bool> isKernel(trace.names.size(), false);
        for (const DeviceEvent& event : trace.device)
            if (event.work == DeviceWork::kernel && !event.communication) isKernel[event.name] = true;
        for (std::size_t rule = 0; rule < rules_.size(); ++rule)
            for (std::size_t name = 0; name < isKernel.size() && !used_[rule]; ++name) used_[rule] = isKernel[name] && rules_[rule].matches(trace.names[name]);
    }
    Problems warnings() const {
        Problems list;
        for (std::size_t rule = 0; rule < rules_.size(); ++rule)
            if (!used_[rule]) list.push_back(warning("scales-nothing", "/hybrid/scale_kernels/" + std::to_string(rule) + "/match", "No kernel of the records has \"" + rules_[rule].match + "\" in its name: the rule changes nothing.").mend("Give a part of a kernel's name as the record has it; kernels of communication are not scaled."));
        return list;
    }

private:
    const std::vector<ScaledKernels>& rules_;
    std::vector<bool> used_;
};

} // namespace

std::optional<HybridAnswer> answerHybrid(const Json& document, const Catalog& catalog, const FileReader& readFile, Problems& problems) {
    const auto question = readHybrid(document, problems);
    if (!question) return std::nullopt;
    const auto plan = planOf(document, catalog, readFile, problems);
    if (hasErrors(problems)) return std::nullopt;
    const std::vector<RankClass> classes = plan ? rankClasses(*plan) : std::vector<RankClass>();
    IdleRules idle(question->scaled);
    const TraceOpener open = [&readFile, &idle, &rules = question->communication](const std::string& name, Problems& found) -> std::optional<KinetoTrace> {
        std::string error;
        const auto bytes = readFile(name, error);
        if (bytes) {
            auto trace = readDeviceTrace(*bytes, name, found);
            if (trace) {
                sortKernels(*trace, rules);
                idle.see(*trace);
            }
            return trace;
        }
        Problem problem;
        problem.code = "cannot-read-file";
        problem.file = name;
        problem.message = error;
        problem.mend = "Name a trace relative to the scenario.";
        found.push_back(std::move(problem));
        return std::nullopt;
    };
    if (plan) {
        auto planned = plannedRun(*question, *plan, classes, open, problems);
        if (hasErrors(problems)) return std::nullopt;
        if (planned) {
            addWarnings(*planned, idle.warnings(), problems);
            return planned;
        }
    }
    auto run = runHybrid(*question, classes, open, problems);
    if (!run) return std::nullopt;
    problems.insert(problems.end(), run->warnings.begin(), run->warnings.end());
    Json result = hybridDocument(*run, document.value("name", ""));
    HybridAnswer answer{BoxedJson(std::move(result)), std::move(run), std::nullopt};
    addWarnings(answer, idle.warnings(), problems);
    return answer;
}

} // namespace orrery
