// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/chip_design.hpp"
#include "core/catalog/fitted_constants.hpp"
#include "core/catalog/records.hpp"

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
    result.kernelLaunch = number("kernel_launch_us", fallback.kernelLaunch / units::microsecond) * units::microsecond;
    // Where only 16-bit products were measured, narrower ones stand to them as they do elsewhere.
    const double asElsewhere = result.gemmRateOfPeak / fallback.gemmRateOfPeak;
    result.gemmFp8RateOfPeak = number("gemm_fp8_rate_of_peak", fallback.gemmFp8RateOfPeak * asElsewhere);
    result.gemmBlockFp8RateOfPeak = number("gemm_block_fp8_rate_of_peak", fallback.gemmBlockFp8RateOfPeak * asElsewhere);
    result.gemmFp4RateOfPeak = number("gemm_fp4_rate_of_peak", fallback.gemmFp4RateOfPeak * asElsewhere);
    result.sustainedFp8Share = result.sustainedBlockFp8Share = result.sustainedFp4Share = result.sustainedShare;
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

/// Matrix units that multiply fp4 take the scales of its blocks, and of 8-bit ones, as operands (OCP Microscaling Formats 1.0).
bool scalesBlocks(const Accelerator& chip) { return chip.peakDense.count("fp4") > 0; }

/// See KernelConstants::powerShare.
double powerShare(const Accelerator& chip, const Accelerator& relative) {
    const double own = peak16(chip), its = peak16(relative);
    if (chip.tdpWatts <= 0 || relative.tdpWatts <= 0 || own <= 0 || its <= 0) return 1;
    return std::min(1.0, std::sqrt((chip.tdpWatts / own) / (relative.tdpWatts / its)));
}

/// Kernels whose matrix units were cut go on as with whole ones until the units that are left limit them.
void cutUnits(KernelConstants& kernels, double left) {
    const double most = kernels.physics.cutUnitsRate;
    const auto cut = [left, most](double& rate, double& lasting) {
        const double whole = rate / left;
        rate = std::min(most, whole);
        lasting = std::min(1.0, lasting * whole / rate);
    };
    double attentionLasts = 1;
    cut(kernels.attentionRateOfPeak, attentionLasts);
    cut(kernels.gemmRateOfPeak, kernels.sustainedShare);
    cut(kernels.gemmFp8RateOfPeak, kernels.sustainedFp8Share);
    cut(kernels.gemmBlockFp8RateOfPeak, kernels.sustainedBlockFp8Share);
    cut(kernels.gemmFp4RateOfPeak, kernels.sustainedFp4Share);
}

/// The memory of whose rates these are keeps its codes among the data, or this one's does.
void takeMemory(KernelConstants& kernels, bool codes, bool itsCodes) {
    if (codes == itsCodes) return;
    const double share = kernels.physics.inlineEccShare;
    for (double* rate : {&kernels.memoryRateOfPeak, &kernels.streamRate}) *rate = std::min(1.0, *rate * (codes ? share : 1 / share));
}

} // namespace

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
    if (constants.blocksAsTensors) {
        constants.gemmBlockFp8RateOfPeak = constants.gemmFp8RateOfPeak;
        constants.sustainedBlockFp8Share = constants.sustainedFp8Share;
    }
    const Accelerator *listed = accelerator(wanted.id), *relative = accelerator(constants.inheritedFrom);
    if (relative) takeMemory(constants, wanted.inlineEcc, relative->inlineEcc);
    if (listed && relative)
        if (const double left = matrixUnitsLeft(*listed, *relative); left < 1) cutUnits(constants, left);
    return constants;
}

} // namespace orrery
