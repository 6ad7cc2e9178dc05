// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/variant_runs.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <utility>

namespace orrery {

VariantRuns::VariantRuns(SimulationSteps steps, QObject* parent) : QObject(parent), steps_(std::move(steps)) {
    connect(&worker_, &ExploreWorker::finished, this, [this] { started_.clear(); });
}

std::string VariantRuns::keyOf(const Json& document) {
    if (!document.is_object()) return document.dump();
    static const std::set<std::string, std::less<>> notLookedAt{"name", "notes", "variants", "measures", "search", "view"};
    std::string looked;
    for (const auto& [key, value] : document.items())
        if (!notLookedAt.contains(key)) looked += Json(key).dump() + ':' + value.dump() + ',';
    return looked;
}

void VariantRuns::want(std::vector<BoxedJson> documents, FileReader readFile, double memoryCeiling) {
    documents_ = std::move(documents);
    readFile_ = std::move(readFile);
    memoryCeiling_ = memoryCeiling;
    keys_.clear();
    keys_.reserve(documents_.size());
    for (const BoxedJson& document : documents_) keys_.push_back(keyOf(*document));
    std::erase_if(runs_, [this](const auto& run) { return std::find(keys_.begin(), keys_.end(), run.first) == keys_.end(); });
}

void VariantRuns::take(const Json& document, const ResultPtr& result) {
    const std::string key = keyOf(document);
    if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) keep(key, {result, {}});
}

void VariantRuns::keep(const std::string& key, Run run) {
    if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) return;
    runs_[key] = std::move(run);
    emit changed();
}

void VariantRuns::start() {
    std::vector<std::pair<std::string, BoxedJson>> missing;
    std::set<std::string> wanted;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (runs_.contains(keys_[i]) || !wanted.insert(keys_[i]).second) continue;
        Json document = *documents_[i];
        document.erase("variants"); // each is checked by itself, and not once for each of the others
        missing.emplace_back(keys_[i], std::move(document));
    }
    if (std::includes(started_.begin(), started_.end(), wanted.begin(), wanted.end())) return;
    started_ = std::move(wanted);
    worker_.start([this, missing = std::move(missing), steps = steps_, readFile = readFile_](const RunControl& asked, const ExploreWorker::Deliver& deliver) {
        RunControl control = asked;
        control.progress = {};
        for (const auto& [key, document] : missing) {
            if (control.stop.stop_requested()) return;
            Run run;
            ScenarioReading reading = steps.read(*document, readFile);
            Problems problems = std::move(reading.problems);
            if (reading.scenario && !hasErrors(problems)) {
                Outcome outcome = steps.simulate(*reading.scenario, control);
                if (outcome.cancelled) return;
                run.result = std::move(outcome.result);
                problems = std::move(outcome.problems);
            }
            if (!run.result) {
                const auto first = std::find_if(problems.begin(), problems.end(), [](const Problem& problem) { return problem.severity == Severity::error; });
                run.problem = first == problems.end() ? tr("It gives no result.") : QString::fromStdString(first->message);
            }
            deliver([this, key = key, run = std::move(run)] { keep(key, run); });
        }
    },
                  memoryCeiling_);
}

const VariantRuns::Run* VariantRuns::find(std::size_t index) const {
    if (index >= keys_.size()) return nullptr;
    const auto found = runs_.find(keys_[index]);
    return found == runs_.end() ? nullptr : &found->second;
}

ResultPtr VariantRuns::result(std::size_t index) const {
    const Run* run = find(index);
    return run ? run->result : nullptr;
}

QString VariantRuns::problem(std::size_t index) const {
    const Run* run = find(index);
    return run ? run->problem : QString();
}

} // namespace orrery
