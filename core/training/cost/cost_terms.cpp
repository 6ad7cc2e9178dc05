// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/cost/cost_terms.hpp"

#include "core/model/attention_rules.hpp"
#include "core/training/cost/kernel_calls.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double leastOfTabled = 0.25; ///< of a tabled call, the product at least: what stays when quantising it is taken away from calls that few bytes bound
constexpr double leastStated = 1e-5;   ///< a stated rate that differs by less from the catalogue's is the catalogue's, written out

/// A product by the hierarchical roofline at the rates that this machine's kernels reach; `waits`: matrix units wait for their own results.
RooflineTime productRoofline(const CostModel& model, const Operator& op, const OperatorShape& shape, bool waits = true) {
    const ProductRate rate = productRate(model, op.format);
    RooflineMachine machine = model.chip;
    if (!waits) machine.productLatency = 0;
    GemmWork work = gemmWork(op);
    work.m = shape.m;
    work.n = shape.n;
    work.k = shape.k;
    work.batch = shape.batch;
    double peak = rate.peak;
    const PhysicsConstants& physics = model.constants.physics;
    const double alignment = physics.alignmentBytes / 2; // elements of 16 bit
    // Strided batches (heads of unfused attention) whose rows are not aligned find no kernel on the matrix units.
    if (op.kind == OperatorKind::batched_gemm && (std::fmod(work.n, alignment) != 0 || std::fmod(work.k, alignment) != 0)) {
        peak = std::min(model.vectorPeak, peak);
        work.n = std::ceil(work.n / alignment) * alignment;
        work.k = std::ceil(work.k / alignment) * alignment;
    }
    machine.matrixPeak[static_cast<std::size_t>(work.rate)] = peak;
    // The catalogue's rate is a median over products with partial waves; full ones don't reach more of the units than those of a chip do that
    // has few of them to feed.
    machine.shares.matrix = std::min(rate.ofPeak * rate.sustained * physics.fullWaveOverMedian, std::max(rate.ofPeak, physics.cutUnitsRate));
    machine.shares.memory = model.constants.memoryRateOfPeak;
    machine.shares.launch = model.constants.kernelLaunch;
    return gemmRoofline(machine, work);
}

} // namespace

ProductRate productRate(const CostModel& model, MatrixFormat format) {
    const KernelConstants& c = model.constants;
    // What a machine's own products were measured to reach, they reach under its own power limit.
    const auto lasting = [&](std::size_t at, double share) { return std::abs(c.statedProductRate[at] - 1) > leastStated ? 1 : share * c.powerShare; };
    const ProductRate sixteenBit{model.peak, c.gemmRateOfPeak, lasting(0, c.sustainedShare), c.statedProductRate[0]};
    // Units that multiply a narrow format no faster than 16 bit (TPU v6e's fp8) gain nothing, but nobody chooses a slower way either.
    const auto narrow = [&](double peak, double ofPeak, double sustained) {
        if (peak * ofPeak < sixteenBit.peak * sixteenBit.ofPeak) return sixteenBit;
        const auto at = static_cast<std::size_t>(format);
        return ProductRate{peak, ofPeak, lasting(at, sustained), c.statedProductRate[at]};
    };
    switch (format) {
    case MatrixFormat::fp8: return narrow(model.fp8Peak, c.gemmFp8RateOfPeak, c.sustainedFp8Share);
    case MatrixFormat::row_fp8: return narrow(model.fp8Peak, c.gemmFp8RateOfPeak * c.physics.rowScaledRate, c.sustainedFp8Share);
    case MatrixFormat::block_fp8:
    case MatrixFormat::mx_fp8: return narrow(model.fp8Peak, c.gemmBlockFp8RateOfPeak, c.sustainedFp8Share);
    case MatrixFormat::nvfp4: return narrow(model.fp4Peak, c.gemmFp4RateOfPeak, c.sustainedFp4Share);
    case MatrixFormat::sixteen_bit: break;
    }
    return sixteenBit;
}

double lastingShare(const CostModel& model, double share, const KernelCall& call) {
    if (!model.asFound) return share;
    const double there = model.asFound->constants.powerShare / model.constants.powerShare;
    if (there <= 1) return share * there; // slower units within the same watts: no faster clock
    return share * std::max(1.0, there / std::sqrt(std::max(1.0, model.kernelTimes->timeThereOverHere(call))));
}

bool isProduct(OperatorKind kind) {
    return kind == OperatorKind::gemm || kind == OperatorKind::grouped_gemm || kind == OperatorKind::batched_gemm;
}

double serialTraffic(const CostModel& model, const Operator& op) {
    // A dense product adds 8 bytes an element to a buffer in fp32 where 2 are written otherwise.
    double bytes = model.constants.physics.accumulationShown * op.bytesAccumulated;
    // Experts' products that run one after another are each too short to read ahead of the arithmetic: on SimuMax's B200 (same files), 8 to
    // 160 of 128 to 1,024 rows take the time of their arithmetic and that of their matrices' traffic together, within 10 % in the median.
    if (model.loopsExperts && op.kind == OperatorKind::grouped_gemm && op.shape.batch > 1) {
        const GemmWork work = gemmWork(op);
        bytes = op.bytesAccumulated + (op.weightPart ? 0 : work.rightBytes * op.shape.n * op.shape.k * (op.shape.batch - 1));
    }
    return bytes / (model.memoryBandwidth * model.constants.memoryRateOfPeak);
}

double scatterRate(const CostModel& model, const Operator& op) {
    return op.kind == OperatorKind::permute && !op.trafficCounted ? model.constants.physics.permuteRate : 1;
}

namespace {

/// FLOP that fused attention's kernel does.
double attentionWork(const Operator& op) {
    if (op.attentionMode == AttentionMode::decode) return op.flops;
    return op.flops * (op.unmasked ? 1 : causalShare) * (op.phase == Phase::backward ? attentionBackwardProducts / attentionBackwardCounted : 1);
}

} // namespace

double attentionFactor(const CostModel& model, const Operator& op) {
    const KernelConstants& c = model.constants;
    return c.attentionShare * model.attentionShare * (op.phase == Phase::backward ? c.attentionBackwardRate : 1);
}

bool byTrainingKernel(const CostModel& model, const Operator& op) {
    return model.attentionKernel && op.kind == OperatorKind::attention && op.attentionMode == AttentionMode::prefill;
}

double attentionRateOfPeak(const CostModel& model, const Operator& op) {
    const KernelConstants& c = model.constants;
    if (!byTrainingKernel(model, op)) return c.attentionRateOfPeak * c.sustainedShare * c.powerShare * attentionFactor(model, op);
    const double width = op.valueWidth > 0 ? (op.shape.k + op.valueWidth) / 2 : op.shape.k;
    const double startups = op.phase == Phase::backward ? c.physics.attentionBackwardStartups : 1;
    // Its arithmetic alternates with exponentials and draws less power: nine seconds of it run as fast as its first (cuDNN on an H100).
    const double rate = model.attentionKernel->shareOfPeak(width, op.shape.n * causalShare, startups) * c.powerShare * attentionFactor(model, op) * c.statedAttentionRate;
    return std::min(rate, c.physics.cutUnitsRate);
}

RooflineTerms rooflineTerms(const CostModel& model, const Operator& op) {
    const KernelConstants& c = model.constants;
    RooflineTerms t;
    double bytes = op.bytesRead + op.bytesWritten;
    t.launch = c.kernelLaunch * op.kernels;
    if (isProduct(op.kind)) {
        // Backwards of batched products and of low-rank pairs are two products of the shape.
        const double counted = 2 * op.shape.m * op.shape.n * op.shape.k * op.shape.batch;
        const double products = counted > 0 ? std::max(1.0, op.flops / counted) : 1;
        Operator one = op;
        one.bytesRead /= products;
        one.bytesWritten /= products;
        const RooflineTime product = productRoofline(model, one, op.shape);
        const double peak = productRate(model, op.format).peak;
        t.compute = std::max(product.matrix * products, peak > 0 ? op.flops / peak : 0);
        t.serial = serialTraffic(model, op);
        t.memory = std::max(0.0, *std::max_element(product.levelTime.begin(), product.levelTime.end()) * products - t.serial);
        t.launch = product.latency * op.kernels;
        return t;
    }
    const double traffic = op.trafficCounted ? 1 : model.elementwiseTraffic;
    bytes /= scatterRate(model, op);
    t.memory = bytes * traffic / (model.memoryBandwidth * (c.streamRate > 0 ? c.streamRate : c.memoryRateOfPeak));
    if (op.kind == OperatorKind::attention) {
        t.compute = attentionWork(op) / (model.peak * std::min(1.0, attentionRateOfPeak(model, op)));
    } else {
        t.compute = op.flops / model.vectorPeak;
    }
    return t;
}

namespace {

/// How many times one product of all their rows, which takes `seconds`, many experts' products take: partial tiles, and the traffic of all
/// their matrices unless that is counted by itself. Where few rows leave matrix units to wait for their own results, those waits at least:
/// they last as long on units that are faster. What kernels reach of the roofline is a machine's on which they were measured, and stays with
/// other figures, by which the roofline moves: were it taken from those, a faster machine could reach so much less as to be slower.
double groupedOverWhole(const CostModel& model, const Operator& op, const KernelCall& call, double seconds) {
    if (op.shape.batch <= 1) return 1;
    const OperatorShape whole{op.shape.m * op.shape.batch, op.shape.n, op.shape.k, 1};
    const RooflineTime each = productRoofline(model, op, op.shape);
    if (!model.loopsExperts) {
        if (!model.asFound) return std::max(1.0, each.time / productRoofline(model, op, whole).time);
        return std::max(1.0, each.time / productRoofline(*model.asFound, op, whole).time * model.kernelTimes->timeThereOverHere(call));
    }
    const double tiles = productRoofline(model, op, op.shape, false).matrix / productRoofline(model, op, whole, false).matrix;
    return std::max({1.0, tiles, each.matrix / seconds});
}

} // namespace

std::vector<Operator> unfusedKernels(const CostModel& model, const Operator& op, double seconds) {
    if (op.kind != OperatorKind::attention || op.attentionMode != AttentionMode::prefill || op.cache != CacheFormat::none || op.unmasked) return {};
    constexpr double elementBytes = 2;
    const bool backward = op.phase == Phase::backward;
    const OperatorShape& s = op.shape;
    const double matrix = s.batch * s.m * s.n;
    Operator softmax;
    softmax.name = "softmax";
    softmax.kind = OperatorKind::softmax;
    softmax.phase = op.phase;
    softmax.flops = model.constants.physics.softmaxFlops * matrix;
    softmax.bytesRead = (backward ? 2 : 1) * matrix * elementBytes;
    softmax.bytesWritten = matrix * elementBytes;
    if (rooflineTerms(model, softmax).time() >= seconds) return {};
    std::vector<Operator> kernels{std::move(softmax)};
    // In backward two products of the same three sides.
    const auto addProduct = [&](const char* name, double n, double k) {
        Operator product;
        product.name = name;
        product.kind = OperatorKind::batched_gemm;
        product.phase = op.phase;
        product.shape = {s.m, n, k, s.batch};
        product.kernels = backward ? 2 : 1;
        product.flops = product.kernels * 2 * s.batch * s.m * n * k;
        product.bytesRead = s.batch * (s.m * k + k * n) * elementBytes;
        product.bytesWritten = s.batch * s.m * n * elementBytes;
        kernels.push_back(std::move(product));
    };
    addProduct("scores", s.n, s.k);
    addProduct("context", op.valueWidth, s.n);
    return kernels;
}

/// s of the table's call of a narrow product that its left operand's quantisation takes.
double tabledQuantising(const CostModel& model, const KernelCall& call) {
    const KernelConstants& c = model.constants;
    double bytes = 0, each = 0;
    if (call.kind != KernelKind::gemm) return 0;
    if (call.format == KernelFormat::fp8) bytes = c.fp8QuantisingBytes, each = c.fp8Quantising;
    else if (call.format == KernelFormat::fp8_block) bytes = c.blockFp8QuantisingBytes;
    else if (call.format == KernelFormat::nvfp4) bytes = c.fp4QuantisingBytes, each = c.fp4Quantising;
    return each + bytes * call.sizes[0] * call.sizes[2] / model.memoryBandwidth;
}

std::optional<TabledTime> tabledTime(const CostModel& model, const Operator& op) {
    if (!model.kernelTimes) return std::nullopt;
    auto equivalent = equivalentCall(op);
    if (!equivalent) return std::nullopt;
    if (model.constants.blocksAsTensors && equivalent->call.format == KernelFormat::fp8_block) equivalent->call.format = KernelFormat::fp8;
    // Where matrix units scale no blocks, libraries of training multiply them as tensors and scale the sums between; engines' own kernels,
    // which the tables have, are slower.
    const bool scalesSums = model.quantisesApart && op.format == MatrixFormat::block_fp8 && model.fp4Peak <= 0;
    if (scalesSums) equivalent->call.format = KernelFormat::fp8;
    auto known = model.kernelTimes->time(equivalent->call);
    if (!known) return std::nullopt;
    if (byTrainingKernel(model, op) && known->source == Source::predicted) return std::nullopt;
    if (model.quantisesApart && known->source == Source::predicted && op.format != MatrixFormat::sixteen_bit) {
        const double product = known->seconds - tabledQuantising(model, equivalent->call);
        known->seconds = std::max({product, op.flops / equivalent->times / productRate(model, op.format).peak, known->seconds * leastOfTabled});
    }
    if (equivalent->overCacheTimes > 0) {
        const auto more = model.kernelTimes->time(equivalent->overCache);
        if (!more) return std::nullopt;
        known->seconds += equivalent->overCacheTimes * more->seconds;
        known->beyond = std::max(known->beyond, more->beyond);
        if (more->source == Source::predicted) known->source = Source::predicted;
    }
    // Tables' loops find small caches in L2, where a step of an engine does not: its weights have passed since.
    if (op.attentionMode != AttentionMode::prefill && known->source == Source::predicted)
        known->seconds = std::max(known->seconds, (op.bytesRead + op.bytesWritten) / model.memoryBandwidth);
    TabledTime result;
    result.call = *known;
    result.times = equivalent->times;
    if (op.state.part != StateKernel::Part::none || equivalent->call.kind == KernelKind::mhc_module) {
        result.isPart = true;
        result.isMemory = true;
        // Tables' loops find states of few sequences in L2, where a step's other layers have pushed them out.
        if (op.state.part == StateKernel::Part::update && known->source == Source::predicted)
            result.call.seconds = std::max(known->seconds, (op.bytesRead + op.bytesWritten) / model.memoryBandwidth / result.times);
        return result;
    }
    const KernelConstants& c = model.constants;
    double reached = 0; // share of the peak, in the table
    double usual = 0;   // of large calls
    bool lasts = true;
    if (op.kind == OperatorKind::attention) {
        result.share = c.sustainedShare * c.powerShare * attentionFactor(model, op) * c.statedAttentionRate;
        result.work = attentionWork(op);
        result.peak = model.peak;
        reached = result.work / model.peak / (known->seconds * result.times);
        usual = c.attentionRateOfPeak;
    } else {
        const ProductRate rate = productRate(model, op.format);
        if (op.format == MatrixFormat::row_fp8) result.times /= c.physics.rowScaledRate;
        if (scalesSums) result.times *= c.gemmFp8RateOfPeak / c.gemmBlockFp8RateOfPeak;
        result.times *= groupedOverWhole(model, op, equivalent->call, known->seconds * result.times);
        result.share = rate.sustained * rate.stated;
        lasts = std::abs(rate.stated - 1) <= leastStated;
        constexpr double rounding = 1e-9;
        const bool filled = rate.ofPeak * c.physics.fullWaveOverMedian >= c.physics.cutUnitsRate * (1 - rounding);
        result.least = op.flops / (rate.peak * (filled ? rate.ofPeak : c.physics.cutUnitsRate));
        // What a machine's own products were measured to reach has the weight gradients' in it.
        if ((model.loopsExperts && op.shape.batch > 1) || std::abs(rate.stated - 1) <= leastStated) result.serial = serialTraffic(model, op);
        result.work = op.flops;
        result.peak = rate.peak;
        reached = op.flops / rate.peak / (known->seconds * result.times);
        usual = rate.ofPeak / rate.stated;
    }
    result.bound = usual > 0 ? std::min(1.0, reached / usual) : 1;
    if (lasts) result.share = lastingShare(model, result.share, equivalent->call);
    result.isMemory = (op.bytesRead + op.bytesWritten) / model.memoryBandwidth > reached * known->seconds * result.times;
    return result;
}

} // namespace orrery
