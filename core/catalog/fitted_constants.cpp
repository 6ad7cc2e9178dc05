// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/fitted_constants.hpp"
#include "core/base/json.hpp"
#include "core/base/units.hpp"

#include <algorithm>
#include <optional>
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

namespace {

template <typename Owner>
const FittedConstant<Owner>* named(const std::vector<FittedConstant<Owner>>& table, std::string_view name) {
    const auto found = std::find_if(table.begin(), table.end(), [name](const FittedConstant<Owner>& row) { return row.name == name; });
    return found == table.end() ? nullptr : &*found;
}

/// What follows from the entry's own value of the constant's kin.
template <typename Owner>
std::optional<double> ofKin(const std::vector<FittedConstant<Owner>>& table, const FittedConstant<Owner>& constant, const CalibrationEntry* entry, const ConstantValues& pooled) {
    if (!entry || !constant.kin) return std::nullopt;
    for (const FittedConstant<Owner>& kin : table) {
        if (kin.member != constant.kin) continue;
        const auto own = entry->constants.find(kin.name), elsewhere = pooled.find(kin.name);
        if (own != entry->constants.end() && elsewhere != pooled.end()) return own->second * pooled.at(constant.name) / elsewhere->second;
    }
    return std::nullopt;
}

template <typename Owner>
void put(const std::vector<FittedConstant<Owner>>& table, const CalibrationEntry* entry, const ConstantValues& pooled, Owner& owner) {
    owner.fitted.clear();
    for (const FittedConstant<Owner>& constant : table) {
        double& value = owner.*constant.member;
        if (constant.ofCatalogue && value == 0) continue;
        if (entry) {
            if (const auto own = entry->constants.find(constant.name); own != entry->constants.end()) {
                value = own->second * constant.scale;
                owner.fitted[constant.name] = FittedOn::own;
                continue;
            }
        }
        const auto shared = pooled.find(constant.name);
        if (shared == pooled.end()) continue;
        if (const auto carried = ofKin(table, constant, entry, pooled)) {
            value = std::clamp(*carried, constant.low, constant.high) * constant.scale;
            owner.fitted[constant.name] = FittedOn::own;
            continue;
        }
        value = constant.ofCatalogue ? std::clamp(value * shared->second, constant.low * constant.scale, constant.high * constant.scale)
                                     : shared->second * constant.scale;
        owner.fitted[constant.name] = FittedOn::others;
    }
}

} // namespace

const std::vector<FittedConstant<KernelConstants>>& generationConstants() {
    using K = KernelConstants;
    static const std::vector<FittedConstant<K>> table{
        {"sustained_share_of_burst", "1", 1, 0.5, 1, 0.15, false, true,
         "Share of the rates of 16-bit products, which are measured in short loops, that is kept under the continuous load of training "
         "(clock under the power limit).",
         &K::sustainedShare, &K::sustainedFp8Share},
        {"sustained_fp8_share_of_burst", "1", 1, 0.4, 1, 0.1, false, true,
         "The same of products in 8 bit, whatever one scaling factor covers.", &K::sustainedFp8Share, &K::sustainedShare},
        {"sustained_fp4_share_of_burst", "1", 1, 0.3, 1, 0.15, false, true,
         "The same of products in 4 bit.", &K::sustainedFp4Share, &K::sustainedFp8Share},
        {"attention_rate_of_burst", "1", 1, 0.3, 1.4, 0.1, false, true,
         "Rate of fused attention in training over that of its kernels by themselves (kernels.json, attention_kernels).", &K::attentionShare},
        {"attention_backward_rate_of_forward", "1", 1, 0.3, 1.2, 0.2, false, true,
         "Rate a FLOP of fused attention's backward over its forward's, both on endless sequences.",
         &K::attentionBackwardRate},
        {"stream_rate_of_peak", "1", 1, 0.3, 1, 0.15, true, true,
         "Share of the data-sheet memory bandwidth that kernels reach which only read and write: norms, activations, optimizer steps.",
         &K::streamRate},
        {"scale_up_share_of_library", "1", 1, 0.2, 1.2, 0.25, false, true,
         "Share of the communication library's measured rate inside a scale-up domain that collectives of a training job keep.",
         &K::scaleUpShare},
        {"scale_out_share_of_library", "1", 1, 0.1, 1.2, 0.35, false, true, "The same between domains.", &K::scaleOutShare},
        {"overlap_slowdown", "1", 1, 1, 2, 0.2, false, true,
         "Times as long as alone that a kernel takes while a collective of its rank runs beside it; a send slows a quarter as much.", &K::overlapSlowdown},
        {"kernel_launch_us", "us", units::microsecond, 0.5, 20, 0.3, true, true,
         "The shortest a kernel lasts, and what every kernel adds to the next one's start.", &K::kernelLaunch},
    };
    return table;
}

const std::vector<FittedConstant<FrameworkProfile>>& profileConstants() {
    using P = FrameworkProfile;
    static const std::vector<FittedConstant<P>> table{
        {"attention_share", "1", 1, 0.2, 1.5, 0.1, false, true,
         "Rate of the framework's attention over that of the kernels it runs: what its version was short of the measured one.",
         &P::attentionShare},
        {"elementwise_traffic", "1", 1, 0.3, 4, 0.4, false, true,
         "Bytes that kernels which are no matrix products move over those that the fusions named in the profile leave.",
         &P::elementwiseTraffic},
        {"host_launch_us", "us", units::microsecond, 0.5, 200, 1.5, true, false, "What the host takes to launch one kernel.", &P::hostLaunch},
        {"expert_host_us", "us", units::microsecond, 1, 60, 0.5, true, false,
         "What the host takes to launch one expert's part of a grouped product.", &P::expertHost},
        {"iteration_overhead_s", "s", 1, 0.0001, 0.3, 0.8, true, false,
         "What an iteration takes besides its kernels: data loader, logging, synchronisation with the host.", &P::iterationOverhead},
    };
    return table;
}

const std::vector<FittedConstant<ServingProfile>>& servingConstants() {
    using S = ServingProfile;
    static const std::vector<FittedConstant<S>> table{
        {"step_host_us", "us", units::microsecond, 10, 50000, 0.8, false, false,
         "What the host takes for a step beside its kernels: scheduling, inputs, sampling's synchronisation.", &S::stepHost},
        {"sequence_host_us", "us", units::microsecond, 0.1, 1000, 0.8, false, false,
         "What the host takes for each sequence in a step: its bookkeeping, sampling, text.", &S::sequenceHost},
    };
    return table;
}

const FittedConstant<KernelConstants>* generationConstant(std::string_view name) { return named(generationConstants(), name); }
const FittedConstant<FrameworkProfile>* profileConstant(std::string_view name) { return named(profileConstants(), name); }

void calibrate(KernelConstants& constants, const Calibration& calibration) {
    const CalibrationEntry* generation = calibration.generationOf(constants.accelerator);
    constants.generation = generation ? generation->id : "";
    put(generationConstants(), generation, calibration.pooledGeneration, constants);
}

void calibrate(FrameworkProfile& profile, const Calibration& calibration) {
    const CalibrationEntry* entry = calibration.profile(profile.id);
    // What is no ratio to the catalogue is of kernels.
    const CalibrationEntry* alike = profile.kernelsAs.empty() ? nullptr : calibration.profile(profile.kernelsAs);
    const auto asAlike = [&](const FittedConstant<FrameworkProfile>& constant) { return alike && !constant.ofCatalogue && alike->constants.contains(constant.name); };
    ConstantValues pooled = calibration.pooledProfile;
    for (const FittedConstant<FrameworkProfile>& constant : profileConstants())
        if (asAlike(constant)) pooled[constant.name] = alike->constants.find(constant.name)->second;
    put(profileConstants(), entry, pooled, profile);
    for (const auto& [name, on] : profile.fitted)
        profile.sources[name] = on == FittedOn::own               ? "fitted to measured runs (calibration.json)"
                                : asAlike(*profileConstant(name)) ? "fitted to measured runs of " + profile.kernelsAs + ", whose kernels it runs (calibration.json)"
                                                                  : "the middle of the profiles with measured runs (calibration.json)";
    if (!entry) return;
    for (const FittedConstant<ServingProfile>& constant : servingConstants()) {
        const auto own = entry->constants.find(constant.name);
        if (own == entry->constants.end()) continue;
        profile.serving.*constant.member = own->second * constant.scale;
        profile.sources[constant.name] = "fitted to measured requests";
    }
}

} // namespace orrery
