// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/fitting.hpp"

#include "core/base/parallel.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// Names of the folders of ai-dynamo/aiconfigurator.
constexpr std::pair<std::string_view, std::string_view> folders[]{
    {"a100_sxm", "a100-sxm4-80gb"},
    {"h100_sxm", "h100-sxm5-80gb"},
    {"h200_sxm", "h200-sxm-141gb"},
    {"b200_sxm", "b200-sxm-180gb"},
    {"b300_sxm", "b300-sxm"},
};

/// Accelerators whose multiprocessors do within this many octaves of the same work a second are of one generation: 2.9 TFLOP/s a
/// multiprocessor on Ampere, 7.5 on Hopper, 15 to 16.4 on Blackwell.
constexpr double oneGeneration = 0.15;
/// A model of fewer rows would say nothing.
constexpr std::size_t leastRows = 20;

double rate(const Accelerator& accelerator) {
    const OperatorMachine machine = operatorMachine(accelerator);
    return std::log2(machine.peak16 / machine.multiprocessors);
}

} // namespace

const Accelerator* acceleratorOfFolder(std::string_view folder, const Catalog& catalog) {
    for (const auto& [name, id] : folders)
        if (name == folder) return catalog.accelerator(id);
    return catalog.accelerator(folder);
}

OperatorPredictor fitPredictor(const std::vector<SystemTables>& systems, int threads, const RowFilter& keep) {
    std::vector<OperatorPredictor::Family> families;
    std::vector<double> rates;
    std::vector<OperatorMachine> machines;
    std::map<ModelKey, std::vector<TrainingRow>> rows;
    machines.reserve(systems.size()); // rows point into it
    for (const SystemTables& system : systems) {
        machines.push_back(operatorMachine(*system.accelerator));
        std::vector<std::pair<ModelKey, TrainingRow>> own;
        std::size_t family = 0;
        while (family < rates.size() && std::abs(rates[family] - rate(*system.accelerator)) > oneGeneration) ++family;
        const int place = family < families.size() ? static_cast<int>(families[family].accelerators.size()) : 0;
        for (const KernelTable& table : system.tables)
            for (const MeasuredCall& measured : table.calls)
                if (isFitted(table.kind) && (!keep || keep(system, measured))) own.push_back({modelKey(measured.call, static_cast<int>(family)), {&measured, &machines.back(), place}});
        if (own.empty()) continue;
        if (family == families.size()) {
            families.push_back({system.accelerator->id, {}});
            rates.push_back(rate(*system.accelerator));
        }
        families[family].accelerators.push_back(system.accelerator->id);
        for (auto& [key, row] : own) rows[key].push_back(row);
    }
    // Largest first, so that no thread is left alone with one at the end.
    std::vector<std::pair<ModelKey, const std::vector<TrainingRow>*>> tasks;
    for (const auto& [key, taken] : rows)
        if (taken.size() >= leastRows) tasks.emplace_back(key, &taken);
    std::stable_sort(tasks.begin(), tasks.end(), [](const auto& a, const auto& b) { return a.second->size() > b.second->size(); });
    std::vector<std::optional<OperatorModel>> fitted(tasks.size());
    forEachIndex(tasks.size(), threads, [&](std::size_t i) { fitted[i] = OperatorModel::fit(*tasks[i].second); });
    std::map<ModelKey, OperatorModel> models;
    for (std::size_t i = 0; i < tasks.size(); ++i) models.emplace(tasks[i].first, std::move(*fitted[i]));
    return {std::move(families), std::move(models)};
}

} // namespace orrery
