// SPDX-License-Identifier: GPL-3.0-or-later
// A chip that nobody measured: Blackwell as if only its data sheets were known. Its operator tables, kernel rates and fitted constants
// are hidden, nothing is refitted, and measured runs on it are predicted all the same.

#include "core/answers/validation/predictor.hpp"
#include "core/answers/validation/validate.hpp"
#include "core/base/json.hpp"
#include "core/operators/predictor.hpp"
#include "resources/resources.hpp"
#include "resources/shipped_catalog.hpp"

#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <map>
#include <set>
#include <thread>

namespace orrery {
namespace {

const std::set<std::string>& hidden() {
    static const std::set<std::string> chips{"b100", "b200-sxm-180gb", "b300-sxm", "gb200", "gb300"};
    return chips;
}

std::string hiddenFrom(std::string_view name, std::string text) {
    if (name != "kernels.json" && name != "calibration.json") return text;
    Json document = Json::parse(text);
    const char* list = name == "kernels.json" ? "kernels" : "generations";
    Json kept = Json::array();
    for (const Json& record : document.at(list)) {
        if (name == "kernels.json" && hidden().count(record.at("accelerator").get<std::string>()) > 0) continue;
        if (name == "calibration.json" && record.at("id") == "blackwell") continue;
        kept.push_back(record);
    }
    document[list] = kept;
    return document.dump();
}

std::shared_ptr<const OperatorPredictor> withoutHidden(const OperatorPredictor& all) {
    std::vector<OperatorPredictor::Family> families = all.families();
    std::map<ModelKey, OperatorModel> models;
    std::set<int> gone;
    for (std::size_t i = 0; i < families.size(); ++i)
        if (!families[i].accelerators.empty() && hidden().count(families[i].accelerators.front()) > 0) {
            families[i].accelerators.clear();
            gone.insert(static_cast<int>(i));
        }
    for (const auto& [key, model] : all.models())
        if (gone.count(key.family) == 0) models.emplace(key, model);
    return std::make_shared<const OperatorPredictor>(std::move(families), std::move(models));
}

std::vector<MeasuredCase> casesOn(const std::set<std::string>& accelerators) {
    std::vector<MeasuredCase> cases;
    for (const char* file : {"reference/training.json", "reference/training_vtrain_simumax.json"}) {
        const CasesReading reading = readCases(Json::parse(test::readWholeFile(test::sharedPath(file))));
        for (const MeasuredCase& measured : reading.cases) {
            const Json& cluster = measured.scenario->at("cluster");
            if (cluster.contains("accelerator") && accelerators.count(cluster.at("accelerator").get<std::string>()) > 0) cases.push_back(measured);
        }
    }
    return cases;
}

bool isTime(const std::string& metric) { return metric == "iteration_time_s" || metric.rfind("tokens_per_s", 0) == 0; }

TEST(HardwareSwap, AChipKnownByItsDataSheetAlone) {
    ORRERY_REQUIRE_SHARED("reference/training.json");
    const Catalog shipped = shippedCatalog();
    Catalog unmeasured = Catalog::fromText([](std::string_view name) {
        static std::map<std::string, std::string, std::less<>> texts;
        return std::string_view(texts[std::string(name)] = hiddenFrom(name, std::string(resourceText("catalog/" + std::string(name)))));
    });
    unmeasured.setOperatorTimes({withoutHidden(*shipped.operatorTimes().predictor), nullptr});
    const Accelerator& b200 = *unmeasured.accelerator("b200-sxm-180gb");
    ASSERT_EQ(unmeasured.kernels(b200).inheritedFrom.substr(0, 2), "h2") << "the nearest relative left";

    RunControl control;
    control.threads = static_cast<int>(std::thread::hardware_concurrency());
    const Validation validation = validate(casesOn(hidden()), scenarioPredictor(unmeasured, {}), control);
    std::map<std::string, std::vector<double>> errors;
    for (const ScoredRow& row : validation.rows)
        if (isTime(row.metric) && row.errorPercent)
            for (const std::string& group : {row.group, std::string("all")}) errors[group].push_back(*row.errorPercent);
    double all = 0;
    for (const auto& [group, list] : errors) {
        double sum = 0, bias = 0;
        for (const double error : list) sum += std::abs(error), bias += error;
        const auto count = static_cast<double>(list.size());
        std::cout << group << ": " << list.size() << " runs, mean error " << sum / count << " %, bias " << bias / count << " %\n";
        if (group == "all") all = sum / count;
    }
    EXPECT_GT(errors["all"].size(), 80U);
    EXPECT_LE(all, 15);
}

/// The same program on the same model on two generations: no constant is the pair's own.
TEST(HardwareSwap, TheSameRunOnTwoGenerations) {
    ORRERY_REQUIRE_SHARED("reference/training.json");
    const Catalog shipped = shippedCatalog();
    std::vector<MeasuredCase> pair;
    for (const MeasuredCase& measured : casesOn({"a100-sxm4-80gb", "h100-sxm5-80gb"}))
        if (measured.id.rfind("fms-fsdp", 0) == 0) pair.push_back(measured);
    ASSERT_EQ(pair.size(), 2U);
    const Validation validation = validate(pair, scenarioPredictor(shipped, {}), {});
    for (const ScoredRow& row : validation.rows) {
        if (!isTime(row.metric)) continue;
        ASSERT_TRUE(row.errorPercent);
        std::cout << row.id << ": " << *row.errorPercent << " %\n";
        EXPECT_LE(std::abs(*row.errorPercent), 15) << row.id;
    }
}

} // namespace
} // namespace orrery
