#include "core/cost/cost_terms.hpp"

#include "core/cost/gemm_cost.hpp"
#include "core/cost/kernel_calls.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// Work that fused attention does and the FLOP rule does not count, or the other way round: a causal kernel skips the masked
/// half; backward makes the scores again (5 products where the rule counts 4; Dao 2023, section 3.1).
constexpr double causalShare = 0.5;
constexpr double backwardRemake = 5.0 / 4.0;
/// Share of the rate that single products keep which are not aligned; assumed, from vendors' tuning guides.
constexpr double unalignedShare = 0.5;

/// Strided batches (heads of unfused attention) whose width is no multiple of 16 bytes find no kernel on the matrix units.
double unalignedPeak(const CostModel& model, const ProductRate& rate, OperatorKind kind) {
    return kind == OperatorKind::batched_gemm ? std::min(model.vectorPeak, rate.peak) : rate.peak * unalignedShare;
}

} // namespace

ProductRate productRate(const CostModel& model, MatrixFormat format) {
    const KernelConstants& c = model.constants;
    const ProductRate sixteenBit{model.peak, c.gemmRateOfPeak, c.sustainedShare * c.powerShare, c.statedProductRate[0]};
    // Units that multiply a narrow format no faster than 16 bit (TPU v6e's fp8) gain nothing, but nobody chooses a slower way either.
    const auto narrow = [&](double peak, double ofPeak, double sustained) {
        if (peak * ofPeak < sixteenBit.peak * sixteenBit.ofPeak) return sixteenBit;
        return ProductRate{peak, ofPeak, sustained * c.powerShare, c.statedProductRate[static_cast<std::size_t>(format)]};
    };
    switch (format) {
    case MatrixFormat::fp8: return narrow(model.fp8Peak, c.gemmFp8RateOfPeak, c.sustainedFp8Share);
    case MatrixFormat::block_fp8: return narrow(model.fp8Peak, c.gemmBlockFp8RateOfPeak, c.sustainedFp8Share);
    case MatrixFormat::nvfp4: return narrow(model.fp4Peak, c.gemmFp4RateOfPeak, c.sustainedFp4Share);
    case MatrixFormat::sixteen_bit: break;
    }
    return sixteenBit;
}

bool isProduct(OperatorKind kind) {
    return kind == OperatorKind::gemm || kind == OperatorKind::grouped_gemm || kind == OperatorKind::batched_gemm;
}

double attentionFactor(const CostModel& model, const Operator& op) {
    const KernelConstants& c = model.constants;
    return c.attentionShare * model.attentionShare * (op.phase == Phase::backward ? c.attentionBackwardRate : 1);
}

RooflineTerms rooflineTerms(const CostModel& model, const Operator& op) {
    const KernelConstants& c = model.constants;
    RooflineTerms t;
    const double bytes = op.bytesRead + op.bytesWritten;
    t.launch = c.kernelLaunch * op.kernels;
    if (isProduct(op.kind)) {
        const ProductRate rate = productRate(model, op.format);
        const double bandwidth = model.memoryBandwidth * c.memoryRateOfPeak;
        const GemmTime one = gemmTime({rate.peak, unalignedPeak(model, rate, op.kind), rate.ofPeak * rate.sustained, bandwidth, model.multiprocessors}, op.shape, bytes);
        // The backward of a batched product is two products of the forward's size.
        t.compute = one.compute * op.kernels;
        t.memory = one.memory;
        return t;
    }
    t.memory = bytes * model.elementwiseTraffic / (model.memoryBandwidth * (c.streamRate > 0 ? c.streamRate : c.memoryRateOfPeak));
    if (op.kind == OperatorKind::attention) {
        const double work = op.flops * causalShare * (op.phase == Phase::backward ? backwardRemake : 1);
        t.compute = work / (model.peak * c.attentionRateOfPeak * c.sustainedShare * c.powerShare * attentionFactor(model, op));
    } else {
        t.compute = op.flops / model.vectorPeak;
    }
    return t;
}

namespace {

/// What partial tiles of many experts' products cost over one product of all their rows.
double groupedOverWhole(const CostModel& model, const Operator& op) {
    if (op.shape.batch <= 1) return 1;
    const ProductRate rate = productRate(model, op.format);
    const double bandwidth = model.memoryBandwidth * model.constants.memoryRateOfPeak;
    const GemmMachine machine{rate.peak, rate.peak * unalignedShare, rate.ofPeak * rate.sustained, bandwidth, model.multiprocessors};
    const double bytes = op.bytesRead + op.bytesWritten;
    const OperatorShape whole{op.shape.m * op.shape.batch, op.shape.n, op.shape.k, 1};
    const GemmTime grouped = gemmTime(machine, op.shape, bytes), one = gemmTime(machine, whole, bytes);
    return std::max(1.0, std::max(grouped.compute, grouped.memory) / std::max(one.compute, one.memory));
}

} // namespace

std::optional<TabledTime> tabledTime(const CostModel& model, const Operator& op) {
    if (!model.kernelTimes) return std::nullopt;
    const auto equivalent = equivalentCall(op);
    if (!equivalent) return std::nullopt;
    const auto known = model.kernelTimes->time(equivalent->call);
    if (!known) return std::nullopt;
    TabledTime result;
    result.call = *known;
    result.times = equivalent->times;
    const KernelConstants& c = model.constants;
    double reached = 0; // share of the peak, in the table
    double usual = 0;   // of large calls
    if (op.kind == OperatorKind::attention) {
        const double work = op.flops * causalShare * (op.phase == Phase::backward ? backwardRemake : 1);
        result.share = c.sustainedShare * c.powerShare * attentionFactor(model, op) * c.statedAttentionRate;
        reached = work / model.peak / (known->seconds * result.times);
        usual = c.attentionRateOfPeak;
    } else {
        const ProductRate rate = productRate(model, op.format);
        result.times *= groupedOverWhole(model, op);
        result.share = rate.sustained * rate.stated;
        reached = op.flops / rate.peak / (known->seconds * result.times);
        usual = rate.ofPeak / rate.stated;
    }
    result.bound = usual > 0 ? std::min(1.0, reached / usual) : 1;
    result.isMemory = (op.bytesRead + op.bytesWritten) / model.memoryBandwidth > reached * known->seconds * result.times;
    return result;
}

} // namespace orrery
