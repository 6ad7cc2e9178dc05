// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/served_fields.hpp"

#include "core/order/serving/policy_traits.hpp"
#include "widgets/common/core_words.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace orrery {
namespace {

/// What only training reads, alone or in a loop.
constexpr std::array ofTraining{
    std::string_view("/workload/sequence_length"), std::string_view("/workload/global_batch_size"), std::string_view("/workload/micro_batch_size"),
    std::string_view("/workload/optimizer"), std::string_view("/workload/gradient_precision"),
    std::string_view("/workload/optimizer_precision"), std::string_view("/workload/weight_precision"), std::string_view("/workload/gradient_reduce_precision"),
    std::string_view("/workload/task"), std::string_view("/workload/lora_rank"), std::string_view("/workload/lora_targets"),
    std::string_view("/parallelism/sequence"), std::string_view("/parallelism/virtual_pipeline"), std::string_view("/parallelism/schedule"),
    std::string_view("/parallelism/zero_stage"), std::string_view("/parallelism/shard_group"), std::string_view("/execution/recompute"), std::string_view("/execution/attention_precision"),
    std::string_view("/execution/recompute/modules"), std::string_view("/execution/recompute/every"), std::string_view("/execution/overlap/data"),
    std::string_view("/execution/cuda_graphs/scope"), std::string_view("/execution/moe_dispatcher"), std::string_view("/execution/fused_experts"),
    std::string_view("/execution/offload/activations"), std::string_view("/execution/offload/optimizer"), std::string_view("/execution/passes/lora"),
    std::string_view("/execution/passes/recompute"), std::string_view("/execution/passes/chunked_loss"), std::string_view("/execution/passes/data"),
    std::string_view("/execution/passes/zero"), std::string_view("/execution/passes/hsdp"), std::string_view("/economics/tokens_total")};

struct ServedFields {
    Q_DECLARE_TR_FUNCTIONS(ServedFields)

public:
    static FieldSpec kind() {
        return {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/kind", .label = tr("Kind"), .tooltip = tr("What runs. Another kind brings values of its own; what was there comes back with its kind."), .required = true, .choices = {{"training", tr("training"), tr("Iterations of training.")}, {"inference", tr("inference"), tr("One static batch: all prompts at once, then a token of each a step.")}, {"serving", tr("serving"), tr("Requests that come and go.")}, {"rl", tr("reinforcement learning"), tr("Engines answer and a trainer learns from the answers, in turn.")}}};
    }

    static std::vector<FieldSpec> batch() {
        return {
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/batch_size", .label = tr("Batch"), .unit = tr("sequences"), .tooltip = tr("Sequences of one static batch in each instance."), .required = true, .step = FieldStep::doubling, .kinds = inInference},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/input_length", .label = tr("Prompt"), .unit = tr("tokens"), .tooltip = tr("Tokens of each prompt."), .required = true, .step = FieldStep::doubling, .kinds = inInference},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/output_length", .label = tr("Answer"), .unit = tr("tokens"), .tooltip = tr("Tokens generated for each prompt, the first one included."), .required = true, .step = FieldStep::doubling, .kinds = inInference},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/kv_cache_precision", .label = tr("Cache"), .tooltip = tr("Number format of the cached keys and values."), .choices = cacheFormats(), .kinds = inInference},
        };
    }

    static std::vector<FieldSpec> arrivals() {
        return {
            {.section = FieldSection::workload, .kind = FieldKind::text, .pointer = "/workload/requests/file", .label = tr("File"), .tooltip = tr("Recorded requests, a .jsonl beside the scenario; emptied, requests are generated again."), .absent = tr("generated"), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/requests/count", .label = tr("Requests"), .tooltip = tr("How many requests come."), .required = true, .step = FieldStep::doubling, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/requests/arrival/process", .label = tr("Arrivals"), .tooltip = tr("How requests arrive."), .required = true, .choices = {{"poisson", tr("Poisson"), tr("By chance, at a mean rate.")}, {"uniform", tr("even"), tr("At equal gaps.")}, {"gamma", tr("gamma"), tr("By chance, in bursts.")}, {"closed_loop", tr("closed loop"), tr("So many are always under way.")}, {"all_at_once", tr("all at once"), tr("All at the beginning.")}}, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::number, .pointer = "/workload/requests/arrival/rate_per_s", .label = tr("Rate"), .unit = tr("per second"), .tooltip = tr("Mean arrivals per second."), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/requests/arrival/concurrency", .label = tr("Under way"), .unit = tr("requests"), .tooltip = tr("Requests under way at any time."), .step = FieldStep::doubling, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::number, .pointer = "/workload/requests/arrival/ramp_s", .label = tr("Begin over"), .unit = tr("s"), .tooltip = tr("Time over which the users of a closed loop begin, one after the other."), .kinds = inServing},
        };
    }

    /// How long prompts or answers are: a number of tokens, or the numbers of a distribution.
    static std::vector<FieldSpec> lengths(const std::array<const char*, 7>& places, const QString& label, const QString& each, const QString& tooltip) {
        std::vector<FieldSpec> fields{
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = places[0], .label = label, .tooltip = tooltip, .choices = {{"uniform", tr("even chances"), tr("Any length between the least and the most.")}, {"normal", tr("normal")}, {"lognormal", tr("lognormal"), tr("Most are short, some much longer.")}, {"exponential", tr("exponential")}, {"zipf", tr("Zipf"), tr("The shortest most often, longer ones ever less.")}, {"constant", tr("constant")}}, .absent = tr("all alike"), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = places[1], .label = each, .unit = tr("tokens"), .tooltip = tooltip, .required = true, .step = FieldStep::doubling, .plainOnly = true, .kinds = inServing},
        };
        const std::array<std::array<QString, 2>, 4> parts{{{tr("Mean"), tr("mean length.")}, {tr("Spread"), tr("standard deviation of the lengths.")}, {tr("Least"), tr("no length is below.")}, {tr("Most"), tr("no length is above.")}}};
        for (std::size_t i = 0; i < parts.size(); ++i)
            fields.push_back({.section = FieldSection::workload, .kind = i < 2 ? FieldKind::number : FieldKind::integer, .pointer = places[2 + i], .label = parts[i][0], .unit = tr("tokens"), .tooltip = label + ": " + parts[i][1], .step = FieldStep::doubling, .partOfChoice = true, .kinds = inServing});
        fields.push_back({.section = FieldSection::workload, .kind = FieldKind::number, .pointer = places[6], .label = tr("Exponent"), .tooltip = tr("How steeply chances fall from the least length on."), .required = true, .partOfChoice = true, .kinds = inServing});
        return fields;
    }

    static std::vector<FieldSpec> prompts() {
        return lengths({"/workload/requests/input_tokens/distribution", "/workload/requests/input_tokens", "/workload/requests/input_tokens/mean", "/workload/requests/input_tokens/std", "/workload/requests/input_tokens/min", "/workload/requests/input_tokens/max", "/workload/requests/input_tokens/exponent"}, tr("Prompt"), tr("Each prompt"), tr("Tokens of each prompt."));
    }

    static std::vector<FieldSpec> answers() {
        return lengths({"/workload/requests/output_tokens/distribution", "/workload/requests/output_tokens", "/workload/requests/output_tokens/mean", "/workload/requests/output_tokens/std", "/workload/requests/output_tokens/min", "/workload/requests/output_tokens/max", "/workload/requests/output_tokens/exponent"}, tr("Answer"), tr("Each answer"), tr("Tokens generated for each request."));
    }

    static std::vector<FieldSpec> draws() {
        return {
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/requests/shared_prefix_tokens", .label = tr("Common beginning"), .unit = tr("tokens"), .tooltip = tr("First tokens that all prompts have in common."), .step = FieldStep::doubling, .contractDefault = 0, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/requests/seed", .label = tr("Seed"), .tooltip = tr("Another seed, other requests."), .step = FieldStep::one, .contractDefault = 0, .kinds = inServing},
        };
    }

    static std::vector<FieldChoice> policyChoices() {
        std::vector<FieldChoice> choices;
        for (const PolicyTraits& traits : policyTraits) choices.push_back({std::string(traits.word), coreWords(std::string(traits.title))});
        return choices;
    }

    static std::vector<FieldSpec> engine() {
        return {
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/engine/scheduler_policy", .label = tr("Scheduler"), .tooltip = tr("Whose rules say which requests run in a step."), .choices = policyChoices(), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/engine/max_num_seqs", .label = tr("At a time"), .unit = tr("requests"), .tooltip = tr("Most requests of one step in an instance (max_num_seqs)."), .step = FieldStep::doubling, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/engine/max_num_batched_tokens", .label = tr("Step"), .unit = tr("tokens"), .tooltip = tr("Most tokens of one step in an instance (max_num_batched_tokens)."), .step = FieldStep::doubling, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/engine/max_model_len", .label = tr("Longest request"), .unit = tr("tokens"), .tooltip = tr("Most tokens of prompt and answer together (max_model_len)."), .step = FieldStep::doubling, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::toggle, .pointer = "/workload/engine/enable_chunked_prefill", .label = tr("Chunked prefill"), .tooltip = tr("Prompts are split over steps, so that answers go on beside them."), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::toggle, .pointer = "/workload/engine/enable_prefix_caching", .label = tr("Prefix caching"), .tooltip = tr("Common beginnings of prompts are computed once."), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::toggle, .pointer = "/workload/engine/async_scheduling", .label = tr("Async scheduling"), .tooltip = tr("The next step is scheduled while one runs."), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/engine/scheduler_recv_interval", .label = tr("Looks for requests"), .unit = tr("steps"), .tooltip = tr("New requests are taken in before every n-th step of decodes (SGLang's scheduler_recv_interval)."), .step = FieldStep::doubling, .contractDefault = 1, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/engine/stream_interval", .label = tr("Tokens leave by"), .unit = tr("tokens"), .tooltip = tr("After a request's first token, how many tokens leave together (stream_interval)."), .step = FieldStep::doubling, .contractDefault = 1, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/engine/expert_slots", .label = tr("Expert slots"), .unit = tr("slots"), .tooltip = tr("Places for experts over all expert ranks: more than the model has experts hold copies of busy ones."), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::toggle, .pointer = "/workload/engine/front_end", .label = tr("Way from the client"), .tooltip = tr("Whether the way from client to engine and back counts in the latencies."), .contractDefault = true, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/engine/block_size", .label = tr("Cache block"), .unit = tr("tokens"), .tooltip = tr("Tokens of one block of the cache."), .step = FieldStep::doubling, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::number, .pointer = "/workload/engine/gpu_memory_utilization", .label = tr("Memory taken"), .unit = tr("share"), .tooltip = tr("Share of the memory that the engine takes, 0 to 1."), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::number, .pointer = "/workload/engine/kv_cache_free_gpu_memory_fraction", .label = tr("Of what is free"), .unit = tr("share"), .tooltip = tr("Share of what the loaded model leaves that keys and values get, 0 to 1, as TensorRT-LLM counts."), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/engine/kv_cache_dtype", .label = tr("Cache"), .tooltip = tr("Number format of the cached keys and values."), .choices = cacheFormats(), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/activation_scales", .label = tr("Scales of inputs"), .tooltip = tr("Whence the scales of 8-bit products' inputs are."), .choices = {{"calibrated", tr("the checkpoint"), tr("Known beforehand: what writes an input quantises it.")}, {"at_run_time", tr("the inputs"), tr("Found at run time: each input is looked at once more.")}}, .kinds = inInference | inServing},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/engine/scheduling_policy", .label = tr("Next request"), .tooltip = tr("Which waiting request is the next."), .choices = {{"fcfs", tr("the first")}, {"priority", tr("by priority")}}, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/engine/router", .label = tr("Router"), .tooltip = tr("Which instance a request goes to."), .choices = {{"round_robin", tr("in turn")}, {"least_loaded", tr("least loaded")}, {"prefix_aware", tr("by beginning"), tr("The one that was sent most of its beginning.")}, {"session_affinity", tr("by session"), tr("Where the first request of its session went.")}, {"power_of_two", tr("better of two"), tr("Two are drawn; the less loaded gets it.")}}, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::number, .pointer = "/workload/slo/ttft_s", .label = tr("First token within"), .unit = tr("s"), .tooltip = tr("Limit for goodput: time to the first token."), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::number, .pointer = "/workload/slo/tpot_s", .label = tr("Each token within"), .unit = tr("s"), .tooltip = tr("Limit for goodput: time per output token."), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::number, .pointer = "/workload/slo/e2e_s", .label = tr("Request within"), .unit = tr("s"), .tooltip = tr("Limit for goodput: the whole request."), .kinds = inServing},
        };
    }

    /// Tokens that are drafted and checked, and pools of instances.
    static std::vector<FieldSpec> draftsAndPools() {
        std::vector<FieldSpec> fields{
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/engine/speculative/method", .label = tr("Drafts"), .tooltip = tr("Where tokens come from that the model only checks."), .choices = {{"ngram", tr("from the prompt"), tr("What followed the same words before (n-gram).")}, {"draft_model", tr("a smaller model")}, {"mtp", tr("its own heads (MTP)")}, {"eagle", tr("EAGLE")}}, .absent = tr("none"), .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = "/workload/engine/speculative/tokens", .label = tr("Drafted"), .unit = tr("tokens"), .tooltip = tr("Tokens drafted a step."), .step = FieldStep::one, .partOfChoice = true, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::number, .pointer = "/workload/engine/speculative/acceptance", .label = tr("Accepted"), .unit = tr("share"), .tooltip = tr("Chance that the next draft token is accepted, 0 to 1."), .partOfChoice = true, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::model, .pointer = "/workload/engine/speculative/draft_model", .label = tr("Draft model"), .tooltip = tr("The smaller model that drafts."), .partOfChoice = true, .kinds = inServing},
            {.section = FieldSection::workload, .kind = FieldKind::choice, .pointer = "/workload/engine/disaggregation", .label = tr("Pools"), .tooltip = tr("Whether prompts and answers run on instances of their own."), .choices = {{Json{{"prefill", nullptr}, {"decode", nullptr}}, tr("prompts, answers"), tr("The first token leaves one pool; keys and values go to the other.")}}, .absent = tr("one for all"), .kinds = inServing},
        };
        const auto pool = [&fields](const std::array<const char*, 5>& places, const QString& of) {
            const std::array<std::array<QString, 2>, 5> parts{{{tr("%1 instances").arg(of), tr("Instances of the pool.")}, {tr("%1 hosts").arg(of), tr("Hosts of the pool, next in file order.")}, {tr("%1 tensor").arg(of), tr("Tensor ranks of an instance of the pool.")}, {tr("%1 attention").arg(of), tr("Attention groups of an instance of the pool.")}, {tr("%1 experts").arg(of), tr("Ranks of an instance of the pool that share the experts out.")}}};
            for (std::size_t i = 0; i < parts.size(); ++i)
                fields.push_back({.section = FieldSection::workload, .kind = FieldKind::integer, .pointer = places[i], .label = parts[i][0], .tooltip = parts[i][1], .step = i == 0 ? FieldStep::one : FieldStep::doubling, .partOfChoice = true, .kinds = inServing});
        };
        pool({"/workload/engine/disaggregation/prefill/instances", "/workload/engine/disaggregation/prefill/hosts", "/workload/engine/disaggregation/prefill/parallelism/tensor", "/workload/engine/disaggregation/prefill/parallelism/attention_data", "/workload/engine/disaggregation/prefill/parallelism/expert"}, tr("Prompt"));
        pool({"/workload/engine/disaggregation/decode/instances", "/workload/engine/disaggregation/decode/hosts", "/workload/engine/disaggregation/decode/parallelism/tensor", "/workload/engine/disaggregation/decode/parallelism/attention_data", "/workload/engine/disaggregation/decode/parallelism/expert"}, tr("Answer"));
        return fields;
    }

    static FieldSpec attentionData() {
        return {.section = FieldSection::parallelism, .kind = FieldKind::integer, .pointer = "/parallelism/attention_data", .label = tr("Attention data"), .tooltip = tr("Groups of tensor ranks of an instance that each run the attention of their own requests."), .step = FieldStep::doubling, .contractDefault = 1, .kinds = inInference | inServing};
    }

private:
    static std::vector<FieldChoice> cacheFormats() {
        return {{"auto", tr("the model's 16 bit")}, {"bf16", tr("bf16")}, {"fp16", tr("fp16")}, {"fp8", tr("fp8")}, {"mxfp8", tr("mxfp8")}, {"nvfp4", tr("nvfp4")}, {"int8", tr("int8")}, {"int4", tr("int4")}, {"mxfp4", tr("mxfp4")}};
    }
};

} // namespace

FieldSpec workloadKindField() { return ServedFields::kind(); }

std::vector<FieldSpec> servedWorkloadFields() {
    std::vector<FieldSpec> fields;
    for (auto&& part : {ServedFields::batch(), ServedFields::arrivals(), ServedFields::prompts(), ServedFields::answers(), ServedFields::draws(), ServedFields::engine(), ServedFields::draftsAndPools()}) fields.insert(fields.end(), part.begin(), part.end());
    return fields;
}

std::vector<FieldSpec> servedParallelismFields() { return {ServedFields::attentionData()}; }

WorkloadKinds kindsOfField(std::string_view pointer) {
    const bool ofWorkload = pointer.starts_with("/workload/"); // reinforcement learning has these in its halves
    const WorkloadKinds kinds = std::find(ofTraining.begin(), ofTraining.end(), pointer) != ofTraining.end() ? inTraining | inRl : inEveryKind;
    return ofWorkload ? kinds & ~inRl : kinds;
}

} // namespace orrery
