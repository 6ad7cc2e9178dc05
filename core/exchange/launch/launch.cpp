// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch/launch.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/exchange/import/comment_edits.hpp"
#include "core/exchange/import/import.hpp"
#include "core/exchange/launch/launch_option.hpp"
#include "core/exchange/launch/unsaid.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

bool trains(LaunchTool tool) { return tool == LaunchTool::megatron_lm || tool == LaunchTool::megatron_bridge || tool == LaunchTool::torchtitan; }

Problem wrongKind(LaunchTool tool, const std::string& message) {
    Problem problem;
    problem.code = "wrong-workload";
    problem.pointer = "/workload/kind";
    problem.message = launchToolWords()[static_cast<std::size_t>(tool)] + " " + message;
    problem.mend = trains(tool) ? "Name vllm, sglang or trtllm." : "Name megatron-lm, megatron-bridge or torchtitan.";
    return problem;
}

/// Options of GPT models have no words for such layers, and without them the command would start another model.
bool hasLayersBesideAttention(const Architecture& model) {
    if (model.compressed || model.streams || model.layerInputs || model.queryRank > 0 || (model.experts && model.experts->idle > 0)) return true;
    return std::any_of(model.kinds.begin(), model.kinds.end(), [](const LayerKind& kind) {
        return kind.mixer != MixerKind::attention || !kind.feedForward || kind.reach == AttentionReach::selected || kind.ownSizes() || kind.cacheShared;
    });
}

Problem wordlessModel(LaunchTool tool) {
    Problem problem;
    problem.code = "unknown-model";
    problem.pointer = "/model";
    problem.message = launchToolWords()[static_cast<std::size_t>(tool)] + "'s command can't be written yet for a model with layers that keep a state, pick their keys or have sizes of their own.";
    problem.mend = "Choose a model of attention layers that are alike.";
    return problem;
}

std::string textFor(const Json& document, const Scenario& scenario, LaunchTool tool, Problems& problems) {
    switch (tool) {
    case LaunchTool::megatron_lm: return megatronText(scenario);
    case LaunchTool::megatron_bridge: return bridgeText(scenario);
    case LaunchTool::torchtitan: return torchtitanText(document, scenario, problems);
    case LaunchTool::vllm: return vllmText(document, scenario);
    case LaunchTool::sglang: return sglangText(document, scenario);
    case LaunchTool::trtllm: return trtllmText(document, scenario);
    }
    return {};
}

/// A comment is one line.
std::string oneLine(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

std::string headOf(const Scenario& scenario, const std::vector<ScenarioEdit>& edits) {
    std::string head = "# " + oneLine(scenario.name.empty() ? "A scenario of Orrery" : scenario.name) + "\n";
    if (edits.empty()) return head;
    head += "# What no option says; orrery-cli import reads it back:\n";
    for (const ScenarioEdit& edit : edits) head += commentOf(edit) + "\n";
    return head;
}

} // namespace

const std::vector<std::string>& launchToolWords() {
    static const std::vector<std::string> words{"megatron-lm", "megatron-bridge", "torchtitan", "vllm", "sglang", "trtllm"};
    return words;
}

std::optional<LaunchTool> launchToolOf(const std::string& word) {
    const std::vector<std::string>& words = launchToolWords();
    const auto found = std::find(words.begin(), words.end(), word);
    return found == words.end() ? std::nullopt : std::optional(static_cast<LaunchTool>(found - words.begin()));
}

std::optional<std::string> launchText(const Json& document, const Scenario& scenario, LaunchTool tool, Problems& problems) {
    if (scenario.recorded()) {
        problems.push_back(wrongKind(tool, "can't be told to run a recorded graph."));
        return std::nullopt;
    }
    if (scenario.isTraining() != trains(tool)) {
        problems.push_back(wrongKind(tool, trains(tool) ? "trains; this scenario serves." : "serves; this scenario trains."));
        return std::nullopt;
    }
    if ((tool == LaunchTool::megatron_lm || tool == LaunchTool::megatron_bridge) && hasLayersBesideAttention(scenario.model)) {
        problems.push_back(wordlessModel(tool));
        return std::nullopt;
    }
    const std::string text = textFor(document, scenario, tool, problems);
    if (hasErrors(problems)) return std::nullopt;
    ImportOptions options;
    options.fileName = tool == LaunchTool::torchtitan ? "launch.toml" : "launch.sh";
    if (scenario.model.experts) options.expertsOf = [&](const std::string&) { return std::optional(scenario.model.experts->count); };
    const Import imported = importCommandLine(text, options);
    if (!imported.scenario) {
        problems.insert(problems.end(), imported.problems.begin(), imported.problems.end());
        return std::nullopt;
    }
    return headOf(scenario, unsaid(document, scenario, *imported.scenario)) + text;
}

} // namespace orrery
