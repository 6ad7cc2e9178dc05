// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/evidence.hpp"
#include "core/base/json.hpp"

#include <map>
#include <stdexcept>
#include <utility>

namespace orrery {

namespace {

constexpr const char* evidenceFormat = "orrery-evidence/1";
constexpr const char* scenarioFormat = "orrery-scenario/1";
constexpr const char* about =
    "Measured runs of training and of serving, each with its source and the scenario it was, and what the program predicted when this file was made: "
    "predicted with the shipped constants, predicted_left_out with constants fitted without the run's group. "
    "Made by `orrery-cli validate CASES... --evidence`, never by hand.";

/// Values that many runs share stand once in a list; a run names its place in it.
class Shared {
public:
    std::size_t place(const Json& value) {
        const auto [found, fresh] = places_.try_emplace(value.dump(), list_.size());
        if (fresh) list_.push_back(value);
        return found->second;
    }
    const std::vector<Json>& list() const { return list_; }

private:
    std::map<std::string, std::size_t> places_;
    std::vector<Json> list_;
};

Json figuresDocument(const MeasuredRun& run, std::optional<double> MeasuredFigure::*value) {
    Json object = Json::object();
    for (const MeasuredFigure& figure : run.figures)
        if (const std::optional<double>& one = figure.*value) object[figure.metric] = *one;
    return object;
}

/// Without what the run's own keys say again: format, name where it is the id, and the model itself. A scenario without a name says so by null.
Json shortScenario(const MeasuredRun& run, Shared& models) {
    Json scenario = Json::object();
    for (const auto& [key, value] : run.scenario->items()) {
        if (key == "format" && value == scenarioFormat) continue;
        if (key == "name" && value == run.id) continue;
        if (key == "model") scenario[key] = models.place(value);
        else scenario[key] = value;
    }
    if (!run.scenario->contains("name")) scenario["name"] = nullptr;
    return scenario;
}

Json wholeScenario(const Json& shortened, const std::string& id, const Json& models) {
    Json scenario{{"format", scenarioFormat}, {"name", id}};
    for (const auto& [key, value] : shortened.items())
        scenario[key] = key == "model" ? models.at(value.get<std::size_t>()) : value;
    if (scenario["name"].is_null()) scenario.erase("name");
    return scenario;
}

Json document(const MeasuredRun& run, Shared& sources, Shared& models) {
    Json one{{"id", run.id},
             {"group", run.group},
             {"source", sources.place({{"text", run.source}, {"url", run.sourceUrl}})},
             {"accelerator", run.accelerator},
             {"accelerators", run.accelerators},
             {"model", run.model},
             {"kind", run.kind},
             {"family", run.family},
             {"parameters", run.parameters},
             {"framework", run.framework},
             {"precision", run.precision}};
    if (run.queued) one["queued"] = true;
    Json measured = Json::object();
    for (const MeasuredFigure& figure : run.figures) measured[figure.metric] = figure.measured;
    Json predicted = figuresDocument(run, &MeasuredFigure::predicted);
    if (run.outOfMemory) measured["out_of_memory"] = *run.outOfMemory;
    if (run.predictedOutOfMemory) predicted["out_of_memory"] = *run.predictedOutOfMemory;
    one["measured"] = std::move(measured);
    one["predicted"] = std::move(predicted);
    if (Json leftOut = figuresDocument(run, &MeasuredFigure::predictedLeftOut); !leftOut.empty()) one["predicted_left_out"] = std::move(leftOut);
    if (run.memoryKind != "device") one["memory_kind"] = run.memoryKind;
    one["scenario"] = shortScenario(run, models);
    return one;
}

void addList(std::string& text, const char* key, const std::vector<Json>& list) {
    text += std::string("\"") + key + "\": [\n";
    for (std::size_t i = 0; i < list.size(); ++i) text += list[i].dump() + (i + 1 < list.size() ? ",\n" : "\n");
    text += "]";
}

MeasuredRun readRun(const Json& one, const Json& sources, const Json& models) {
    MeasuredRun run;
    run.id = one.at("id").get<std::string>();
    run.group = one.at("group").get<std::string>();
    const Json& source = sources.at(one.at("source").get<std::size_t>());
    run.source = source.at("text").get<std::string>();
    run.sourceUrl = source.at("url").get<std::string>();
    run.accelerator = one.at("accelerator").get<std::string>();
    run.accelerators = one.at("accelerators").get<double>();
    run.model = one.at("model").get<std::string>();
    run.kind = one.at("kind").get<std::string>();
    run.family = one.at("family").get<std::string>();
    run.parameters = one.at("parameters").get<double>();
    run.queued = one.value("queued", false);
    run.framework = one.at("framework").get<std::string>();
    run.precision = one.at("precision").get<std::string>();
    run.memoryKind = one.value("memory_kind", "device");
    const Json& predicted = one.at("predicted");
    const Json leftOut = one.value("predicted_left_out", Json::object());
    const auto number = [](const Json& object, const std::string& key) {
        return object.contains(key) ? std::optional(object.at(key).get<double>()) : std::nullopt;
    };
    for (const auto& [metric, value] : one.at("measured").items()) {
        if (metric == "out_of_memory") run.outOfMemory = value.get<bool>();
        else run.figures.push_back({metric, value.get<double>(), number(predicted, metric), number(leftOut, metric)});
    }
    if (predicted.contains("out_of_memory")) run.predictedOutOfMemory = predicted.at("out_of_memory").get<bool>();
    run.scenario = wholeScenario(one.at("scenario"), run.id, models);
    return run;
}

} // namespace

std::string toText(const Evidence& evidence) {
    Shared sources, models;
    std::vector<Json> cases;
    for (const MeasuredRun& run : evidence.runs) cases.push_back(document(run, sources, models));
    std::string text = std::string("{\n\"format\": \"") + evidenceFormat + "\",\n\"about\": " + Json(about).dump() + ",\n";
    addList(text, "sources", sources.list());
    text += ",\n";
    addList(text, "models", models.list());
    text += ",\n";
    addList(text, "cases", cases);
    return text + "\n}\n";
}

Evidence evidenceFromText(std::string_view text) {
    std::string at = "the document";
    try {
        const Json document = Json::parse(text);
        if (document.at("format") != evidenceFormat) throw std::runtime_error(std::string("its format is not ") + evidenceFormat);
        Evidence evidence;
        for (const Json& one : document.at("cases")) {
            at = "run " + one.value("id", std::to_string(evidence.runs.size()));
            evidence.runs.push_back(readRun(one, document.at("sources"), document.at("models")));
        }
        return evidence;
    } catch (const std::exception& error) {
        throw std::runtime_error("evidence, " + at + ": " + error.what());
    }
}

} // namespace orrery
