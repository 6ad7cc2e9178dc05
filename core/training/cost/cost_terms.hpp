// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/cost/operator_cost.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace orrery {

/// What operatorTime() is made of, for it and for its explanation.

/// A format's peak, FLOP/s, the share of it that large products reach in short loops, the share of that which training sustains, and what
/// the scenario states of this machine over the tables' ones.
struct ProductRate {
    double peak = 0, ofPeak = 0, sustained = 1, stated = 1;
};

/// Without units for the format, or with none that are faster, it runs at the rate of 16 bit.
ProductRate productRate(const CostModel& model, MatrixFormat format);

/// The share of a rate that a call keeps on an accelerator whose figures are stated otherwise than listed. Power limits the clock by what units do:
/// where they are stated to be faster, within the same watts, a call loses of their clock only as far as it ends sooner.
double lastingShare(const CostModel& model, double share, const KernelCall& call);

bool isProduct(OperatorKind kind);

/// Seconds of memory traffic that a product's arithmetic does not hide: sums that a weight gradient is added to, and the matrices of
/// experts' products.
double serialTraffic(const CostModel& model, const Operator& op);

/// PhysicsConstants::permuteRate, or 1 for an operator that puts no rows elsewhere.
double scatterRate(const CostModel& model, const Operator& op);

/// The rate that attention's arithmetic runs at over forward's in the tables.
double attentionFactor(const CostModel& model, const Operator& op);

/// Whether an operator is fused attention by a kernel of training, which no table of inference times.
bool byTrainingKernel(const CostModel& model, const Operator& op);
/// Share of the 16-bit peak that fused attention's arithmetic runs at.
double attentionRateOfPeak(const CostModel& model, const Operator& op);

/// Seconds by data sheet and rates.
struct RooflineTerms {
    double compute = 0, memory = 0, serial = 0, launch = 0;

    double work() const { return (compute > memory ? compute : memory) + serial; }
    double time() const { return work() + launch; }
};

RooflineTerms rooflineTerms(const CostModel& model, const Operator& op);

/// The kernels that do the work of a fused attention of training one by one: products that write or read the whole matrix of scores, and the
/// softmax between them. Empty of other operators, and where the fused kernel's `seconds` are fewer than such a softmax takes alone.
std::vector<Operator> unfusedKernels(const CostModel& model, const Operator& op, double seconds);

/// A kernel's time by tables, and what training makes of it.
struct TabledTime {
    KernelTime call;   ///< of one equivalent call, in a short loop
    double times = 1;  ///< as long the operator takes
    double share = 1;  ///< of the rate in the tables that is left
    double bound = 1;  ///< share of the time that matrix units bound
    double serial = 0; ///< s of traffic that the arithmetic does not hide
    double least = 0;  ///< s that its arithmetic takes on matrix units that nothing else holds up
    bool isMemory = false;
    bool isPart = false;       ///< of a kernel that does the work of several operators: `times` is the operator's share of it
    double work = 0, peak = 0; ///< FLOP that the kernel does, and FLOP/s that the matrix units can at most: no share of a rate leads beyond

    double byTable() const { return std::max(least, call.seconds * times * (1 + (1 / share - 1) * bound)) + serial; }
    bool isBeyondPeak() const { return peak > 0 && byTable() * peak < work; }
    double time() const { return isBeyondPeak() ? work / peak : byTable(); }
};

/// Nothing where neither a table nor a fit knows the operator.
std::optional<TabledTime> tabledTime(const CostModel& model, const Operator& op);

} // namespace orrery
