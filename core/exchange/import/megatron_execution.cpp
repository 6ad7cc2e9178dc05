// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/exchange/import/megatron_parts.hpp"
#include "core/scenario/scenario_words.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

namespace orrery {
namespace {

/// Module names that Megatron and the scenario share.
Json recomputedModules(const std::vector<std::string>& values) {
    Json modules = Json::array();
    for (const std::string& value : values) {
        std::istringstream words(value);
        for (std::string word; words >> word;) modules.push_back(word);
    }
    return modules;
}

/// --recompute-method block recomputes the first n layers of a stage only.
Json recomputedBlock(ScenarioDraft& draft, int line, std::int64_t layers, const PlanDegrees& degrees, const MegatronModel& model) {
    const std::int64_t perStage = std::max<std::int64_t>(1, model.layers / degrees.pipeline);
    if (layers >= perStage) return "full";
    const std::int64_t every = std::max<std::int64_t>(1, (perStage + layers / 2) / layers);
    draft.note(line, "approximated", "Recomputing " + std::to_string(layers) + " of a stage's " + std::to_string(perStage) + " layers was taken as every " + std::to_string(every) + ". layer.");
    return Json{{"every", every}};
}

void readRecompute(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees, const MegatronModel& model) {
    const auto granularity = draft.text(options, "recompute-granularity");
    const auto method = draft.text(options, "recompute-method");
    const auto layers = draft.number(options, "recompute-num-layers", 0);
    const GivenOption* modules = options.take("recompute-modules");
    const bool selective = options.flag("recompute-activations");
    const bool expertLayers = options.flag("moe-layer-recompute"); // the older word for the module
    // Names before 2022 and of DeepSpeed's fork.
    const bool old = options.flag("checkpoint-activations");
    const auto oldMethod = draft.text(options, "activations-checkpoint-method");
    options.take("checkpoint-num-layers");
    options.take("activations-checkpoint-num-layers");
    options.take("deepspeed-activation-checkpointing"); // which implementation does it, not whether
    options.take("distribute-checkpointed-activations");

    Json recompute = "none";
    if (old || oldMethod) recompute = "full";
    if (selective) recompute = "selective";
    if (expertLayers && !granularity) recompute = Json{{"modules", {"moe"}}};
    if (granularity && *granularity == "full") {
        const bool block = method && *method == "block";
        const int line = lineOf(options, "recompute-num-layers");
        recompute = block && layers && model.layers > 0 ? (*layers == 0 ? Json("none") : recomputedBlock(draft, line, *layers, degrees, model)) : Json("full");
        if (!block && layers && *layers > 1)
            draft.note(line, "approximated", "Layers are recomputed in groups of " + std::to_string(*layers) + "; recomputing each by itself was taken, which keeps more of their inputs.");
    } else if (granularity && *granularity == "selective") {
        const Json named = modules ? recomputedModules(modules->values) : Json::array();
        const bool usual = named.empty() || (named.size() == 1 && named.front() == "core_attn");
        recompute = usual ? Json("selective") : Json{{"modules", named}};
    } else if (granularity) {
        draft.warn(lineOf(options, "recompute-granularity"), "option-not-understood", "--recompute-granularity " + *granularity + " is not known; it has no effect.",
                   "Use full or selective.");
    }
    draft.set("/execution/recompute", recompute);
}

void readAttention(ScenarioDraft& draft, OptionList& options) {
    const auto backend = draft.text(options, "attention-backend");
    const bool flash = options.flag("use-flash-attn") || options.flag("use-flash-attn-v2") || options.flag("use-flash-attn-v3");
    if (options.flag("fp8-dot-product-attention") || options.flag("fp8-multi-head-attention")) draft.set("/execution/attention_precision", "fp8");
    if (flash || (backend && (*backend == "flash" || *backend == "fused" || *backend == "auto"))) draft.set("/execution/attention", "flash");
    else if (backend && (*backend == "unfused" || *backend == "local")) draft.set("/execution/attention", "unfused");
    else if (backend) draft.warn(lineOf(options, "attention-backend"), "option-not-understood", "--attention-backend " + *backend + " is not known; it has no effect.", "Use flash, fused, unfused, local or auto.");
}

void readOverlap(ScenarioDraft& draft, OptionList& options) {
    const bool gradients = options.flag("overlap-grad-reduce");
    options.take("no-overlap-grad-reduce"); // of a DeepSpeed configuration: what no flag says
    const bool parameters = options.flag("overlap-param-gather");
    const int line = lineOf(options, gradients ? "overlap-grad-reduce" : "overlap-param-gather");
    draft.set("/execution/overlap/data", gradients || parameters);
    if (gradients != parameters && draft.document.value(Json::json_pointer("/parallelism/zero_stage"), 0) > 0 && (gradients || parameters))
        draft.note(line, "approximated", std::string("Only ") + (gradients ? "gradients" : "parameters") + " are sent beside computation; the scenario has one switch for both, and it was put on.");
    draft.set("/execution/overlap/tensor", options.flag("tp-comm-overlap"));
    if (options.flag("overlap-moe-expert-parallel-comm") || options.flag("moe-shared-expert-overlap")) draft.set("/execution/overlap/expert", true);
}

void readExpertLoad(ScenarioDraft& draft, OptionList& options, const MegatronModel& model) {
    const auto capacity = draft.amount(options, "moe-expert-capacity-factor");
    const bool balanced = options.flag("moe-router-force-load-balancing");
    const GivenOption* train = options.take("moe-train-capacity-factor"); // Megatron-DeepSpeed
    const auto trained = train && !train->values.empty() ? anyNumber(train->values.front()) : std::nullopt;
    if (!model.experts) return;
    if (capacity && *capacity > 0) draft.set("/execution/moe_dispatch", Json{{"capacity_factor", *capacity}});
    else if (trained && *trained > 0) draft.set("/execution/moe_dispatch", Json{{"capacity_factor", *trained}});
    if (balanced) draft.set("/execution/expert_load", "balanced");
}

void readOffload(ScenarioDraft& draft, OptionList& options, const MegatronModel& model) {
    const bool optimizer = options.flag("optimizer-cpu-offload") || options.flag("cpu-optimizer");
    const auto share = draft.amount(options, "optimizer-offload-fraction");
    if (optimizer) draft.set("/execution/offload/optimizer", std::min(share.value_or(1), 1.0));
    const bool activations = options.flag("cpu-offloading");
    const auto layers = draft.number(options, "cpu-offloading-num-layers", 0);
    if (activations || layers)
        draft.set("/execution/offload/activations", model.layers > 0 ? std::min(1.0, static_cast<double>(layers.value_or(model.layers)) / static_cast<double>(model.layers)) : 1.0);
    if (const GivenOption* parameters = options.take("remote-device")) // DeepSpeed: parameters live there
        if (parameters->value() == "cpu" || parameters->value() == "nvme") draft.set("/execution/offload/weights", 1);
}

/// Words of a list, written as several words or as `[attn,moe_router]`.
std::vector<std::string> listedWords(const std::vector<std::string>& values) {
    std::vector<std::string> words;
    for (std::string value : values) {
        std::replace_if(
            value.begin(), value.end(), [](char c) { return std::string_view("[],\"'").find(c) != std::string_view::npos; }, ' ');
        std::istringstream text(value);
        for (std::string word; text >> word;) words.push_back(word);
    }
    return words;
}

/// Parts of layers by Megatron-Core's names: with the scenario's, but for attention.
Json graphParts(ScenarioDraft& draft, int line, const std::vector<std::string>& words) {
    Json parts = Json::array();
    for (const std::string& word : words) {
        const auto part = fromText<GraphPart>(word == "attn" ? std::string(wordOf(GraphPart::attention)) : word);
        if (part) parts.push_back(wordOf(*part));
        else draft.warn(line, "option-not-understood", "--cuda-graph-scope " + word + " is not known; it has no effect.", "Use attn, mlp, moe, moe_router, moe_preprocess, mamba or full_iteration.");
    }
    return parts;
}

void readGraphs(ScenarioDraft& draft, OptionList& options) {
    constexpr const char* graphsAt = "/execution/cuda_graphs";
    const auto implementation = draft.text(options, "cuda-graph-impl");
    const GivenOption* scope = options.take("cuda-graph-scope");
    const bool old = options.flag("enable-cuda-graph"), external = options.flag("external-cuda-graph");
    if (!implementation && !old && !external) return;
    if (implementation && *implementation == "none") return draft.set(graphsAt, false);
    const std::vector<std::string> words = scope ? listedWords(scope->values) : std::vector<std::string>();
    const auto names = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    if ((implementation && fromText<GraphsHeld>(*implementation) == GraphsHeld::full_iteration) || names("full_iteration"))
        return draft.set(graphsAt, wordOf(GraphsHeld::full_iteration));
    Json parts = words.empty() || names("full") ? Json::array() : graphParts(draft, scope->line, words);
    if (parts.empty()) draft.set(graphsAt, true);
    else draft.set(graphsAt, Json{{wordOf(GraphsHeld::parts), std::move(parts)}});
}

/// Megatron-Core's flex dispatcher is one of two libraries.
void readDispatcher(ScenarioDraft& draft, OptionList& options, const MegatronModel& model) {
    const auto type = draft.text(options, "moe-token-dispatcher-type"), backend = draft.text(options, "moe-flex-dispatcher-backend");
    const bool deepEp = options.flag("moe-enable-deepep");
    if (!model.experts) return;
    std::optional<ExpertDispatcher> dispatcher;
    if (deepEp) dispatcher = ExpertDispatcher::deepep;
    if (type) dispatcher = *type == "flex" ? ExpertDispatcher::deepep : fromText<ExpertDispatcher>(*type == "alltoall_seq" ? "alltoall" : *type);
    if (backend && (!type || *type == "flex")) dispatcher = fromText<ExpertDispatcher>(*backend).value_or(ExpertDispatcher::deepep);
    if (dispatcher) draft.set("/execution/moe_dispatcher", wordOf(*dispatcher));
}

void readFramework(ScenarioDraft& draft, OptionList& options) {
    const bool deepSpeed = options.has("deepspeed") || options.has("deepspeed-config") || options.has("zero-stage");
    const bool old = options.has("checkpoint-activations") || options.has("activations-checkpoint-method") || options.has("model-parallel-size");
    for (const char* name : {"deepspeed", "deepspeed-config", "no-pipeline-parallel"}) options.take(name);
    const bool bridge = options.flag("bridge-launch");
    const char* profile = deepSpeed ? "megatron-deepspeed-2022" : old  ? "megatron-2021"
                                                              : bridge ? "megatron-bridge-2026"
                                                                       : "megatron-core-2025";
    draft.assume("/execution/framework", profile,
                 deepSpeed ? "the command uses DeepSpeed" : old  ? "its options are of 2021"
                                                        : bridge ? "the newest profile of Megatron-Bridge"
                                                                 : "the newest profile of Megatron-LM",
                 "Set the profile of the version you run.");
}

} // namespace

void readMegatronExecution(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees, const MegatronModel& model) {
    readFramework(draft, options);
    readRecompute(draft, options, degrees, model);
    readAttention(draft, options);
    readOverlap(draft, options);
    readExpertLoad(draft, options, model);
    readOffload(draft, options, model);
    readDispatcher(draft, options, model);
    readGraphs(draft, options);
}

} // namespace orrery
