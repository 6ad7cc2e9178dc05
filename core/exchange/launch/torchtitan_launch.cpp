// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/exchange/import/torchtitan_models.hpp"
#include "core/exchange/launch/launch.hpp"

#include <algorithm>

// torchtitan's job configuration (torchtitan/config/job_config.py).

namespace orrery {
namespace {

class Configuration {
public:
    void section(const std::string& name) { text_ += "\n[" + name + "]\n"; }
    void word(const std::string& key, const std::string& value) { text_ += key + " = \"" + value + "\"\n"; }
    void number(const std::string& key, std::int64_t value) { text_ += key + " = " + std::to_string(value) + "\n"; }
    void truth(const std::string& key, bool value) { text_ += key + (value ? " = true\n" : " = false\n"); }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

void addParallelism(Configuration& configuration, const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    configuration.section("parallelism");
    const int shards = plan.zeroStage < 2 ? 1 : plan.shardGroup > 0 ? std::max(1, std::min(plan.shardGroup, plan.data))
                                                                    : plan.data;
    configuration.number("data_parallel_replicate_degree", plan.data / shards);
    configuration.number("data_parallel_shard_degree", shards);
    if (plan.zeroStage > 1) configuration.word("fsdp_reshard_after_forward", plan.zeroStage == 2 ? "never" : "always");
    configuration.number("tensor_parallel_degree", plan.tensor);
    configuration.number("pipeline_parallel_degree", plan.pipeline);
    configuration.number("context_parallel_degree", plan.context);
    if (plan.context > 1) configuration.word("context_parallel_rotate_method", plan.contextMethod == ContextMethod::ring ? "alltoall" : "allgather");
    if (plan.expert > 1) configuration.number("expert_parallel_degree", plan.expert);
    if (plan.expertTensor > 1) configuration.number("expert_tensor_parallel_degree", plan.expertTensor);
    if (plan.pipeline > 1) {
        const auto* schedule = std::find_if(torchtitanSchedules.begin(), torchtitanSchedules.end(), [&](const TorchtitanSchedule& one) { return one.order == plan.schedule; });
        if (schedule != torchtitanSchedules.end()) configuration.word("pipeline_parallel_schedule", std::string(schedule->name));
        configuration.number("pipeline_parallel_microbatch_size", scenario.training().microBatch);
    }
    configuration.truth("enable_async_tensor_parallel", scenario.execution.overlap.tensor);
}

void addTraining(Configuration& configuration, const Scenario& scenario) {
    const TrainingWorkload& workload = scenario.training();
    const Parallelism& plan = scenario.parallelism;
    configuration.section("training");
    // With a pipeline the local batch is all of a step's micro-batches.
    configuration.number("local_batch_size", plan.pipeline > 1 ? workload.globalBatch / plan.data : workload.microBatch);
    configuration.number("global_batch_size", workload.globalBatch);
    configuration.number("seq_len", workload.sequenceLength);
    if (scenario.execution.offload.weights > 0) configuration.truth("enable_cpu_offload", true);
}

void addExecution(Configuration& configuration, const Scenario& scenario) {
    const Execution& execution = scenario.execution;
    configuration.section("activation_checkpoint");
    switch (execution.recompute) {
    case RecomputeKind::none: configuration.word("mode", "none"); break;
    case RecomputeKind::full: configuration.word("mode", "full"); break;
    case RecomputeKind::every:
        configuration.word("mode", "selective");
        configuration.word("selective_ac_option", std::to_string(execution.recomputeEvery));
        break;
    case RecomputeKind::selective:
    case RecomputeKind::automatic:
    case RecomputeKind::modules:
        configuration.word("mode", "selective");
        configuration.word("selective_ac_option", "op");
        break;
    }
    configuration.section("compile");
    configuration.truth("enable", execution.compile);
    const TrainingWorkload& workload = scenario.training();
    if (workload.precision == Precision::fp8) {
        configuration.section("float8");
        configuration.word("recipe_name", workload.fp8Recipe == Fp8Recipe::rowwise ? "rowwise" : "tensorwise");
    }
    if (workload.optimizer == OptimizerKind::muon) {
        configuration.section("optimizer");
        configuration.word("name", "Muon");
    }
}

} // namespace

std::string torchtitanText(const Json& document, const Scenario& scenario, Problems& problems) {
    const Json preset = document.value(Json::json_pointer("/model/preset"), Json());
    const auto flavor = preset.is_string() ? torchtitanFlavorOf(preset.get<std::string>()) : std::nullopt;
    if (!flavor) {
        Problem problem;
        problem.code = "unknown-model";
        problem.pointer = "/model";
        problem.message = "torchtitan has no such model.";
        problem.mend = "It has " + joinWords(torchtitanModels(), "and") + ".";
        problems.push_back(std::move(problem));
        return {};
    }
    Configuration configuration;
    configuration.section("model");
    configuration.word("name", flavor->name);
    configuration.word("flavor", flavor->flavor);
    const Precision precision = scenario.training().precision;
    if (precision == Precision::fp8) configuration.word("converters", "float8");
    if (precision == Precision::mxfp8) configuration.word("converters", "mx");
    addParallelism(configuration, scenario);
    addTraining(configuration, scenario);
    addExecution(configuration, scenario);
    const std::string command = torchrunOf(scenario) + " -m torchtitan.train --job.config_file launch.toml";
    return "# Write this to launch.toml, and on every node:\n#   " + command + "\n" + configuration.text();
}

} // namespace orrery
