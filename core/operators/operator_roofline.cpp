// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/block_formats.hpp"
#include "core/model/attention_rules.hpp"
#include "core/operators/roofline.hpp"

#include <algorithm>

namespace orrery {
namespace {

struct Format {
    MatrixRate rate;
    double bytes;
};

/// Block scales: a byte for every 16 elements of nvfp4 and 32 of mxfp8, four for every 128 of DeepSeek's; under two per cent where not nvfp4.
Format formatOf(MatrixFormat format, double operandBytes) {
    switch (format) {
    case MatrixFormat::fp8:
    case MatrixFormat::row_fp8:
    case MatrixFormat::block_fp8:
    case MatrixFormat::mx_fp8: return {MatrixRate::eight_bit, 1};
    case MatrixFormat::nvfp4: return {MatrixRate::four_bit, block_formats::nvfp4Bytes};
    case MatrixFormat::sixteen_bit: break;
    }
    return {MatrixRate::sixteen_bit, operandBytes};
}

AttentionWork attentionWork(const Operator& op) {
    AttentionWork work;
    work.sequences = 1;
    work.heads = work.kvHeads = op.shape.batch;
    work.queries = op.shape.m;
    work.keys = op.shape.n;
    work.pairs = op.shape.m * op.shape.n * (op.shape.m > 1 && !op.unmasked ? causalShare : 1);
    work.keyWidth = work.valueWidth = op.shape.k;
    work.leastDramBytes = op.bytesRead + op.bytesWritten;
    if (op.phase == Phase::backward) work.productsPerPair = attentionBackwardProducts;
    if (op.attentionMode == AttentionMode::prefill) return work;
    work.sequences = std::min(op.sequences, op.shape.batch);
    work.heads = op.shape.batch / work.sequences;
    work.kvHeads = std::max(1.0, work.heads / op.headsPerKey);
    work.pairs = op.attentionMode == AttentionMode::decode ? op.shape.m * op.shape.n : op.shape.m * (op.shape.n - op.shape.m * (1 - causalShare));
    work.valueWidth = op.valueWidth;
    work.cacheBytes = cacheElementBytes(op.cache);
    work.sharedKeysAndValues = op.keysAreValues || (op.valueWidth < op.shape.k && work.kvHeads == 1);
    // A query meets some of the many keys behind its window.
    if (op.keysAreValues && op.attentionMode == AttentionMode::chunk) work.pairs = op.flops / (2 * op.shape.batch * (op.shape.k + op.valueWidth)) * causalShare;
    return work;
}

} // namespace

GemmWork gemmWork(const Operator& op) {
    const Format format = formatOf(op.format, op.operandBytes);
    GemmWork work;
    work.m = op.shape.m;
    work.n = op.shape.n;
    work.k = op.shape.k;
    work.batch = op.shape.batch;
    work.rate = format.rate;
    work.leftBytes = work.rightBytes = format.bytes;
    work.rightBytes = storedWeightBytes(op.storage, work.rightBytes);
    work.outBytes = op.operandBytes;
    work.leastDramBytes = op.bytesRead + op.bytesWritten;
    return work;
}

RooflineTime streamRoofline(const RooflineMachine& machine, const StreamWork& work) {
    RooflineTime t;
    t.flops = work.flops;
    t.vector = work.flops / (machine.vectorPeak * machine.shares.vector);
    t.traffic.fill(work.bytes);
    t.levelTime[0] = work.bytes / (machine.bandwidth[0] * machine.shares.memory);
    for (std::size_t level = 1; level < memoryLevels; ++level) t.levelTime[level] = work.bytes / (machine.bandwidth[level] * machine.shares.caches);
    t.latency = machine.shares.launch * work.kernels + machine.shares.fill;
    settleBound(t);
    return t;
}

RooflineTime rooflineTime(const RooflineMachine& machine, const Operator& op) {
    switch (op.kind) {
    case OperatorKind::gemm:
    case OperatorKind::grouped_gemm:
    case OperatorKind::batched_gemm: {
        // A batched one's backward is two products of the forward's size, one after the other; a chunked one is as many as it has parts.
        GemmWork work = gemmWork(op);
        const double products = std::max(1, op.kind == OperatorKind::batched_gemm ? op.kernels : op.repeats);
        work.leastDramBytes /= products;
        RooflineTime t = gemmRoofline(machine, work);
        if (products == 1) return t;
        for (double* part : {&t.flops, &t.matrix, &t.vector, &t.latency}) *part *= products;
        for (std::size_t level = 0; level < memoryLevels; ++level) {
            t.traffic[level] *= products;
            t.levelTime[level] *= products;
        }
        settleBound(t);
        return t;
    }
    case OperatorKind::attention: return attentionRoofline(machine, attentionWork(op));
    default: return streamRoofline(machine, {op.flops, op.bytesRead + op.bytesWritten, static_cast<double>(std::max(1, op.kernels))});
    }
}

void settleBound(RooflineTime& t) {
    double longest = t.serial ? t.matrix + t.vector : t.matrix;
    t.bound = t.serial && t.vector > t.matrix ? RooflineBound::vector : RooflineBound::matrix;
    const auto consider = [&](double seconds, RooflineBound bound) {
        if (seconds <= longest) return;
        longest = seconds;
        t.bound = bound;
    };
    consider(t.vector, RooflineBound::vector);
    for (std::size_t level = 0; level < memoryLevels; ++level)
        consider(t.levelTime[level], static_cast<RooflineBound>(static_cast<std::size_t>(RooflineBound::dram) + level));
    t.time = longest + t.latency;
    if (t.latency > longest) t.bound = RooflineBound::latency;
}

double ceiling(const RooflineMachine& machine, MemoryLevel level, MatrixRate rate, double flopsPerByte) {
    return std::min(machine.matrixPeak[static_cast<std::size_t>(rate)], machine.bandwidth[indexOf(level)] * flopsPerByte);
}

std::string_view toString(RooflineBound bound) {
    switch (bound) {
    case RooflineBound::matrix: return "matrix";
    case RooflineBound::vector: return "vector";
    case RooflineBound::dram: return "dram";
    case RooflineBound::l2: return "l2";
    case RooflineBound::shared: return "shared_memory";
    case RooflineBound::registers: return "registers";
    case RooflineBound::latency: return "latency";
    }
    return "";
}

} // namespace orrery
