// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verbs/prepared_estimates.hpp"

#include "app/common/user_catalog.hpp"
#include "core/answers/search/plan_survey.hpp"
#include "core/base/json.hpp"
#include "core/network/routing/bisection.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// Sets of changes that something is kept of: a caller who changes ever more keys is not to fill the memory.
constexpr std::size_t mostKept = 64;
/// Values of one key that a reader of plans is made for.
constexpr std::size_t mostValues = 256;

Json estimateDocument(const Scenario& scenario, const Estimate& estimate) {
    const double tokens = double(scenario.training().globalBatch) * scenario.training().sequenceLength / estimate.iterationTime;
    return {{"format", "orrery-estimate/1"},
            {"method", "estimate"},
            {"kind", "training"},
            {"iteration_time_s", estimate.iterationTime},
            {"tokens_per_s", tokens},
            {"tokens_per_s_per_accelerator", tokens / scenario.parallelism.ranks()},
            {"memory", {{"capacity_bytes", scenario.cluster.accelerator.memoryBytes}, {"peak_bytes", estimate.devicePeak}}},
            {"fits", estimate.fits}};
}

/// Names a set of changes: the keys, and their values where these matter.
std::string nameOf(const std::vector<ScenarioEdit>& changes, bool withValues) {
    std::string name;
    for (const ScenarioEdit& change : changes) {
        name.append(change.pointer).append("\n");
        if (withValues) name.append(change.value->dump(-1, ' ', false, Json::error_handler_t::replace)).append("\n");
    }
    return name;
}

template <typename Value> Value& keptAt(std::map<std::string, Value>& kept, const std::string& name) {
    if (kept.size() >= mostKept && !kept.contains(name)) kept.clear();
    return kept[name];
}

} // namespace

PreparedEstimates::PreparedEstimates(Catalog catalog, Json document, FileReader readFile)
    : catalog_(std::move(catalog)), trials_(std::move(document), catalog_, std::move(readFile)) {}

PreparedEstimates::~PreparedEstimates() = default;

std::unique_ptr<PreparedEstimates> PreparedEstimates::of(const std::string& path, Problems& problems) {
    LoadedDocument loaded = loadDocument(path);
    problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
    if (!loaded.document || hasErrors(loaded.problems)) return nullptr;
    Catalog catalog = userCatalog(problems);
    std::unique_ptr<PreparedEstimates> estimates(new PreparedEstimates(std::move(catalog), std::move(*loaded.document), std::move(loaded.readFile)));
    return estimates->trials_.read({}, problems) ? std::move(estimates) : nullptr;
}

const Scenario* PreparedEstimates::read(Family& family, const std::vector<ScenarioEdit>& plan, const std::vector<ScenarioEdit>& others, const std::vector<ScenarioEdit>& changes, Problems& problems) {
    family.keys.resize(plan.size());
    std::vector<std::size_t> numbers;
    bool isNew = false, isSeen = !plan.empty();
    for (std::size_t i = 0; i < plan.size(); ++i) {
        PlanKey& key = family.keys[i];
        key.pointer = plan[i].pointer;
        const auto found = std::find(key.values.begin(), key.values.end(), plan[i].value);
        numbers.push_back(static_cast<std::size_t>(found - key.values.begin()));
        if (found != key.values.end()) continue;
        isNew = true;
        isSeen = isSeen && key.values.size() < mostValues;
    }
    if (isNew && isSeen) {
        std::vector<PlanKey> keys = family.keys;
        for (std::size_t i = 0; i < plan.size(); ++i)
            if (numbers[i] == keys[i].values.size()) keys[i].values.push_back(plan[i].value);
        // A value that none can have would leave the others without a reader.
        if (std::unique_ptr<PlanReader> reader = trials_.planReader(others, keys)) {
            family.keys = std::move(keys);
            family.reader = std::move(reader);
        } else {
            isSeen = false;
        }
    }
    if (isSeen && family.reader && family.reader->read(numbers).empty()) return &family.reader->scenario();
    family.whole = trials_.read(changes, problems);
    return family.whole ? &*family.whole : nullptr;
}

std::optional<Json> PreparedEstimates::at(const std::vector<ScenarioEdit>& changes, Problems& problems) {
    std::vector<ScenarioEdit> plan, others;
    for (const ScenarioEdit& change : changes) (isOfPlan(change.pointer) ? plan : others).push_back(change);
    Ground& ground = keptAt(grounds_, nameOf(others, true));
    const Scenario* const scenario = read(keptAt(ground.families, nameOf(plan, false)), plan, others, changes, problems);
    if (!scenario || !scenario->isTraining() || scenario->recorded()) return std::nullopt;
    if (!ground.isUnhindered) {
        RoutedFabric fabric(scenario->cluster);
        ground.isUnhindered = hasFullBisection(fabric);
    }
    if (!*ground.isUnhindered) return std::nullopt;
    const std::optional<Estimate> estimate = ground.estimates.estimate(*scenario);
    if (!estimate) return std::nullopt;
    return estimateDocument(*scenario, *estimate);
}

} // namespace orrery
