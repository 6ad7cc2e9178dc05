// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/fitted_constants.hpp"

#include "core/base/units.hpp"

#include <algorithm>
#include <optional>

namespace orrery {
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
const FittedConstant<ServingProfile>* servingConstant(std::string_view name) { return named(servingConstants(), name); }

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
