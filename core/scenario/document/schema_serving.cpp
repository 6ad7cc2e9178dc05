// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/policy_traits.hpp"
#include "core/scenario/document/schema_shapes.hpp"
#include "core/scenario/serving_words.hpp"

// `workload` of the contract for the kinds that run on engine instances: inference and serving.

namespace orrery::schema {
namespace {

Shape cachePrecision() {
    std::vector<std::string> words = precisionWords(PrecisionUse::inference);
    words.insert(words.begin(), "auto");
    return word(std::move(words));
}

Field activationScales() {
    return field("activation_scales", word(textWords<ActivationScales>()),
                 "Whence scales of the inputs of 8-bit products are: calibrated, from the checkpoint; at_run_time, from the inputs. As the profile's checkpoints have them unless given.");
}

Shape requestLengths() {
    const Shape tokens = integer(1, mostTokens);
    return choice({tokens, object({
                               required("distribution", word(textWords<LengthKind>()), "How tokens are drawn."),
                               field("mean", number(1, mostTokens), "Mean, tokens; of constant, normal, lognormal and exponential."),
                               field("std", number(0, mostTokens), "Standard deviation, tokens; of normal and lognormal."),
                               field("min", tokens, "Least tokens; of every distribution."),
                               field("max", tokens, "Most tokens; of every distribution."),
                               field("exponent", number(0, 100), "How steeply zipf falls from its least tokens on."),
                           })});
}

Shape sessionsShape() {
    return object({
        required("turns", requestLengths(), "Requests of a session one after the other; each prompt is all that was said before and something new."),
        field("tool_wait_s", number(0, 1e9), "Seconds from an answer to the next turn.", 0),
        field("branches", integer(0, 1e5), "Subagents that each session forks after its first turn; its second turn waits for all of them.", 0),
        field("branch_turns", requestLengths(), "Requests of each subagent, which share what was said up to the fork.", 1),
        field("turn_input_tokens", requestLengths(), "New prompt tokens of turns after the first; as input_tokens unless given."),
    });
}

Shape requestsShape() {
    Shape arrival = object({
        required("process", word(textWords<ArrivalProcess>()), "How requests arrive."),
        field("rate_per_s", positive(1e9), "Mean arrivals per second; of poisson, uniform and gamma."),
        field("concurrency", integer(1, mostSequences), "Requests under way at any time; of closed_loop."),
        field("ramp_s", number(0, 1e9), "Seconds over which the users of closed_loop begin, one after the other; 0: all at once."),
        field("burstiness", number(1e-3, 1e6), "Shape of the gamma distribution: 1 is poisson, less comes in bursts."),
        field("curve",
              object({
                  required("rates", list(number(0, 1e9), 1), "Weights of equal parts of a period; their mean counts as rate_per_s."),
                  field("period_s", positive(1e9), "Seconds after which the curve begins anew; a day unless given."),
              }),
              "How the rate of poisson, uniform and gamma goes over a day; it stays unless given."),
    });
    Shape shape = object({
        field("file", text(), "A .jsonl file, relative to the scenario; .gz too."),
        field("hash_block_size", integer(1, 1e6), "Prompt tokens that one of hash_ids stands for.", 512),
        field("count", integer(1, mostSequences), "How many requests there are."),
        field("arrival", std::move(arrival), "How requests arrive."),
        field("input_tokens", requestLengths(), "Prompt tokens of a request."),
        field("output_tokens", requestLengths(), "Generated tokens of a request."),
        field("shared_prefix_tokens", integer(0, mostTokens), "First prompt tokens that all requests have in common.", 0),
        field("sessions", sessionsShape(), "Each of the requests begins a session of several; then count is the number of sessions."),
        field("seed", integer(0, 9007199254740991.0), "Seed of the random draws.", 0),
    });
    shape.forms = {{"a recorded file", {"file"}, {"arrival", "input_tokens", "output_tokens", "shared_prefix_tokens", "sessions"}},
                   {"generated requests", {"count", "arrival", "input_tokens", "output_tokens"}, {}}};
    return shape;
}

Shape tierShape() {
    return object({
        required("kind", word(textWords<CacheTierKind>()), "Where its blocks lie: host, in the memory of an instance's hosts; disk, on their drives; shared, in a store of all instances."),
        required("capacity_gb", positive(1e9), "What it holds, GB: for each instance; of a shared tier for all."),
        field("bandwidth_gb_s", positive(1e6), "How fast blocks come from there, GB/s: to each instance; from a shared tier to all. Loads take turns. Of host, unless given, what its accelerators' links to their hosts carry."),
        field("policy", word(textWords<TierWrites>()), "When it gets a block: write_through, when it is computed; on_eviction, when the level above lets go of it.", "write_through"),
        field("prefetch", boolean(), "Whether loads begin when a request arrives, not when it is admitted.", false),
    });
}

Shape speculativeShape() {
    const Shape model = object({
        field("preset", text(), "Id of a model of the catalogue."),
        field("config", anything(), "The fields of a Hugging Face config.json."),
        field("config_file", text(), "Path of a Hugging Face config.json, relative to the scenario."),
    });
    return object({
        required("method", word(textWords<DraftMethod>()), "Where draft tokens come from."),
        field("tokens", integer(1, 64), "Tokens drafted a step."),
        field("acceptance", number(0, 1), "Chance that the next draft token is accepted."),
        field("draft_model", choice({text(), model}), "The draft model: an id of the catalogue, or as `model` is written."),
    });
}

/// What an instance may set for itself; a pool of a disaggregated engine too.
std::vector<Field> instanceFields() {
    return {
        field("max_num_seqs", integer(1, 1e6), "Requests of one step."),
        field("max_num_batched_tokens", integer(1, mostTokens), "Tokens of one step."),
        field("max_model_len", integer(2, mostTokens), "Tokens of prompt and answer together; the model's positions unless given."),
        field("enable_chunked_prefill", boolean(), "Whether prompts are split over steps."),
        field("enable_prefix_caching", boolean(), "Whether common beginnings of prompts are kept."),
        field("block_size", integer(1, 1e5), "Tokens of one cache block."),
        field("gpu_memory_utilization", number(0.01, 1), "Share of the memory that the engine takes."),
        field("kv_cache_free_gpu_memory_fraction", number(0.01, 1), "Share of the memory that the loaded model leaves which keys and values get, as TensorRT-LLM counts; in place of gpu_memory_utilization."),
        field("kv_cache_dtype", cachePrecision(), "Number format of the key-value cache; auto: the model's 16 bit."),
        field("scheduler_policy", word(textWords<SchedulerPolicy>()), "Whose scheduler it is; the profile's unless given."),
        field("async_scheduling", boolean(), "Whether the next step is scheduled while one runs."),
        field("scheduler_recv_interval", integer(1, 1e5), "New requests are taken in before every n-th step of decodes, as SGLang's option says; after a step with prompts and when idle at once."),
        field("stream_interval", integer(1, 1e5), "After a request's first token, how many tokens leave together."),
        field("expert_slots", integer(1, mostExpertSlots), "Places for experts over all ranks of expert: more than the model has experts hold copies of busy ones; one an expert unless given."),
        field("scheduling_policy", word(textWords<QueueOrder>()), "Which waiting request is the next: the first, or the one of least priority number."),
        field("speculative", speculativeShape(), "Speculative decoding."),
        field("kv_tiers", list(tierShape()), "Where blocks of keys and values go on beside the accelerators' memory, the nearest tier first, at most one of a kind."),
    };
}

Shape poolShape() {
    const auto degree = [] { return integer(1, mostRanks); };
    return object({
        field("instances", degree(), "How many instances there are; as many as its hosts hold unless given."),
        field("hosts", choice({degree(), list(text(), 1)}), "How many hosts, next in file order, or ids of drawn ones; as many accelerators as its instances take unless given."),
        field("accelerator", choice({text(), acceleratorObject()}), "Its hosts' accelerator, where it is another than the cluster's; short form only."),
        field("parallelism",
              object({
                  field("tensor", degree(), "Ranks that share each layer's matrices."),
                  field("pipeline", degree(), "Stages that the layers are split over."),
                  field("context", degree(), "Ranks that share each sequence."),
                  field("expert", degree(), "Ranks that the experts are split over."),
                  field("expert_tensor", degree(), "Ranks that share each expert's matrices."),
                  field("attention_data", degree(), "Data-parallel attention ranks of one instance."),
                  field("pipeline_layout", list(integer(0, 1e6), 1), "Layers of each stage in model order."),
              }),
              "What of parallelism differs for its instances."),
        field("engine", object(instanceFields()), "What of engine differs for its instances."),
    });
}

Shape engineShape() {
    std::vector<Field> fields = instanceFields();
    fields.push_back(field("disaggregation",
                           object({
                               required("prefill", poolShape(), "Instances that run prompts, up to the first token."),
                               field("decode", poolShape(), "Instances that generate the rest; or attention and experts in its place."),
                               field("attention", poolShape(), "Instances that run attention and all but routed experts for the rest; they step together."),
                               field("experts", poolShape(), "Accelerators that hold the routed experts for them, each an instance."),
                               field("encode", poolShape(), "Instances that encode images before the prompts."),
                               field("first_token", word(textWords<FirstToken>()), "Which instance sends the first token; prefill unless given."),
                           }),
                           "Separate instances for prefill and decode."));
    fields.push_back(field("front_end", boolean(), "Whether the way from client to engine and back counts in the latencies; true unless given."));
    fields.push_back(field("router", word(textWords<RouterKind>()), "Which instance a request goes to."));
    return object(std::move(fields));
}

Shape fleetShape() {
    const auto replicas = [](double least) { return integer(least, mostRanks); };
    Shape byChance = object({
        required("mtbf_hours", positive(1e12), "Mean time between failures of one replica, hours."),
        field("repair_s", number(0, 1e9), "From a failure until the replica can be started again, s.", 0),
        field("seed", integer(0, 9007199254740991.0), "Seed of the random draws.", 0),
    });
    Shape one = object({
        required("replica", integer(0, mostRanks), "Which replica, from 0."),
        required("at_s", number(0, 1e12), "When it stops, s."),
        field("repair_s", number(0, 1e9), "From then until it can be started again, s.", 0),
    });
    return object({
        field("router", word(textWords<RouterKind>()), "Which replica a request goes to; as engine.router unless given."),
        field("autoscale",
              object({
                  field("min", replicas(0), "Fewest replicas.", 1),
                  field("max", replicas(1), "Most replicas; all that the cluster holds unless given."),
                  field("interval_s", positive(1e9), "Seconds between two looks at what is under way.", 15),
                  field("start_s", number(0, 1e9), "Seconds from the order to start a replica until it serves.", 0),
                  field("target", positive(1e9), "Requests under way that each replica is to have: as many are wanted as those under way divided by this, rounded up."),
              }),
              "Replicas that are started and stopped by what is under way; all serve all the time unless given."),
        field("admission",
              object({
                  field("max_per_replica", integer(1, mostSequences), "Requests under way at a replica; more wait in front of the fleet, by priority and arrival."),
                  field("max_waiting", integer(0, mostSequences), "Requests that may wait in front; one more is refused, the last in line."),
                  field("timeout_s", positive(1e9), "Seconds of waiting in front after which a request is refused."),
              }),
              "Who may come to a replica, and who may wait for one."),
        field("failures", choice({byChance, list(one)}), "Replicas that stop and come back; what they worked on goes on elsewhere, computed again."),
    });
}

} // namespace

std::vector<Field> inferenceFields() {
    return {
        required("batch_size", integer(1, mostSequences), "Sequences of one static batch, per instance."),
        required("input_length", integer(1, mostTokens), "Prompt tokens of a sequence."),
        required("output_length", integer(1, mostTokens), "Generated tokens of a sequence."),
        required("precision", word(precisionWords(PrecisionUse::inference)), "Number format of the weights."),
        field("kv_cache_precision", cachePrecision(), "Number format of the key-value cache; auto: the model's 16 bit."),
        field("fp8_recipe", wordFor<Fp8Recipe>(), "What one scale of a checkpoint in fp8 covers: a tensor, a row, or a block of 128 × 128."),
        activationScales(),
        imagesField("per_request", "Images of each prompt, which has their tokens beside its own; text alone unless given."),
    };
}

std::vector<Field> servingFields() {
    return {
        required("requests", requestsShape(), "The requests: a recorded file, or how to generate them."),
        field("engine", engineShape(), "Settings of the serving engine, with vLLM's names; limits per instance."),
        required("precision", word(precisionWords(PrecisionUse::inference)), "Number format of the weights."),
        field("fp8_recipe", wordFor<Fp8Recipe>(), "What one scale of a checkpoint in fp8 covers: a tensor, a row, or a block of 128 × 128."),
        activationScales(),
        field("fleet", fleetShape(), "Replicas behind one router that come and go; the engine's instances are the replicas."),
        field("slo",
              object({
                  field("ttft_s", positive(1e9), "Time to first token, s."),
                  field("tpot_s", positive(1e9), "Time per output token, s."),
                  field("e2e_s", positive(1e9), "Whole request, s."),
              }),
              "Limits that a request must keep to count for goodput."),
        imagesField("per_request", "Images of each request, whose prompt has their tokens beside its own; text alone unless given."),
    };
}

} // namespace orrery::schema
