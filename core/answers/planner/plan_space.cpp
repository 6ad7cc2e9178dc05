// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/planner/plan_space.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/scenario_words.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace orrery {
namespace {

using Numbers = std::vector<std::int64_t>;

/// Powers of two up to `most` that pass.
Numbers doublings(std::int64_t most, const std::function<bool(std::int64_t)>& passes) {
    Numbers numbers;
    for (std::int64_t n = 1; n <= most; n *= 2)
        if (passes(n)) numbers.push_back(n);
    return numbers;
}

Numbers tensorDegrees(const AskedMachine& machine, const Architecture& model) {
    constexpr std::int64_t most = 16; // a layer's products get too thin for more ranks
    return doublings(std::min<std::int64_t>({most, machine.domain, machine.accelerators()}), [&](std::int64_t tensor) { return model.heads % tensor == 0 && machine.accelerators() % tensor == 0; });
}

Numbers stages(const AskedMachine& machine, const Architecture& model) {
    constexpr std::int64_t most = 32; // the bubble of more is not worth it where fewer fit
    Numbers numbers;
    for (std::int64_t p = 1; p <= std::min<std::int64_t>({most, model.layers, machine.accelerators()}); ++p)
        if (machine.accelerators() % p == 0) numbers.push_back(p);
    return numbers;
}

/// Whole divisions of the layers, and doublings, which layouts with odd ends take.
Numbers chunks(const AskedMachine& machine, const Architecture& model) {
    constexpr std::int64_t most = 12;
    if (machine.accelerators() == 1) return {1};
    Numbers numbers;
    for (std::int64_t v = 1; v <= std::min(most, model.layers / 2); ++v)
        if (model.layers % v == 0 || v == 2 || v == 4 || v == 8) numbers.push_back(v);
    return numbers.empty() ? Numbers{1} : numbers;
}

Numbers contexts(const AskedMachine& machine, std::int64_t sequence) {
    constexpr std::int64_t shortest = 4096, most = 64; // tokens a rank: below them the ring's sends have nothing to hide behind
    Numbers numbers = doublings(most, [&](std::int64_t context) { return context == 1 || (sequence / context >= shortest && sequence % (2 * context) == 0 && machine.accelerators() % context == 0); });
    return numbers;
}

Numbers expertDegrees(const AskedMachine& machine, const Experts& experts) {
    constexpr std::int64_t most = 64;
    return doublings(std::min<std::int64_t>({most, experts.count, machine.accelerators()}), [&](std::int64_t expert) { return experts.count % expert == 0 && machine.accelerators() % expert == 0; });
}

/// Kernels of that many tokens are as quick as they get: more sequences at once add memory and a longer bubble.
Numbers microBatches(std::int64_t batch, std::int64_t sequence) {
    constexpr std::int64_t most = 8, tokens = 32768;
    return doublings(std::min(batch, most), [&](std::int64_t n) { return batch % n == 0 && (n == 1 || n * sequence <= tokens); });
}

/// Modules that Megatron makes again one by one, the least first. `ladder`: its recipes' own.
Json recomputations(const Architecture& model, const FrameworkProfile& profile, const std::vector<std::vector<std::string>>& ladder) {
    Json list{"none", "selective", "full"};
    if (profile.line == "fsdp") list.push_back(Json{{"every", 2}});
    if (!model.experts || profile.line != "megatron") return list;
    for (const auto& modules : ladder) {
        const bool latent = std::find(modules.begin(), modules.end(), wordOf(RecomputeModule::latent_up_projections)) != modules.end();
        if (!latent || model.latent) list.push_back(Json{{"modules", modules}});
    }
    return list;
}

/// What the launcher shards: Megatron's distributed optimizer, else PyTorch's FSDP.
Json zeroStages(const FrameworkProfile& profile) { return profile.defaults->value(Json::json_pointer("/parallelism/zero_stage"), 0) == 3 ? Json{2, 3} : Json{1}; }

/// Requests that come at the rate, or from so many users who each ask again when they are answered.
Json requestsOf(const AskedServing& serve, int users) {
    constexpr double seconds = 40, fewest = 300, most = 2000;
    constexpr int rounds = 4;
    const bool open = serve.rate > 0;
    const Json arrival = open ? Json{{"process", "poisson"}, {"rate_per_s", serve.rate}} : Json{{"process", "closed_loop"}, {"concurrency", users}};
    const auto count = open ? static_cast<int>(std::clamp(serve.rate * seconds, fewest, most)) : rounds * users;
    return {{"count", count}, {"arrival", arrival}, {"input_tokens", serve.input}, {"output_tokens", serve.output}, {"seed", 1}};
}

/// How an engine may lie on its accelerators, as vLLM takes it: tensor ranks, stages over several hosts, and of experts all ranks or none, the
/// attention of which may be shared out by sequences.
std::vector<Json> layouts(const AskedMachine& machine, const Architecture& model) {
    constexpr std::int64_t mostStages = 4;
    constexpr int mostRanks = 64;
    const Numbers tensors = tensorDegrees(machine, model);
    std::vector<Json> list;
    const auto add = [&](Json layout) {
        if (ranksOf(layout) <= std::min(mostRanks, machine.accelerators())) list.push_back(std::move(layout));
    };
    for (const std::int64_t tensor : tensors) add({{"tensor", tensor}});
    for (std::int64_t p = 2; p <= mostStages; p *= 2) add({{"tensor", tensors.back()}, {"pipeline", p}});
    if (!model.experts) return list;
    for (const std::int64_t tensor : tensors)
        for (std::int64_t groups = 1; groups <= mostRanks; groups *= 2) {
            const std::int64_t ranks = tensor * groups;
            if (ranks == 1 || model.experts->count % ranks != 0) continue;
            Json layout{{"tensor", tensor}};
            if (groups > 1) layout["attention_data"] = groups;
            layout["expert"] = ranks;
            add(std::move(layout));
        }
    return list;
}

Json constraint(const char* pointer, double most) { return {{"pointer", pointer}, {"op", "<="}, {"value", most}}; }

} // namespace

int ranksOf(const Json& parallelism) { return parallelism.value("tensor", 1) * parallelism.value("pipeline", 1) * parallelism.value("attention_data", 1); }

std::string frameworkRefuses(const std::vector<ScenarioEdit>& plan) {
    const auto valueOf = [&](const char* pointer) -> const Json* {
        const auto found = std::find_if(plan.begin(), plan.end(), [&](const ScenarioEdit& edit) { return edit.pointer == pointer; });
        return found == plan.end() ? nullptr : &*found->value;
    };
    const auto degree = [&](const char* pointer) {
        const Json* value = valueOf(pointer);
        return value ? value->get<int>() : 1;
    };
    const Json* const hides = valueOf("/execution/overlap/expert");
    if (!hides || *hides != Json(true)) return {};
    if (degree("/parallelism/expert") == 1) return "experts' exchange is hidden where experts are on one rank";
    if (degree("/parallelism/pipeline") > 1 && degree("/parallelism/virtual_pipeline") == 1) return "experts' exchange is hidden in stages of one chunk";
    const Json* const recompute = valueOf("/execution/recompute");
    return recompute && *recompute == Json("full") ? "experts' exchange is hidden where whole layers are made again" : "";
}

const FrameworkProfile* askedFramework(const PlanRequest& request, const AskedMachine& machine, const Catalog& catalog) {
    if (!request.framework.empty()) return catalog.framework(request.framework);
    if (request.serve) return catalog.framework("vllm-2026");
    const Accelerator* const accelerator = catalog.accelerator((*machine.cluster)["accelerator"].get<std::string>());
    return catalog.framework(accelerator && accelerator->vendor == "Google" ? "maxtext-2025" : "megatron-core-2025");
}

Json askedScenario(const PlanRequest& request, const AskedMachine& machine, const Architecture& model) {
    Json document{{"format", "orrery-scenario/1"}, {"name", request.modelName + (request.serve ? " served by " : " trained on ") + machine.text()}, {"model", *request.model}, {"cluster", *machine.cluster}};
    if (request.serve) {
        const std::string stored = model.storedAs.empty() ? "bf16" : model.storedAs;
        document["workload"] = {{"kind", "serving"}, {"precision", request.precision.empty() ? stored : request.precision}, {"requests", requestsOf(*request.serve, 1)}};
        Json limits = Json::object();
        if (request.serve->ttft) limits["ttft_s"] = *request.serve->ttft;
        if (request.serve->tpot) limits["tpot_s"] = *request.serve->tpot;
        if (!limits.empty()) document["workload"]["slo"] = limits;
        if (request.margin) document["workload"]["engine"]["gpu_memory_utilization"] = 1 - *request.margin;
        return document;
    }
    constexpr int usualSequence = 8192, sequencesEach = 4;
    const auto longest = model.maxPositions > 0 ? static_cast<int>(std::min<std::int64_t>(model.maxPositions, usualSequence)) : usualSequence;
    const int sequence = request.train.sequence > 0 ? request.train.sequence : longest;
    const int batch = request.train.batch > 0 ? request.train.batch : sequencesEach * machine.accelerators();
    document["workload"] = {{"kind", "training"}, {"sequence_length", sequence}, {"global_batch_size", batch}, {"micro_batch_size", 1}, {"precision", request.precision.empty() ? "bf16" : request.precision}};
    document["parallelism"] = {{"sequence", true}};
    return document;
}

Json trainingSpace(const Json& asked, const AskedMachine& machine, const Architecture& model, const FrameworkProfile& profile, const std::vector<std::vector<std::string>>& ladder, double memoryLimit, bool offload) {
    Json document = asked;
    // An overlap is never slower than none by what these frameworks measure, and they all have it.
    document["execution"]["overlap"] = {{"data", true}, {"tensor", true}, {"pipeline", true}};
    const auto sequence = asked["/workload/sequence_length"_json_pointer].get<std::int64_t>();
    const auto batch = asked["/workload/global_batch_size"_json_pointer].get<std::int64_t>();
    // Keys that change what a rank computes come first: what is found out for plans is then kept for their neighbours.
    Json vary{{"/parallelism/tensor", tensorDegrees(machine, model)}, {"/parallelism/context", contexts(machine, sequence)}};
    if (model.experts) {
        vary["/parallelism/expert"] = expertDegrees(machine, *model.experts);
        // Fine-grained experts are too thin to split; few large ones are split as dense layers are.
        constexpr std::int64_t coarse = 16;
        if (model.experts->count <= coarse) vary["/parallelism/expert_tensor"] = tensorDegrees(machine, model);
    }
    vary["/workload/micro_batch_size"] = microBatches(batch, sequence);
    vary["/execution/recompute"] = recomputations(model, profile, ladder);
    vary["/parallelism/pipeline"] = stages(machine, model);
    vary["/parallelism/virtual_pipeline"] = chunks(machine, model);
    vary["/parallelism/zero_stage"] = zeroStages(profile);
    if (model.experts && profile.line == "megatron") vary["/execution/overlap/expert"] = {false, true};
    if (offload) vary["/execution/offload/optimizer"] = {0, 1};
    document["search"] = {{"vary", vary}, {"objective", {{"minimize", "/iteration_time_s"}}}, {"constraints", Json::array({constraint("/memory/peak_bytes", memoryLimit)})}};
    return document;
}

Json servedSpace(const Json& asked, const AskedServing& serve, const AskedMachine& machine, const Architecture& model) {
    Json document = asked;
    Json plans = Json::array();
    for (const Json& layout : layouts(machine, model)) {
        const std::int64_t most = machine.accelerators() / ranksOf(layout);
        // Beyond eight instances only every fourth number is tried, and so on: a tenth more or fewer tell no plans apart.
        for (std::int64_t n = 1; n <= most; n += std::max<std::int64_t>(1, n / 8)) {
            Json plan = layout;
            plan["data"] = n;
            plans.push_back(std::move(plan));
            if (serve.rate <= 0) break;
        }
    }
    Json vary{{"/parallelism", plans}, {"/workload/engine/max_num_batched_tokens", {512, 1024, 4096, 16384}}, {"/workload/engine/max_num_seqs", {64, 512}}};
    if (serve.rate <= 0) {
        Json loads = Json::array();
        constexpr int mostUsers = 512; // as many as an engine takes at once
        for (int users = 1; users <= mostUsers; users *= 2) loads.push_back(requestsOf(serve, users));
        vary["/workload/requests"] = loads;
    }
    Json constraints = Json::array();
    if (serve.ttft) constraints.push_back(constraint("/ttft_s/p90", *serve.ttft));
    if (serve.tpot) constraints.push_back(constraint("/tpot_s/p90", *serve.tpot));
    document["search"] = {{"vary", vary}, {"objective", {{"maximize", "/output_tokens_per_s_per_accelerator"}}}, {"pareto", {{"minimize", "/tpot_s/p90"}}}, {"constraints", constraints}};
    return document;
}

} // namespace orrery
