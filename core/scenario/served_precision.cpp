// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/served_precision.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace orrery {

bool statesPeak(const Accelerator& accelerator, std::string_view format) {
    const auto found = accelerator.peakDense.find(std::string(format));
    return found != accelerator.peakDense.end() && found->second > 0;
}

ServedArithmetic servedArithmetic(const FrameworkProfile& profile, const Accelerator& accelerator, Precision precision) {
    const PrecisionTraits& traits = traitsOf(precision);
    const bool sixteenBit = statesPeak(accelerator, "bf16") || statesPeak(accelerator, "fp16");
    const bool namesWeights = traits.infers && (!traits.trains || traits.freezesWeights);
    if (namesWeights ? sixteenBit : statesPeak(accelerator, traits.peak)) return ServedArithmetic::as_named;
    const std::vector<std::string>& widened = profile.serving.weightOnly;
    const bool widens = accelerator.vendor == "NVIDIA" && statesPeak(accelerator, "bf16") && std::find(widened.begin(), widened.end(), traits.word) != widened.end();
    return widens ? ServedArithmetic::weights_only : ServedArithmetic::none;
}

} // namespace orrery
