// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/rules/rules_serving.hpp"
#include "core/order/serving/policy_traits.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/served_precision.hpp"

#include <algorithm>
#include <functional>

namespace orrery {
namespace {

constexpr const char* checkedEngineAt = "/workload/engine";

/// The number from 1 to `most` nearest in ratio to `present` that passes; 1 where none does.
std::int64_t nearestPassing(std::int64_t present, std::int64_t most, const std::function<bool(std::int64_t)>& passes) {
    std::int64_t best = 1;
    double bestRatio = -1;
    constexpr std::int64_t farthest = 65536; // keeps the search instant for absurd numbers
    for (std::int64_t value = 1; value <= std::min(most, farthest); ++value) {
        const double ratio = value < present ? double(value) / double(present) : double(present) / double(value);
        if (ratio > bestRatio && passes(value)) {
            best = value;
            bestRatio = ratio;
        }
    }
    return best;
}

bool tensorShares(const Architecture& model, std::int64_t tensor) {
    const bool keyValues = model.kvHeads % tensor == 0 || tensor % model.kvHeads == 0; // fewer ones are held several times
    return model.heads % tensor == 0 && keyValues && model.ffn % tensor == 0;
}

void checkTensorDegree(const InstanceNumbers& numbers, std::int64_t available, const FilledDocument& document, Problems& problems) {
    const Architecture& model = *numbers.model;
    if (tensorShares(model, numbers.tensor)) return;
    const std::string at = numbers.at(document, "tensor"), ranks = counted(numbers.tensor, "tensor rank");
    std::string code = "tensor-feed-forward", message = ranks + " cannot share a feed-forward width of " + std::to_string(model.ffn) + ".";
    if (model.heads % numbers.tensor != 0) {
        code = "tensor-heads";
        message = ranks + " cannot share " + counted(model.heads, "attention head") + ".";
    } else if (model.kvHeads % numbers.tensor != 0 && numbers.tensor % model.kvHeads != 0) {
        code = "tensor-key-value-heads";
        message = ranks + " cannot share " + counted(model.kvHeads, "key-value head") + ": one number must divide the other.";
    }
    const std::int64_t rest = numbers.accelerators() / numbers.tensor;
    const std::int64_t mended = nearestPassing(numbers.tensor, available, [&](std::int64_t tensor) {
        return tensorShares(model, tensor) && tensor * rest <= available && available % (tensor * rest) == 0;
    });
    problems.push_back(error(std::move(code), at, std::move(message)).mend("Use " + counted(mended, "tensor rank") + ".").edit(at, mended));
}

void checkStages(const InstanceNumbers& numbers, const FilledDocument& document, Problems& problems) {
    const std::int64_t layers = numbers.model->layers;
    const std::string at = numbers.at(document, "pipeline"), stageLayersAt = numbers.at(document, "pipeline_layout");
    if (numbers.pipeline > layers) {
        problems.push_back(error("too-many-stages", at, counted(numbers.pipeline, "stage") + " cannot share " + counted(layers, "layer") + ".")
                               .mend("Use up to " + std::to_string(layers) + ".")
                               .edit(at, layers));
        return;
    }
    const Json* layout = document.find(stageLayersAt);
    const bool own = stageLayersAt.starts_with(numbers.pool + "/");
    if (!layout || (!numbers.pool.empty() && !own)) return; // a pool with other stages leaves the scenario's layout aside
    std::int64_t sum = 0;
    for (const Json& stage : *layout) sum += stage.get<std::int64_t>();
    if (static_cast<std::int64_t>(layout->size()) == numbers.pipeline && sum == layers) return;
    problems.push_back(error("layout-mismatch", stageLayersAt,
                             "The layout has " + counted(static_cast<std::int64_t>(layout->size()), "stage") + " with " + counted(sum, "layer") + ", the plan " +
                                 counted(numbers.pipeline, "stage") + " and the model " + counted(layers, "layer") + ".")
                           .mend("Leave it out for an even one.")
                           .edit(stageLayersAt, nullptr));
}

/// Places for experts that a layer has, over all ranks that share experts out.
std::int64_t expertSlots(const InstanceNumbers& numbers) { return numbers.expertSlots > 0 ? numbers.expertSlots : numbers.model->experts->count; }

std::int64_t roundedUp(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// A pool's own engine is what the mend changes, as its own `parallelism` is.
std::string slotsKey(const InstanceNumbers& numbers) { return (numbers.pool.empty() ? checkedEngineAt : numbers.pool + "/engine") + std::string("/expert_slots"); }

/// Each rank holds as many slots as another, and every expert has one.
void checkExpertSlots(const InstanceNumbers& numbers, const FilledDocument& document, Problems& problems) {
    if (numbers.expertSlots == 0) return;
    const std::string at = numbers.engineAt(document, "expert_slots");
    if (!numbers.model->experts) {
        problems.push_back(error("no-experts", at, "The model has no experts to hold copies of.").mend("Leave it out.").edit(at, nullptr));
        return;
    }
    const std::int64_t experts = numbers.model->experts->count;
    if (numbers.expertSlots < experts) {
        const std::int64_t mended = roundedUp(experts, numbers.expert);
        problems.push_back(error("expert-slots", at, counted(numbers.expertSlots, "slot") + " cannot hold " + counted(experts, "expert") + ", each at least once.")
                               .mend("Use " + counted(mended, "slot") + ".")
                               .edit(at, mended));
    } else if (numbers.expertSlots > experts && numbers.expert == 1) {
        problems.push_back(warning("no-effect", at, "No ranks share experts out, and a rank has no use for a second copy of one it holds; the slots change nothing.").mend("Leave it out, or share experts out over ranks.").edit(at, nullptr));
    }
}

void checkExpertDegrees(const InstanceNumbers& numbers, const FilledDocument& document, Problems& problems) {
    const std::string expertRanksAt = numbers.at(document, "expert"), expertMatricesAt = numbers.at(document, "expert_tensor");
    const auto& experts = numbers.model->experts;
    const std::size_t before = problems.size();
    checkExpertSlots(numbers, document, problems);
    if (hasErrors({problems.begin() + static_cast<std::ptrdiff_t>(before), problems.end()})) return;
    if (!experts) {
        if (numbers.expert > 1)
            problems.push_back(error("expert-not-divisible", expertRanksAt, "The model has no experts to share out over " + counted(numbers.expert, "rank") + ".")
                                   .mend("Use expert parallelism 1.")
                                   .edit(expertRanksAt, 1));
        if (numbers.expertTensor > 1)
            problems.push_back(error("expert-tensor-not-divisible", expertMatricesAt,
                                     "The model has no experts whose matrices " + counted(numbers.expertTensor, "rank") + " could share.")
                                   .mend("Use expert tensor parallelism 1.")
                                   .edit(expertMatricesAt, 1));
        return;
    }
    const std::int64_t ranks = numbers.tensor * numbers.attentionData, slots = expertSlots(numbers);
    const auto fitsRanks = [&](std::int64_t expert, std::int64_t matrices) { return expert * matrices <= ranks && ranks % (expert * matrices) == 0 && experts->ffn % matrices == 0; };
    const auto fits = [&](std::int64_t expert, std::int64_t matrices) { return fitsRanks(expert, matrices) && slots % expert == 0; };
    if (!fits(numbers.expert, numbers.expertTensor)) {
        std::string why = "Expert " + std::to_string(numbers.expert) + " × expert_tensor " + std::to_string(numbers.expertTensor) + " does not divide the " +
                          counted(ranks, "rank") + " of tensor × attention_data.";
        if (slots % numbers.expert != 0) why = (slots == experts->count ? counted(slots, "expert") : counted(slots, "slot") + " for experts") + " do not split over " + counted(numbers.expert, "rank") + ".";
        const std::int64_t expert = nearestPassing(numbers.expert, ranks, [&](std::int64_t value) { return fits(value, numbers.expertTensor); });
        Problem problem = error("expert-not-divisible", expertRanksAt, std::move(why)).mend("Use expert parallelism " + std::to_string(expert) + ".").edit(expertRanksAt, expert);
        if (!fits(expert, numbers.expertTensor)) { // the matrices' ranks are what is wrong
            const std::int64_t matrices = nearestPassing(numbers.expertTensor, ranks, [&](std::int64_t value) { return fits(1, value); });
            problem.mend = "Use expert parallelism 1 and expert tensor parallelism " + std::to_string(matrices) + ".";
            problem.edits = {{expertRanksAt, 1}, {expertMatricesAt, matrices}};
        } else if (document.text("/workload/kind") == "serving" && fitsRanks(numbers.expert, numbers.expertTensor)) {
            const std::int64_t mended = roundedUp(slots, numbers.expert);
            problem.mend = "Use expert_slots " + std::to_string(mended) + ", which holds copies of " + counted(mended - experts->count, "expert") + ", or expert parallelism " + std::to_string(expert) + ".";
            problem.edits = {{slotsKey(numbers), mended}};
        }
        problems.push_back(std::move(problem));
        return;
    }
    const std::int64_t left = ranks / numbers.expert;                         // engines share each expert's matrices over all ranks that expert leaves
    const bool pads = document.says("/workload/precision", Precision::mxfp4); // gpt-oss: engines round an expert's width up
    if (experts->ffn % left != 0 && !pads) {
        const std::int64_t expert = nearestPassing(numbers.expert, ranks, [&](std::int64_t value) { return fits(value, 1) && experts->ffn % (ranks / value) == 0; });
        problems.push_back(error("expert-tensor-not-divisible", expertRanksAt,
                                 counted(left, "rank") + " cannot share an expert's width of " + std::to_string(experts->ffn) + ", as engines do with all that expert parallelism leaves.")
                               .mend("Use expert parallelism " + std::to_string(expert) + ".")
                               .edit(expertRanksAt, expert));
    } else if (numbers.expertTensor < left && document.has(expertMatricesAt)) {
        problems.push_back(warning("experts-shared", expertMatricesAt,
                                   "No engine holds experts several times: " + counted(left, "rank") + " share each one's matrices, where expert_tensor is " + std::to_string(numbers.expertTensor) + ".")
                               .mend("Use expert_tensor " + std::to_string(left) + ", which is what is simulated, or share experts over more ranks.")
                               .edit(expertMatricesAt, left));
    }
}

struct Degree {
    const char* key;
    std::int64_t InstanceNumbers::*number;
};

/// The degree to blame for a product that does not fit: the last one without which the others do.
Degree culpritDegree(const InstanceNumbers& numbers, std::int64_t accelerators) {
    const Degree all[] = {{"attention_data", &InstanceNumbers::attentionData}, {"pipeline", &InstanceNumbers::pipeline}, {"context", &InstanceNumbers::context}, {"tensor", &InstanceNumbers::tensor}};
    for (const Degree& degree : all) {
        InstanceNumbers without = numbers;
        without.*degree.number = 1;
        if (numbers.*degree.number > 1 && accelerators % without.accelerators() == 0) return degree;
    }
    return *std::max_element(std::begin(all), std::end(all), [&](const Degree& a, const Degree& b) { return numbers.*a.number < numbers.*b.number; });
}

std::string productOf(const InstanceNumbers& numbers) {
    std::string text = "tensor " + std::to_string(numbers.tensor) + " × pipeline " + std::to_string(numbers.pipeline);
    if (numbers.context > 1) text += " × context " + std::to_string(numbers.context);
    if (numbers.attentionData > 1) text += " × attention_data " + std::to_string(numbers.attentionData);
    return text + " = " + counted(numbers.accelerators(), "accelerator");
}

/// What a given key must be to ask for something that only training does.
struct TrainingKey {
    const char* pointer;
    bool (*asks)(const Json&);
    const char* what;
};

bool isMoreThanOne(const Json& value) { return value.is_number() && value.get<double>() > 1; }
bool isNotZero(const Json& value) { return value.is_number() && value.get<double>() != 0; }
bool isTrue(const Json& value) { return value == Json(true); }
bool isNotNone(const Json& value) { return !value.is_null() && value != Json("none"); }
bool isThere(const Json& value) { return !value.is_null(); }

} // namespace

void warnOfTrainingKeys(const Json& document, Problems& problems) {
    static const TrainingKey keys[] = {
        {"/parallelism/virtual_pipeline", isMoreThanOne, "Chunks of a stage are interleaved in training"},
        {"/parallelism/schedule", isThere, "A pipeline schedule orders forward and backward passes of training"},
        {"/parallelism/zero_stage", isNotZero, "ZeRO shares out what training keeps"},
        {"/parallelism/shard_group", isThere, "A shard group shares out what training keeps"},
        {"/parallelism/sequence", isTrue, "Sequence parallelism saves activations of training"},
        {"/execution/recompute", isNotNone, "Recomputation saves activations of training"},
        {"/execution/overlap/data", isTrue, "Only training reduces gradients beside its backward passes"},
        {"/execution/offload/activations", isNotZero, "Only training keeps activations that could be parked"},
        {"/execution/offload/optimizer", isNotZero, "Only training has optimizer states"},
        {"/execution/passes/lora", isThere, "LoRA is trained"},
        {"/execution/passes/recompute", isThere, "Recomputation is a pass of training"},
        {"/execution/passes/chunked_loss", isThere, "The loss is computed in training"},
        {"/execution/passes/zero", isThere, "ZeRO is a pass of training"},
        {"/execution/passes/hsdp", isThere, "HSDP is a pass of training"},
        {"/execution/passes/data", isThere, "Data parallelism is a pass of training"},
        {"/economics/tokens_total", isThere, "Tokens of a whole run are those of training"},
    };
    const std::string kind = document.at("workload").at("kind").get<std::string>();
    for (const TrainingKey& key : keys) {
        const Json* value = valueAt(document, key.pointer);
        if (!value || !key.asks(*value)) continue;
        problems.push_back(warning("no-effect", key.pointer, std::string(key.what) + "; it changes nothing for a workload of kind " + kind + ".")
                               .mend("Leave it out.")
                               .edit(key.pointer, nullptr));
    }
}

void checkServingProfile(const FrameworkProfile& profile, Problems& problems) {
    if (std::find(profile.use.begin(), profile.use.end(), "inference") != profile.use.end()) return;
    problems.push_back(warning("profile-of-training", "/execution/framework", "Profile " + profile.id + " is of software that trains.")
                           .mend("Leave it out for the newest vLLM, or name another engine.")
                           .edit("/execution/framework", nullptr));
}

void checkInstance(const InstanceNumbers& numbers, std::int64_t available, const FilledDocument& document, Problems& problems) {
    if (!numbers.model) return;
    checkTensorDegree(numbers, available, document, problems);
    checkStages(numbers, document, problems);
    checkExpertDegrees(numbers, document, problems);
}

void checkInstances(const InstanceNumbers& numbers, std::int64_t accelerators, const FilledDocument& document, Problems& problems) {
    const char* dataAt = "/parallelism/data";
    const std::int64_t size = numbers.accelerators();
    const std::string cluster = counted(accelerators, "accelerator");
    const Json* data = document.find(dataAt);
    const bool tooBig = size > accelerators, leavesSome = accelerators % size != 0;
    if (tooBig || (leavesSome && !data)) {
        const Degree culprit = culpritDegree(numbers, accelerators);
        const std::string at = numbers.at(document, culprit.key);
        InstanceNumbers tried = numbers;
        const std::int64_t mended = nearestPassing(numbers.*culprit.number, accelerators, [&](std::int64_t value) {
            tried.*culprit.number = value;
            const bool shared = culprit.number != &InstanceNumbers::tensor || !numbers.model || tensorShares(*numbers.model, value);
            return shared && tried.accelerators() <= accelerators && accelerators % tried.accelerators() == 0;
        });
        Problem problem = error(tooBig ? "too-many-ranks" : "ranks-not-divisible", at,
                                tooBig ? "One instance takes " + productOf(numbers) + ", but the cluster has " + std::to_string(accelerators) + "."
                                       : "The " + cluster + " of the cluster do not split into instances of " + productOf(numbers) + ".")
                              .mend(std::string("Use ") + culprit.key + " " + std::to_string(mended) + (tooBig ? "." : ", or say with data how many instances there are."))
                              .edit(at, mended);
        problems.push_back(std::move(problem));
        return;
    }
    if (!data) return;
    const std::int64_t given = data->get<std::int64_t>(), most = accelerators / size;
    if (given > most) {
        problems.push_back(error("data-mismatch", dataAt,
                                 counted(given, "instance") + " of " + productOf(numbers) + " do not fit on " + cluster + ".")
                               .mend("Use up to " + std::to_string(most) + ", or leave data out.")
                               .edit(dataAt, most));
    } else if (given * size < accelerators) {
        problems.push_back(warning("idle-accelerators", dataAt,
                                   counted(given, "instance") + " of " + productOf(numbers) + " leave " + counted(accelerators - given * size, "accelerator") + " idle.")
                               .mend("Use " + std::to_string(most) + ", or leave data out.")
                               .edit(dataAt, most));
    }
}

void checkServedPrecision(const FilledDocument& document, const FrameworkProfile& profile, const Accelerator& accelerator, Problems& problems) {
    const char* at = "/workload/precision";
    const Precision precision = document.word(at, Precision::bf16);
    const std::string word(wordOf(precision)), other = statesPeak(accelerator, "bf16") ? "bf16" : "fp16";
    const std::string name = accelerator.name.empty() ? "The accelerator" : accelerator.name;
    switch (servedArithmetic(profile, accelerator, precision)) {
    case ServedArithmetic::as_named: return;
    case ServedArithmetic::weights_only:
        problems.push_back(warning("weights-only", at, name + " does not multiply in " + word + ": " + profile.name + " keeps weights in it and multiplies in 16 bit.")
                               .mend("Expect the memory of " + word + " and the products of " + other + "; or choose an accelerator that multiplies in it."));
        return;
    case ServedArithmetic::none: break;
    }
    Problem problem = error("precision-not-on-accelerator", at, name + " states no dense peak for " + word + ".").mend("Choose another accelerator.");
    if (statesPeak(accelerator, other)) {
        problem.mend = "Use " + other + ".";
        problem.edits.push_back({at, other});
    }
    problems.push_back(std::move(problem));
}

void checkBatchLengths(const FilledDocument& document, std::int64_t positions, Problems& problems) {
    const std::int64_t length = std::int64_t{document.integer("/workload/input_length")} + document.integer("/workload/output_length");
    if (positions <= 0 || length <= positions) return;
    problems.push_back(warning("sequence-beyond-positions", "/workload/output_length",
                               "Prompt and answer take " + counted(length, "token") + ", more than the model's " + counted(positions, "position") + ".")
                           .mend("Use up to " + std::to_string(positions) + " in all unless the positions are extended."));
}

void checkArrivals(const FilledDocument& document, Problems& problems) {
    const std::string drawnAt = "/workload/requests", at = drawnAt + "/arrival";
    const auto idle = [&](const std::string& pointer, const std::string& why) {
        if (document.has(pointer)) problems.push_back(warning("no-effect", pointer, why).mend("Leave it out.").edit(pointer, nullptr));
    };
    if (document.has(drawnAt + "/file")) {
        idle(drawnAt + "/seed", "Requests of a file are not drawn.");
        return;
    }
    idle(drawnAt + "/hash_block_size", "Only requests of a file have hash_ids.");
    const std::string process = document.text(at + "/process");
    const bool byRate = process == "poisson" || process == "uniform" || process == "gamma";
    const auto need = [&](const char* key, int value, const std::string& what) {
        const std::string pointer = at + "/" + key;
        if (!document.has(pointer))
            problems.push_back(error("missing-key", pointer, "Arrivals of process " + process + " need " + what + ".").mend("Add \"" + std::string(key) + "\", " + std::to_string(value) + " say.").edit(pointer, value));
    };
    if (byRate) need("rate_per_s", 1, "their mean rate");
    if (process == "closed_loop") need("concurrency", 1, "to know how many requests are under way");
    if (!byRate) idle(at + "/rate_per_s", "Arrivals of process " + process + " have no rate.");
    if (process != "closed_loop") idle(at + "/ramp_s", "Arrivals of process " + process + " have no users that begin.");
    if (process != "closed_loop") idle(at + "/concurrency", "Only a closed loop holds the number of requests under way.");
    if (process != "gamma") idle(at + "/burstiness", "Only gamma arrivals come in bursts of a chosen kind.");
    if (!byRate) idle(at + "/curve", "Arrivals of process " + process + " have no rate that could go up and down.");
    if (const Json* rates = document.find(at + "/curve/rates"); rates != nullptr && std::all_of(rates->begin(), rates->end(), [](const Json& rate) { return rate.get<double>() == 0; }))
        problems.push_back(error("empty-curve", at + "/curve/rates", "A curve of zeros alone brings no request.").mend("Give some part of the period a weight above 0."));
}

namespace {

void checkPrefix(const RequestLaw& law, Problems& problems) {
    const char* at = "/workload/requests/shared_prefix_tokens";
    const LengthLaw& input = law.input;
    const int longest = input.kind == LengthKind::constant ? static_cast<int>(input.mean) : input.most;
    if (law.sharedPrefix <= longest) return;
    problems.push_back(error("prefix-beyond-input", at, "A common beginning of " + counted(law.sharedPrefix, "token") + " is longer than any prompt.")
                           .mend("Use up to " + std::to_string(longest) + ".")
                           .edit(at, longest));
}

void warnOfTooLong(std::int64_t count, std::int64_t all, std::int64_t longest, const EngineOptions& engine, const std::string& pointer, Problems& problems) {
    if (count == 0) return;
    const bool several = count > 1 && count < all;
    problems.push_back(warning("requests-too-long", pointer,
                               (count == all ? "Every request" : counted(count, "request") + " of " + std::to_string(all)) + (several ? " take" : " takes") + " more tokens, up to " +
                                   std::to_string(longest) + ", than max_model_len " + std::to_string(engine.settings.maxModelLength) + (several ? ", and are rejected." : ", and is rejected."))
                           .mend("Shorten the requests, or raise max_model_len where the model has as many positions."));
}

void checkRequestLengths(const ServingWorkload& workload, Problems& problems) {
    if (const auto* law = std::get_if<RequestLaw>(&workload.requests)) {
        checkPrefix(*law, problems);
        if (law->input.kind != LengthKind::constant || law->output.kind != LengthKind::constant) return; // nobody knows before they are drawn
        const auto tokens = static_cast<std::int64_t>(law->input.mean + law->output.mean);
        if (tokens > workload.engine.settings.maxModelLength) warnOfTooLong(law->count, law->count, tokens, workload.engine, "/workload/requests/output_tokens", problems);
        return;
    }
    std::int64_t count = 0, longest = 0;
    const std::vector<Request>& requests = std::get<RequestLog>(workload.requests).list->requests;
    for (const Request& request : requests) {
        const std::int64_t tokens = std::int64_t{request.input} + request.output;
        if (tokens <= workload.engine.settings.maxModelLength) continue;
        ++count;
        longest = std::max(longest, tokens);
    }
    warnOfTooLong(count, static_cast<std::int64_t>(requests.size()), longest, workload.engine, "/workload/requests/file", problems);
}

/// Limits of one engine against each other; vLLM refuses to start with such ones.
void checkLimits(const EngineOptions& engine, const std::string& at, Problems& problems) {
    if (!traitsOf(engine.settings.policy).refusesSmallSteps) return;
    if (!engine.settings.chunkedPrefill && engine.settings.maxBatchedTokens < engine.settings.maxModelLength)
        problems.push_back(error("batched-tokens-below-length", at + "/max_num_batched_tokens",
                                 "Without chunked prefill a prompt runs in one step, but a step has " + counted(engine.settings.maxBatchedTokens, "token") + " and max_model_len is " + std::to_string(engine.settings.maxModelLength) + ".")
                               .mend("Use " + std::to_string(engine.settings.maxModelLength) + ", or switch chunked prefill on.")
                               .edit(at + "/max_num_batched_tokens", engine.settings.maxModelLength));
    else if (engine.settings.maxBatchedTokens < engine.settings.maxSeqs)
        problems.push_back(error("batched-tokens-below-sequences", at + "/max_num_seqs",
                                 "A step of " + counted(engine.settings.maxBatchedTokens, "token") + " cannot hold one of each of " + counted(engine.settings.maxSeqs, "request") + ".")
                               .mend("Use up to " + std::to_string(engine.settings.maxBatchedTokens) + " requests.")
                               .edit(at + "/max_num_seqs", engine.settings.maxBatchedTokens));
}

} // namespace

void checkEngine(const FilledDocument& document, const ServingWorkload& workload, std::int64_t positions, Problems& problems) {
    const std::string at = checkedEngineAt;
    checkLimits(workload.engine, at, problems);
    if (workload.disaggregation)
        workload.disaggregation->eachPool([&](const char* key, const ServingPool& pool) {
            if (const std::string own = at + "/disaggregation/" + key + "/engine"; document.has(own)) checkLimits(pool.engine, own, problems);
        });
    if (positions > 0 && workload.engine.settings.maxModelLength > positions)
        problems.push_back(warning("sequence-beyond-positions", at + "/max_model_len",
                                   "max_model_len " + std::to_string(workload.engine.settings.maxModelLength) + " is more than the model's " + counted(positions, "position") + ".")
                               .mend("Use up to " + std::to_string(positions) + " unless the positions are extended.")
                               .edit(at + "/max_model_len", positions));
    if (workload.router == RouterKind::prefix_aware && !workload.engine.settings.prefixCaching)
        problems.push_back(warning("no-effect", at + "/router", "Nothing is cached that a prefix-aware router could look for.")
                               .mend("Switch enable_prefix_caching on, or use least_loaded.")
                               .edit(at + "/router", "least_loaded"));
    checkRequestLengths(workload, problems);
}

} // namespace orrery
