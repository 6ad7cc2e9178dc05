// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/training/estimate/random_plans.hpp"

#include "core/base/json.hpp"

namespace orrery::test {

Json randomPlan(RandomSource& random) {
    struct Machine {
        const char* accelerator;
        int perNode;
    };
    static const std::vector<const char*> models{"gpt3-175b", "llama-3.1-8b", "llama-3.1-70b", "llama-2-7b", "mixtral-8x7b", "llama-3.2-1b", "qwen3-30b-a3b"};
    static const std::vector<Machine> machines{{"a100-sxm4-80gb", 8}, {"h100-sxm5-80gb", 8}, {"h100-sxm5-80gb", 4}, {"b200-sxm-180gb", 8}, {"v100-sxm2-32gb", 8}};
    static const std::vector<const char*> frameworks{"megatron-2022", "megatron-bridge-2025", "torchtitan-2025", "nemo-2024", "megatron-deepspeed-2022", "nanotron-2024", "deepspeed-2021"};
    const auto power = [&](int most) { return 1 << random.below(static_cast<std::size_t>(most) + 1); };

    const Machine machine = random.pick(machines);
    const char* model = random.pick(models);
    const int nodes = power(4);
    const int ranks = nodes * machine.perNode;
    int tensor = power(3), pipeline = power(4), context = random.chance(0.2) ? power(2) : 1;
    while (tensor * pipeline * context > ranks) {
        if (context > 1) context /= 2;
        else if (pipeline > 1) pipeline /= 2;
        else tensor /= 2;
    }
    const int data = ranks / (tensor * pipeline * context);
    const int microBatch = power(2);
    const int groups = random.chance(0.5) ? power(6) : 1 + static_cast<int>(random.below(20));
    static const std::vector<const char*> pipelined{"gpipe", "1f1b", "1f1b", "interleaved", "interleaved", "zb-h1", "zb-v", "v-half", "v-min", "dualpipe"};
    const std::string schedule = pipeline > 1 ? random.pick(pipelined) : random.chance(0.3) ? "gpipe"
                                                                                            : "1f1b";
    const int chunks = schedule == "interleaved" ? 2 + static_cast<int>(random.below(3)) : schedule == "zb-v" || schedule.starts_with("v-") ? 2
                                                                                                                                            : 1;
    const int microBatches = schedule == "interleaved" ? pipeline * groups : schedule == "dualpipe" ? 2 * (pipeline + groups - 1)
                                                                                                    : groups;

    Json document{{"format", "orrery-scenario/1"},
                  {"name", "random"},
                  {"model", {{"preset", model}}},
                  {"cluster", {{"accelerator", machine.accelerator}, {"accelerators_per_node", machine.perNode}, {"nodes", nodes}}},
                  {"workload",
                   {{"kind", "training"},
                    {"sequence_length", 1024 * power(3)},
                    {"global_batch_size", data * microBatch * microBatches},
                    {"micro_batch_size", microBatch},
                    {"precision", "bf16"}}},
                  {"parallelism",
                   {{"tensor", tensor},
                    {"pipeline", pipeline},
                    {"context", context},
                    {"zero_stage", random.below(4)},
                    {"sequence", tensor > 1 && random.chance(0.6)}}},
                  {"execution", {{"framework", random.pick(frameworks)}}}};
    Json& plan = document["parallelism"];
    Json& execution = document["execution"];
    plan["schedule"] = schedule;
    if (chunks > 1) plan["virtual_pipeline"] = chunks;
    if (random.chance(0.15)) plan["order"] = random.chance(0.5) ? "tp-cp-ep-pp-dp" : "tp-pp-cp-ep-dp";
    if (random.chance(0.4)) plan["expert"] = power(3);
    if (random.chance(0.2) && data * context >= 4) plan["shard_group"] = 2;
    if (random.chance(0.1)) {
        const auto share = [&] { return random.chance(0.5) ? 0.0 : 0.5 * random.unit(); };
        execution["offload"] = {{"weights", share()}, {"activations", share()}, {"optimizer", share()}};
    }
    static const std::vector<const char*> optimizers{"adam", "sgd", "muon"};
    if (random.chance(0.2)) document["workload"]["optimizer"] = random.pick(optimizers);
    static const std::vector<const char*> recompute{"none", "selective", "full"};
    execution["recompute"] = random.pick(recompute);
    if (random.chance(0.15)) execution["recompute"] = {{"every", 2 + random.below(7)}};
    if (random.chance(0.1)) execution["recompute"] = {{"modules", {"mlp", "layernorm"}}};
    if (random.chance(0.7))
        execution["overlap"] = {{"data", random.chance(0.5)}, {"tensor", random.chance(0.2)}, {"pipeline", random.chance(0.5)}, {"expert", random.chance(0.3)}};
    return document;
}

std::string nameOf(const Json& document) {
    const Json& plan = document["parallelism"];
    std::string name = document["model"]["preset"].get<std::string>() + " on " + document["cluster"]["nodes"].dump() + "×" +
                       document["cluster"]["accelerators_per_node"].dump() + " " + document["cluster"]["accelerator"].get<std::string>();
    for (const auto& [key, value] : plan.items()) name += " " + key + "=" + value.dump();
    for (const auto& [key, value] : document["execution"].items()) name += " " + key + "=" + value.dump();
    return name + " batch=" + document["workload"]["global_batch_size"].dump() + "/" + document["workload"]["micro_batch_size"].dump() +
           " s=" + document["workload"]["sequence_length"].dump();
}

} // namespace orrery::test
