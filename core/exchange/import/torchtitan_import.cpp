// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/exchange/import/import_parts.hpp"
#include "core/exchange/import/torchtitan_models.hpp"
#include "core/exchange/launch_script/toml_options.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/scenario_words.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

// torchtitan's job configuration; names and defaults as in its torchtitan/config/job_config.py, older ones beside them.

namespace orrery {
namespace {

class TorchtitanReader {
public:
    TorchtitanReader(ScenarioDraft& draft, ImportInput& input, OptionList options) : draft_(draft), input_(input), options_(std::move(options)) {}

    void read() {
        if (!readModel()) return;
        readDegrees();
        readPipelineSchedule();
        if (!readCluster()) return;
        readWorkload();
        readSharding();
        readExecution();
        reportLeftOptions(draft_, options_, torchtitanIgnoredOptions(), torchtitanKnownOptions(), torchtitanRefusedOptions());
        reportLauncherOptions(draft_, input_.launch.launcher);
    }

private:
    /// One option under its newest name or an older one.
    std::optional<std::int64_t> number(std::initializer_list<const char*> names, std::int64_t least = 1) {
        std::optional<std::int64_t> value;
        for (const char* name : names) {
            const auto given = options_.has(name) ? draft_.number(options_, name, least) : std::nullopt;
            if (!value) value = given;
        }
        return value;
    }
    std::optional<std::string> text(std::initializer_list<const char*> names) {
        std::optional<std::string> value;
        for (const char* name : names) {
            const auto given = options_.has(name) ? draft_.text(options_, name) : std::nullopt;
            if (!value) value = given;
        }
        return value;
    }
    /// `--training.compile`, `--training.compile true`, `--training.no-compile`.
    std::optional<bool> flag(const std::string& section, const std::string& name) {
        std::optional<bool> value;
        if (const GivenOption* given = options_.take(section + "." + name)) value = given->values.empty() || given->values.front() == "true" || given->values.front() == "True";
        if (options_.take(section + ".no-" + name)) value = false;
        return value;
    }

    bool readModel() {
        const std::string name = text({"model.name"}).value_or("llama3");
        const std::string flavor = text({"model.flavor"}).value_or("debugmodel");
        const int line = std::max(lineOf(options_, "model.flavor"), lineOf(options_, "model.name"));
        const auto model = torchtitanModel(name, flavor);
        if (model) {
            draft_.set("/model", model->model);
            layers_ = model->layers;
            return true;
        }
        if (!input_.options.model.empty()) {
            draft_.assume("/model", Json{{"preset", input_.options.model}}, "torchtitan's model " + name + " " + flavor + " is not known");
            return true;
        }
        draft_.fail(line, "unknown-model", "The model " + name + " with the flavor " + flavor + " is not known.",
                    "Known are " + joinWords(torchtitanModels(), "and") + "; or name a catalogue model with the import.");
        return false;
    }

    void setDegree(const char* key, std::int64_t degree) {
        if (degree > 1) draft_.set(std::string("/parallelism/") + key, degree);
    }

    void readDegrees() {
        degrees_.tensor = number({"parallelism.tensor-parallel-degree", "training.tensor-parallel-degree"}).value_or(1);
        degrees_.pipeline = number({"parallelism.pipeline-parallel-degree", "experimental.pipeline-parallel-degree"}).value_or(1);
        degrees_.context = number({"parallelism.context-parallel-degree", "experimental.context-parallel-degree"}).value_or(1);
        replicas_ = number({"parallelism.data-parallel-replicate-degree", "training.data-parallel-replicate-degree"}).value_or(1);
        shards_ = number({"parallelism.data-parallel-shard-degree", "training.data-parallel-shard-degree", "training.data-parallel-degree"}, -1).value_or(-1);
        setDegree("tensor", degrees_.tensor);
        setDegree("pipeline", degrees_.pipeline);
        setDegree("context", degrees_.context);
        const std::int64_t expert = number({"parallelism.expert-parallel-degree"}).value_or(1);
        const std::int64_t expertTensor = number({"parallelism.expert-tensor-parallel-degree"}).value_or(1);
        setDegree("expert", expert);
        setDegree("expert_tensor", expertTensor);
        degrees_.expert = expert * std::min(expertTensor, ScenarioDraft::mostNumber / expert + 1);
        // torchtitan's tensor parallelism has it unless told otherwise.
        if (flag("parallelism", "enable-sequence-parallel").value_or(true) && degrees_.tensor > 1) draft_.set("/parallelism/sequence", true);
        const auto rotate = text({"parallelism.context-parallel-rotate-method", "experimental.context-parallel-rotate-method"});
        if (degrees_.context > 1) draft_.set("/parallelism/context_method", rotate && *rotate == "alltoall" ? "ring" : "all_gather");
    }

    void readPipelineSchedule() {
        const std::string name = text({"parallelism.pipeline-parallel-schedule", "experimental.pipeline-parallel-schedule"}).value_or("1F1B");
        const int line = std::max(lineOf(options_, "parallelism.pipeline-parallel-schedule"), lineOf(options_, "experimental.pipeline-parallel-schedule"));
        const auto perStage = number({"parallelism.pipeline-parallel-layers-per-stage"});
        const std::int64_t before = number({"parallelism.pipeline-parallel-first-stage-less-layers"}, 0).value_or(1);
        const std::int64_t behind = number({"parallelism.pipeline-parallel-last-stage-less-layers"}, 0).value_or(1);
        const GivenOption* parts = options_.take("parallelism.module-fqns-per-model-part");
        microBatch_ = number({"parallelism.pipeline-parallel-microbatch-size"});
        microBatches_ = number({"experimental.pipeline-parallel-microbatches"});
        microBatchesOfRank_ = number({"parallelism.num-pp-microbatches"});
        if (flag("parallelism", "pipeline-parallel-expert-parallel-overlap").value_or(false)) draft_.set("/execution/overlap/expert", true);
        if (degrees_.pipeline < 2) return;
        const auto* found = std::find_if(torchtitanSchedules.begin(), torchtitanSchedules.end(), [&](const TorchtitanSchedule& one) { return sameLetters(name, one.name); });
        if (found == torchtitanSchedules.end()) {
            draft_.warn(line, "option-not-understood", "The pipeline schedule " + name + " is not known; 1F1B was taken.", "Set the schedule in the scenario.");
            return;
        }
        draft_.set("/parallelism/schedule", wordOf(found->order));
        if (!found->differs.empty()) draft_.note(line, "approximated", std::string(found->differs));
        // A V is two chunks a stage by itself; `virtual_pipeline` is for the others.
        const bool folds = found->order == PipelineOrder::zb_v;
        std::int64_t chunks = found->usualChunks;
        if (perStage && chunks > 1 && layers_ > 0) chunks = std::max<std::int64_t>(1, (layers_ + before + behind + *perStage - 1) / *perStage / degrees_.pipeline);
        const auto named = parts ? torchtitanParts(parts->value(), layers_) : std::nullopt;
        if (named && static_cast<std::int64_t>(named->size()) % degrees_.pipeline == 0) {
            if (!folds) chunks = static_cast<std::int64_t>(named->size()) / degrees_.pipeline;
            draft_.set("/parallelism/pipeline_layout", *named);
        } else if (parts && !parts->values.empty()) {
            draft_.warn(parts->line, "layout-not-understood", "module_fqns_per_model_part does not name each of the " + std::to_string(layers_) + " layers once, in as many parts as the stages have; layers were split by default.", "Set the scenario's pipeline_layout.");
        } else if (const auto layout = torchtitanLayout(layers_, degrees_.pipeline * (folds ? 2 : chunks), before, behind)) {
            draft_.set("/parallelism/pipeline_layout", *layout);
        }
        if (chunks > 1) draft_.set("/parallelism/virtual_pipeline", chunks);
    }

    /// Words that differ in the case of letters alone: PyTorch looks schedules up so.
    static bool sameLetters(std::string_view a, std::string_view b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
    }

    bool readCluster() {
        LaunchSize size = launchSize(input_.launch, input_.script.variables);
        const auto ranks = degrees_.modelRanks();
        if (!size.accelerators() && !size.nodes && shards_ > 0 && ranks && shards_ * replicas_ < ScenarioDraft::mostNumber) size.world = *ranks * shards_ * replicas_;
        if (!size.accelerators() && presetFor_ > 0) size.world = presetFor_;
        if (!placeOnCluster(draft_, size, degrees_, input_.options)) return false;
        if (shards_ > 0 && replicas_ * shards_ != degrees_.data)
            draft_.warn(std::max(lineOf(options_, "parallelism.data-parallel-shard-degree"), lineOf(options_, "training.data-parallel-shard-degree")),
                        "data-mismatch", "The data degrees make " + std::to_string(replicas_ * shards_) + ", but the accelerators make " + std::to_string(degrees_.data) + "; the latter was taken.",
                        "Set the nodes of your cluster.");
        return true;
    }

public:
    /// "preset for 64 A100 GPUs", as torchtitan's own configurations begin.
    void readPreamble(const std::string& configuration) {
        const std::string mark = "preset for ";
        const std::size_t at = configuration.find(mark);
        if (at == std::string::npos) return;
        std::size_t end = at + mark.size();
        while (end < configuration.size() && configuration[end] >= '0' && configuration[end] <= '9') ++end;
        const auto count = wholeNumber(configuration.substr(at + mark.size(), end - at - mark.size()));
        if (!count || *count < 1) return;
        presetFor_ = *count;
        draft_.noteAssumed("/cluster/nodes", "The configuration says it is for " + std::to_string(*count) + " accelerators; they were taken unless the command says otherwise.");
        for (const auto& [word, id] : {std::pair{" A100", "a100-sxm4-80gb"}, std::pair{" H100", "h100-sxm5-80gb"}, std::pair{" H200", "h200-sxm-141gb"}, std::pair{" B200", "b200-sxm-180gb"}}) {
            if (configuration.compare(end, std::char_traits<char>::length(word), word) == 0 && input_.options.accelerator.empty())
                draft_.assume("/cluster/accelerator", id, "the configuration says so", "Name yours.");
        }
    }

private:
    void readWorkload() {
        const auto tokens = number({"training.num-tokens-per-microbatch-per-dp-rank"});
        const auto tokensOfStep = number({"training.num-tokens-per-train-step"}, -1);
        const std::int64_t length = number({"training.max-context-length", "training.seq-len"}).value_or(2048);
        // Since August 2026 batches are counted in tokens, those of a pipeline micro-batch by micro-batch.
        const bool byTokens = tokens || microBatchesOfRank_;
        std::int64_t local = number({"training.local-batch-size", "training.batch-size"}).value_or(8);
        if (tokens) local = std::max<std::int64_t>(1, *tokens / length);
        auto global = number({"training.global-batch-size"}, -1);
        if (tokensOfStep && *tokensOfStep > 0) global = std::max<std::int64_t>(1, *tokensOfStep / length);
        std::int64_t micro = degrees_.pipeline > 1 && !byTokens ? microBatch_.value_or(1) : local;
        if (degrees_.pipeline > 1 && microBatches_) micro = std::max<std::int64_t>(1, local / *microBatches_);
        const std::int64_t ofRank = degrees_.pipeline > 1 && byTokens ? local * std::min(microBatchesOfRank_.value_or(1), ScenarioDraft::mostNumber / local + 1) : local;
        draft_.set("/workload/kind", "training");
        draft_.set("/workload/sequence_length", length);
        draft_.set("/workload/global_batch_size", global && *global > 0 ? *global : ofRank * degrees_.data);
        draft_.set("/workload/micro_batch_size", micro);
        std::string converters;
        if (const GivenOption* given = options_.take("model.converters")) converters = given->value();
        const bool float8 = converters.find("float8") != std::string::npos || flag("float8", "enable-float8-linear").value_or(false);
        const bool mx = converters.find("mx") != std::string::npos;
        const bool four = converters.find("nvfp4") != std::string::npos;
        draft_.set("/workload/precision", four ? "nvfp4" : mx   ? "mxfp8"
                                                       : float8 ? "fp8"
                                                                : "bf16");
        const auto recipe = text({"float8.recipe-name", "quantize.linear.float8.recipe-name"});
        if (float8 && !mx) draft_.set("/workload/fp8_recipe", recipe && recipe->rfind("rowwise", 0) == 0 ? "rowwise" : "tensorwise");
        if (const auto parameters = text({"training.mixed-precision-param"}); parameters && *parameters == "float32")
            draft_.warn(lineOf(options_, "training.mixed-precision-param"), "option-not-understood", "Training in float32 is not simulated; bf16 was taken.", "Set the precision in the scenario.");
        readStates();
        if (const auto optimizer = text({"optimizer.name"}); optimizer && optimizer->rfind("Adam", 0) != 0) {
            if (*optimizer == "Muon") draft_.set("/workload/optimizer", "muon");
            else draft_.warn(lineOf(options_, "optimizer.name"), "option-not-understood", "The optimizer " + *optimizer + " is not known; adam was taken.", "Use adam, sgd or muon.");
        }
    }

    /// Formats of weights, gradients and optimizer states; what is not said is the profile's.
    void readStates() {
        const auto format = [&](const char* option) -> std::optional<std::string> {
            const auto word = text({option});
            if (!word) return std::nullopt;
            const auto known = torchFormat(*word);
            if (!known) draft_.warn(lineOf(options_, option), "option-not-understood", std::string(option) + " " + *word + " is not known; it has no effect.", "Use float32 or bfloat16.");
            return known;
        };
        const auto weights = format("training.dtype"), wire = format("training.mixed-precision-reduce"), states = format("optimizer.state-dtype");
        if (weights) draft_.set("/workload/weight_precision", *weights);
        if (weights && wire && *weights == *wire && *weights != "fp32") draft_.set("/workload/gradient_precision", *weights);
        else if (wire) draft_.set("/workload/gradient_reduce_precision", *wire);
        // AdamW makes its states like the parameters.
        if (states || (weights && *weights != "fp32")) draft_.set("/workload/optimizer_precision", states ? *states : *weights);
    }

    void readSharding() {
        const std::string reshard = text({"parallelism.fsdp-reshard-after-forward"}).value_or("default");
        const bool keeps = reshard == "never" || (reshard == "default" && degrees_.pipeline > 1); // gathered weights stay until backward
        const bool shards = shards_ != 1 && degrees_.data > 1;
        draft_.set("/parallelism/zero_stage", !shards ? 0 : keeps ? 2
                                                                  : 3);
        if (shards && replicas_ > 1) {
            const std::int64_t group = degrees_.data / std::min(replicas_, degrees_.data);
            if (group > 1) draft_.set("/parallelism/shard_group", group);
        }
    }

    void readExecution() {
        draft_.assume("/execution/framework", "torchtitan-2025", "the newest profile of torchtitan", "Set the profile of the version you run.");
        const std::string mode = text({"activation-checkpoint.mode"}).value_or("selective");
        const std::string option = text({"activation-checkpoint.selective-ac-option"}).value_or("2");
        const auto every = wholeNumber(option);
        const auto budget = options_.has("activation-checkpoint.memory-budget") ? draft_.amount(options_, "activation-checkpoint.memory-budget") : std::nullopt;
        if (mode == "memory_budget") readBudget(budget.value_or(0.5));
        else if (mode == "full" || mode == "none") draft_.set("/execution/recompute", mode);
        else if (mode == "selective" && every && *every >= 1) draft_.set("/execution/recompute", *every == 1 ? Json("full") : Json{{"every", *every}});
        else if (mode == "selective") draft_.set("/execution/recompute", "selective");
        else draft_.warn(lineOf(options_, "activation-checkpoint.mode"), "option-not-understood", "The activation checkpointing mode " + mode + " is not known; it has no effect.", "Use none, selective or full.");
        const auto compile = flag("compile", "enable");
        const auto old = flag("training", "compile");
        const GivenOption* components = options_.take("compile.components");
        const bool ofModel = !components || components->values.empty() || components->value().find("model") != std::string::npos;
        draft_.set("/execution/compile", (compile ? *compile : old.value_or(false)) && ofModel);
        if (const auto backend = text({"parallelism.expert-parallel-comm-backend"})) {
            const auto dispatcher = fromText<ExpertDispatcher>(*backend == "standard" ? "alltoall" : *backend);
            if (dispatcher) draft_.set("/execution/moe_dispatcher", wordOf(*dispatcher));
            else draft_.warn(lineOf(options_, "parallelism.expert-parallel-comm-backend"), "option-not-understood", "The expert dispatcher " + *backend + " is not known; it has no effect.", "Use standard, deepep or hybridep.");
        }
        if (const auto graphs = flag("training", "disable-cuda-graphs")) draft_.set("/execution/cuda_graphs", !*graphs);
        auto asynchronous = flag("parallelism", "enable-async-tensor-parallel");
        if (!asynchronous) asynchronous = flag("compile", "enable-async-tensor-parallel");
        if (!asynchronous) asynchronous = flag("experimental", "enable-async-tensor-parallel");
        draft_.set("/execution/overlap/tensor", asynchronous.value_or(false));
        if (flag("training", "enable-cpu-offload").value_or(false)) {
            draft_.set("/execution/offload/weights", 1);
            draft_.set("/execution/offload/optimizer", 1);
        }
    }

    /// PyTorch's partitioner keeps that share of the activations that compiled layers would.
    void readBudget(double budget) {
        constexpr double mostKept = 0.99; // of which every hundredth layer is recomputed
        const double kept = std::min(budget, mostKept);
        const auto every = static_cast<std::int64_t>(1 / (1 - kept) + 0.5);
        draft_.set("/execution/recompute", budget >= 1 ? Json("none") : every <= 1 ? Json("full")
                                                                                   : Json{{"every", every}});
        draft_.note(lineOf(options_, "activation-checkpoint.mode"), "approximated", "A memory budget of " + Json(budget).dump() + " of the activations was taken as layers that are recomputed whole, as many as keep that share.");
    }

    ScenarioDraft& draft_;
    ImportInput& input_;
    OptionList options_;
    PlanDegrees degrees_;
    std::int64_t layers_ = 0;
    std::int64_t replicas_ = 1;
    std::int64_t shards_ = -1; ///< -1: what the accelerators leave
    std::int64_t presetFor_ = 0;
    std::optional<std::int64_t> microBatch_;
    std::optional<std::int64_t> microBatches_;
    std::optional<std::int64_t> microBatchesOfRank_;
};

/// A variable of the command, else of the script.
std::optional<std::string> environmentOf(const ImportInput& input, const char* name) {
    const auto set = input.launch.environment.find(name);
    if (set != input.launch.environment.end()) return set->second.text();
    const std::string exported = input.script.variables.text(name);
    return exported.empty() ? std::nullopt : std::optional(exported);
}

/// The configuration that the command names, or the environment of torchtitan's run_train.sh.
std::optional<std::string> configurationFile(ImportInput& input) {
    OptionList& options = input.launch.options;
    for (const char* name : {"job.config-file", "config-file"})
        if (const GivenOption* option = options.take(name); option && !option->values.empty()) return option->values.front();
    return environmentOf(input, "CONFIG_FILE");
}

/// Since 2026 a configuration is a function of a module: `--module llama3 --config llama3_8b`, or MODULE and CONFIG of run_train.sh. What
/// it sets, below all else; false where nobody here knows it.
bool addRegistryConfig(ScenarioDraft& draft, ImportInput& input, OptionList& configuration) {
    std::optional<std::string> name = environmentOf(input, "CONFIG");
    int line = input.launch.line;
    if (const GivenOption* option = input.launch.options.take("config"); option && !option->values.empty()) {
        name = option->values.front();
        line = option->line;
    }
    if (!name) return true;
    const TorchtitanConfig found = torchtitanConfig(*name);
    const std::vector<TorchtitanSetting>& settings = found.settings;
    if (settings.empty()) {
        draft.fail(line, "unknown-model", "torchtitan's configuration " + *name + " is not known here.", "Known are those of " + joinWords(torchtitanModels(), "and") + "; or give its settings as a .toml.");
        return false;
    }
    OptionList known;
    for (const TorchtitanSetting& setting : settings) {
        GivenOption option;
        option.name = option.written = setting.option;
        option.values.push_back(setting.value);
        option.line = line;
        known.add(std::move(option));
    }
    known.add(configuration);
    configuration = std::move(known);
    if (!found.unread.empty())
        draft.warn(line, "option-not-understood", "What \"" + found.unread + "\" in the configuration's name " + *name + " sets is not known here; what stands before it was taken.", "Give it as options: --training.seq_len …");
    return true;
}

/// The subcommand that picks a recomputation: `activation-checkpoint:full`, wherever it stands.
void takeCheckpointWord(OptionList& options) {
    const auto modeOf = [](std::string word) -> std::optional<std::string> {
        std::replace(word.begin(), word.end(), '_', '-');
        constexpr std::string_view mark = "activation-checkpoint:";
        if (word.rfind(mark, 0) != 0) return std::nullopt;
        std::string mode = word.substr(mark.size());
        for (const char* end : {"-ac", "ac"})
            if (mode.ends_with(end)) mode.erase(mode.size() - std::char_traits<char>::length(end));
        return mode == "memory-budget" ? "memory_budget" : mode;
    };
    std::optional<std::string> mode;
    int line = 0;
    for (GivenOption& option : options.all())
        std::erase_if(option.values, [&](const std::string& value) {
            const auto found = modeOf(value);
            if (found) mode = found, line = option.line;
            return found.has_value();
        });
    while (!options.strays().empty() && modeOf(options.strays().front().text())) {
        line = options.strays().front().line();
        mode = modeOf(*options.takeStray());
    }
    if (!mode) return;
    GivenOption option;
    option.name = option.written = "activation-checkpoint.mode";
    option.values.push_back(*mode);
    option.line = line;
    options.add(std::move(option));
}

} // namespace

bool looksLikeTorchtitan(const Launch& launch) {
    const std::string program = baseName(launch.program);
    if (program.find("torchtitan") != std::string::npos || program == "run_train.sh" || program == "run_llama_train.sh") return true;
    if (launch.options.has("job.config-file") || launch.environment.count("CONFIG_FILE") > 0) return true;
    return launch.options.has("model.flavor") || launch.options.has("training.seq-len");
}

void importTorchtitan(ScenarioDraft& draft, ImportInput& input, OptionList configuration, const std::string& configurationText) {
    std::string text = configurationText;
    if (const auto path = configurationFile(input)) {
        std::string error = "files cannot be read here";
        const auto read = input.options.readFile ? input.options.readFile(*path, error) : std::nullopt;
        Problems problems;
        const bool tooLong = read && read->size() > largestConfiguration;
        if (tooLong) error = "no configuration is that long";
        auto options = read && !tooLong ? readTomlOptions(*read, *path, problems) : std::nullopt;
        for (Problem& problem : problems) draft.problems.push_back(std::move(problem));
        if (!options) {
            draft.fail(input.launch.line, "file-not-read", "The configuration " + *path + " was not read" + (read && !tooLong ? "." : ": " + error + "."),
                       "Import the configuration itself, or put it beside the script.");
            return;
        }
        text = *read;
        configuration.add(*options);
    }
    if (!addRegistryConfig(draft, input, configuration)) return;
    takeCheckpointWord(input.launch.options);
    configuration.add(input.launch.options); // what the command line says comes last and counts
    TorchtitanReader reader(draft, input, std::move(configuration));
    reader.readPreamble(text);
    reader.read();
}

} // namespace orrery
