// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/schema_shapes.hpp"

// `workload` of the contract: training, inference and serving.

namespace orrery::schema {

namespace {

std::vector<std::string> trainingPrecisions() { return {"bf16", "fp16", "fp8", "mxfp8", "nvfp4"}; }

std::vector<std::string> inferencePrecisions() {
    return {"bf16", "fp16", "fp8", "mxfp8", "nvfp4", "int8", "int4", "mxfp4"};
}

std::vector<Field> trainingFields() {
    return {
        required("sequence_length", integer(1, mostTokens), "Tokens of one sequence, before any context split."),
        required("global_batch_size", integer(1, mostSequences), "Sequences of one iteration over all accelerators."),
        required("micro_batch_size", integer(1, mostSequences), "Sequences a rank works on at a time."),
        required("precision", word(trainingPrecisions()), "Number format of the matrix products."),
        field("fp8_recipe", word({"tensorwise", "rowwise", "block"}), "How FP8 tensors are scaled."),
        field("optimizer", word({"adam", "sgd", "muon"}), "Optimizer.", "adam"),
        field("gradient_precision", word({"fp32", "bf16", "fp16"}), "Number format of the gradients; the profile's unless given."),
        field("optimizer_precision", word({"fp32", "bf16", "fp16", "fp8", "int8"}),
              "Number format of the optimizer states; the profile's unless given."),
        field("task", word({"pretrain", "sft", "lora"}), "What is trained.", "pretrain"),
        field("lora_rank", integer(1, 1e5), "Rank of the LoRA adapters."),
        field("document_length", integer(1, mostTokens), "Tokens of the documents packed into a sequence; attention stays within one."),
    };
}

std::vector<Field> inferenceFields() {
    return {
        required("batch_size", integer(1, mostSequences), "Sequences of one static batch, per instance."),
        required("input_length", integer(1, mostTokens), "Prompt tokens of a sequence."),
        required("output_length", integer(1, mostTokens), "Generated tokens of a sequence."),
        required("precision", word(inferencePrecisions()), "Number format of the weights."),
        field("kv_cache_precision", word(inferencePrecisions()), "Number format of the key-value cache."),
    };
}

Shape lengths() {
    Shape distribution = object({required("distribution", text(), "Name of the distribution; its parameters stand beside it.")});
    distribution.open = true;
    return choice({integer(1, mostTokens), distribution});
}

Shape requestsShape() {
    Shape arrival = object({
        required("process", word({"poisson", "uniform", "gamma", "closed_loop", "all_at_once"}), "How requests arrive."),
        field("rate_per_s", positive(1e9), "Mean arrivals per second."),
        field("concurrency", integer(1, mostSequences), "Requests in flight of a closed loop."),
    });
    Shape shape = object({
        field("file", text(), "A .jsonl file, relative to the scenario; .gz too."),
        field("hash_block_size", integer(1, 1e6), "Prompt tokens that one of hash_ids stands for.", 512),
        field("count", integer(1, 1e8), "Requests."),
        field("arrival", std::move(arrival), "How requests arrive."),
        field("input_tokens", lengths(), "Prompt tokens of a request."),
        field("output_tokens", lengths(), "Generated tokens of a request."),
        field("seed", integer(0, 9007199254740991.0), "Seed of the random draws."),
    });
    shape.forms = {{"a recorded file", {"file"}, {"arrival", "input_tokens", "output_tokens"}},
                   {"generated requests", {"count", "arrival", "input_tokens", "output_tokens"}, {}}};
    return shape;
}

Shape engineShape() {
    std::vector<std::string> cacheTypes = inferencePrecisions();
    cacheTypes.insert(cacheTypes.begin(), "auto");
    return object({
        field("max_num_seqs", integer(1, 1e6), "Sequences of one step, per instance."),
        field("max_num_batched_tokens", integer(1, mostTokens), "Tokens of one step, per instance."),
        field("max_model_len", integer(1, mostTokens), "Longest sequence."),
        field("enable_chunked_prefill", boolean(), "Whether prompts are split over steps."),
        field("enable_prefix_caching", boolean(), "Whether common prompt beginnings are kept."),
        field("block_size", integer(1, 1e5), "Tokens of one cache block."),
        field("gpu_memory_utilization", number(0, 1), "Share of the memory that the engine takes."),
        field("kv_cache_dtype", word(cacheTypes), "Number format of the key-value cache."),
        field("speculative", anything(), "Speculative decoding."),
        field("disaggregation", anything(), "Separate instances for prefill and decode."),
    });
}

std::vector<Field> servingFields() {
    return {
        required("requests", requestsShape(), "The requests: a recorded file, or how to generate them."),
        field("engine", engineShape(), "Settings of the serving engine, with vLLM's names; limits per instance."),
        required("precision", word(inferencePrecisions()), "Number format of the weights."),
        field("slo",
              object({
                  field("ttft_s", positive(1e9), "Time to first token, s."),
                  field("tpot_s", positive(1e9), "Time per output token, s."),
                  field("e2e_s", positive(1e9), "Whole request, s."),
              }),
              "Service level objectives."),
    };
}

} // namespace

Shape workloadShape() {
    Shape shape = object({required("kind", word({"training", "inference", "serving"}), "What runs.")});
    shape.variants = {{"training", "Iterations of training.", trainingFields()},
                      {"inference", "One static batch.", inferenceFields()},
                      {"serving", "Requests that come and go.", servingFields()}};
    return shape;
}

} // namespace orrery::schema
