// SPDX-License-Identifier: GPL-3.0-or-later
// CPU time of whole searches from nothing known but the catalogue, on one core. Run: build/release/tests/bench/orrery_bench --benchmark_filter=search
#include "core/answers/search/plan_survey.hpp"
#include "core/answers/search/search.hpp"
#include "core/base/json.hpp"
#include "resources/shipped_catalog.hpp"

#include <benchmark/benchmark.h>

#include <ctime>

namespace orrery::search_bench {
namespace {

const Catalog& catalog() {
    static const Catalog shipped = shippedCatalog();
    return shipped;
}

double cpuSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

Json trainingOf(const char* model, const char* accelerator, int accelerators, int length, int batch, const char* framework) {
    return {{"format", "orrery-scenario/1"},
            {"name", "search"},
            {"model", {{"preset", model}}},
            {"cluster", {{"accelerator", accelerator}, {"accelerators_per_node", 8}, {"nodes", accelerators / 8}}},
            {"workload", {{"kind", "training"}, {"sequence_length", length}, {"global_batch_size", batch}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
            {"execution", {{"framework", framework}}}};
}

/// What Calculon's search goes through (calculon/llm/optimal_execution.py), without what it moves to host memory: all ways to factor the
/// accelerators, chunks, micro-batches, recomputation, sequence parallelism, sharded optimizer, overlaps.
Json calculonSpace(const char* model, int accelerators, int batch, const Json& tensor, const Json& pipeline) {
    Json document = trainingOf(model, "a100-sxm4-80gb", accelerators, 2048, batch, "megatron-2022");
    document["search"] = {{"vary",
                           {{"/parallelism/tensor", tensor},
                            {"/parallelism/pipeline", pipeline},
                            {"/parallelism/virtual_pipeline", {1, 2, 3, 4, 5, 6, 7, 8}},
                            {"/workload/micro_batch_size", {1, 2, 4, 8, 16}},
                            {"/execution/recompute", {"none", "selective", "full"}},
                            {"/parallelism/sequence", {false, true}},
                            {"/execution/overlap/tensor", {false, true}},
                            {"/parallelism/zero_stage", {0, 1}},
                            {"/execution/overlap/data", {false, true}}}}};
    return document;
}

Json calculonCase(std::int64_t which) {
    if (which == 530) return calculonSpace("megatron-530b", 5120, 2560, {1, 2, 4, 8, 16, 32, 64}, {1, 2, 4, 5, 7, 8, 10, 16, 20, 32, 35, 40, 64, 80, 105});
    return calculonSpace("gpt3-175b", 4096, 4096, {1, 2, 4, 8, 16, 32, 64}, {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96});
}

/// All candidates: those that break a rule or can't fit are counted one by one, of the others the floor is known.
void searchCalculon(benchmark::State& state) {
    const Json document = calculonCase(state.range(0));
    Problems problems;
    double count = 0, left = 0;
    for (auto _ : state) {
        const Trials trials(document, catalog());
        const auto question = searchQuestionOf(document, problems);
        PrunedCounts pruned;
        const std::vector<Candidate> candidates = PlanSurvey(trials, question->space, {}, true).all(pruned);
        count = question->space.points();
        left = double(candidates.size());
    }
    state.counters["candidates"] = count;
    state.counters["may fit"] = left;
    state.counters["candidates/s"] = benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(searchCalculon)->Arg(530)->Arg(175)->Unit(benchmark::kMillisecond);

/// The time and peak memory of those that may fit, with nothing known before but which they are.
void searchCalculonFeasible(benchmark::State& state) {
    const Json document = calculonCase(state.range(0));
    Problems problems;
    const Trials trials(document, catalog());
    const auto question = searchQuestionOf(document, problems);
    PrunedCounts pruned;
    const std::vector<Candidate> candidates = PlanSurvey(trials, question->space, {}, true).all(pruned);
    double fit = 0;
    for (auto _ : state) {
        PrunedCounts unfit;
        fit = double(PlanSurvey(trials, question->space, {}, true).estimated(candidates, unfit).size());
    }
    state.counters["estimated"] = double(candidates.size());
    state.counters["fit"] = fit;
    state.counters["plans/s"] = benchmark::Counter(double(candidates.size()), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(searchCalculonFeasible)->Arg(530)->Arg(175)->Unit(benchmark::kMillisecond);

/// A case, or what it is after an edit of its batch (range 0) or of the links between hosts (range 1).
Json caseBeforeOrAfter(const benchmark::State& state, bool edited) {
    Json document = calculonCase(state.range(0));
    Json& batch = document["workload"]["global_batch_size"];
    Json& bandwidth = document["cluster"]["scale_out"]["bandwidth_gb_s"];
    bandwidth = 25;
    if (edited && state.range(1) == 0) batch = batch.get<int>() / 2;
    if (edited && state.range(1) == 1) bandwidth = 50;
    return document;
}

/// The search after an edit of the batch, or of the links between hosts, of what the one before has left: all candidates, then the time and
/// memory of those that may fit.
void searchAgain(benchmark::State& state) {
    double first = 0, again = 0;
    for (auto _ : state) {
        SearchMemory memory;
        for (const bool edited : {false, true}) {
            const Json document = caseBeforeOrAfter(state, edited);
            const double start = cpuSeconds();
            Problems problems;
            const Trials trials(document, catalog());
            const auto question = searchQuestionOf(document, problems);
            PrunedCounts pruned;
            PlanSurvey survey(trials, question->space, {}, true, &memory);
            const std::vector<Candidate> candidates = survey.all(pruned);
            benchmark::DoNotOptimize(survey.estimated(candidates, pruned).size());
            (edited ? again : first) = cpuSeconds() - start;
        }
    }
    state.counters["first s"] = first;
    state.counters["again s"] = again;
}
BENCHMARK(searchAgain)->ArgNames({"case", "links"})->Args({530, 0})->Args({530, 1})->Args({175, 0})->Args({175, 1})->Unit(benchmark::kMillisecond)->Iterations(1);

/// The same of whole searches, as people run them: what estimates leave over is simulated, on one core.
void searchWholeAgain(benchmark::State& state) {
    double first = 0, again = 0;
    SearchRun run;
    for (auto _ : state) {
        SearchMemory memory;
        for (const bool edited : {false, true}) {
            Json document = caseBeforeOrAfter(state, edited);
            document["search"]["objective"] = {{"minimize", "/iteration_time_s"}};
            const double start = cpuSeconds();
            Problems problems;
            const Trials trials(document, catalog());
            const auto question = searchQuestionOf(document, problems);
            SearchOptions options;
            options.memory = &memory;
            run = runSearch(trials, *question, std::move(options));
            (edited ? again : first) = cpuSeconds() - start;
        }
    }
    state.counters["first s"] = first;
    state.counters["again s"] = again;
    state.counters["simulated"] = double(run.evaluated);
}
BENCHMARK(searchWholeAgain)->ArgNames({"case", "links"})->Args({530, 0})->Args({530, 1})->Args({175, 0})->Args({175, 1})->Unit(benchmark::kMillisecond)->Iterations(1);

/// AIConfigurator's README: Qwen3-32B in fp8 on 32 H200, 4,000 tokens of which 500 are common to all, 500 of answer, within 300 and 10 ms.
void searchAiConfigurator(benchmark::State& state) {
    const auto split = [](int prefill, int decode, int tensor) { return Json{{"prefill", {{"instances", prefill}}}, {"decode", {{"instances", decode}, {"parallelism", {{"tensor", tensor}}}}}}; };
    const Json document{{"format", "orrery-scenario/1"},
                        {"name", "search"},
                        {"model", {{"preset", "qwen3-32b"}}},
                        {"cluster", {{"accelerator", "h200-sxm-141gb"}, {"accelerators_per_node", 8}, {"nodes", 4}}},
                        {"workload",
                         {{"kind", "serving"},
                          {"precision", "fp8"},
                          {"requests", {{"count", 256}, {"arrival", {{"process", "closed_loop"}, {"concurrency", 32}}}, {"input_tokens", 4000}, {"output_tokens", 500}, {"shared_prefix_tokens", 500}, {"seed", 1}}},
                          {"engine", {{"max_num_seqs", 64}, {"max_num_batched_tokens", 2048}, {"enable_prefix_caching", true}}}}},
                        {"parallelism", {{"tensor", 2}}},
                        {"execution", {{"framework", "trtllm-2025"}}},
                        {"search",
                         {{"vary",
                           {{"/parallelism/tensor", {1, 2, 4, 8}},
                            {"/workload/engine/disaggregation", {nullptr, split(4, 2, 4), split(4, 4, 4), split(8, 4, 4), split(2, 2, 8), split(8, 2, 8), split(6, 4, 4), split(8, 8, 2)}},
                            {"/workload/engine/max_num_seqs", {16, 64, 256}},
                            {"/workload/engine/max_num_batched_tokens", {2048, 4096, 8192}},
                            {"/workload/requests/arrival/concurrency", {8, 16, 32, 48, 64, 96, 128, 256}}}},
                          {"objective", {{"maximize", "/output_tokens_per_s_per_accelerator"}}},
                          {"pareto", {{"maximize", "/output_tokens_per_s_per_user"}}},
                          {"constraints", {{{"pointer", "/ttft_s/p90"}, {"op", "<="}, {"value", 0.3}}, {{"pointer", "/tpot_s/p90"}, {"op", "<="}, {"value", 0.01}}}}}}};
    Problems problems;
    SearchRun run;
    double count = 0, seconds = 0;
    for (auto _ : state) {
        const double start = cpuSeconds();
        const Trials trials(document, catalog());
        const auto question = searchQuestionOf(document, problems);
        run = runSearch(trials, *question);
        count = question->space.points();
        seconds = cpuSeconds() - start;
    }
    state.counters["points"] = count;
    state.counters["simulated"] = double(run.evaluated);
    state.counters["feasible"] = double(run.feasible);
    state.counters["front"] = double(run.front.size());
    state.counters["CPU s"] = seconds;
}
BENCHMARK(searchAiConfigurator)->Unit(benchmark::kMillisecond)->Iterations(1);

} // namespace
} // namespace orrery::search_bench
