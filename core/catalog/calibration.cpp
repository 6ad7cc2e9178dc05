// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/calibration.hpp"

#include "core/base/json.hpp"
#include "core/catalog/fitted_constants.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace orrery {
namespace {

constexpr const char* calibrationFormat = "orrery-calibration/1";
constexpr const char* pooledId = "default";

const CalibrationEntry* byId(const std::vector<CalibrationEntry>& list, std::string_view id) {
    const auto found = std::find_if(list.begin(), list.end(), [id](const CalibrationEntry& entry) { return entry.id == id; });
    return found == list.end() ? nullptr : &*found;
}

/// The pooled value of a constant that the catalogue knows is a ratio; then only a typing mistake is caught.
template <typename Owner>
void check(const FittedConstant<Owner>* constant, const std::string& name, double value, bool pooled) {
    if (!constant) throw std::runtime_error("unknown constant " + name);
    const bool ratio = pooled && constant->ofCatalogue;
    if (!(value >= (ratio ? 0.01 : constant->low) && value <= (ratio ? 100 : constant->high)))
        throw std::runtime_error(name + " is out of its range");
}

template <typename Find>
void readEntries(const Json& list, const char* key, Find find, std::vector<CalibrationEntry>& entries, ConstantValues& pooled) {
    std::string place = key;
    try {
        for (const Json& record : list) {
            CalibrationEntry entry;
            entry.id = record.at("id").get<std::string>();
            place = std::string(key) + " \"" + entry.id + "\"";
            if (byId(entries, entry.id)) throw std::runtime_error("is there twice");
            entry.cases = record.value("cases", 0);
            if (record.contains("accelerators")) entry.accelerators = record.at("accelerators").get<std::vector<std::string>>();
            for (const auto& [name, value] : record.at("constants").items()) {
                check(find(name), name, value.template get<double>(), entry.id == pooledId);
                entry.constants[name] = value.template get<double>();
            }
            if (entry.id == pooledId) pooled = std::move(entry.constants);
            else entries.push_back(std::move(entry));
        }
    } catch (const std::exception& error) {
        throw std::runtime_error("calibration, " + place + ": " + error.what());
    }
}

Json constantsJson(const ConstantValues& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = value;
    return object;
}

} // namespace

const CalibrationEntry* Calibration::generationOf(std::string_view accelerator) const {
    for (const CalibrationEntry& entry : generations)
        if (std::find(entry.accelerators.begin(), entry.accelerators.end(), accelerator) != entry.accelerators.end()) return &entry;
    return nullptr;
}

const CalibrationEntry* Calibration::profile(std::string_view id) const { return byId(profiles, id); }

Calibration Calibration::fromText(std::string_view text) {
    const Json document = Json::parse(text);
    if (document.value("format", "") != calibrationFormat)
        throw std::runtime_error(std::string("calibration: the format is not ") + calibrationFormat);
    Calibration calibration;
    readEntries(document.at("generations"), "generation", generationConstant, calibration.generations, calibration.pooledGeneration);
    readEntries(document.at("profiles"), "profile", profileConstant, calibration.profiles, calibration.pooledProfile);
    std::set<std::string> seen;
    for (const CalibrationEntry& entry : calibration.generations)
        for (const std::string& accelerator : entry.accelerators)
            if (!seen.insert(accelerator).second) throw std::runtime_error("calibration: accelerator " + accelerator + " is in two generations");
    return calibration;
}

Json toJson(const Calibration& calibration) {
    Json document;
    document["format"] = calibrationFormat;
    document["about"] = Json::array(
        {"Constants fitted to measured runs by `orrery-cli calibrate`: of each generation of accelerators, shared by all runs on it, and of each "
         "framework profile. Names, units, ranges and meanings: core/catalog/fitted_constants.cpp.",
         "A generation or profile that is not listed, or a constant that it leaves out, takes the value of \"default\", the middle of the fitted "
         "ones; of stream_rate_of_peak, kernel_launch_us, host_launch_us and iteration_overhead_s that is a ratio to what kernels.json and "
         "frameworks.json say. Without either the constant is as those files say."});
    const auto list = [](const std::vector<CalibrationEntry>& entries, const ConstantValues& pooled, bool accelerators) {
        Json records = Json::array();
        for (const CalibrationEntry& entry : entries) {
            Json record{{"id", entry.id}, {"constants", constantsJson(entry.constants)}};
            if (accelerators) record["accelerators"] = entry.accelerators;
            if (entry.cases > 0) record["cases"] = entry.cases;
            records.push_back(std::move(record));
        }
        records.push_back({{"id", pooledId}, {"constants", constantsJson(pooled)}});
        return records;
    };
    document["generations"] = list(calibration.generations, calibration.pooledGeneration, true);
    document["profiles"] = list(calibration.profiles, calibration.pooledProfile, false);
    return document;
}

} // namespace orrery
