// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/error_tables.hpp"
#include "core/answers/evidence/evidence.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/answers/validation/predictor.hpp"
#include "core/base/json.hpp"
#include "core/results/derivation/explain.hpp"
#include "resources/resources.hpp"
#include "resources/shipped_evidence.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace orrery {
namespace {

using test::catalog;

Json smallScenario(const std::string& name) {
    return Json{{"format", "orrery-scenario/1"},
                {"name", name},
                {"model", {{"preset", "llama-3.1-8b"}}},
                {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 2}}},
                {"workload", {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 32}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
                {"execution", {{"framework", "nemo-2024"}}}};
}

MeasuredCase measured(const std::string& id, Json scenario) {
    MeasuredCase one;
    one.id = id;
    one.group = "g";
    one.scenario = std::move(scenario);
    one.measured = {{"iteration_time_s", 2.5}, {"peak_memory_bytes", 6e10}};
    one.source = "Somebody 2024, table 1";
    one.sourceUrl = "https://example.org";
    one.memoryKind = MeasuredMemory::allocated;
    return one;
}

TEST(EvidenceFile, KeepsEverythingAndItsScenariosRun) {
    std::vector<MeasuredCase> cases{measured("a", smallScenario("a")), measured("b", smallScenario("its own name"))};
    cases[1].measured.clear();
    cases[1].outOfMemory = true;
    RunControl control;
    const Validation validation = validate(cases, scenarioPredictor(catalog(), {}), control);
    const Evidence made = makeEvidence(cases, validation, {{{"a", "iteration_time_s"}, 3.25}}, catalog(), {});
    const Evidence read = evidenceFromText(toText(made));
    EXPECT_EQ(toText(read), toText(made));
    ASSERT_EQ(read.runs.size(), 2u);
    const MeasuredRun& first = read.runs[0];
    EXPECT_EQ(first.scenario, cases[0].scenario);
    EXPECT_EQ(read.runs[1].scenario, cases[1].scenario);
    EXPECT_EQ(first.source, "Somebody 2024, table 1");
    EXPECT_EQ(first.sourceUrl, "https://example.org");
    EXPECT_EQ(first.accelerator, "h100-sxm5-80gb");
    EXPECT_EQ(first.accelerators, 16);
    EXPECT_EQ(first.model, "llama-3.1-8b");
    EXPECT_EQ(first.kind, "dense");
    EXPECT_EQ(first.framework, "nemo-2024");
    EXPECT_EQ(first.memoryKind, "allocated");
    ASSERT_EQ(first.figures.size(), 2u);
    EXPECT_EQ(first.figures[0].measured, 2.5);
    EXPECT_EQ(first.figures[0].predictedLeftOut, 3.25);
    EXPECT_FALSE(first.figures[1].predictedLeftOut);
    // What it says was predicted is what a simulation says.
    const ScenarioReading reading = readScenario(first.scenario, catalog());
    ASSERT_TRUE(reading.scenario);
    EXPECT_NEAR(*first.figures[0].predicted / simulate(*reading.scenario).result->training()->iterationTime, 1, 1e-6);
    EXPECT_EQ(read.runs[1].outOfMemory, true);
    EXPECT_EQ(read.runs[1].predictedOutOfMemory, false);
    EXPECT_TRUE(read.runs[1].figures.empty());
}

TEST(EvidenceFile, NamesTheRunThatIsMalformed) {
    EXPECT_THROW(evidenceFromText("{"), std::runtime_error);
    EXPECT_THROW(evidenceFromText(R"({"format": "other/1", "cases": []})"), std::runtime_error);
    try {
        evidenceFromText(R"({"format": "orrery-evidence/1", "sources": [], "models": [], "cases": [{"id": "broken-one"}]})");
        FAIL() << "accepted";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("broken-one"), std::string::npos) << error.what();
    }
}

TEST(PredictedValues, ComeFromWhatValidatePrints) {
    Problems problems;
    const Json printed{{"format", "orrery-validation/1"},
                       {"cases", {{{"id", "a"}, {"metric", "iteration_time_s"}, {"predicted", 2.0}}, {{"id", "b"}, {"metric", "iteration_time_s"}, {"predicted", nullptr}}}}};
    const PredictedValues values = predictedValues(printed, problems);
    EXPECT_TRUE(problems.empty());
    EXPECT_EQ(values, (PredictedValues{{{"a", "iteration_time_s"}, 2.0}}));
    predictedValues(Json{{"format", "orrery-result/1"}}, problems);
    EXPECT_TRUE(hasErrors(problems));
}

/// Logs of requests are not shipped.
bool hasRequestFile(const MeasuredRun& run) { return run.scenario->at("workload").contains("requests") && run.scenario->at("workload").at("requests").contains("file"); }

TEST(ShippedEvidence, HasEveryRunItsSourceAndAScenarioThatOpens) {
    const auto evidence = shippedEvidence();
    ASSERT_GE(evidence->runs.size(), 1700u);
    EXPECT_LE(resourceText("catalog/evidence.json").size(), 1000 * evidence->runs.size()) << "it is part of the program";
    std::set<std::string> ids;
    for (const MeasuredRun& run : evidence->runs) {
        EXPECT_TRUE(ids.insert(run.id).second) << run.id;
        EXPECT_FALSE(run.source.empty()) << run.id;
        EXPECT_TRUE(run.outOfMemory || !run.figures.empty()) << run.id;
        EXPECT_NE(catalog().accelerator(run.accelerator), nullptr) << run.id;
        EXPECT_NE(catalog().framework(run.framework), nullptr) << run.id;
        const ScenarioReading reading = readScenario(run.scenario, catalog());
        // What is refused has no figure, and says so.
        const bool hasFigure = std::any_of(run.figures.begin(), run.figures.end(), [](const MeasuredFigure& figure) { return figure.predicted.has_value(); });
        EXPECT_TRUE(reading.scenario || hasRequestFile(run) || !hasFigure) << run.id;
    }
}

TEST(ShippedEvidence, IsWhatTheReferenceFilesMeasured) {
    ORRERY_REQUIRE_SHARED("reference/training.json");
    const auto evidence = shippedEvidence();
    std::size_t cases = 0;
    for (const char* file : {"reference/training.json", "reference/training_vtrain_simumax.json", "reference/training_playbook.json", "reference/training_dgxc.json", "reference/inference.json", "reference/serving.json",
                             "reference/serving_mlperf.json", "reference/inference_ml_energy.json", "reference/serving_silicon.json"}) {
        CasesReading reading = readCases(Json::parse(test::readWholeFile(test::sharedPath(file))));
        EXPECT_TRUE(layOverEngines(reading.cases, Json::parse(test::readWholeFile(test::sharedPath("reference/serving_silicon_settings.json")))).empty());
        for (const MeasuredCase& one : reading.cases) {
            ASSERT_LT(cases, evidence->runs.size());
            const MeasuredRun& run = evidence->runs[cases++];
            EXPECT_EQ(run.id, one.id);
            EXPECT_EQ(run.source, one.source);
            EXPECT_EQ(run.scenario, one.scenario) << one.id;
            ASSERT_EQ(run.figures.size(), one.measured.size()) << one.id;
            for (const auto& [metric, value] : one.measured) {
                const auto figure = std::find_if(run.figures.begin(), run.figures.end(), [&metric = metric](const MeasuredFigure& any) { return any.metric == metric; });
                ASSERT_NE(figure, run.figures.end()) << one.id << ' ' << metric;
                EXPECT_EQ(figure->measured, value) << one.id << ' ' << metric;
            }
        }
    }
    EXPECT_EQ(cases, evidence->runs.size());
}

/// What stacks and machines without constants of their own have to expect; 15 % for a quick estimator of 118 constants.
TEST(ShippedEvidence, ErrsByTwelvePercentOnWhatWasNeverFittedTo) {
    const auto neverSeen = neverSeenError(*shippedEvidence(), ErrorOf::time);
    ASSERT_TRUE(neverSeen);
    EXPECT_LE(*neverSeen, 12);
    EXPECT_GT(*neverSeen, *errorTotal(*shippedEvidence(), ErrorOf::time).inSample.meanAbs);
}

/// Error bars speak of this program only as long as the file's predictions are this program's. When this fails, make the file again:
/// orrery-cli validate CASES... --settings reference/serving_silicon_settings.json --evidence resources/catalog/evidence.json --left-out LEFT_OUT.json
TEST(ShippedEvidence, HoldsWhatThisProgramPredicts) {
    const auto evidence = shippedEvidence();
    const Predictor predict = scenarioPredictor(catalog(), {});
    for (std::size_t i = 0; i < evidence->runs.size(); i += 25) {
        const MeasuredRun& run = evidence->runs[i];
        if (hasRequestFile(run)) continue;
        MeasuredCase measured;
        for (const MeasuredFigure& figure : run.figures)
            if (figure.predicted && figure.metric != "peak_memory_bytes") measured.measured.emplace_back(figure.metric, *figure.predicted);
        for (const ScoredRow& row : score(measured, predict(run.scenario)).rows) {
            ASSERT_TRUE(row.errorPercent) << run.id << ' ' << row.metric;
            EXPECT_NEAR(*row.errorPercent, 0, 1e-2) << run.id << ' ' << row.metric;
        }
    }
}

/// What `simulate` reads of the evidence is less than half of its text; the bars are those of all of it.
TEST(ShippedEvidence, FiguresAloneGiveTheSameBars) {
    const auto all = shippedErrorBars(catalog()), figures = shippedErrorBars(catalog(), EvidenceParts::figures);
    ASSERT_EQ(all->evidence().runs.size(), figures->evidence().runs.size());
    for (const Word<ErrorOf>& kind : WordsOf<ErrorOf>::table) {
        ASSERT_EQ(all->runs(kind.value).size(), figures->runs(kind.value).size());
        ASSERT_FALSE(all->runs(kind.value).empty());
        for (std::size_t i = 0; i < all->runs(kind.value).size(); i += 25) {
            const RunTraits& traits = all->runs(kind.value)[i].traits;
            const auto a = all->bar(kind.value, traits), b = figures->bar(kind.value, traits);
            ASSERT_EQ(a.has_value(), b.has_value());
            if (!a) continue;
            EXPECT_EQ(a->factor, b->factor);
            EXPECT_EQ(a->basis, b->basis);
            ASSERT_EQ(a->nearest.size(), b->nearest.size());
            for (std::size_t near = 0; near < a->nearest.size(); ++near) EXPECT_EQ(a->nearest[near].id, b->nearest[near].id);
        }
    }
}

/// Bars that promise nine in ten hold for runs of sources that they know nothing of, by constants fitted without the runs' group.
TEST(ShippedEvidence, BarsHoldForWholeSourcesLeftOut) {
    const auto bars = shippedErrorBars(catalog());
    for (const Word<ErrorOf>& kind : WordsOf<ErrorOf>::table) {
        const ErrorOf what = kind.value;
        const Coverage coverage = evaluateCoverage(*bars, what);
        // Peaks come from few sources: without one of them there may be too little evidence for any bar.
        EXPECT_TRUE(what == ErrorOf::memory || coverage.all.without == 0);
        EXPECT_GE(coverage.all.share(), 0.88) << kind.word;
        // What is served was published by six to eight sources, each of another kind: some are further off than all others (splitwise's
        // vLLM of 2023, MLPerf's servers near their limit), which no bar made of the others foresees.
        const double least = what == ErrorOf::time || what == ErrorOf::memory ? 0.8 : 0.65;
        for (const CoverageRow& row : coverage.groups) {
            if (row.runs < 15) continue;
            EXPECT_GE(row.share(), least) << row.group << ", " << kind.word;
        }
    }
}

/// Stacks that have runs are known to 12 %, and runs that no bar has seen lie inside as often as it says.
TEST(ShippedEvidence, BarsOfKnownStacksAreNarrowAndHold) {
    const auto bars = shippedErrorBars(catalog());
    double sum = 0;
    for (const CalibrationRun& run : bars->runs(ErrorOf::time)) sum += bars->bar(ErrorOf::time, run.traits)->halfWidth();
    EXPECT_LE(sum / double(bars->runs(ErrorOf::time).size()), 0.12);
    for (const ErrorOf what : {ErrorOf::time, ErrorOf::memory, ErrorOf::output_rate}) EXPECT_GE(evaluateCoverage(*bars, what, CoverageFolds::pair).all.share(), 0.88) << wordOf(what);
}

/// Examples that train or serve on one kind of plan open with a framework that runs were measured with on that chip, and those that train are known to 20 %.
TEST(ShippedEvidence, ExamplesNameAFrameworkWithRunsOnTheirChip) {
    const auto bars = shippedErrorBars(catalog());
    for (const char* name : {"llama-3.1-70b-8xdgx-h100", "llama-3-8b-dgx-h100", "gpt3-175b-1024xa100", "megatron-22b-korthikanti", "gpt3-175b-10240xa100-jitter", "llama-3.1-70b-h100-batch",
                             "llama-3.1-8b-h100-chat", "llama-3.3-70b-2xh100-long-prompts", "llama-3.1-70b-2xdgx-h100-disaggregated", "llama-3-70b-16xh100-which-plan", "deepseek-v3-6xdgx-h200-wide-experts"}) {
        const Json document = Json::parse(test::readWholeFile(test::sourcePath("resources/examples/" + std::string(name) + ".orrery.json")));
        const ScenarioReading reading = readScenario(document, catalog());
        ASSERT_TRUE(reading.scenario) << name;
        const RunTraits traits = traitsOf(*reading.scenario);
        const bool trains = reading.scenario->isTraining();
        EXPECT_TRUE(document.contains("execution") && document["execution"].contains("framework")) << name;
        EXPECT_TRUE(bars->knownOf(trains ? ErrorOf::time : ErrorOf::per_token, traits).stack) << name;
        // Ten thousand accelerators are four octaves beyond the most that were measured with its framework.
        if (trains && traits.accelerators < 10000) {
            EXPECT_LE(bars->bar(ErrorOf::time, traits)->halfWidth(), 0.2) << name;
        }
    }
}

TEST(ShippedEvidence, SaysHowLikelyAPlanFits) {
    const auto bars = shippedErrorBars(catalog());
    double before = 1;
    for (const int microBatch : {1, 2, 4, 8}) {
        Json document = smallScenario("x");
        document["workload"]["micro_batch_size"] = microBatch;
        document["workload"]["global_batch_size"] = 128;
        document["execution"]["recompute"] = "none"; // what the framework recomputes so that the plan fits would hide the batch
        const ScenarioReading reading = readScenario(document, catalog());
        const Outcome outcome = simulate(*reading.scenario, {}, Folding::exact, [&](Result& result) { addErrorBars(result, *bars); });
        ASSERT_TRUE(outcome.result);
        const Json result = toJson(*outcome.result);
        const double chance = result.at("fits_probability");
        EXPECT_EQ(chance > 0.5, result.at("fits").get<bool>()) << microBatch;
        EXPECT_LE(chance, before);
        before = chance;
        const std::optional<Quantity> why = explain(*outcome.result, "/fits_probability");
        ASSERT_TRUE(why);
        EXPECT_EQ(why->value, chance);
    }
}

TEST(ShippedEvidence, GivesResultsTheirErrorBars) {
    const auto bars = shippedErrorBars(catalog());
    const ScenarioReading reading = readScenario(smallScenario("x"), catalog());
    const Outcome with = simulate(*reading.scenario, {}, Folding::exact, [&](Result& result) { addErrorBars(result, *bars); });
    const Outcome without = simulate(*reading.scenario);
    Json document = toJson(*with.result);
    const Json interval = document["uncertainty"]["iteration_time_s"]["interval_90"];
    const double time = document["iteration_time_s"];
    EXPECT_LT(interval["low"].get<double>(), time);
    EXPECT_GT(interval["high"].get<double>(), time);
    EXPECT_NEAR(interval["low"].get<double>() * interval["high"].get<double>() / (time * time), 1, 1e-12);
    EXPECT_GE(interval["model_accelerator_pairs"].get<int>(), 12);
    EXPECT_FALSE(interval["basis"].get<std::string>().empty());
    EXPECT_EQ(interval["nearest"].size(), 5u);
    // It says how sure the numbers are and changes none of them.
    document.erase("uncertainty");
    document.erase("fits_probability");
    EXPECT_EQ(document, toJson(*without.result));
    const std::optional<Quantity> why = explain(*with.result, "/uncertainty/iteration_time_s");
    ASSERT_TRUE(why);
    EXPECT_NEAR(why->value, with.result->uncertainty->of(ErrorOf::time)->halfWidth() * time, 1e-12);
    EXPECT_FALSE(explain(*without.result, "/uncertainty/iteration_time_s"));
}

/// The bar of each figure stands under the figure's own pointer.
TEST(ShippedEvidence, GivesWhatIsServedItsErrorBars) {
    const auto bars = shippedErrorBars(catalog());
    Json batch = smallScenario("x");
    batch["workload"] = {{"kind", "inference"}, {"batch_size", 8}, {"input_length", 512}, {"output_length", 64}, {"precision", "bf16"}};
    batch["execution"] = {{"framework", "trtllm-2024"}};
    Json served = smallScenario("y");
    served["workload"] = {{"kind", "serving"}, {"requests", {{"count", 20}, {"arrival", {{"process", "all_at_once"}}}, {"input_tokens", 512}, {"output_tokens", 64}}}, {"precision", "bf16"}};
    served["execution"] = {{"framework", "vllm-2025"}};
    for (const auto& [scenario, pointers] : {std::pair(batch, std::vector<std::string>{"/ttft_s", "/tpot_s", "/request_latency_s", "/output_tokens_per_s"}),
                                             std::pair(served, std::vector<std::string>{"/ttft_s/mean", "/ttft_s/p50", "/tpot_s/mean", "/output_tokens_per_s"})}) {
        const ScenarioReading reading = readScenario(scenario, catalog());
        ASSERT_TRUE(reading.scenario) << reading.problems.front().message;
        const Outcome outcome = simulate(*reading.scenario, {}, Folding::exact, [&](Result& result) { addErrorBars(result, *bars); });
        const Json document = toJson(*outcome.result);
        for (const std::string& pointer : pointers) {
            const Json& bar = document.at(Json::json_pointer("/uncertainty" + pointer));
            const double value = document.at(Json::json_pointer(pointer)).get<double>();
            EXPECT_EQ(bar.at("value").get<double>(), value) << pointer;
            EXPECT_LT(bar.at("interval_90").at("low").get<double>(), value) << pointer;
            EXPECT_GT(bar.at("interval_90").at("high").get<double>(), value) << pointer;
            EXPECT_TRUE(explain(*outcome.result, "/uncertainty" + pointer)) << pointer;
        }
        EXPECT_FALSE(document.at("uncertainty").contains("iteration_time_s"));
    }
}

} // namespace
} // namespace orrery
