// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/chip_design.hpp"

namespace orrery {
namespace {

/// Peaks of chips of one design are stated at clocks that differ by up to a fifth from the boost clock beside them: less than this part of
/// the units is a cut.
constexpr double wholeDespiteClocks = 0.75;

/// 16-bit FLOPs that one multiprocessor does a clock; 0 when unknown.
double flopsPerClock(const Accelerator& chip) {
    if (chip.multiprocessors <= 0 || chip.boostClock <= 0) return 0;
    for (const char* format : {"bf16", "fp16"})
        if (const auto peak = chip.peakDense.find(format); peak != chip.peakDense.end()) return peak->second / chip.multiprocessors / chip.boostClock;
    return 0;
}

} // namespace

bool sameMultiprocessor(const Accelerator& a, const Accelerator& b) {
    if (a.vendor != b.vendor || a.sharedBytes <= 0 || a.registerBytes <= 0) return false;
    if (a.sharedBytes != b.sharedBytes || a.registerBytes != b.registerBytes) return false;
    for (const char* format : {"fp8", "fp4"})
        if (a.peakDense.count(format) != b.peakDense.count(format)) return false;
    return true;
}

double matrixUnitsLeft(const Accelerator& chip, const Accelerator& relative) {
    const double own = flopsPerClock(chip), its = flopsPerClock(relative);
    if (own <= 0 || its <= 0 || !sameMultiprocessor(chip, relative)) return 1;
    return own < wholeDespiteClocks * its ? own / its : 1;
}

} // namespace orrery
