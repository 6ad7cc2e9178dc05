// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/fitting.hpp"
#include "core/base/parallel.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

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

namespace {

using GroupKey = std::pair<KernelKind, std::string>;

GroupKey groupOf(const MeasuredCall& measured) { return {measured.call.kind, formatLabel(measured.call)}; }

double quantile(std::vector<double>& sorted, double share) {
    const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
    return sorted[std::min(at, sorted.size() - 1)];
}

/// Which implementation's rows may stand for each other.
std::uint64_t sort(const KernelCall& call) {
    return (std::uint64_t(call.kind) << 24) | (std::uint64_t(call.format) << 16) | (std::uint64_t(call.cache) << 8) | call.variant;
}

/// A hash of the columns that make the call's shape.
std::uint64_t shapeHash(const KernelCall& call) {
    KernelCall shape;
    shape.kind = call.kind;
    const auto sizes = sizeColumns(call.kind);
    std::size_t at = 0;
    for (const std::string_view column : shapeColumns(call.kind)) {
        const auto found = std::find(sizes.begin(), sizes.end(), column);
        shape.sizes[at++] = found == sizes.end() ? call.variant & 3 : call.sizes[static_cast<std::size_t>(found - sizes.begin())];
    }
    return hashOf(shape);
}

struct Neighbours {
    std::vector<const MeasuredCall*> rows;
    std::vector<std::array<float, 9>> places;
    std::vector<double> physical;
};

std::array<float, 9> placeOf(const KernelCall& call) {
    std::array<float, 9> place;
    for (std::size_t i = 0; i < place.size(); ++i) place[i] = static_cast<float>(std::log2(call.sizes[i] + 1));
    return place;
}

double physicalTime(const OperatorMachine& machine, const KernelCall& call) {
    Features features;
    describeCall(machine, call, features);
    double sum = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, features.termCount); ++i) sum += features.terms[i];
    return sum;
}

} // namespace

std::vector<OperatorErrors> operatorErrors(const std::vector<SystemTables>& systems, const CallTime& time, const RowFilter& judge) {
    std::vector<OperatorErrors> result;
    for (const SystemTables& system : systems) {
        std::map<GroupKey, std::pair<std::vector<double>, std::size_t>> groups;
        for (const KernelTable& table : system.tables) {
            for (std::size_t i = 0; i < table.calls.size();) {
                const MeasuredCall& first = table.calls[i];
                const bool judged = !judge || judge(system, first);
                double measured = 0, predicted = 0;
                bool known = true;
                for (; i < table.calls.size() && table.calls[i].row == first.row; ++i) {
                    if (!judged) continue;
                    const auto seconds = time(system, table.calls[i].call);
                    known = known && seconds;
                    measured += table.calls[i].seconds;
                    predicted += seconds.value_or(0);
                }
                if (!judged) continue;
                auto& [errors, refused] = groups[groupOf(first)];
                if (known) errors.push_back(100 * std::abs(predicted / measured - 1));
                else ++refused;
            }
        }
        for (auto& [key, group] : groups) {
            auto& [errors, refused] = group;
            OperatorErrors row{system.name, std::string(toString(key.first)), key.second, errors.size(), refused, 0, 0};
            if (!errors.empty()) {
                std::sort(errors.begin(), errors.end());
                row.median = quantile(errors, 0.5);
                row.p90 = quantile(errors, 0.9);
            }
            result.push_back(std::move(row));
        }
    }
    return result;
}

CallTime timesOf(const OperatorPredictor& predictor, const std::vector<SystemTables>& systems, const Catalog& catalog) {
    auto machines = std::make_shared<std::map<const SystemTables*, PredictorMachine>>();
    for (const SystemTables& system : systems) (*machines)[&system] = predictor.machine(*system.accelerator, catalog);
    return [&predictor, machines](const SystemTables& system, const KernelCall& call) -> std::optional<double> {
        const auto prediction = predictor.predict(machines->at(&system), call);
        return prediction ? std::optional(prediction->seconds) : std::nullopt;
    };
}

CallTime rooflineTimes(const std::vector<SystemTables>& systems) {
    auto machines = std::make_shared<std::map<const SystemTables*, OperatorMachine>>();
    for (const SystemTables& system : systems) (*machines)[&system] = operatorMachine(*system.accelerator);
    return [machines](const SystemTables& system, const KernelCall& call) -> std::optional<double> {
        const OperatorMachine& machine = machines->at(&system);
        Features features;
        describeCall(machine, call, features);
        return std::max(features.roofline, machine.launch);
    };
}

ShapePart dealShapes(const std::vector<SystemTables>& systems, std::size_t parts) {
    auto dealt = std::make_shared<std::map<KernelKind, std::map<std::uint64_t, std::size_t>>>();
    for (const SystemTables& system : systems)
        for (const KernelTable& table : system.tables)
            for (const MeasuredCall& measured : table.calls) (*dealt)[table.kind][shapeHash(measured.call)] = 0;
    for (auto& [kind, shapes] : *dealt) {
        std::size_t at = 0;
        for (auto& [hash, part] : shapes) part = at++ % parts;
    }
    return [dealt](const KernelCall& call) { return dealt->at(call.kind).at(shapeHash(call)); };
}

RowFilter largestFifth(const std::vector<SystemTables>& systems) {
    using Limits = std::map<std::pair<const SystemTables*, GroupKey>, double>;
    auto limits = std::make_shared<Limits>();
    for (const SystemTables& system : systems) {
        std::map<GroupKey, std::vector<double>> sizes;
        for (const KernelTable& table : system.tables)
            for (const MeasuredCall& measured : table.calls) sizes[groupOf(measured)].push_back(measured.call.sizes[growingSize(table.kind)]);
        for (auto& [key, values] : sizes) {
            std::sort(values.begin(), values.end());
            (*limits)[{&system, key}] = quantile(values, 0.8);
        }
    }
    return [limits](const SystemTables& system, const MeasuredCall& measured) {
        return measured.call.sizes[growingSize(measured.call.kind)] > limits->at({&system, groupOf(measured)});
    };
}

CallTime nearestNeighbours(const std::vector<SystemTables>& systems, const RowFilter& known,
                           const std::map<const SystemTables*, const SystemTables*>& searched) {
    using Index = std::map<std::pair<const SystemTables*, std::uint64_t>, Neighbours>;
    auto index = std::make_shared<Index>();
    for (const SystemTables& system : systems) {
        const OperatorMachine machine = operatorMachine(*system.accelerator);
        for (const KernelTable& table : system.tables) {
            for (const MeasuredCall& measured : table.calls) {
                if (known && !known(system, measured)) continue;
                Neighbours& neighbours = (*index)[{&system, sort(measured.call)}];
                neighbours.rows.push_back(&measured);
                neighbours.places.push_back(placeOf(measured.call));
                neighbours.physical.push_back(physicalTime(machine, measured.call));
            }
        }
    }
    return [index, searched](const SystemTables& system, const KernelCall& call) -> std::optional<double> {
        const auto other = searched.find(&system);
        const auto found = index->find({other == searched.end() ? &system : other->second, sort(call)});
        if (found == index->end()) return std::nullopt;
        const Neighbours& neighbours = found->second;
        const std::array<float, 9> place = placeOf(call);
        constexpr std::size_t wanted = 4;
        std::array<std::pair<float, std::size_t>, wanted> nearest;
        nearest.fill({1e30F, 0});
        for (std::size_t r = 0; r < neighbours.rows.size(); ++r) {
            float distance = 0;
            for (std::size_t i = 0; i < place.size(); ++i) distance += (place[i] - neighbours.places[r][i]) * (place[i] - neighbours.places[r][i]);
            if (distance >= nearest.back().first) continue;
            nearest.back() = {distance, r};
            std::sort(nearest.begin(), nearest.end());
        }
        const double physical = physicalTime(operatorMachine(*system.accelerator), call);
        double sum = 0, weights = 0;
        for (std::size_t i = 0; i < std::min(wanted, neighbours.rows.size()); ++i) {
            const auto [distance, r] = nearest[i];
            const double weight = 1 / (std::sqrt(static_cast<double>(distance)) + 1e-3);
            sum += weight * std::log(neighbours.rows[r]->seconds / neighbours.physical[r]);
            weights += weight;
        }
        return physical * std::exp(sum / weights);
    };
}

const SystemTables* nearestSystem(const SystemTables& alone, const std::vector<SystemTables>& systems) {
    std::vector<const Accelerator*> candidates;
    for (const SystemTables& system : systems)
        if (&system != &alone) candidates.push_back(system.accelerator);
    const Accelerator* nearest = nearestRelative(*alone.accelerator, candidates);
    const auto found = std::find_if(systems.begin(), systems.end(), [&](const SystemTables& system) { return &system != &alone && system.accelerator == nearest; });
    return found == systems.end() ? nullptr : &*found;
}

} // namespace orrery
