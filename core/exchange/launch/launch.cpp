// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch/launch.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"
#include "core/exchange/import/import.hpp"
#include "core/exchange/import/scenario_draft.hpp"
#include "core/scenario/reader/rl_halves.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace orrery {
namespace {

/// What a scenario's figures follow from, beside its model and cluster; `hybrid` and `beside` name files, which stay where they are.
constexpr const char* sections[] = {"workload", "parallelism", "execution", "economics", "reliability", "hybrid", "beside"};

class Difference {
public:
    explicit Difference(const Scenario& scenario) : scenario_(scenario) {}

    void compare(const Json* wanted, const Json* imported, const std::vector<std::string>& at) {
        if (wanted && imported && wanted->is_object() && imported->is_object()) return compareMembers(*wanted, *imported, at);
        if (wanted && imported && *wanted == *imported) return;
        const std::string pointer = joinPointer(at);
        if (wanted && wanted->is_object() && !imported) return compareMembers(*wanted, Json::object(), at);
        if (wanted && !imported && isUsual(at, *wanted)) return;
        if (wanted) edits_.push_back({pointer, *wanted});
        else if (imported && !isAssumed(pointer, *imported)) remove(*imported, at);
    }

    std::vector<ScenarioEdit> take() { return std::move(edits_); }

private:
    void compareMembers(const Json& wanted, const Json& imported, std::vector<std::string> at) {
        at.emplace_back();
        for (const auto& [key, value] : imported.items()) {
            if (wanted.contains(key)) continue;
            at.back() = key;
            compare(nullptr, &value, at);
        }
        for (const auto& [key, value] : wanted.items()) {
            at.back() = key;
            const auto found = imported.find(key);
            compare(&value, found == imported.end() ? nullptr : &*found, at);
        }
    }

    /// Member by member, for some of an object's may be what is assumed anyway.
    void remove(const Json& imported, std::vector<std::string> at) {
        if (!imported.is_object() || imported.empty()) {
            edits_.push_back({joinPointer(at), nullptr});
            return;
        }
        const std::size_t before = edits_.size();
        at.emplace_back();
        std::size_t members = 0;
        for (const auto& [key, value] : imported.items()) {
            at.back() = key;
            compare(nullptr, &value, at);
            ++members;
        }
        at.pop_back();
        if (edits_.size() - before < members) return;
        edits_.resize(before);
        edits_.push_back({joinPointer(at), nullptr});
    }

    /// Degrees of 1 and switches that are off mean what leaving them out does; but instances are otherwise as many as there is room for, and
    /// some schedules hold two chunks.
    static bool isUsual(const std::vector<std::string>& at, const Json& value) {
        if (at.front() != "parallelism" || at.back() == "data" || at.back() == "virtual_pipeline") return false;
        return value == false || (at.back() == "zero_stage" ? value == 0 : value == 1);
    }

    bool isAssumed(const std::string& pointer, const Json& value) const {
        return std::any_of(scenario_.assumed.begin(), scenario_.assumed.end(), [&](const Assumption& assumption) { return assumption.pointer == pointer && *assumption.value == value; });
    }

    const Scenario& scenario_;
    std::vector<ScenarioEdit> edits_;
};

/// The edits that make `imported`, a scenario read back from a launch text, mean what `document` says. Values that the document leaves to
/// defaults and that are imported as these defaults (`scenario.assumed`) need none.
std::vector<ScenarioEdit> unsaid(const Json& document, const Scenario& scenario, const Json& imported) {
    const auto memberOf = [](const Json& object, const char* key) {
        const auto found = object.find(key);
        return found == object.end() ? nullptr : &*found;
    };
    std::vector<ScenarioEdit> edits;
    // A model is named or described, never half of each.
    const Json* model = memberOf(document, "model");
    const Json* importedModel = memberOf(imported, "model");
    if (model && !(importedModel && *importedModel == *model)) edits.push_back({"/model", *model});
    Difference difference(scenario);
    // What machines a launch gets is not the launch's to say: a drawn cluster is left out, but for what it is made of.
    const Json* cluster = memberOf(document, "cluster");
    const Json madeOf{{"accelerator", scenario.cluster.accelerator.id}};
    const bool drawn = cluster && cluster->contains("topology");
    const Json* importedCluster = memberOf(imported, "cluster");
    if (!drawn) difference.compare(cluster, importedCluster, {"cluster"});
    else if (importedCluster) difference.compare(&madeOf["accelerator"], memberOf(*importedCluster, "accelerator"), {"cluster", "accelerator"});
    for (const char* section : sections) difference.compare(memberOf(document, section), memberOf(imported, section), {section});
    std::vector<ScenarioEdit> others = difference.take();
    std::move(others.begin(), others.end(), std::back_inserter(edits));
    return edits;
}

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
    if (const auto* loop = std::get_if<RlWorkload>(&scenario.workload)) {
        const RlHalf half = trains(tool) ? RlHalf::training : RlHalf::rollout;
        const RlJob& job = half == RlHalf::training ? loop->training : loop->rollout;
        const RlGrounds grounds = shareHosts(document, scenario.cluster, problems);
        return launchText(halfDocument(document, half, (half == RlHalf::training ? grounds.training : grounds.rollout).cluster), *job.scenario, tool, problems);
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
