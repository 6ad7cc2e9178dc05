// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/extension/contents.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

namespace orrery::live {
namespace {

constexpr double shareNoise = 0.01; ///< standard deviation, relative to the share
constexpr double startDeviation = 0.02;

/// SplitMix64 (Steele, Lea, Flood 2014), which needs no state beside a counter.
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

/// Even noise of mean 0 and the given standard deviation: no far values, whatever the seed.
std::vector<float> noise(std::int64_t count, double mean, double deviation, std::uint64_t seed) {
    std::vector<float> values(static_cast<std::size_t>(count));
    const double width = deviation * std::sqrt(12.0);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(mean + width * (static_cast<double>(mixed(seed + i) >> 11) * 0x1p-53 - 0.5));
    return values;
}

std::uint64_t seedOf(const ContentRules& rules, std::uint64_t stream) { return mixed(mixed(rules.seed) ^ stream); }

bool isFloating(const at::Tensor& tensor) { return at::isFloatingType(tensor.scalar_type()); }

} // namespace

std::string completeReduction(at::Tensor& sum, Reduction reduction, std::int64_t realMembers, std::int64_t members, Contents contents) {
    const bool isSum = reduction == Reduction::sum, isAverage = reduction == Reduction::average;
    if (!isFloating(sum)) {
        if (isAverage && realMembers > 1) sum.floor_divide_(realMembers);
        return {};
    }
    if (!isSum && !isAverage) return {};
    double factor = 1;
    if (isSum) factor = contents == Contents::zeros ? 1 : static_cast<double>(members) / static_cast<double>(realMembers);
    else factor = contents == Contents::zeros ? 1.0 / static_cast<double>(members) : 1.0 / static_cast<double>(realMembers);
    if (factor == 1) return {};
    if (sum.scalar_type() != at::kHalf || factor < 1) {
        sum.mul_(factor);
        return {};
    }
    // 65,504 is the largest number of IEEE 754's binary16.
    const auto* values = sum.is_contiguous() ? sum.data_ptr<at::Half>() : nullptr;
    double largest = 0;
    for (std::int64_t i = 0; values != nullptr && i < sum.numel(); ++i) largest = std::max(largest, std::abs(static_cast<double>(values[i])));
    sum.mul_(factor);
    if (largest <= 65504 && largest * factor > 65504) return "a float16 sum over " + std::to_string(members) + " ranks goes beyond 65504: it is infinite at this world size";
    return {};
}

void fillAsVirtual(at::Tensor target, const at::Tensor* own, const ContentRules& rules, std::uint64_t stream) {
    const bool hasShare = own != nullptr && own->numel() == target.numel();
    if (!isFloating(target)) {
        if (hasShare) target.copy_(own->view(target.sizes()));
        else target.zero_();
        return;
    }
    if (rules.contents == Contents::zeros) {
        target.zero_();
        return;
    }
    if (hasShare) {
        target.copy_(own->view(target.sizes()));
        receiveAsVirtual(target, rules, stream);
        return;
    }
    std::vector<float> values = noise(target.numel(), 0, startDeviation, seedOf(rules, stream));
    target.copy_(at::from_blob(values.data(), target.sizes(), at::kFloat));
}

void receiveAsVirtual(at::Tensor target, const ContentRules& rules, std::uint64_t stream) {
    if (!isFloating(target)) return;
    if (rules.contents == Contents::zeros) {
        target.zero_();
        return;
    }
    std::vector<float> values = noise(target.numel(), 1, shareNoise, seedOf(rules, stream));
    target.mul_(at::from_blob(values.data(), target.sizes(), at::kFloat));
}

} // namespace orrery::live
