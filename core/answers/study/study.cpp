// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/study/study.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// A study is looked at as one chart; more scenarios than this are a search.
constexpr std::size_t mostPoints = 2000;

Json named(Json document, const std::string& name) {
    document["name"] = name;
    return document;
}

bool isPointer(const std::string& text) {
    try {
        return Json::json_pointer(text).to_string() == text;
    } catch (const Json::parse_error&) {
        return false;
    }
}

/// Reads members of one object and says what is wrong with them.
class ObjectReader {
public:
    ObjectReader(const Json& object, std::string pointer, Problems& problems)
        : object_(object), pointer_(std::move(pointer)), problems_(problems) {
        if (!object.is_object()) fail("", "must be an object", "Write { … }.");
    }

    void fail(const std::string& key, const std::string& what, const std::string& mend) {
        Problem problem;
        problem.code = "bad-study";
        problem.pointer = key.empty() ? pointer_ : pointer_ + "/" + key;
        problem.message = (problem.pointer.empty() ? std::string("The study") : problem.pointer) + " " + what + ".";
        problem.mend = mend;
        problems_.push_back(std::move(problem));
    }

    std::string text(const char* key, bool needed) {
        const Json* value = find(key, needed);
        if (!value) return {};
        if (!value->is_string() || (needed && value->get_ref<const std::string&>().empty())) {
            fail(key, "must be a text", "Write it in double quotes.");
            return {};
        }
        return value->get<std::string>();
    }

    const Json* find(const char* key, bool needed) {
        known_.emplace_back(key);
        const auto found = object_.is_object() ? object_.find(key) : object_.end();
        if (object_.is_object() && found != object_.end()) return &*found;
        if (needed && object_.is_object()) fail("", std::string("has no \"") + key + "\"", std::string("Add \"") + key + "\".");
        return nullptr;
    }

    const Json* list(const char* key, bool needed) {
        const Json* value = find(key, needed);
        if (!value) return nullptr;
        if (value->is_array() && !value->empty()) return value;
        fail(key, "must be a list with at least one entry", "Write [ … ].");
        return nullptr;
    }

    StudyTerms terms(const char* key) {
        StudyTerms terms;
        const Json* value = find(key, false);
        if (!value) return terms;
        if (!value->is_object()) fail(key, "must be an object of formulas by name", "Write {\"layer\": \"34*s*b*h\"}.");
        else
            for (const auto& [name, formula] : value->items()) {
                if (formula.is_string()) terms[name] = formula.get<std::string>();
                else fail(std::string(key) + "/" + name, "must be a formula", "Write it in double quotes.");
            }
        return terms;
    }

    void refuseUnknown() {
        if (!object_.is_object()) return;
        for (const auto& [key, value] : object_.items()) {
            if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
            const auto nearest = nearestWord(key, known_);
            fail(key, "is not a key of a study", nearest ? "The nearest known key is \"" + nearest->word + "\"." : "Leave it out.");
        }
    }

    std::string place(const char* key) const { return pointer_ + "/" + key; }

private:
    const Json& object_;
    std::string pointer_;
    Problems& problems_;
    std::vector<std::string> known_;
};

StudyValue readValue(const Json& json, const std::string& pointer, Problems& problems, bool step = false) {
    ObjectReader reader(json, pointer, problems);
    StudyValue value;
    value.name = reader.text("name", true);
    if (const Json* edits = reader.find("edits", false)) {
        if (!edits->is_object()) reader.fail("edits", "must be an object of values by JSON pointer", "Write {\"/parallelism/tensor\": 8}.");
        else
            for (const auto& [place, edit] : edits->items()) value.edits.push_back({place, edit});
    }
    value.terms = reader.terms("terms");
    if (step) value.cause = reader.text("cause", false);
    reader.refuseUnknown();
    return value;
}

/// A chain is an axis whose values build on each other.
StudyAxis readSteps(const Json& list, Problems& problems) {
    StudyAxis axis;
    axis.name = "step";
    for (std::size_t i = 0; i < list.size(); ++i) axis.values.push_back(readValue(list[i], "/steps/" + std::to_string(i), problems, true));
    return axis;
}

StudyAxis readAxis(const Json& json, const std::string& pointer, Problems& problems) {
    ObjectReader reader(json, pointer, problems);
    StudyAxis axis;
    axis.name = reader.text("name", true);
    if (const Json* values = reader.list("values", true))
        for (std::size_t i = 0; i < values->size(); ++i)
            axis.values.push_back(readValue((*values)[i], reader.place("values") + "/" + std::to_string(i), problems));
    reader.refuseUnknown();
    return axis;
}

StudyPlot readPlot(const Json& json, const std::string& pointer, Problems& problems) {
    ObjectReader reader(json, pointer, problems);
    StudyPlot plot;
    plot.name = reader.text("name", true);
    plot.pointer = reader.text("pointer", true);
    plot.unit = reader.text("unit", false);
    plot.formula = reader.text("formula", false);
    plot.baseline = reader.text("baseline", false);
    const std::string better = reader.text("better", false);
    plot.lowerIsBetter = better == "lower";
    if (!better.empty() && better != "lower" && better != "higher") reader.fail("better", "is neither \"lower\" nor \"higher\"", "Write one of them.");
    if (!plot.pointer.empty() && !isPointer(plot.pointer))
        reader.fail("pointer", "is no JSON pointer", "Write a place of the result, such as \"/memory/peak_bytes\".");
    reader.refuseUnknown();
    return plot;
}

void checkEdits(const Study& study, Problems& problems) {
    for (std::size_t a = 0; a < study.axes.size(); ++a)
        for (std::size_t v = 0; v < study.axes[a].values.size(); ++v)
            for (const ScenarioEdit& edit : study.axes[a].values[v].edits) {
                const EditOutcome outcome = !edit.pointer.empty() && isPointer(edit.pointer) ? applyEdits(study.base, {edit})
                                                                                             : EditOutcome{{}, {}, "it is no JSON pointer"};
                if (outcome.error.empty()) continue;
                Problem problem;
                problem.code = "bad-study";
                problem.pointer = "/axes/" + std::to_string(a) + "/values/" + std::to_string(v) + "/edits";
                problem.message = "\"" + edit.pointer + "\" is no place of the base scenario: " + outcome.error + ".";
                problem.mend = "Name a place of a scenario, such as \"/parallelism/tensor\".";
                problems.push_back(std::move(problem));
            }
}

void checkBaselines(const Study& study, Problems& problems) {
    if (study.axes.empty()) return;
    const std::vector<StudyValue>& bars = study.axes.back().values;
    for (std::size_t i = 0; i < study.plots.size(); ++i) {
        const std::string& baseline = study.plots[i].baseline;
        if (baseline.empty() || std::any_of(bars.begin(), bars.end(), [&](const StudyValue& value) { return value.name == baseline; })) continue;
        Problem problem;
        problem.code = "bad-study";
        problem.pointer = "/plots/" + std::to_string(i) + "/baseline";
        problem.message = "\"" + baseline + "\" is no value of the last axis.";
        problem.mend = bars.empty() ? "Leave it out." : "Name one of its values, such as \"" + bars.front().name + "\".";
        problems.push_back(std::move(problem));
    }
}

} // namespace

std::optional<Study> readStudy(const Json& document, Problems& problems) {
    const std::size_t before = problems.size();
    ObjectReader reader(document, "", problems);
    Study study;
    const std::string format = reader.text("format", true);
    if (!format.empty() && format != "orrery-study/1")
        reader.fail("format", "is \"" + format + "\", which this version doesn't know", "This version reads \"orrery-study/1\".");
    study.name = reader.text("name", false);
    study.notes = reader.text("notes", false);
    study.terms = reader.terms("terms");
    if (const Json* base = reader.find("base", true)) {
        study.base = *base;
        if (!base->is_object()) reader.fail("base", "must be a scenario", "Put a whole scenario document there.");
    }
    const std::string subject = reader.text("subject", false);
    if (subject == "kernel") study.subject = StudySubject::kernel;
    else if (!subject.empty() && subject != "simulation") reader.fail("subject", "is neither \"simulation\" nor \"kernel\"", "Write one of them.");
    study.steps = document.is_object() && document.contains("steps");
    if (study.steps && document.contains("axes")) reader.fail("steps", "stand beside axes", "Keep one of the two: steps build on each other, axes are combined.");
    if (study.steps) reader.find("axes", false);
    if (const Json* steps = study.steps ? reader.list("steps", true) : nullptr) study.axes.push_back(readSteps(*steps, problems));
    if (const Json* axes = study.steps ? nullptr : reader.list("axes", true))
        for (std::size_t i = 0; i < axes->size(); ++i) study.axes.push_back(readAxis((*axes)[i], "/axes/" + std::to_string(i), problems));
    if (const Json* plots = reader.list("plots", true))
        for (std::size_t i = 0; i < plots->size(); ++i) study.plots.push_back(readPlot((*plots)[i], "/plots/" + std::to_string(i), problems));
    reader.refuseUnknown();
    if (problems.size() == before) {
        checkEdits(study, problems);
        checkBaselines(study, problems);
        std::size_t points = 1;
        for (const StudyAxis& axis : study.axes) points = std::min(points * axis.values.size(), mostPoints + 1);
        if (points > mostPoints) reader.fail("axes", "have more than " + std::to_string(mostPoints) + " combinations", "Leave values out.");
    }
    if (problems.size() != before) return std::nullopt;
    return study;
}

std::vector<StudyPoint> studyPoints(const Study& study) {
    std::vector<StudyPoint> points{{{}, {}, study.base, study.terms}};
    for (const StudyAxis& axis : study.axes) {
        std::vector<StudyPoint> next;
        for (const StudyPoint& point : points)
            for (std::size_t i = 0; i < axis.values.size(); ++i) {
                const StudyValue& value = axis.values[i];
                StudyPoint varied = point;
                varied.choice.push_back(i);
                varied.name += (varied.name.empty() ? "" : " · ") + value.name;
                for (std::size_t on = study.steps ? 0 : i; on <= i; ++on) {
                    varied.document = applyEdits(varied.document, axis.values[on].edits).document;
                    for (const auto& [name, formula] : axis.values[on].terms) varied.terms[name] = formula;
                }
                next.push_back(std::move(varied));
            }
        points = std::move(next);
    }
    for (StudyPoint& point : points)
        if (!study.name.empty() && study.subject == StudySubject::simulation) point.document = named(point.document, study.name + ": " + point.name);
    return points;
}

} // namespace orrery
