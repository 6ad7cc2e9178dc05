#pragma once

#include "core/base/provenance.hpp"
#include "core/catalog/catalog.hpp"
#include "core/model/graph.hpp"
#include "core/report/timeline.hpp"

#include <string>

namespace orrery {

/// Everything the time of a kernel depends on besides the kernel. Plain values, so that a caller may change one for a what-if.
struct CostModel {
    double peak = 0;       ///< dense FLOP/s of the workload's 16-bit format on the matrix units
    double fp8Peak = 0;    ///< 0: it has no such units
    double fp4Peak = 0;
    double vectorPeak = 0; ///< FLOP/s outside them
    double memoryBandwidth = 0; ///< data-sheet bytes/s
    int multiprocessors = 1;
    KernelConstants constants;
};

CostModel makeCostModel(const Accelerator& accelerator, const KernelConstants& constants, const std::string& precision);

struct OperatorTime {
    double time = 0; ///< s, launch included
    Bound bound = Bound::compute;
    Source source = Source::roofline;
};

/// Seconds one rank's accelerator takes for an operator that is no collective: the larger of arithmetic and memory time, by
/// shape (gemm_cost.hpp for products), plus the shortest time a kernel lasts. Traffic must have been settled.
OperatorTime operatorTime(const CostModel& model, const Operator& op);

/// The same number with its formula and inputs.
Quantity explainOperatorTime(const CostModel& model, const Operator& op);

} // namespace orrery
