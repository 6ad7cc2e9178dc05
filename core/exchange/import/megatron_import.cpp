// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/exchange/import/megatron_parts.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace orrery {

bool looksLikeMegatron(const Launch& launch) {
    int hits = 0;
    for (const char* name : {"num-layers", "hidden-size", "num-attention-heads", "micro-batch-size", "seq-length", "tensor-model-parallel-size",
                             "pipeline-model-parallel-size", "global-batch-size", "max-position-embeddings"})
        if (launch.options.has(name)) ++hits;
    return hits >= 2 || (hits == 1 && launch.program.find("pretrain") != std::string::npos) || launch.program.find("pretrain_gpt") != std::string::npos;
}

namespace {

/// "llama31_8b", "qwen25_7b", "llama3.1_8B": a recipe's or a file's name as the catalogue's id.
std::string presetOfRecipe(const std::string& name) {
    std::string id;
    for (const char c : name) id += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::size_t digit = id.find_first_of("0123456789");
    if (digit == std::string::npos || digit == 0) return id;
    std::size_t end = digit;
    while (end < id.size() && std::isdigit(static_cast<unsigned char>(id[end]))) ++end;
    const std::string family = id.substr(0, digit);
    if (end - digit == 2 && (family == "llama" || family == "qwen" || family == "glm")) id.insert(digit + 1, "."); // 31 is 3.1
    if (family == "llama" || family == "gemma" || family == "glm") id.insert(digit, "-");
    return id;
}

/// A model that the text names and does not describe: of the catalogue.
std::optional<MegatronModel> nameMegatronModel(ScenarioDraft& draft, const ImportInput& input, OptionList& options) {
    const GivenOption* named = options.take("named-model");
    if (!input.options.model.empty()) draft.set("/model/preset", input.options.model);
    else draft.assume("/model/preset", presetOfRecipe(named ? named->value() : std::string()), "the catalogue's name of " + (named ? named->value() : std::string()), "Name another model if that is not it.");
    MegatronModel model;
    model.experts = true; // what is said of experts counts where it has some
    if (const auto length = options.has("seq-length") ? draft.number(options, "seq-length") : std::nullopt) model.sequenceLength = *length;
    else {
        constexpr std::int64_t usualLength = 4096;
        model.sequenceLength = usualLength;
        draft.noteAssumed("/workload/sequence_length", std::to_string(usualLength) + " was taken: the text says none.", "Add --seq-length, or set it in the scenario.");
    }
    options.take("max-position-embeddings");
    return model;
}

} // namespace

void importMegatron(ScenarioDraft& draft, ImportInput& input) {
    OptionList& options = input.launch.options;
    mergeDeepSpeedConfig(draft, input, options);
    const LaunchSize size = launchSize(input.launch, input.script.variables);
    PlanDegrees degrees = readMegatronDegrees(draft, options);
    const bool described = (options.has("num-layers") || options.has("encoder-num-layers") || options.has("hybrid-layer-pattern")) && options.has("hidden-size");
    const bool named = !described && (options.has("named-model") || !input.options.model.empty());
    const auto model = named ? nameMegatronModel(draft, input, options) : readMegatronModel(draft, options, degrees.tensor);
    options.take("named-model");
    const bool placed = placeOnCluster(draft, size, degrees, input.options);
    if (!model || !placed) return;
    readMegatronWorkload(draft, options, degrees, *model);
    readMegatronSharding(draft, options, degrees);
    readMegatronPipeline(draft, options, degrees, *model);
    readMegatronExecution(draft, options, degrees, *model);
    reportLeftOptions(draft, options, megatronIgnored(), megatronKnown(), megatronRefused());
    reportLauncherOptions(draft, input.launch.launcher);
}

} // namespace orrery
