// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.hpp"
#include "core/cost/cost_terms.hpp"

#include <utility>

namespace orrery {
namespace {

std::string originOf(const KernelConstants& constants) {
    return constants.inheritedFrom.empty() ? constants.citation.source : "inherited from " + constants.inheritedFrom;
}

Quantity serialQuantity(double seconds) {
    return {"traffic not hidden", seconds, "s", Source::roofline, "bytes/(bandwidth × memory rate): sums that a gradient is added to, matrices of experts after the first", "", {}};
}

Quantity explainTabled(const CostModel& model, const Operator& op, const TabledTime& known) {
    const bool measured = known.call.source == Source::measured;
    std::string origin = measured ? "your own table" : "operators.bin, fitted to tables of measured kernels";
    const std::string& relative = model.kernelTimes->relative();
    if (!measured && !relative.empty()) origin += " of " + relative + ", its nearest relative with tables";
    if (known.call.beyond > 0) origin += "; " + formatNumber(known.call.beyond) + " octaves outside the sizes they hold";
    Quantity call{"kernel", known.call.seconds, "s", known.call.source, "", origin, {}};
    Quantity times{"times", known.times, "1", Source::derived, op.phase == Phase::backward && op.kind == OperatorKind::attention ? "5 products for forward's 2" : "calls of the table's kernel that do the operator's work", "", {}};
    Quantity share{"share of the rate", known.share, "1", Source::predicted, "", "calibration.json: what training sustains of the rate in short loops", {}};
    Quantity bound{"bound by matrix units", known.bound, "1", Source::derived, "share of the peak reached/that of large calls", "", {}};
    Quantity result{op.name, known.time(), "s", known.call.source, "kernel × times × (1 + (1/share - 1) × bound)", "", {std::move(call), std::move(times), std::move(share), std::move(bound)}};
    if (known.serial > 0) {
        result.formula += " + traffic not hidden";
        result.inputs.push_back(serialQuantity(known.serial));
    }
    return result;
}

Quantity explainRoofline(const CostModel& model, const Operator& op) {
    const RooflineTerms t = rooflineTerms(model, op);
    const KernelConstants& c = model.constants;
    const std::string origin = originOf(c);
    const bool product = isProduct(op.kind), attention = op.kind == OperatorKind::attention;
    const ProductRate rate = productRate(model, op.format);
    Quantity compute{"compute", t.compute, "s", Source::roofline, "FLOP/vector peak", "", {}};
    compute.inputs.push_back({"work", op.flops, "FLOP", Source::derived, "", "operator graph", {}});
    if (product || attention) {
        compute.formula = product ? "waves × 2 tile_m tile_n k/(peak × rate × sustained share/multiprocessors)"
                                  : "causal share × FLOP/(peak × attention rate × sustained share × share of it)";
        compute.inputs.push_back({"peak", rate.peak, "FLOP/s", Source::given, "", "data sheet", {}});
        compute.inputs.push_back({"rate of peak", attention ? c.attentionRateOfPeak : rate.ofPeak, "1", Source::measured, "", origin, {}});
        compute.inputs.push_back({"sustained share", rate.sustained, "1", Source::predicted, "", "calibration.json", {}});
        if (attention) compute.inputs.push_back({"share of it", attentionFactor(model, op), "1", Source::predicted, "", "calibration.json", {}});
    } else {
        compute.inputs.push_back({"vector peak", model.vectorPeak, "FLOP/s", Source::given, "", "data sheet", {}});
    }
    const bool streams = !product && c.streamRate > 0;
    Quantity memory{"memory", t.memory, "s", Source::roofline, product ? "bytes/(bandwidth × memory rate)" : "bytes × traffic/(bandwidth × memory rate)", "", {}};
    memory.inputs = {{"bytes", op.bytesRead + op.bytesWritten, "bytes", Source::derived, "", "operator graph", {}},
                     {"bandwidth", model.memoryBandwidth, "bytes/s", Source::given, "", "data sheet", {}},
                     {"memory rate", streams ? c.streamRate : c.memoryRateOfPeak, "1", streams ? Source::predicted : Source::measured, "", streams ? "calibration.json" : origin, {}}};
    if (!product && !op.trafficCounted)
        memory.inputs.push_back({"traffic", model.elementwiseTraffic, "1", Source::predicted, "", "calibration.json: of the framework's kernels", {}});
    if (const double scattered = scatterRate(model, op); scattered != 1) {
        memory.formula += "/rate of scattered rows";
        memory.inputs.push_back({"rate of scattered rows", scattered, "1", Source::measured, "", c.physics.sourceOf(&PhysicsConstants::permuteRate), {}});
    }
    Quantity launch{"launch", t.launch, "s", Source::measured, "kernels × shortest kernel", origin, {}};
    Quantity result{op.name, t.time(), "s", Source::roofline, "max(compute, memory) + launch", "", {std::move(compute), std::move(memory), std::move(launch)}};
    if (t.serial > 0) {
        result.formula = "max(compute, memory) + traffic not hidden + launch";
        result.inputs.push_back(serialQuantity(t.serial));
    }
    return result;
}

} // namespace

Quantity explainOperatorTime(const CostModel& model, const Operator& op) {
    if (const auto known = tabledTime(model, op)) return explainTabled(model, op, *known);
    return explainRoofline(model, op);
}

} // namespace orrery
