// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Named formulas (core/answers/study/expression.hpp). A term may use the scenario's symbols and other terms.
using StudyTerms = std::map<std::string, std::string>;

/// One choice of an axis.
struct StudyValue {
    std::string name; ///< "Megatron 22B"
    std::vector<ScenarioEdit> edits;
    StudyTerms terms;       ///< replace the study's where this value is chosen
    std::string cause = {}; ///< of a step: what its gain is put down to ("precision")
};

/// What is varied. The first axis groups the bars, the others make the bars of a group.
struct StudyAxis {
    std::string name;
    std::vector<StudyValue> values;
};

/// A number of every result.
struct StudyPlot {
    std::string name;
    std::string pointer;        ///< into the result document
    std::string unit;           ///< "bytes", "s", "1" (a fraction) or any other word
    std::string formula;        ///< what the number must be; empty: nothing is known
    std::string baseline;       ///< the value of the last axis that is 100 %; empty: none
    bool lowerIsBetter = false; ///< a step's gain is then how often the number before contains it
};

/// What a point's document is. `simulation`: a scenario. `kernel`: a question for core/answers/study/kernel_question.hpp, which stays on one
/// accelerator: an operator of a model under the hierarchical roofline.
enum class StudySubject { simulation,
                          kernel };

/// A scenario, what is varied in it and what is looked at: `{"format": "orrery-study/1", …}`.
///
/// Keys: `name`, `notes`, `base` (a scenario document), `axes` = `[{"name", "values": [{"name", "edits": {POINTER: value},
/// "terms": {NAME: FORMULA}}]}]`, `terms`, `plots` = `[{"name", "pointer", "unit", "formula", "baseline", "better"}]`.
/// In place of `axes`, `steps` = `[{"name", "cause", "edits", "terms"}]`: a chain, each step with the edits of all before it.
/// `subject`: `simulation` or `kernel`.
struct Study {
    std::string name;
    std::string notes;
    StudySubject subject = StudySubject::simulation;
    bool steps = false; ///< the values of the only axis follow each other
    BoxedJson base;
    std::vector<StudyAxis> axes;
    StudyTerms terms;
    std::vector<StudyPlot> plots;
};

/// Reads a study. Nothing, with problems, when it is not sound; an unknown key is named with the nearest known one.
std::optional<Study> readStudy(const Json& document, Problems& problems);

/// One scenario of a study.
struct StudyPoint {
    std::vector<std::size_t> choice; ///< by axis: index of its value
    std::string name;                ///< "Megatron 22B · selective"
    BoxedJson document;
    StudyTerms terms;
};

/// Every combination, the last axis fastest; of a chain each step on all before it. The edits of `readStudy`'s studies have a place to go to.
std::vector<StudyPoint> studyPoints(const Study& study);

/// One bar.
struct StudyNumber {
    std::optional<double> value;   ///< what the simulation gives; nothing: the result has no such number
    std::optional<double> formula; ///< what the closed form gives; nothing: there is none
    std::string formulaText;       ///< the form with the terms of this bar put in
    std::string word = {};         ///< what stands there in place of a number ("dram")
};

struct StudyOutcome {
    std::vector<StudyNumber> numbers; ///< by plot
    Problems problems;                ///< why there is no result, or why a formula has no value
};

/// A study with what its scenarios gave.
struct StudyResult {
    Study study;
    std::vector<StudyPoint> points;
    std::vector<StudyOutcome> outcomes; ///< by point; shorter while it still runs
    bool complete() const { return outcomes.size() == points.size(); }
};

using StudyResultPtr = std::shared_ptr<const StudyResult>;

} // namespace orrery
