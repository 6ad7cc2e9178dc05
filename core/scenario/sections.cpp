// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/sections.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery {

namespace {

std::optional<double> optionalNumber(const FilledDocument& document, const std::string& pointer) {
    if (!document.has(pointer)) return std::nullopt;
    return document.number(pointer);
}

RecomputeKind recomputeFrom(const std::string& word) {
    if (word == "selective") return RecomputeKind::selective;
    if (word == "full") return RecomputeKind::full;
    return word == "auto" ? RecomputeKind::automatic : RecomputeKind::none;
}

void readRecompute(const FilledDocument& document, Execution& execution) {
    const Json& given = *document.find("/execution/recompute");
    if (given.is_string()) {
        execution.recompute = recomputeFrom(given.get<std::string>());
    } else if (given.contains("modules")) {
        execution.recompute = RecomputeKind::modules;
        execution.recomputeModules = given.at("modules").get<std::vector<std::string>>();
    } else {
        execution.recompute = RecomputeKind::every;
        execution.recomputeEvery = document.integer("/execution/recompute/every", 1);
    }
}

double bytesOfPrecision(const std::string& word) {
    if (word == "fp8" || word == "mxfp8" || word == "int8") return 1;
    return word == "bf16" || word == "fp16" ? 2 : 4;
}

/// A gradient precision that the scenario chooses replaces what the profile's software uses.
void applyGradientPrecision(const FilledDocument& document, FrameworkProfile& profile) {
    const double bytes = document.text("/workload/gradient_precision") == "fp32" ? 4 : 2;
    const bool profileIsSame = (profile.gradientBytes >= 4) == (bytes >= 4);
    if (profileIsSame) return;
    profile.gradientBytes = bytes;
    profile.gradientReduceBytes = bytes;
}

/// Weights stored with one scale a tensor also travel in 8 bit; blocks of their own are quantised where they arrive
/// (Megatron-Core, optimizer/distrib_optimizer.py: mxfp8 gathers 16-bit weights through the gradients' buffer).
void applyQuantisedParameters(const FilledDocument& document, FrameworkProfile& profile) {
    const bool byTensor = document.text("/workload/precision") == "fp8" && document.text("/workload/fp8_recipe") != "block";
    if (profile.quantisedParameters && byTensor) profile.gatheredWeightBytes = 1;
}

} // namespace

std::string readNotes(const FilledDocument& document) {
    const Json* notes = document.find("/notes");
    if (!notes) return {};
    return notes->is_string() ? notes->get<std::string>() : notes->dump(-1, ' ', false, Json::error_handler_t::replace);
}

Workload readWorkload(const FilledDocument& document) {
    Workload workload;
    workload.kind = WorkloadKind::training;
    workload.sequenceLength = document.integer("/workload/sequence_length");
    workload.globalBatch = document.integer("/workload/global_batch_size");
    workload.microBatch = document.integer("/workload/micro_batch_size");
    workload.precision = document.text("/workload/precision");
    const std::string optimizer = document.text("/workload/optimizer");
    workload.optimizer = optimizer == "sgd" ? OptimizerKind::sgd : optimizer == "muon" ? OptimizerKind::muon
                                                                                       : OptimizerKind::adam;
    workload.optimizerElementBytes = bytesOfPrecision(document.text("/workload/optimizer_precision"));
    workload.fp8Recipe = document.text("/workload/fp8_recipe");
    const std::string task = document.text("/workload/task");
    workload.task = task == "lora" ? TaskKind::lora : task == "sft" ? TaskKind::sft
                                                                    : TaskKind::pretrain;
    workload.loraRank = document.integer("/workload/lora_rank");
    workload.documentLength = std::min(document.integer("/workload/document_length", 0), workload.sequenceLength);
    return workload;
}

ScheduleKind readSchedule(const FilledDocument& document) {
    const std::string word = document.text("/parallelism/schedule");
    static const std::map<std::string, ScheduleKind> known{
        {"gpipe", ScheduleKind::gpipe}, {"1f1b", ScheduleKind::one_f_one_b}, {"interleaved", ScheduleKind::interleaved}, {"zb-h1", ScheduleKind::zb_h1}, {"zb-v", ScheduleKind::zb_v}, {"v-half", ScheduleKind::v_half}, {"v-min", ScheduleKind::v_min}, {"dualpipe", ScheduleKind::dual_pipe}};
    const auto found = known.find(word);
    return found == known.end() ? ScheduleKind::one_f_one_b : found->second;
}

Parallelism readParallelism(const FilledDocument& document, const PlanNumbers& plan) {
    Parallelism parallelism;
    parallelism.tensor = static_cast<int>(plan.tensor);
    parallelism.pipeline = static_cast<int>(plan.pipeline);
    parallelism.virtualPipeline = static_cast<int>(plan.chunksPerStage);
    parallelism.data = static_cast<int>(plan.data());
    parallelism.context = static_cast<int>(plan.context);
    parallelism.expert = static_cast<int>(plan.expert);
    parallelism.expertTensor = static_cast<int>(plan.expertTensor);
    const std::string method = document.text("/parallelism/context_method");
    parallelism.contextMethod = method == "all_gather"   ? ContextMethod::all_gather
                                : method == "all_to_all" ? ContextMethod::all_to_all
                                                         : ContextMethod::ring;
    parallelism.sequence = plan.sequence && plan.tensor > 1;
    parallelism.zeroStage = document.integer("/parallelism/zero_stage");
    parallelism.shardGroup = document.integer("/parallelism/shard_group", 0);
    // Interleaving one chunk per stage is 1F1B (warned of).
    const bool interleavesNothing = plan.schedule == ScheduleKind::interleaved && plan.chunksPerStage == 1;
    parallelism.schedule = interleavesNothing ? ScheduleKind::one_f_one_b : plan.schedule;
    parallelism.order = document.text("/parallelism/order");
    if (const Json* layout = document.find("/parallelism/pipeline_layout")) parallelism.layout = layout->get<std::vector<int>>();
    return parallelism;
}

Execution readExecution(const FilledDocument& document, const FrameworkProfile& profile) {
    Execution execution;
    execution.profile = profile;
    applyGradientPrecision(document, execution.profile);
    applyQuantisedParameters(document, execution.profile);
    readRecompute(document, execution);
    execution.expertCapacity = document.number("/execution/moe_dispatch/capacity_factor");
    execution.overlap.expert = document.boolean("/execution/overlap/expert");
    execution.offload.weights = document.number("/execution/offload/weights");
    execution.offload.activations = document.number("/execution/offload/activations");
    execution.offload.optimizer = document.number("/execution/offload/optimizer");
    execution.attention = document.text("/execution/attention") == "unfused" ? AttentionKind::unfused : AttentionKind::flash;
    execution.compile = document.boolean("/execution/compile");
    execution.cudaGraphs = document.boolean("/execution/cuda_graphs");
    execution.overlap.data = document.boolean("/execution/overlap/data");
    execution.overlap.tensor = document.boolean("/execution/overlap/tensor");
    execution.overlap.pipeline = document.boolean("/execution/overlap/pipeline");
    if (const Json* passes = document.find("/execution/passes"))
        for (const auto& [name, on] : passes->items()) execution.passes[name] = on.get<bool>();
    execution.chunkedLoss = execution.passes.contains("chunked_loss") && execution.passes.at("chunked_loss");
    if (const Json* calibration = document.find("/execution/calibration"))
        for (const auto& [name, value] : calibration->items()) execution.calibration[name] = value.get<double>();
    return execution;
}

double readExpertLoad(const FilledDocument& document, std::int64_t experts, std::int64_t ranks) {
    std::vector<double> load(static_cast<std::size_t>(std::max<std::int64_t>(1, experts)), 1);
    if (const Json* histogram = document.find("/execution/expert_load/histogram")) {
        for (std::size_t i = 0; i < load.size(); ++i) load[i] = (*histogram)[i % histogram->size()].get<double>();
    } else if (document.has("/execution/expert_load/zipf")) {
        const double exponent = document.number("/execution/expert_load/zipf");
        for (std::size_t i = 0; i < load.size(); ++i) load[i] = std::pow(double(i + 1), -exponent);
    }
    const std::size_t each = std::max<std::size_t>(1, load.size() / static_cast<std::size_t>(std::max<std::int64_t>(1, ranks)));
    double all = 0, busiest = 0;
    for (std::size_t first = 0; first < load.size(); first += each) {
        double sum = 0;
        for (std::size_t i = first; i < std::min(first + each, load.size()); ++i) sum += load[i];
        all += sum;
        busiest = std::max(busiest, sum);
    }
    return all > 0 ? busiest / (all * double(each) / double(load.size())) : 1;
}

Economics readEconomics(const FilledDocument& document) {
    Economics economics;
    economics.pricePerAcceleratorHour = optionalNumber(document, "/economics/price_per_accelerator_hour");
    economics.powerWatts = optionalNumber(document, "/economics/power_w");
    economics.tokensTotal = optionalNumber(document, "/economics/tokens_total");
    return economics;
}

} // namespace orrery
