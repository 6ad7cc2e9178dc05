// SPDX-License-Identifier: GPL-3.0-or-later
// Studies: reading, combinations, formulas, and the shipped example against physics rows 7 and 8, written out here again.
#include "core/answers/study/expression.hpp"
#include "core/answers/study/run_study.hpp"
#include "core/base/json.hpp"
#include "resources/resources.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace orrery {
namespace {

using test::catalog;

Json exampleDocument() {
    Problems problems;
    const auto document = parseJson(resourceText("examples/activation-recomputation.orrery-study.json"), "example", problems);
    EXPECT_TRUE(document && problems.empty());
    return document.value_or(Json());
}

Study example() {
    Problems problems;
    const auto study = readStudy(exampleDocument(), problems);
    EXPECT_TRUE(study) << (problems.empty() ? "" : problems.front().message);
    return study.value_or(Study{});
}

double valueOf(const char* expression) {
    const auto value = evaluate(expression, [](std::string_view name) { return name == "x" ? std::optional(3.0) : std::nullopt; });
    EXPECT_TRUE(value.value) << value.error;
    return value.value.value_or(0);
}

TEST(Expressions, AreReadAsArithmeticIsWritten) {
    EXPECT_EQ(valueOf("1 + 2*3"), 7);
    EXPECT_EQ(valueOf("(1+2)*3"), 9);
    EXPECT_EQ(valueOf("8/4/2"), 1);
    EXPECT_EQ(valueOf("10-4-3"), 3);
    EXPECT_EQ(valueOf("-x^2"), -9);
    EXPECT_EQ(valueOf("2^3^2"), 512);
    EXPECT_EQ(valueOf("2^-1"), 0.5);
    EXPECT_EQ(valueOf("max(1, x, 2)*min(4, 5)"), 12);
    EXPECT_EQ(valueOf(" .5e1 "), 5);
}

TEST(Expressions, SayWhatIsWrong) {
    const auto errorOf = [](const std::string& text) {
        const auto value = evaluate(text, {});
        EXPECT_FALSE(value.value) << text;
        return value.error;
    };
    EXPECT_NE(errorOf("1 + y").find("\"y\" is no known"), std::string::npos);
    EXPECT_NE(errorOf("(1").find("not closed"), std::string::npos);
    EXPECT_NE(errorOf("1 2").find("left over"), std::string::npos);
    EXPECT_NE(errorOf("").find("missing"), std::string::npos);
    EXPECT_NE(errorOf("sin(1)").find("no known function"), std::string::npos);
    EXPECT_NE(errorOf("1/0").find("no finite"), std::string::npos);
    EXPECT_NE(errorOf(std::string(100000, '(')).find("too deeply"), std::string::npos);
    EXPECT_NE(errorOf(std::string(100000, '-')).find("too deeply"), std::string::npos);
}

TEST(Studies, EveryCombinationOnceTheLastAxisFastest) {
    const Study study = example();
    const std::vector<StudyPoint> points = studyPoints(study);
    ASSERT_EQ(points.size(), 20u);
    std::set<std::string> documents;
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].choice, (std::vector<std::size_t>{i / 5, i % 5}));
        documents.insert(points[i].document->dump());
    }
    EXPECT_EQ(documents.size(), 20u);
    EXPECT_EQ(points[6].name, "175B · sequence parallel");
    EXPECT_EQ(points[6].document->at("model")["preset"], "gpt3-175b");
    EXPECT_EQ(points[6].document->at("parallelism")["sequence"], true);
    EXPECT_EQ(points[0].document->at("parallelism")["sequence"], false);
}

TEST(Studies, BadOnesAreRefusedWithThePlace) {
    const auto refused = [](const char* pointer, const Json& value, const std::string& place) {
        Json document = exampleDocument();
        if (value.is_null()) document.erase(pointer);
        else document[Json::json_pointer(pointer)] = value;
        Problems problems;
        EXPECT_FALSE(readStudy(document, problems)) << pointer;
        ASSERT_FALSE(problems.empty());
        EXPECT_EQ(problems.front().pointer, place);
        EXPECT_FALSE(problems.front().message.empty());
        EXPECT_FALSE(problems.front().mend.empty());
    };
    refused("/format", "orrery-study/9", "/format");
    refused("/base", 7, "/base");
    refused("/axes", Json::array(), "/axes");
    refused("/axes/0/values", "many", "/axes/0/values");
    refused("/axes/1/values/2/name", 5, "/axes/1/values/2/name");
    refused("/axes/1/values/2/edits", Json{{"parallelism", 1}}, "/axes/1/values/2/edits");
    refused("/axes/1/values/2/edits", Json{{"/format/deeper", 1}}, "/axes/1/values/2/edits");
    refused("/plots/0/pointer", "memory", "/plots/0/pointer");
    refused("/plots/0/baseline", "nobody", "/plots/0/baseline");
    refused("/plotz", 1, "/plotz");
    refused("plots", nullptr, "");
    Problems problems;
    EXPECT_FALSE(readStudy(Json::array(), problems));
    EXPECT_FALSE(problems.empty());
}

TEST(Studies, AnAxisTooManyIsRefusedAndNotTried) {
    Json document = exampleDocument();
    for (int i = 0; i < 12; ++i) document["axes"].push_back(document["axes"][1]);
    Problems problems;
    EXPECT_FALSE(readStudy(document, problems));
    ASSERT_FALSE(problems.empty());
    EXPECT_NE(problems.front().message.find("combinations"), std::string::npos);
}

TEST(Studies, DamagedDocumentsNeverEndTheProgram) {
    std::mt19937 random(3);
    const Json whole = exampleDocument();
    const Json flat = whole.flatten();
    std::vector<std::string> places;
    for (const auto& [place, value] : flat.items()) places.push_back(place);
    const Json damages[] = {nullptr, 1, "x", Json::array(), Json::object(), -1.5, true};
    for (int i = 0; i < 2000; ++i) {
        Json document = whole;
        const std::string& place = places[random() % places.size()];
        document[Json::json_pointer(place)] = damages[random() % std::size(damages)];
        Problems problems;
        const auto study = readStudy(document, problems);
        EXPECT_EQ(study.has_value(), problems.empty()) << place;
        if (study) {
            EXPECT_EQ(studyPoints(*study).size(), 20u) << place;
        }
    }
}

struct Shape {
    double s, b, h, a, l, V, t, p, v;
};

/// Physics row 7.
double storedByALayer(const Shape& x, std::size_t kind) {
    const double sbh = x.s * x.b * x.h, scores = 5 * x.a * x.s / (x.h * x.t);
    switch (kind) {
    case 0: return sbh * (10 + 24 / x.t + scores);
    case 1: return sbh * (34 / x.t + scores);
    case 2: return sbh * (10 + 24 / x.t);
    case 3: return sbh * (34 / x.t);
    default: return 2 * sbh;
    }
}

TEST(ActivationStudy, BarsEqualTheClosedForms) {
    const Study study = example();
    const auto result = runStudy(study, catalog());
    ASSERT_TRUE(result && result->complete());
    const Shape shapes[] = {{2048, 4, 6144, 64, 48, 51200, 8, 1, 1},
                            {2048, 1, 12288, 96, 96, 50304, 8, 8, 3},
                            {2048, 1, 20480, 128, 105, 51200, 8, 35, 3},
                            {2048, 1, 25600, 160, 128, 51200, 8, 64, 1}};
    for (std::size_t i = 0; i < result->points.size(); ++i) {
        const StudyOutcome& outcome = result->outcomes[i];
        const std::string& name = result->points[i].name;
        ASSERT_TRUE(outcome.problems.empty()) << name << ": " << outcome.problems.front().message;
        const std::size_t model = result->points[i].choice[0], kind = result->points[i].choice[1];
        const Shape& x = shapes[model];
        const double layer = storedByALayer(x, kind);
        ASSERT_TRUE(outcome.numbers[0].value) << name;
        EXPECT_NEAR(*outcome.numbers[0].value, layer, 1e-9 * layer) << name;

        // Row 8: all layers, interleaved times 1 + (p - 1)/(p v); beside them what is no layer's, for each micro-batch in flight: the
        // embedding's dropout mask (Korthikanti et al., section 4.3) and its token ids in 8 bytes; on one stage alone also the head.
        // Interleaved, the first backwards are of the last chunk while a second group of p micro-batches enters the first.
        const double share = kind == 1 || kind == 3 ? x.t : 1;
        const double layers = x.l * layer * (x.v > 1 ? 1 + (x.p - 1) / (x.p * x.v) : 1);
        const double masks = (x.v > 1 ? 2 * x.p : x.p) * (x.s * x.b * x.h + 8 * x.s * x.b) / share;
        const double head = x.p == 1 ? 4 * x.s * x.b * x.h / share + 4 * x.s * x.b * x.V / x.t : 0;
        ASSERT_TRUE(outcome.numbers[1].value) << name;
        EXPECT_NEAR(*outcome.numbers[1].value, layers + masks + head, 1e-9 * layers) << name;

        for (const StudyNumber& number : outcome.numbers) {
            ASSERT_TRUE(number.formula) << name;
            EXPECT_NEAR(*number.formula, *number.value, 1e-9 * *number.value) << name;
        }
    }
}

TEST(ActivationStudy, AnotherScenarioGivesAnotherBar) {
    Json document = exampleDocument();
    document["base"]["workload"]["sequence_length"] = 1024;
    document["axes"][0]["values"].erase(1);
    document["axes"][0]["values"].erase(1);
    document["axes"][0]["values"].erase(1);
    Problems problems;
    const auto study = readStudy(document, problems);
    ASSERT_TRUE(study);
    const auto shorter = runStudy(*study, catalog());
    for (std::size_t kind = 0; kind < 5; ++kind) {
        const double expected = storedByALayer({1024, 4, 6144, 64, 48, 51200, 8, 1, 1}, kind);
        EXPECT_NEAR(*shorter->outcomes[kind].numbers[0].value, expected, 1e-9 * expected);
    }
}

TEST(Studies, AScenarioThatCantRunSaysWhyAndTheOthersRun) {
    Json document = exampleDocument();
    document["axes"][0]["values"] = Json::array({{{"name", "odd"}, {"edits", {{"/parallelism/tensor", 7}}}}, {{"name", "sound"}}});
    document["plots"][0]["formula"] = "layer + nothing";
    Problems problems;
    const auto study = readStudy(document, problems);
    ASSERT_TRUE(study);
    const auto result = runStudy(*study, catalog());
    ASSERT_TRUE(result && result->complete());
    EXPECT_TRUE(hasErrors(result->outcomes[0].problems));
    EXPECT_FALSE(result->outcomes[0].numbers[0].value);
    EXPECT_FALSE(hasErrors(result->outcomes[5].problems));
    EXPECT_TRUE(result->outcomes[5].numbers[0].value);
    ASSERT_FALSE(result->outcomes[5].problems.empty());
    EXPECT_NE(result->outcomes[5].problems.front().message.find("nothing"), std::string::npos);
}

TEST(Studies, StopEndsARun) {
    std::stop_source stop;
    RunControl control;
    control.stop = stop.get_token();
    int done = 0;
    control.progress = [&](double) {
        if (++done == 2) stop.request_stop();
    };
    EXPECT_FALSE(runStudy(example(), catalog(), {}, control));
    EXPECT_EQ(done, 2);
}

} // namespace
} // namespace orrery
