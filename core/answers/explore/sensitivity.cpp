// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/explore/sensitivity.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/parallel.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/listed_entries.hpp"
#include "core/network/network_speed.hpp"
#include "core/scenario/document/named_constants.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace orrery {
namespace {

using Inputs = std::vector<SensitivityInput>;

void addNumber(Inputs& inputs, const std::string& pointer, double value) {
    if (value > 0) inputs.push_back({pointer, value, {{pointer, value}}, {}, 0, 0});
}

/// What stands at a pointer, or is assumed there.
std::optional<double> numberAt(const Json& document, const Scenario& scenario, const std::string& pointer) {
    if (const Json* stated = valueAt(document, pointer)) return stated->is_number() ? std::optional(stated->get<double>()) : std::nullopt;
    for (const Assumption& assumption : scenario.assumed)
        if (assumption.pointer == pointer && assumption.value->is_number()) return assumption.value->get<double>();
    return std::nullopt;
}

void addShortLinks(Inputs& inputs, const Json& document, const Scenario& scenario) {
    for (const char* pointer : {"/cluster/scale_up/bandwidth_gb_s", "/cluster/scale_up/latency_us", "/cluster/scale_out/bandwidth_gb_s", "/cluster/scale_out/latency_us"})
        if (const auto value = numberAt(document, scenario, pointer)) addNumber(inputs, pointer, *value);
}

/// All links of a drawing together have one name, the network's speed; those that are drawn alike change together.
void addDrawnLinks(Inputs& inputs, const Json& document, const Scenario& scenario) {
    const Json* links = valueAt(document, "/cluster/topology/links");
    if (!links || !links->is_array()) return;
    const char* speed = "/cluster/scale_out/bandwidth_gb_s";
    const bool stated = valueAt(document, speed) != nullptr; // listed already, and links have only their shares of it
    if (!stated) addNumber(inputs, speed, networkSpeed(scenario.cluster.nodes, scenario.cluster.links) / units::gigabyte);
    const std::size_t first = inputs.size();
    std::map<std::tuple<std::string, double, double>, std::size_t> known;
    const auto number = [](const Json& link, const char* key) { return link.contains(key) && link[key].is_number() ? link[key].get<double>() : 0; };
    std::set<double> rates;
    for (const Json& link : *links) rates.insert(number(link, "bandwidth_gb_s"));
    for (const char* key : {"bandwidth_gb_s", "latency_us"})
        for (std::size_t i = 0; i < links->size(); ++i) {
            // Links of one rate are the network.
            if (std::string_view(key) == "bandwidth_gb_s" && (stated || rates.size() == 1)) break;
            const Json& link = (*links)[i];
            const double value = number(link, key);
            if (!(value > 0)) continue;
            const SensitivityInput::Place place{"/cluster/topology/links/" + std::to_string(i) + "/" + key, value};
            const auto [found, isNew] = known.emplace(std::tuple(std::string(key), number(link, "bandwidth_gb_s"), number(link, "latency_us")), inputs.size());
            if (isNew) addNumber(inputs, place.pointer, value);
            else inputs[std::max(first, found->second)].places.push_back(place);
        }
}

/// Numbers of an accelerator's entry that are rates. Those of one list (peaks by precision) change together.
constexpr const char* acceleratorRates[] = {"peak_dense_tflops", "vector_tflops", "memory_gb_per_s", "l2_gb_per_s", "host_link/gb_per_s_per_direction"};

void addRates(Inputs& inputs, const Json& entry, const std::string& at, const std::vector<ScenarioEdit>& writtenOut) {
    for (const char* rate : acceleratorRates) {
        const Json* value = valueAt(entry, std::string("/") + rate);
        if (!value) continue;
        SensitivityInput input{at + "/" + rate, 0, {}, writtenOut, 0, 0};
        if (value->is_number()) input.places.push_back({input.pointer, value->get<double>()});
        if (value->is_object())
            for (const auto& [key, peak] : value->items())
                if (peak.is_number()) input.places.push_back({input.pointer + "/" + key, peak.get<double>()});
        if (input.places.empty()) continue;
        // The peak that everybody quotes.
        const auto quoted = std::find_if(input.places.begin(), input.places.end(), [](const SensitivityInput::Place& place) { return place.pointer.ends_with("/bf16"); });
        input.value = (quoted == input.places.end() ? input.places.front() : *quoted).value;
        inputs.push_back(std::move(input));
    }
}

/// The one the short form names. Drawn hosts may name several; those are changed by editing the drawing.
void addAccelerator(Inputs& inputs, const Trials& trials) {
    const std::string at = "/cluster/accelerator";
    const Json* given = valueAt(trials.document(), at);
    if (!given) return;
    if (given->is_object() && !given->contains("preset")) return addRates(inputs, *given, at, {});
    if (!given->is_string()) return;
    const Accelerator* known = trials.catalog().accelerator(given->get<std::string>());
    if (!known) return;
    const Json entry = listedEntry(trials.catalog(), *known);
    addRates(inputs, entry, at, {{at, entry}});
}

/// A product rate that a scenario states is what lasts under that machine's own power limit (core/training/cost); the catalogue's is that of a burst, and
/// what lasts of it stands apart.
double lastingShare(const KernelConstants& kernels, double KernelConstants::*rate) {
    using K = KernelConstants;
    struct Lasting {
        double K::*rate;
        double K::*share;
        MatrixFormat format;
    };
    for (const Lasting& one : {Lasting{&K::gemmRateOfPeak, &K::sustainedShare, MatrixFormat::sixteen_bit}, Lasting{&K::gemmFp8RateOfPeak, &K::sustainedFp8Share, MatrixFormat::fp8},
                               Lasting{&K::gemmBlockFp8RateOfPeak, &K::sustainedFp8Share, MatrixFormat::block_fp8},
                               Lasting{&K::gemmFp4RateOfPeak, &K::sustainedFp4Share, MatrixFormat::nvfp4}})
        if (one.rate == rate) return kernels.statedProductRate[static_cast<std::size_t>(one.format)] == 1 ? kernels.*one.share * kernels.powerShare : 1;
    return 1;
}

void addEfficiencies(Inputs& inputs, const Scenario& scenario) {
    for (const NamedConstant& constant : namedConstants()) {
        const FrameworkProfile& profile = scenario.execution.profile;
        if (constant.ofServing && scenario.isTraining()) continue;
        double value = (constant.ofMachine ? scenario.kernels.*constant.ofMachine : constant.ofProfile ? profile.*constant.ofProfile
                                                                                                       : profile.serving.*constant.ofServing) /
                       constant.scale;
        if (constant.ofMachine) value *= lastingShare(scenario.kernels, constant.ofMachine);
        if (!(value > 0)) continue;
        const std::string pointer = std::string("/execution/calibration/") + constant.name;
        inputs.push_back({pointer, value, {{pointer, value}}, {}, constant.low, constant.high});
    }
}

} // namespace

std::vector<ScenarioEdit> SensitivityInput::times(double factor) const {
    std::vector<ScenarioEdit> edits = before;
    for (const Place& place : places) {
        double changed = place.value * factor;
        if (high > low) changed = std::min(changed, high);
        edits.push_back({place.pointer, changed});
    }
    return edits;
}

std::vector<SensitivityInput> sensitivityInputs(const Trials& trials, const Scenario& scenario) {
    Inputs inputs;
    addShortLinks(inputs, trials.document(), scenario);
    addDrawnLinks(inputs, trials.document(), scenario);
    addAccelerator(inputs, trials);
    addEfficiencies(inputs, scenario);
    return inputs;
}

namespace {

std::optional<double> numberIn(const Trial& trial, const Measure& measure) {
    if (!trial.result) return std::nullopt;
    const Json value = measured(*trial.result, measure);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

Problem notANumber(const Measure& measure, bool neverRan) {
    Problem problem;
    problem.code = "not-a-number";
    problem.pointer = measure.pointer;
    problem.message = "\"" + measure.name + "\" of the result " + (neverRan ? "has no figure: what it is of never ran." : "is no number.");
    problem.mend = neverRan ? "Simulate the scenario to see what stops it." : "Name a number of the result, such as /iteration_time_s.";
    return problem;
}

} // namespace

double SensitivityRow::swing(double base) const { return std::max(low ? std::abs(*low - base) : 0, high ? std::abs(*high - base) : 0); }

SensitivityRun sensitivity(const Trials& trials, const Measure& measure, double byPercent, const RunControl& control) {
    SensitivityRun run;
    const std::optional<Scenario> scenario = trials.read({}, run.problems);
    if (!scenario) return run;
    RunControl single;
    single.stop = control.stop;
    single.memoryCeiling = control.memoryCeiling;
    const Trial own = trials.run({}, single);
    const std::optional<double> base = numberIn(own, measure);
    if (!base) {
        if (!own.result) run.problems = own.problems;
        else run.problems = problemsOf({measure}, *own.result);
        if (run.problems.empty() && !control.stop.stop_requested()) run.problems.push_back(notANumber(measure, own.result && measured(*own.result, measure).is_null()));
        return run;
    }
    const std::vector<SensitivityInput> inputs = sensitivityInputs(trials, *scenario);
    Sensitivity result{measure, *base, byPercent, {}};
    for (const SensitivityInput& input : inputs) result.rows.push_back({input.pointer, input.value, {}, {}});
    std::mutex one;
    std::size_t done = 0;
    forEachIndex(2 * inputs.size(), control.threads, [&](std::size_t i) {
        if (control.stop.stop_requested()) return;
        const bool less = i % 2 == 0;
        SensitivityRow& row = result.rows[i / 2];
        (less ? row.low : row.high) = numberIn(trials.run(inputs[i / 2].times(1 + (less ? -byPercent : byPercent) / 100), single), measure);
        const std::lock_guard lock(one);
        if (control.progress) control.progress(double(++done) / double(2 * inputs.size()));
    });
    if (control.stop.stop_requested()) return run;
    std::stable_sort(result.rows.begin(), result.rows.end(), [&](const SensitivityRow& a, const SensitivityRow& b) { return a.swing(*base) > b.swing(*base); });
    run.sensitivity = std::move(result);
    return run;
}

Json sensitivityDocument(const Sensitivity& sensitivity) {
    const auto orNull = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    Json rows = Json::array();
    for (const SensitivityRow& row : sensitivity.rows) rows.push_back({{"input", row.input}, {"value", row.value}, {"low", orNull(row.low)}, {"high", orNull(row.high)}});
    return {{"format", "orrery-sensitivity/1"}, {"metric", sensitivity.measure.name}, {"value", sensitivity.base}, {"by_percent", sensitivity.byPercent}, {"rows", std::move(rows)}};
}

} // namespace orrery
