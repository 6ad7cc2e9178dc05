// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/results/comparison/measured_serving.hpp"

#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>

namespace orrery {
namespace {

/// The keys and units of vllm/benchmarks/serve.py 0.11; figures made up.
const char* const vllmResult = R"({"date": "20251120-101010", "endpoint_type": "vllm", "backend": "vllm", "label": null, "model_id": "Qwen/Qwen2.5-7B-Instruct",
  "tokenizer_id": "Qwen/Qwen2.5-7B-Instruct", "num_prompts": 500, "request_rate": 8.0, "burstiness": 1.0, "max_concurrency": null, "duration": 64.0,
  "completed": 500, "total_input_tokens": 1024000, "total_output_tokens": 128000, "request_throughput": 7.8125, "request_goodput": null,
  "output_throughput": 2000.0, "total_token_throughput": 18000.0, "mean_ttft_ms": 200.0, "median_ttft_ms": 180.0, "std_ttft_ms": 40.0,
  "p99_ttft_ms": 400.0, "mean_tpot_ms": 20.0, "median_tpot_ms": 19.0, "std_tpot_ms": 2.0, "p99_tpot_ms": 25.0, "mean_itl_ms": 20.0,
  "median_itl_ms": 18.0, "std_itl_ms": 9.0, "p99_itl_ms": 80.0})";

/// The keys and units of GenAI-Perf's profile_export_genai_perf.json; figures made up.
const char* const genaiPerfResult = R"({"request_throughput": {"unit": "requests/sec", "avg": 7.8},
  "request_latency": {"unit": "ms", "avg": 5000.0, "p25": 4000.0, "p50": 4900.0, "p75": 5500.0, "p90": 6000.0, "p95": 6400.0, "p99": 7000.0, "min": 900.0, "max": 8000.0, "std": 800.0},
  "time_to_first_token": {"unit": "ms", "avg": 200.0, "p50": 180.0, "p90": 300.0, "p95": 350.0, "p99": 400.0},
  "inter_token_latency": {"unit": "ms", "avg": 20.0, "p50": 19.0, "p90": 23.0, "p95": 24.0, "p99": 25.0},
  "output_token_throughput": {"unit": "tokens/sec", "avg": 2000.0}, "output_sequence_length": {"unit": "tokens", "avg": 256.0},
  "input_config": {"model": ["Qwen/Qwen2.5-7B-Instruct"]}})";

/// Half as fast again in everything.
Json simulated() {
    return Json{{"format", "orrery-result/1"}, {"kind", "serving"}, {"output_tokens_per_s", 1000.0}, {"duration_s", 128.0}, {"ttft_s", {{"mean", 0.4}, {"p50", 0.36}, {"p99", 0.8}}}, {"tpot_s", {{"mean", 0.04}, {"p50", 0.038}, {"p99", 0.05}}}, {"e2e_s", {{"mean", 10.0}}}};
}

const BesideMeasured* rowOf(const std::vector<BesideMeasured>& rows, const std::string& metric) {
    for (const BesideMeasured& row : rows)
        if (row.metric == metric) return &row;
    return nullptr;
}

TEST(ServerBenchmarks, VllmsResultLiesBesideTheSimulation) {
    const auto benchmark = readServerBenchmark(Json::parse(vllmResult));
    ASSERT_TRUE(benchmark);
    EXPECT_EQ(benchmark->program, "vllm bench serve");
    const std::vector<BesideMeasured> rows = besideBenchmark(simulated(), *benchmark);
    for (const char* metric : {"output_tokens_per_s", "duration_s", "ttft_s.mean", "ttft_s.p50", "ttft_s.p99", "tpot_s.mean", "tpot_s.p50", "tpot_s.p99"}) {
        const BesideMeasured* row = rowOf(rows, metric);
        ASSERT_TRUE(row) << metric;
        EXPECT_NEAR(row->errorPercent, 100, 1e-9) << metric << ": twice as slow is +100 %, of a rate too";
    }
    EXPECT_DOUBLE_EQ(rowOf(rows, "ttft_s.p99")->measured, 0.4);
    EXPECT_FALSE(rowOf(rows, "itl_s.mean")) << "the simulation has none";
}

TEST(ServerBenchmarks, GenaiPerfsInterTokenLatencyIsTheTimePerOutputToken) {
    const auto benchmark = readServerBenchmark(Json::parse(genaiPerfResult));
    ASSERT_TRUE(benchmark);
    EXPECT_EQ(benchmark->program, "GenAI-Perf");
    const std::vector<BesideMeasured> rows = besideBenchmark(simulated(), *benchmark);
    EXPECT_DOUBLE_EQ(rowOf(rows, "tpot_s.mean")->measured, 0.02);
    EXPECT_DOUBLE_EQ(rowOf(rows, "e2e_s.mean")->measured, 5.0);
    EXPECT_NEAR(rowOf(rows, "e2e_s.mean")->errorPercent, 100, 1e-9);
    Json inNanoseconds = Json::parse(genaiPerfResult);
    inNanoseconds["time_to_first_token"] = Json{{"unit", "ns"}, {"avg", 2e8}};
    EXPECT_DOUBLE_EQ(rowOf(besideBenchmark(simulated(), *readServerBenchmark(inNanoseconds)), "ttft_s.mean")->measured, 0.2);
}

/// 0.2 s to the first token, 20 ms a token, 2,000 tokens a second: what each program makes of one run.
void expectTheRun(const std::vector<BesideMeasured>& rows, const std::string& program) {
    for (const auto& [metric, value] : {std::pair<const char*, double>{"ttft_s.mean", 0.2}, {"tpot_s.mean", 0.02}, {"e2e_s.mean", 5.0}}) {
        const BesideMeasured* row = rowOf(rows, metric);
        ASSERT_TRUE(row) << program << ' ' << metric;
        EXPECT_NEAR(row->measured, value, 1e-12) << program << ' ' << metric;
    }
}

TEST(ServerBenchmarks, EachProgramsReportIsReadInItsOwnUnits) {
    const std::pair<const char*, const char*> reports[] = {
        {"GuideLLM", R"({"benchmarks": [{"metrics": {"request_latency": {"successful": {"mean": 5.0, "median": 4.9, "percentiles": {"p99": 7.0}}}, "time_to_first_token_ms": {"successful": {"mean": 200.0}},
            "time_per_output_token_ms": {"successful": {"mean": 23.0}}, "inter_token_latency_ms": {"successful": {"mean": 20.0}}, "output_tokens_per_second": {"successful": {"mean": 2000.0}}}}]})"},
        {"trtllm-bench", R"({"engine": {}, "performance": {"total_latency_ms": 64000.0, "avg_request_latency_ms": 5000.0, "system_output_throughput_tok_s": 2000.0}, "streaming_metrics": {"avg_ttft_ms": 200.0, "avg_tpot_ms": 20.0, "ttft_percentiles": {"p50": 180.0}}})"},
        {"inference-perf", R"({"successes": {"latency": {"request_latency": {"mean": 5.0}, "time_to_first_token": {"mean": 0.2, "median": 0.18}, "time_per_output_token": {"mean": 0.02}}, "throughput": {"output_tokens_per_sec": 2000.0}}, "failures": {"count": 0}})"},
        {"InferenceMAX", R"({"hw": "h200", "tp": 8, "tput_per_gpu": 500.0, "output_tput_per_gpu": 250.0, "mean_ttft": 0.2, "mean_tpot": 0.02, "mean_intvty": 50.0, "mean_e2el": 5.0})"},
        {"SGLang's bench_serving", R"({"backend": "sglang", "request_rate": Infinity, "output_throughput": 2000.0, "total_throughput": 18000.0, "mean_e2e_latency_ms": 5000.0, "mean_ttft_ms": 200.0, "mean_tpot_ms": 20.0, "accept_length": NaN})"},
        {"GenAI-Perf", R"({"records": {"time_to_first_token": {"unit": "ms", "avg": 200.0}, "inter_token_latency": {"unit": "ms", "avg": 20.0}, "request_latency": {"unit": "ms", "avg": 5000.0}}})"},
    };
    for (const auto& [program, text] : reports) {
        const std::vector<ServerBenchmark> runs = readServerBenchmarks(text);
        ASSERT_EQ(runs.size(), 1U) << program;
        EXPECT_EQ(runs[0].program, program);
        expectTheRun(besideBenchmark(simulated(), runs[0]), program);
    }
}

// The keys and units of sgl-project/genai-bench (metrics.py) and of ray-project/llmperf (token_benchmark_ray.py); figures made up.
TEST(ServerBenchmarks, GenaiBenchAndLlmperfCountInSeconds) {
    const auto genai = readServerBenchmark(Json::parse(R"({"aggregated_metrics": {"num_concurrency": 16, "run_duration": 64.0, "mean_output_throughput_tokens_per_s": 2000.0,
      "mean_total_tokens_throughput_tokens_per_s": 2200.0, "num_completed_requests": 128, "stats": {
    "ttft" : {"mean" : 0.2, "p50" : 0.18, "p99" : 0.4}, "tpot" : {"mean" : 0.02, "p50" : 0.019, "p99" : 0.025}, "e2e_latency" : {"mean" : 5.0, "p50" : 4.9}, "num_input_tokens" : {"mean" : 100.0}, "num_output_tokens" : { "mean" : 1000.0 }}}, "individual_request_metrics": []
})"));
    ASSERT_TRUE(genai);
    EXPECT_EQ(genai->program, "genai-bench");
    EXPECT_NEAR(rowOf(besideBenchmark(simulated(), *genai), "ttft_s.mean")->measured, 0.2, 1e-12);
    EXPECT_NEAR(rowOf(besideBenchmark(simulated(), *genai), "tpot_s.p99")->measured, 0.025, 1e-12);
    EXPECT_EQ((*genai->requests)["arrival"], (Json{{"process", "closed_loop"}, {"concurrency", 16}}));
    EXPECT_EQ((*genai->requests)["output_tokens"], 1000);
    const auto llmperf = readServerBenchmark(Json::parse(R"({"version": "2023-08-31", "model": "m", "mean_input_tokens": 550, "mean_output_tokens": 150, "num_concurrent_requests": 10, "results_num_completed_requests": 100,
      "results_number_input_tokens_mean": 545.0, "results_number_output_tokens_mean": 149.6, "results_ttft_s_mean": 0.2, "results_ttft_s_quantiles_p50": 0.18, "results_ttft_s_quantiles_p99": 0.4,
      "results_inter_token_latency_s_mean": 0.03, "results_end_to_end_latency_s_mean": 5.0, "results_mean_output_throughput_token_per_s": 2000.0})"));
    ASSERT_TRUE(llmperf);
    EXPECT_NEAR(rowOf(besideBenchmark(simulated(), *llmperf), "ttft_s.p50")->measured, 0.18, 1e-12);
    EXPECT_EQ(rowOf(besideBenchmark(simulated(), *llmperf), "tpot_s.mean"), nullptr) << "its latency between tokens counts the first one too";
    EXPECT_EQ((*llmperf->requests)["input_tokens"], 545);
    EXPECT_EQ((*llmperf->requests)["count"], 100);
}

TEST(ServerBenchmarks, RunsThatWereAppendedAreReadOneByOne) {
    const std::string run = R"({"output_throughput": 2000.0, "mean_ttft_ms": 200.0, "mean_tpot_ms": NaN, "request_rate": Infinity, "label": "}] \" NaN"})";
    EXPECT_EQ(readServerBenchmarks(run + "\n" + run + run + "\n" + run.substr(0, 40)).size(), 3U) << "what is cut off is left out";
    EXPECT_EQ(readServerBenchmarks("[" + run + "," + run + "]").size(), 2U);
    EXPECT_FALSE(rowOf(besideBenchmark(simulated(), readServerBenchmarks(run)[0]), "tpot_s.mean")) << "what is no number was not measured";
    EXPECT_TRUE(readServerBenchmarks("").empty());
    EXPECT_TRUE(readServerBenchmarks("NaN [] {").empty());
}

TEST(ServerBenchmarks, DamagedReportsNeitherCrashNorGiveWhatIsNoNumber) {
    test::RandomSource random(39);
    const std::string seeds[] = {vllmResult, genaiPerfResult, R"({"benchmarks": [{"metrics": {"request_latency": {"successful": {"mean": 5.0, "percentiles": {"p99": 7.0}}}}}]})", R"({"performance": {"total_latency_ms": 64000.0, "request_latency_percentiles_ms": {"p50": 1}}})", R"([{"tput_per_gpu": 500.0, "mean_ttft": 0.2}, {"mean_ttft_ms": NaN}])"};
    for (int round = 0; round < 3000; ++round) {
        std::string text = seeds[random.below(std::size(seeds))];
        for (std::size_t edits = 1 + random.below(5); edits > 0; --edits) {
            const std::size_t at = random.below(text.size());
            if (random.chance(0.3)) text.insert(at, random.chance(0.5) ? "NaN" : "{\"");
            else text[at] = static_cast<char>(random.below(256));
        }
        for (const ServerBenchmark& run : readServerBenchmarks(text))
            for (const BesideMeasured& row : besideBenchmark(simulated(), run)) EXPECT_TRUE(std::isfinite(row.errorPercent) && row.measured > 0) << text;
    }
}

TEST(ServerBenchmarks, AnythingElseIsNone) {
    for (const char* text : {"{}", "[]", "3", R"({"format": "orrery-result/1", "output_throughput": 3})", R"({"mean_ttft_ms": "fast"})", R"({"request_latency": 3})", R"({"mean_ttft_ms": 0})"})
        EXPECT_FALSE(readServerBenchmark(Json::parse(text))) << text;
}

/// The load that each program put on the server, in its own words.
TEST(ServerBenchmarks, SayWhatLoadTheyWere) {
    const std::pair<const char*, const char*> loads[] = {
        {R"({"mean_ttft_ms": 1, "completed": 50, "num_prompts": 60, "request_rate": "inf", "max_concurrency": 10, "total_input_tokens": 51200, "total_output_tokens": 6400})",
         R"({"count": 50, "arrival": {"process": "closed_loop", "concurrency": 10}, "input_tokens": 1024, "output_tokens": 128})"},
        {R"({"mean_ttft_ms": 1, "completed": 50, "request_rate": 8.0, "max_concurrency": null, "burstiness": 1.0, "total_input_tokens": 51200, "total_output_tokens": 6400})",
         R"({"count": 50, "arrival": {"process": "poisson", "rate_per_s": 8.0}, "input_tokens": 1024, "output_tokens": 128})"},
        {R"({"mean_ttft_ms": 1, "completed": 3, "request_rate": 8.0, "burstiness": 0.5, "input_lens": [10, 30, 20], "output_lens": [5, 5, 5]})",
         R"({"count": 3, "arrival": {"process": "gamma", "rate_per_s": 8.0, "burstiness": 0.5}, "input_tokens": {"distribution": "uniform", "min": 10, "max": 30}, "output_tokens": 5})"},
        {R"({"mean_ttft_ms": 1, "completed": 3, "request_rate": "inf", "max_concurrency": null, "total_input_tokens": 30, "total_output_tokens": 6})",
         R"({"count": 3, "arrival": {"process": "all_at_once"}, "input_tokens": 10, "output_tokens": 2})"},
        {R"({"time_to_first_token": {"unit": "ms", "avg": 5}, "request_count": {"avg": 100.0}, "input_sequence_length": {"avg": 550.2}, "output_sequence_length": {"avg": 128}, "input_config": {"perf_analyzer": {"stimulus": {"concurrency": 16}}}})",
         R"({"count": 100, "arrival": {"process": "closed_loop", "concurrency": 16}, "input_tokens": 550, "output_tokens": 128})"},
        {R"({"time_to_first_token": {"unit": "ms", "avg": 5}, "request_count": {"avg": 100.0}, "input_sequence_length": {"avg": 550}, "output_sequence_length": {"avg": 128}, "input_config": {"loadgen": {"concurrency": null, "request_rate": 4.5}}})",
         R"({"count": 100, "arrival": {"process": "poisson", "rate_per_s": 4.5}, "input_tokens": 550, "output_tokens": 128})"},
        {R"({"config": {"strategy": {"type_": "concurrent", "streams": 32}}, "metrics": {"request_totals": {"successful": 80}, "prompt_token_count": {"successful": {"mean": 1000}}, "output_token_count": {"successful": {"mean": 64}}, "time_to_first_token_ms": {"successful": {"mean": 9}}}})",
         R"({"count": 80, "arrival": {"process": "closed_loop", "concurrency": 32}, "input_tokens": 1000, "output_tokens": 64})"},
        {R"({"args": {"strategy": {"type_": "synchronous"}}, "metrics": {"request_totals": {"successful": 80}, "prompt_token_count": {"successful": {"mean": 1000}}, "output_token_count": {"successful": {"mean": 64}}, "time_to_first_token_ms": {"successful": {"mean": 9}}}})",
         R"({"count": 80, "arrival": {"process": "closed_loop", "concurrency": 1}, "input_tokens": 1000, "output_tokens": 64})"},
        {R"({"request_info": {"num_requests": 256, "avg_num_concurrent_requests": 63.8, "avg_input_length": 1024, "avg_output_length": 1024}, "performance": {"system_output_throughput_tok_s": 5}})",
         R"({"count": 256, "arrival": {"process": "closed_loop", "concurrency": 64}, "input_tokens": 1024, "output_tokens": 1024})"}};
    for (const auto& [written, load] : loads) {
        const auto benchmark = readServerBenchmark(Json::parse(written));
        ASSERT_TRUE(benchmark) << written;
        EXPECT_EQ(*benchmark->requests, Json::parse(load)) << written;
    }
    EXPECT_TRUE(readServerBenchmark(Json{{"mean_ttft_ms", 5}, {"max_concurrency", 4}})->requests->is_null()) << "nobody knows how long requests are";
}

} // namespace
} // namespace orrery
