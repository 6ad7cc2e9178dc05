// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/kernel_constants.hpp"
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/fitted_constants.hpp"
#include "core/catalog/records.hpp"
#include "core/catalog/technology_design.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace orrery {
namespace records {
namespace {

/// A value of kernels.json, which must lie in its range.
double inKernelRange(const Json& value, const char* key, const Json& ranges) {
    const double number = value.get<double>();
    const Json& range = ranges.at(key);
    if (!(number >= range.at(0).get<double>() && number <= range.at(1).get<double>()))
        throw std::runtime_error("\"" + std::string(key) + "\" is " + value.dump() + ", out of its range");
    return number;
}

std::map<std::string, AttentionRates> attentionKernels(const Json& listed) {
    std::map<std::string, AttentionRates> result;
    for (const auto& [name, rates] : listed.items()) {
        const AttentionRates one{rates.at("rate_of_peak").get<double>(), rates.at("startup_keys").get<double>(), rates.at("half_rate_width").get<double>()};
        if (!(one.rateOfPeak > 0 && one.rateOfPeak <= 1 && one.startupKeys >= 0 && one.halfRateWidth >= 0))
            throw std::runtime_error("attention_kernels/" + name + " is out of its range");
        result[name] = one;
    }
    if (result.empty()) throw std::runtime_error("attention_kernels names none");
    return result;
}

} // namespace

KernelConstants kernels(const Json& record, const KernelConstants& fallback, const Json& ranges) {
    const auto number = [&](const char* key, double otherwise) {
        const auto found = record.find(key);
        return found == record.end() ? otherwise : inKernelRange(*found, key, ranges);
    };
    KernelConstants result = fallback;
    result.accelerator = record.at("accelerator").get<std::string>();
    result.gemmRateOfPeak = number("gemm_rate_of_peak", fallback.gemmRateOfPeak);
    result.sustainedShare = number("sustained_share_of_burst", fallback.sustainedShare);
    result.memoryRateOfPeak = number("memory_rate_of_peak", fallback.memoryRateOfPeak);
    result.attentionRateOfPeak = number("attention_rate_of_peak", fallback.attentionRateOfPeak);
    result.attentionBackwardRate = number("attention_backward_rate_of_forward", fallback.attentionBackwardRate);
    if (const auto listed = record.find("attention_kernels"); listed != record.end()) result.attentionKernels = attentionKernels(*listed);
    result.kernelLaunch = number("kernel_launch_us", fallback.kernelLaunch / units::microsecond) * units::microsecond;
    // Where only 16-bit products were measured, narrower ones stand to them as they do elsewhere.
    const double asElsewhere = result.gemmRateOfPeak / fallback.gemmRateOfPeak;
    result.gemmFp8RateOfPeak = number("gemm_fp8_rate_of_peak", fallback.gemmFp8RateOfPeak * asElsewhere);
    result.gemmBlockFp8RateOfPeak = number("gemm_block_fp8_rate_of_peak", fallback.gemmBlockFp8RateOfPeak * asElsewhere);
    result.gemmFp4RateOfPeak = number("gemm_fp4_rate_of_peak", fallback.gemmFp4RateOfPeak * asElsewhere);
    result.fp8QuantisingBytes = number("fp8_quantising_bytes", fallback.fp8QuantisingBytes);
    result.fp8Quantising = number("fp8_quantising_us", fallback.fp8Quantising / units::microsecond) * units::microsecond;
    result.blockFp8QuantisingBytes = number("block_fp8_quantising_bytes", fallback.blockFp8QuantisingBytes);
    result.fp4QuantisingBytes = number("fp4_quantising_bytes", fallback.fp4QuantisingBytes);
    result.fp4Quantising = number("fp4_quantising_us", fallback.fp4Quantising / units::microsecond) * units::microsecond;
    result.sustainedFp8Share = result.sustainedFp4Share = result.sustainedShare;
    result.streamRate = result.memoryRateOfPeak;
    result.anyOperandLayout = record.value("fp8_any_operand_layout", fallback.anyOperandLayout);
    result.citation = citation(record);
    if (result.citation.source.empty()) throw std::runtime_error("\"source\" is missing");
    return result;
}

KernelConstants defaultKernels(const Json& record, const Json& ranges) {
    for (const auto& [key, range] : ranges.items())
        if (!record.contains(key)) throw std::runtime_error("\"" + key + "\" is missing, and nothing else says what it is where no entry does");
    return kernels(record, KernelConstants{}, ranges);
}

} // namespace records

namespace {

double peak16(const Accelerator& accelerator) {
    for (const char* format : {"bf16", "fp16"})
        if (const auto peak = accelerator.peakDense.find(format); peak != accelerator.peakDense.end()) return peak->second;
    return 0;
}

/// See KernelConstants::powerShare.
double powerShare(const Accelerator& chip, const Accelerator& relative) {
    const double own = peak16(chip), its = peak16(relative);
    if (chip.tdpWatts <= 0 || relative.tdpWatts <= 0 || own <= 0 || its <= 0) return 1;
    return std::min(1.0, std::sqrt((chip.tdpWatts / own) / (relative.tdpWatts / its)));
}

/// Kernels whose matrix units were cut go on as with whole ones until the units that are left limit them.
void cutUnits(KernelConstants& kernels, double left) {
    // The rates are of median products; the best fill every wave.
    const double most = kernels.physics.cutUnitsRate, ofMedian = most / kernels.physics.fullWaveOverMedian;
    const auto cut = [left, ofMedian](double& rate, double& lasting) {
        const double whole = rate / left;
        rate = std::min(ofMedian, whole);
        lasting = std::min(1.0, lasting * whole / rate);
    };
    double attentionLasts = 1;
    cut(kernels.attentionRateOfPeak, attentionLasts);
    // What fused attention's kernels spend beside their products, exponentials above all, takes as long with fewer matrix units.
    for (auto& [name, rates] : kernels.attentionKernels) rates.rateOfPeak = std::min(most, 1 / (1 + (1 / rates.rateOfPeak - 1) * left));
    cut(kernels.gemmRateOfPeak, kernels.sustainedShare);
    cut(kernels.gemmFp8RateOfPeak, kernels.sustainedFp8Share);
    double blocksLast = kernels.sustainedFp8Share;
    cut(kernels.gemmBlockFp8RateOfPeak, blocksLast);
    cut(kernels.gemmFp4RateOfPeak, kernels.sustainedFp4Share);
}

/// The memory of whose rates these are keeps its codes among the data, or this one's does.
void takeMemory(KernelConstants& kernels, bool codes, bool itsCodes) {
    if (codes == itsCodes) return;
    const double share = kernels.physics.inlineEccShare;
    for (double* rate : {&kernels.memoryRateOfPeak, &kernels.streamRate}) *rate = std::min(1.0, *rate * (codes ? share : 1 / share));
}

} // namespace

double AttentionRates::shareOfPeak(double width, double keys, double startups) const {
    constexpr double statedWidth = 128; // of the heads that rateOfPeak is stated for
    const double ofWidth = width > 0 ? width / (width + halfRateWidth) * (statedWidth + halfRateWidth) / statedWidth : 1;
    return std::min(1.0, rateOfPeak * ofWidth) * (keys > 0 ? keys / (keys + startups * startupKeys) : 1);
}

KernelConstants Catalog::kernels(const Accelerator& wanted) const {
    const auto named = [this](std::string_view id) {
        return std::find_if(kernels_.begin(), kernels_.end(), [id](const KernelConstants& k) { return k.accelerator == id; });
    };
    auto found = named(wanted.id);
    if (found != kernels_.end()) {
        KernelConstants own = *found;
        calibrate(own, calibration_);
        if (const Accelerator* listed = accelerator(wanted.id)) takeMemory(own, wanted.inlineEcc, listed->inlineEcc);
        return own;
    }
    if (const auto standIn = standIns_.find(wanted.id); standIn != standIns_.end()) {
        found = named(standIn->second);
    } else {
        // Whose relative a listed accelerator is does not follow from what a scenario states of it.
        const Accelerator* listed = accelerator(wanted.id);
        const Accelerator& known = listed ? *listed : wanted;
        int nearest = 0;
        for (auto candidate = kernels_.begin(); candidate != kernels_.end(); ++candidate) {
            const Accelerator* relative = accelerator(candidate->accelerator);
            if (!relative || relative->vendor != known.vendor || known.vendor.empty()) continue;
            const int distance = std::abs(relative->releaseYear - known.releaseYear);
            if (found == kernels_.end() || distance < nearest) {
                found = candidate;
                nearest = distance;
            }
        }
        if (found == kernels_.end()) found = named("default");
    }
    KernelConstants constants = found != kernels_.end() ? *found : KernelConstants{};
    constants.inheritedFrom = constants.accelerator.empty() ? "default" : constants.accelerator;
    constants.accelerator = wanted.id;
    if (const Accelerator* relative = accelerator(constants.inheritedFrom)) {
        constants.powerShare = powerShare(wanted, *relative);
        constants.blocksAsTensors = scalesBlocks(wanted) && !scalesBlocks(*relative);
    }
    calibrate(constants, calibration_);
    if (constants.blocksAsTensors) constants.gemmBlockFp8RateOfPeak = constants.gemmFp8RateOfPeak;
    const Accelerator *listed = accelerator(wanted.id), *relative = accelerator(constants.inheritedFrom);
    if (relative) takeMemory(constants, wanted.inlineEcc, relative->inlineEcc);
    if (listed && relative)
        if (const double left = matrixUnitsLeft(*listed, *relative); left < 1) cutUnits(constants, left);
    return constants;
}

} // namespace orrery
