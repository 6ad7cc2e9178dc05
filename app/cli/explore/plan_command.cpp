// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/kept_answer.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/explore/explore_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/user_catalog.hpp"
#include "core/answers/evidence/difference_bars.hpp"
#include "core/answers/planner/asked_machine.hpp"
#include "core/answers/planner/planner.hpp"
#include "core/base/boxed_json.hpp"
#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/exchange/import/served_model.hpp"
#include "core/results/report/uncertainty.hpp"
#include "core/scenario/reader/reader.hpp"
#include "resources/shipped_evidence.hpp"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// A model as it is named in one word.
struct NamedModel {
    BoxedJson model;  ///< the scenario's `/model`: a preset, or the whole config
    std::string name; ///< for a person
};

namespace files = std::filesystem;

/// Where Hugging Face's libraries keep what they downloaded.
files::path huggingFaceCache() {
    if (const char* hub = std::getenv("HF_HUB_CACHE")) return hub;
    if (const char* home = std::getenv("HF_HOME")) return files::path(home) / "hub";
    if (const char* home = std::getenv("HOME")) return files::path(home) / ".cache" / "huggingface" / "hub";
    return {};
}

bool isFile(const files::path& path) {
    std::error_code fault;
    return files::is_regular_file(path, fault);
}

bool isFolder(const files::path& path) {
    std::error_code fault;
    return files::is_directory(path, fault);
}

/// The config of a folder: its own, or that of a cached model's newest snapshot, of equally old ones the last by name.
std::optional<files::path> configIn(const files::path& folder) {
    if (isFile(folder / "config.json")) return folder / "config.json";
    std::error_code fault;
    std::optional<files::path> newest;
    std::pair<files::file_time_type, std::string> newestOf;
    for (const files::directory_entry& snapshot : files::directory_iterator(folder / "snapshots", fault)) {
        const files::path config = snapshot.path() / "config.json";
        if (!isFile(config)) continue;
        std::pair found{files::last_write_time(snapshot.path(), fault), snapshot.path().filename().string()};
        if (newest && found < newestOf) continue;
        newest = config;
        newestOf = std::move(found);
    }
    return newest;
}

Problem modelProblem(const char* code, std::string message, std::string mend) {
    Problem problem;
    problem.code = code;
    problem.pointer = "/model";
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

std::optional<NamedModel> modelOf(const files::path& config, const std::string& name, Problems& problems) {
    std::string error;
    const auto text = readTextFile(config.string(), error, {.regularOnly = true});
    if (!text) {
        problems.push_back(modelProblem("unreadable-file", error, "Name a model's config.json or its folder."));
        return std::nullopt;
    }
    auto document = parseJson(*text, config.string(), problems);
    if (!document || hasErrors(problems)) return std::nullopt;
    return NamedModel{Json{{"config", std::move(*document)}}, name};
}

std::string nameOf(const files::path& path) {
    const files::path named = path.filename().empty() ? path.parent_path() : path;
    return named.filename() == "config.json" && named.has_parent_path() ? named.parent_path().filename().string() : named.filename().string();
}

/// Finds a model by catalogue id, path of a config.json or of a folder that holds one, folder of Hugging Face's cache ("…/models--ORG--NAME", of
/// its newest snapshot), or a published name ("meta-llama/Llama-3.1-8B-Instruct") that the cache or the catalogue has. Nothing, with a problem
/// that names the nearest ids, for anything else.
std::optional<NamedModel> namedModel(const std::string& word, const Catalog& catalog, Problems& problems) {
    if (catalog.model(word)) return NamedModel{Json{{"preset", word}}, word};
    if (isFile(word)) return modelOf(word, nameOf(word), problems);
    if (isFolder(word)) {
        if (const auto config = configIn(word)) return modelOf(*config, nameOf(word), problems);
        problems.push_back(modelProblem("no-config", "The folder \"" + word + "\" holds no config.json, nor snapshots that do.", "Name the folder of a model as Hugging Face stores it."));
        return std::nullopt;
    }
    std::string cached = "models--" + word;
    if (const std::size_t slash = cached.find('/'); slash != std::string::npos) cached.replace(slash, 1, "--");
    const files::path cache = huggingFaceCache();
    if (!cache.empty() && cached.find('/') == std::string::npos)
        if (const auto config = configIn(cache / cached)) return modelOf(*config, word, problems);
    const std::string preset = servedModel(word).preset;
    if (catalog.model(preset)) return NamedModel{Json{{"preset", preset}}, preset};
    std::vector<std::string> known;
    for (const ModelEntry& entry : catalog.models()) known.push_back(entry.id);
    problems.push_back(modelProblem("unknown-model", "\"" + word + "\" is no model of the catalogue, no file or folder, and not in Hugging Face's cache.",
                                    "The nearest are " + joinWords(nearestNames(preset, std::move(known)), "and") + "; \"orrery-cli list models\" lists all."));
    return std::nullopt;
}

Problem badOption(const char* option, const std::string& text, const char* mend) {
    Problem problem;
    problem.code = "bad-command-line";
    problem.message = std::string(option) + " " + text + " can't be read.";
    problem.mend = mend;
    return problem;
}

/// A number with a unit behind it.
std::optional<std::pair<double, std::string>> quantityOf(std::string_view text) {
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc()) return std::nullopt;
    std::string unit(read.ptr, text.data() + text.size());
    unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
    return std::pair(value, std::move(unit));
}

std::optional<double> shareOf(const std::string& text, Problems& problems) {
    if (text.empty()) return std::nullopt;
    const auto quantity = quantityOf(text);
    constexpr double hundred = 100;
    if (quantity && quantity->second == "%") return quantity->first / hundred;
    if (quantity && quantity->second.empty()) return quantity->first;
    problems.push_back(badOption("--margin", text, "Write a share of the memory, as 5%."));
    return std::nullopt;
}

/// Bytes/s.
std::optional<double> bandwidthOf(const std::string& text, Problems& problems) {
    if (text.empty()) return std::nullopt;
    const auto quantity = quantityOf(text);
    constexpr double giga = 1e9, bits = 8;
    if (quantity && (quantity->second == "Gb/s" || quantity->second == "Gbit/s" || quantity->second == "Gbps")) return quantity->first * giga / bits;
    if (quantity && quantity->second == "GB/s") return quantity->first * giga;
    problems.push_back(badOption("--network", text, "Write a bandwidth with its unit, as 800Gb/s or 100GB/s."));
    return std::nullopt;
}

std::string chanceText(const std::optional<double>& chance) { return chance ? percentText(*chance) : "–"; }

void printPlans(const PlanAnswer& answer) {
    const bool trains = answer.plans.front().result->training() != nullptr;
    TextTable table(trains ? std::vector<std::string>{"plan", "", "iteration", "tokens/s each", "MFU", "peak memory", "fits", "best is better"}
                           : std::vector<std::string>{"plan", "", "tokens/s", "tokens/s each", "TTFT p90", "TPOT p90", "peak memory", "fits", "best is better"});
    table.setLeft(1);
    for (std::size_t i = 0; i < answer.plans.size(); ++i) {
        const PlannedRun& run = answer.plans[i];
        const Result& result = *run.result;
        std::vector<std::string> row{i == 0 ? "best" : std::to_string(i + 1), planText(result.scenario)};
        const std::string about = run.simulated ? "" : "~ ";
        if (const TrainingMetrics* metrics = result.training())
            for (std::string& text : std::vector<std::string>{about + timeText(metrics->iterationTime), about + countText(metrics->tokensPerSecondPerAccelerator), run.simulated ? percentText(metrics->mfu) : "–"}) row.push_back(std::move(text));
        if (const ServingReport* report = result.serving())
            for (std::string& text : std::vector<std::string>{countText(report->served.outputTokensPerSecond), countText(report->outputTokensPerSecondPerAccelerator), timeText(report->served.ttft.p90), timeText(report->served.tpot.p90)}) row.push_back(std::move(text));
        row.push_back(about + bytesText(result.memory.peakBytes));
        row.push_back(chanceText(fitsProbability(result)));
        row.push_back(i == 0 ? "" : chanceText(answer.probabilityBetter[i - 1]));
        table.add(std::move(row));
    }
    table.print(std::cout, 2);
}

void printText(const PlanAnswer& answer, const std::string& model) {
    std::cout << model << " on " << answer.machine.text() << '\n';
    printPlans(answer);
    std::cout << '\n';
    for (const std::string& reason : answer.reasons) std::cout << "- " << reason << '\n';
    std::cout << '\n';
    if (!answer.launch.tool.empty()) std::cout << "With " << answer.launch.tool << '\n';
    std::cout << (answer.launch.text.empty() ? "# " + answer.launch.whyNone + "\n" : answer.launch.text);
}

} // namespace

int runPlanCommand(const PlanCommandOptions& options) {
    Problems problems;
    PlanRequest request;
    request.margin = shareOf(options.margin, problems);
    request.network = bandwidthOf(options.network, problems);
    const Catalog catalog = userCatalog(problems);
    const auto model = hasErrors(problems) ? std::nullopt : namedModel(options.model, catalog, problems);
    if (!model) return refuse(problems, options.json);
    printWarnings(problems);
    request.model = model->model;
    request.modelName = model->name;
    request.machine = options.machine;
    request.framework = options.framework;
    request.precision = options.precision;
    request.train = {options.sequence, options.batch};
    if (options.serve) {
        AskedServing& serve = request.serve.emplace();
        serve.rate = options.rate;
        serve.input = options.input;
        serve.output = options.output;
        if (options.ttft > 0) serve.ttft = options.ttft;
        if (options.tpot > 0) serve.tpot = options.tpot;
    }
    const auto bars = shippedErrorBars(catalog);
    const EvidenceJudge judge(bars, catalog);
    RunControl control = commandControl();
    control.threads = threadsFor(options.threads);
    const auto answer = planFor(request, {catalog, *bars, judge}, problems, control);
    if (!answer) return refuse(problems, options.json);
    if (options.json) printDocument(toJson(*answer));
    else printText(*answer, model->name);
    return exit_done;
}

} // namespace orrery
