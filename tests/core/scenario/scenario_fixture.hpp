// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace orrery::test {

/// The first-start example of the program: it has no problem, so every test changes one thing.
inline Json soundDocument() {
    return Json::parse(R"({
        "format": "orrery-scenario/1",
        "name": "Llama-3.1-70B on 8 DGX H100",
        "model": {"preset": "llama-3.1-70b"},
        "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 8, "nodes": 8},
        "workload": {"kind": "training", "sequence_length": 8192, "global_batch_size": 128, "micro_batch_size": 1,
                     "precision": "bf16"},
        "parallelism": {"tensor": 8, "pipeline": 2, "sequence": true, "zero_stage": 1}
    })");
}

inline Json& at(Json& document, const std::string& pointer) { return document[Json::json_pointer(pointer)]; }

/// The sound document with one value replaced, added or (null) removed.
inline Json changed(const std::string& pointer, Json value) {
    Json document = soundDocument();
    const Json::json_pointer place(pointer);
    if (value.is_null()) document.at(place.parent_pointer()).erase(place.back());
    else document[place] = std::move(value);
    return document;
}

inline ScenarioReading read(const Json& document, const FileReader& files = {}) { return readScenario(document, catalog(), files); }

/// The first problem with that code, or null.
inline const Problem* find(const Problems& problems, const std::string& code) {
    const auto found = std::find_if(problems.begin(), problems.end(), [&](const Problem& p) { return p.code == code; });
    return found == problems.end() ? nullptr : &*found;
}

inline std::string listed(const Problems& problems) {
    std::string text;
    for (const Problem& problem : problems) text += problem.code + " | " + toText(problem) + "\n";
    return text;
}

/// A document as a mend leaves it.
inline Json mended(Json document, const Problem& problem) {
    for (const ScenarioEdit& edit : problem.edits) {
        const Json::json_pointer place(edit.pointer);
        if (edit.value->is_null()) document.at(place.parent_pointer()).erase(place.back());
        else document[place] = edit.value;
    }
    return document;
}

/// The assumption at a pointer, or null.
inline const Assumption* assumed(const Scenario& scenario, const std::string& pointer) {
    const auto found = std::find_if(scenario.assumed.begin(), scenario.assumed.end(), [&](const Assumption& a) { return a.pointer == pointer; });
    return found == scenario.assumed.end() ? nullptr : &*found;
}

/// Reading must fail with exactly this code at this pointer, with this sentence.
inline void expectProblem(const Json& document, const std::string& code, const std::string& pointer, const std::string& message) {
    const ScenarioReading reading = read(document);
    EXPECT_FALSE(reading.scenario.has_value());
    const Problem* problem = find(reading.problems, code);
    ASSERT_NE(problem, nullptr) << "no " << code << " among:\n"
                                << listed(reading.problems);
    EXPECT_EQ(problem->severity, Severity::error);
    EXPECT_EQ(problem->pointer, pointer);
    EXPECT_EQ(problem->message, message);
    EXPECT_FALSE(problem->mend.empty());
}

/// The mend that comes with a problem makes the document readable.
inline void expectMendWorks(const Json& document, const std::string& code) {
    const ScenarioReading reading = read(document);
    const Problem* problem = find(reading.problems, code);
    ASSERT_NE(problem, nullptr) << "no " << code << " among:\n"
                                << listed(reading.problems);
    ASSERT_FALSE(problem->edits.empty()) << toText(*problem);
    const ScenarioReading again = read(mended(document, *problem));
    EXPECT_TRUE(again.scenario.has_value()) << toText(*problem) << "\nthen:\n"
                                            << listed(again.problems);
}

} // namespace orrery::test
