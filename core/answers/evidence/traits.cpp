// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/traits.hpp"

#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double frameworkWeight = 1;
constexpr double kindWeight = 2;   // errors of models with experts are of another size
constexpr double queuedWeight = 2; // as are errors of what waits in a queue
constexpr double likeAcceleratorWeight = 0.5;
constexpr double otherAcceleratorWeight = 1;
constexpr double bitsWeight = 0.3;
constexpr double familyWeight = 0.2;
constexpr double scaleWeight = 0.5; // of the number of accelerators
constexpr double sizeWeight = 0.3;  // of the model
constexpr double scaleOctaves = 6;

constexpr double sameLine = 0.25; ///< of a framework's distance, within a year and for each year

constexpr double likePeak = 0.5;      ///< octaves
constexpr double likeBandwidth = 1.0; ///< octaves

double octaves(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : scaleOctaves; }

double peak16(const Accelerator& accelerator) {
    for (const Precision precision : {Precision::bf16, Precision::fp16})
        if (const auto found = accelerator.peakDense.find(std::string(traitsOf(precision).peak)); found != accelerator.peakDense.end()) return found->second;
    return 0;
}

constexpr int wholeBits = 16; ///< of products in no smaller format

int bitsOf(Precision precision) { return std::min(wholeBits, traitsOf(precision).bits()); }
int bitsOf(std::string_view word) {
    const auto precision = fromText<Precision>(word);
    return precision ? bitsOf(*precision) : wholeBits;
}

void describe(RunTraits& traits, const Accelerator& accelerator) {
    traits.accelerator = accelerator.id;
    traits.vendor = accelerator.vendor;
    traits.peak16 = peak16(accelerator);
    traits.bandwidth = accelerator.memoryBandwidth;
}

void describe(RunTraits& traits, const FrameworkProfile& profile) {
    traits.framework = profile.id;
    traits.line = profile.line;
    traits.year = profile.year;
}

double scaleGap(double a, double b) { return std::min(1.0, octaves(a, b) / scaleOctaves); }

} // namespace

RunTraits traitsOf(const Scenario& scenario) {
    RunTraits traits;
    describe(traits, scenario.cluster.accelerator);
    describe(traits, scenario.execution.profile);
    traits.kind = scenario.model.experts ? "moe" : "dense";
    traits.family = scenario.model.modelType;
    traits.queued = std::holds_alternative<ServingWorkload>(scenario.workload);
    traits.bits = bitsOf(scenario.precision());
    traits.accelerators = scenario.parallelism.ranks();
    traits.parameters = scenario.model.parameters();
    return traits;
}

RunTraits traitsOf(const MeasuredRun& run, const Catalog& catalog) {
    RunTraits traits;
    traits.accelerator = run.accelerator;
    if (const Accelerator* accelerator = catalog.accelerator(run.accelerator)) describe(traits, *accelerator);
    traits.framework = run.framework;
    if (const FrameworkProfile* profile = catalog.framework(run.framework)) describe(traits, *profile);
    traits.kind = run.kind;
    traits.family = run.family;
    traits.queued = run.queued;
    traits.bits = bitsOf(run.precision);
    traits.accelerators = run.accelerators;
    traits.parameters = run.parameters;
    return traits;
}

AcceleratorLikeness likeness(const RunTraits& one, const RunTraits& other) {
    // A chip that has another's name and other rates, by technology or by hand, is not the one that was measured.
    const auto unlike = [](double a, double b) { return a > 0 && b > 0 && a != b; };
    const bool altered = unlike(one.peak16, other.peak16) || unlike(one.bandwidth, other.bandwidth);
    if (!one.accelerator.empty() && one.accelerator == other.accelerator && !altered) return AcceleratorLikeness::same;
    const bool like = !one.vendor.empty() && one.vendor == other.vendor && octaves(one.peak16, other.peak16) <= likePeak &&
                      octaves(one.bandwidth, other.bandwidth) <= likeBandwidth;
    return like ? AcceleratorLikeness::like : AcceleratorLikeness::other;
}

double frameworkDistance(const RunTraits& one, const RunTraits& other) {
    if (one.framework == other.framework) return 0;
    if (one.line.empty() || one.line != other.line) return 1;
    return std::min(1.0, sameLine * (1 + std::abs(one.year - other.year)));
}

double distance(const RunTraits& one, const RunTraits& other) {
    double sum = frameworkWeight * frameworkDistance(one, other);
    if (one.kind != other.kind) sum += kindWeight;
    if (one.queued != other.queued) sum += queuedWeight;
    switch (likeness(one, other)) {
    case AcceleratorLikeness::same: break;
    case AcceleratorLikeness::like: sum += likeAcceleratorWeight; break;
    case AcceleratorLikeness::other: sum += otherAcceleratorWeight; break;
    }
    if (one.bits != other.bits) sum += bitsWeight;
    if (one.family != other.family) sum += familyWeight;
    return sum + scaleWeight * scaleGap(one.accelerators, other.accelerators) + sizeWeight * scaleGap(one.parameters, other.parameters);
}

} // namespace orrery
