#include "core/cost/operator_cost.hpp"

#include "core/cost/gemm_cost.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// Work that fused attention does and the FLOP rule does not count, or the other way round: a causal kernel skips the masked
/// half; backward makes the scores again (5 products where the rule counts 4; Dao 2023, section 3.1).
constexpr double causalShare = 0.5;
constexpr double backwardRemake = 5.0 / 4.0;
/// Backward's share of the rate that forward reaches (Dao 2023, figures 4 and 5: 1.2 to 1.5 times slower a FLOP).
constexpr double backwardRateOfForward = 0.8;
/// Assumed where the data sheet names no rate outside the matrix units: half of what a 2020 part has a byte of bandwidth.
constexpr double vectorFlopsPerByte = 5;

struct Terms {
    double compute = 0;
    double memory = 0;
    std::string computeFormula;
};

/// Peak and the share of it that large products reach. Without units for the format it runs at 16 bit.
std::pair<double, double> productRate(const CostModel& model, MatrixFormat format) {
    const KernelConstants& c = model.constants;
    switch (format) {
    case MatrixFormat::fp8:
        if (model.fp8Peak > 0) return {model.fp8Peak, c.gemmFp8RateOfPeak};
        break;
    case MatrixFormat::block_fp8:
        if (model.fp8Peak > 0) return {model.fp8Peak, c.gemmBlockFp8RateOfPeak};
        break;
    case MatrixFormat::nvfp4:
        if (model.fp4Peak > 0) return {model.fp4Peak, c.gemmFp4RateOfPeak};
        break;
    case MatrixFormat::sixteen_bit: break;
    }
    return {model.peak, c.gemmRateOfPeak};
}

Terms terms(const CostModel& model, const Operator& op) {
    Terms t;
    const double bandwidth = model.memoryBandwidth * model.constants.memoryRateOfPeak;
    const double bytes = op.bytesRead + op.bytesWritten;
    t.memory = bytes / bandwidth;
    switch (op.kind) {
    case OperatorKind::gemm:
    case OperatorKind::grouped_gemm:
    case OperatorKind::batched_gemm: {
        const auto [peak, rate] = productRate(model, op.format);
        const GemmMachine machine{peak, rate * model.constants.sustainedShare, bandwidth, model.multiprocessors};
        const GemmTime one = gemmTime(machine, op.shape, bytes);
        // The backward of a batched product is two products of the forward's size.
        t.compute = one.compute * op.kernels;
        t.memory = one.memory;
        t.computeFormula = "waves × (2 tile_m tile_n k/(peak × rate × sustained share/multiprocessors) + fill)";
        break;
    }
    case OperatorKind::attention: {
        double rate = model.peak * model.constants.attentionRateOfPeak * model.constants.sustainedShare;
        double work = op.flops * causalShare;
        if (op.phase == Phase::backward) {
            rate *= backwardRateOfForward;
            work *= backwardRemake;
        }
        t.compute = work / rate;
        t.computeFormula = "causal share × FLOP/(peak × attention rate × sustained share)";
        break;
    }
    default:
        t.compute = op.flops / model.vectorPeak;
        t.computeFormula = "FLOP/vector peak";
        break;
    }
    return t;
}

} // namespace

CostModel makeCostModel(const Accelerator& accelerator, const KernelConstants& constants, const std::string& precision) {
    CostModel model;
    const auto peakOf = [&](const std::string& format) {
        const auto peak = accelerator.peakDense.find(format);
        return peak != accelerator.peakDense.end() ? peak->second : 0;
    };
    // Training in 8 or 4 bits keeps everything but weights' products in bf16.
    model.peak = peakOf(precision == "fp16" ? "fp16" : "bf16");
    model.fp8Peak = peakOf("fp8");
    model.fp4Peak = peakOf("fp4");
    model.memoryBandwidth = accelerator.memoryBandwidth;
    model.vectorPeak =
        accelerator.vectorFp32 > 0 ? accelerator.vectorFp32 : accelerator.memoryBandwidth * vectorFlopsPerByte;
    model.multiprocessors = accelerator.multiprocessors;
    model.constants = constants;
    return model;
}

OperatorTime operatorTime(const CostModel& model, const Operator& op) {
    const Terms t = terms(model, op);
    const double launches = model.constants.kernelLaunch * op.kernels;
    const double work = std::max(t.compute, t.memory);
    OperatorTime result;
    result.time = work + launches;
    result.bound = launches > work ? Bound::latency : (t.compute >= t.memory ? Bound::compute : Bound::memory);
    return result;
}

Quantity explainOperatorTime(const CostModel& model, const Operator& op) {
    const Terms t = terms(model, op);
    const KernelConstants& constants = model.constants;
    const std::string origin = constants.inheritedFrom.empty() ? constants.citation.source
                                                               : "inherited from " + constants.inheritedFrom;
    Quantity compute{"compute", t.compute, "s", Source::roofline, t.computeFormula, "", {}};
    compute.inputs = {{"work", op.flops, "FLOP", Source::derived, "", "operator graph", {}},
                      {"peak", productRate(model, op.format).first, "FLOP/s", Source::given, "", "data sheet", {}},
                      {"rate of peak", op.kind == OperatorKind::attention ? constants.attentionRateOfPeak : productRate(model, op.format).second,
                       "1", Source::measured, "", origin, {}},
                      {"sustained share", constants.sustainedShare, "1", Source::assumed, "", "kernels.json: sustained_share_of_burst", {}}};
    Quantity memory{"memory", t.memory, "s", Source::roofline, "bytes/(bandwidth × memory rate)", "", {}};
    memory.inputs = {{"bytes", op.bytesRead + op.bytesWritten, "bytes", Source::derived, "", "operator graph", {}},
                     {"bandwidth", model.memoryBandwidth, "bytes/s", Source::given, "", "data sheet", {}},
                     {"memory rate", constants.memoryRateOfPeak, "1", Source::measured, "", origin, {}}};
    Quantity launch{"launch", constants.kernelLaunch * op.kernels, "s", Source::measured, "kernels × shortest kernel", origin, {}};
    return {op.name, operatorTime(model, op).time, "s", Source::roofline, "max(compute, memory) + launch", "",
            {std::move(compute), std::move(memory), std::move(launch)}};
}

} // namespace orrery
