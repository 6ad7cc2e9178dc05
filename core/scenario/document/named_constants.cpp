// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/named_constants.hpp"

#include "core/base/units.hpp"
#include "core/catalog/fitted_constants.hpp"

#include <array>
#include <cmath>
#include <string>

namespace orrery {
namespace {

constexpr const char* calibrationAt = "/execution/calibration/";

double inItsUnit(double value, double scale) { return std::round(value / scale * 1e6) / 1e6; }

bool isPooled(const std::map<std::string, FittedOn>& fitted, const char* name) {
    const auto found = fitted.find(name);
    return found != fitted.end() && found->second == FittedOn::others;
}

/// Rates and times of kernels that a table gives for some accelerators and a relative for others.
bool comesFromTables(const NamedConstant& constant) {
    return constant.ofMachine && (!generationConstant(constant.name) || constant.ofMachine == &KernelConstants::kernelLaunch);
}

} // namespace

const std::vector<NamedConstant>& namedConstants() {
    static const std::vector<NamedConstant> all = [] {
        using K = KernelConstants;
        std::vector<NamedConstant> list{
            {"gemm_rate_of_peak", 1, 0, 1, "Median share of the dense peak that large 16-bit matrix products reach.", &K::gemmRateOfPeak},
            {"gemm_fp8_rate_of_peak", 1, 0, 1, "The same in 8 bit with one scale a tensor, of the 8-bit peak.", &K::gemmFp8RateOfPeak},
            {"gemm_block_fp8_rate_of_peak", 1, 0, 1, "The same in 8 bit with block scales.", &K::gemmBlockFp8RateOfPeak},
            {"gemm_fp4_rate_of_peak", 1, 0, 1, "The same in 4 bit, of the 4-bit peak.", &K::gemmFp4RateOfPeak},
            {"memory_rate_of_peak", 1, 0, 1, "Share of the data-sheet memory bandwidth that products which stream their weights reach.",
             &K::memoryRateOfPeak},
            {"attention_rate_of_peak", 1, 0, 1, "Share of the dense peak that fused attention's forward reaches at long sequences.",
             &K::attentionRateOfPeak},
        };
        for (const FittedConstant<K>& constant : generationConstants())
            list.push_back({constant.name, constant.scale, constant.low, constant.high, constant.meaning, constant.member, nullptr});
        for (const FittedConstant<FrameworkProfile>& constant : profileConstants())
            list.push_back({constant.name, constant.scale, constant.low, constant.high, constant.meaning, nullptr, constant.member});
        for (const FittedConstant<ServingProfile>& constant : servingConstants())
            list.push_back({constant.name, constant.scale, constant.low, constant.high, constant.meaning, nullptr, nullptr, constant.member});
        using S = ServingProfile;
        constexpr double millisecond = 1e-3;
        const auto ofServing = [&list](const char* name, double scale, double low, double high, const char* meaning, double S::*member) {
            list.push_back({name, scale, low, high, meaning, nullptr, nullptr, member});
        };
        ofServing("front_end_ms", millisecond, 0.1, 5000, "What a request and its tokens take on the way between client and engine.", &S::frontEnd);
        ofServing("split_front_end_ms", millisecond, 0.1, 5000, "The same in front of separate instances for prefill and decode.", &S::splitFrontEnd);
        ofServing("prompt_stretch", 1, 0.2, 10, "How many times its kernels a serving step takes that runs prompts outside CUDA graphs.", &S::promptStretch);
        ofServing("decode_stretch", 1, 0.2, 10, "How many times its kernels any other serving step takes.", &S::decodeStretch);
        return list;
    }();
    return all;
}

void applyCalibration(const std::map<std::string, double>& values, KernelConstants& constants, FrameworkProfile& profile) {
    const KernelConstants tables = constants;
    for (const NamedConstant& constant : namedConstants()) {
        const auto given = values.find(constant.name);
        if (given == values.end()) continue;
        if (constant.ofMachine) constants.*constant.ofMachine = given->second * constant.scale;
        else if (constant.ofProfile) profile.*constant.ofProfile = given->second * constant.scale;
        if (!constant.ofServing) continue;
        profile.serving.*constant.ofServing = given->second * constant.scale;
        profile.sources[constant.name] = "measured (execution.calibration)";
    }
    // A machine whose memory streams weights slower streams everything slower, unless that was measured too.
    if (values.count("stream_rate_of_peak") == 0) constants.streamRate *= constants.memoryRateOfPeak / tables.memoryRateOfPeak;
    // Tables' times of the other rates are divided by what this machine reaches over theirs.
    using K = KernelConstants;
    // Rows scaled apart are a tensor's kernel with another epilogue, mxfp8 is scaled by blocks.
    const std::array<double K::*, matrixFormats> productRates{&K::gemmRateOfPeak, &K::gemmFp8RateOfPeak, &K::gemmFp8RateOfPeak,
                                                              &K::gemmBlockFp8RateOfPeak, &K::gemmBlockFp8RateOfPeak, &K::gemmFp4RateOfPeak};
    for (std::size_t format = 0; format < productRates.size(); ++format)
        constants.statedProductRate[format] = constants.*productRates[format] / tables.*productRates[format];
    constants.statedAttentionRate = constants.attentionRateOfPeak / tables.attentionRateOfPeak;
}

KernelConstants readConstants(FilledDocument& document, KernelConstants constants, Execution& execution) {
    FrameworkProfile& profile = execution.profile;
    // Most scenarios state none: then nothing need be copied to be put back.
    const bool stated = !execution.calibration.empty();
    const KernelConstants known = stated ? constants : KernelConstants{};
    const FrameworkProfile knownProfile = stated ? profile : FrameworkProfile{};
    if (stated) applyCalibration(execution.calibration, constants, profile);
    std::map<std::string, double> values = execution.calibration;
    for (const NamedConstant& constant : namedConstants()) {
        const std::string pointer = calibrationAt + std::string(constant.name);
        if (document.has(pointer)) continue;
        if (constant.ofServing) continue; // what the profile says of it stands there
        const double value = inItsUnit(constant.ofMachine ? constants.*constant.ofMachine : profile.*constant.ofProfile, constant.scale);
        std::string why;
        if (isPooled(constants.fitted, constant.name))
            why = "no measured runs on this generation of accelerators to fit it to; the middle of the other generations";
        else if (isPooled(profile.fitted, constant.name))
            why = "no measured runs with profile " + profile.id + " to fit it to; the middle of the other profiles";
        else if (comesFromTables(constant) && !constants.inheritedFrom.empty() && constants.fitted.count(constant.name) == 0)
            why = "not measured on this accelerator; taken from its relative " + constants.inheritedFrom;
        if (why.empty()) continue;
        document.assume(pointer, value, why);
        values[constant.name] = value;
    }
    if (values.size() == execution.calibration.size()) return constants;
    // What was assumed counts as listed, to its last digit: a scenario that writes it out gives the same bytes.
    if (stated) {
        constants = known;
        profile = knownProfile;
    }
    applyCalibration(values, constants, profile);
    return constants;
}

} // namespace orrery
