// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"
#include "core/catalog/accelerator.hpp"
#include "core/catalog/kernel_constants.hpp"
#include "core/model/graph.hpp"
#include "core/model/timed_operator.hpp"
#include "core/operators/kernel_times.hpp"
#include "core/operators/roofline.hpp"
#include "core/scenario/precisions.hpp"

#include <memory>
#include <optional>
#include <string>

namespace orrery {

struct Scenario;

/// Everything the time of a kernel depends on besides the kernel. Plain values, so that a caller may change one for a what-if.
struct CostModel {
    double peak = 0;    ///< dense FLOP/s of the workload's 16-bit format on the matrix units
    double fp8Peak = 0; ///< 0: it has no such units
    double fp4Peak = 0;
    double vectorPeak = 0;      ///< FLOP/s outside them
    double memoryBandwidth = 0; ///< data-sheet bytes/s
    RooflineMachine chip;       ///< its memory levels; rates come from `constants`
    KernelConstants constants;
    std::optional<AttentionRates> attentionKernel;  ///< that training's fused attention runs; none: as the tables' kernels of inference
    double attentionShare = 1;                      ///< FrameworkProfile::attentionShare, times PhysicsConstants::eightBitAttentionRate where it applies
    double elementwiseTraffic = 1;                  ///< FrameworkProfile::elementwiseTraffic
    bool quantisesApart = false;                    ///< graphs have the quantisation of operands that tables' products hold too
    bool loopsExperts = false;                      ///< ExpertProfile::loopsProducts
    std::shared_ptr<const KernelTimes> kernelTimes; ///< measured and predicted ones; null: everything by roofline
    std::shared_ptr<const CostModel> asFound;       ///< of KernelTimes::foundOn(); null where there is none
};

CostModel makeCostModel(const Accelerator& accelerator, const KernelConstants& constants, Precision precision);
/// The same with what the scenario's software and the tables of kernels add.
CostModel costModelOf(const Scenario& scenario);

/// The kernels of fused attention that a plan runs, as kernels.json names them: what it chose, else the first of its profile's that the
/// accelerator has.
std::string attentionKernelOf(const Scenario& scenario);

struct OperatorTime {
    double time = 0; ///< s, launch included
    Bound bound = Bound::compute;
    Source source = Source::roofline;
    double beyond = 0; ///< octaves outside what the predictor was fitted to
};

/// Seconds one rank's accelerator takes for an operator that is no collective. By what is known best:
/// - products and fused attention by the time of the same kernel call in a user's table (measured) or by the predictor fitted to tables
///   (predicted), stretched where matrix units bound it to what they sustain in training (KernelConstants::sustainedShare);
/// - else the larger of arithmetic and memory time, by shape (core/operators for products), plus the shortest time a kernel lasts.
/// Traffic must have been settled.
OperatorTime operatorTime(const CostModel& model, const Operator& op);

/// The same number with its formula and inputs.
Quantity explainOperatorTime(const CostModel& model, const Operator& op);

} // namespace orrery
