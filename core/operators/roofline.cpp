// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/roofline.hpp"
#include "core/base/block_formats.hpp"
#include "core/model/attention_rules.hpp"
#include "core/operators/tile_traffic.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// Rows of queries that a multiprocessor works on at a time, and keys it takes in at a time (FlashAttention-2 and -3's blocks; Dao 2023,
/// section 3.3). Query heads of one key head share a block where there are few queries.
constexpr double queryBlock = 128;
constexpr double keyBlock = 128;
constexpr double smallestRows = 16;

} // namespace

RooflineTime attentionRoofline(const RooflineMachine& machine, const AttentionWork& work) {
    if (!(work.queries > 0 && work.keys > 0 && work.pairs > 0 && work.heads > 0 && work.kvHeads > 0 && work.sequences > 0)) return {};
    const RooflineShares& shares = machine.shares;
    const double group = work.heads / work.kvHeads;
    const double widths = work.keyWidth + work.valueWidth;
    const double products = work.productsPerPair / 2;

    // Blocks of queries: of one head where they are many, else of all heads that share keys.
    const bool many = work.queries >= queryBlock / 2;
    const double rows = many ? work.queries : work.queries * group;
    const double blockRows = std::min(queryBlock, std::max(smallestRows, wholeUp(rows / smallestRows) * smallestRows));
    const double blocks = wholeUp(rows / blockRows);
    const double owners = work.sequences * (many ? work.heads : work.kvHeads);

    // Masked pairs inside the blocks of the diagonal are computed all the same; rows that fill up a block as well.
    const double meanKeys = work.pairs / work.queries;
    const double masked = meanKeys < work.keys ? keyBlock / 2 : 0;
    const double padded = std::min(wholeUp(work.keys / keyBlock) * keyBlock, meanKeys + masked);
    const double paddedPairs = owners * blocks * blockRows * padded;
    const double allPairs = work.sequences * work.heads * work.pairs;

    // Blocks are dealt to the multiprocessors; keys are shared out too where blocks are too few (flash decoding). The last rows of a
    // causal prompt meet all keys: nothing ends before they do.
    const double pieces = owners * blocks;
    const double partsOfKeys = wholeUp(work.keys / keyBlock);
    const double split = many ? 1 : std::max(1.0, std::min(partsOfKeys, wholeUp(machine.multiprocessors / pieces)));
    const double waves = many ? std::max(pieces / machine.multiprocessors, std::min(2.0, work.keys / meanKeys))
                              : wholeUp(pieces * split / machine.multiprocessors);
    const double busyShare = pieces * split / (waves * machine.multiprocessors);

    RooflineTime t;
    t.flops = allPairs * 2 * widths * products;
    const double rate = machine.matrixPeak[static_cast<std::size_t>(work.rate)] * shares.matrix;
    t.matrix = paddedPairs * 2 * widths * products / rate / busyShare;
    // Softmax stands between the two products of a block: what one waits for the other does not hide (on parts since Hopper some of it is).
    t.vector = std::max(paddedPairs / machine.exponentials, paddedPairs * machine.softmaxFlops / machine.vectorPeak) / shares.vector / busyShare;
    t.serial = true;

    const double queryBytes = work.sequences * work.heads * work.queries * widths * work.queryBytes * products;
    const double cacheWidth = work.sharedKeysAndValues ? work.keyWidth : widths;
    // Keys beyond a window are not read.
    const double keysRead = std::min(work.keys, meanKeys + work.queries);
    const double cacheBytes = work.sequences * work.kvHeads * keysRead * cacheWidth * work.cacheBytes * products;
    const double blockReads = owners * blocks * meanKeys * cacheWidth * work.cacheBytes * products;
    const double sums = split > 1 ? 2 * pieces * split * blockRows * work.valueWidth * 4 : 0;
    const double operands = queryBytes + cacheBytes;
    // Blocks that run together work on the same few heads: what one reads, L2 has for the others, if a head's keys and values fit.
    const double headBytes = work.keys * cacheWidth * work.cacheBytes;
    const double l2 = machine.capacity[indexOf(MemoryLevel::l2)];
    const double headsAtOnce = std::max(1.0, std::min(machine.multiprocessors, pieces) / blocks);
    double dram = headBytes * headsAtOnce <= l2 || !many ? operands : queryBytes + std::max(cacheBytes, blockReads * std::max(0.0, 1 - l2 / (headBytes * headsAtOnce)));
    dram = std::max(dram, work.leastDramBytes);
    if (work.warm && operands <= l2 / 2) dram = 0;
    const double l2Traffic = queryBytes + blockReads + sums;
    // From shared memory a group of 64 rows reads what it multiplies with; scores stay in registers.
    const double sharedTraffic = blockReads * std::max(1.0, blockRows / 64) + queryBytes;
    const double registerTraffic = sharedTraffic + paddedPairs * (widths / 16 * 2 * 4 + 4 * 4);
    t.traffic = {dram, l2Traffic, sharedTraffic, registerTraffic};
    const double active = std::min(1.0, pieces * split / machine.multiprocessors);
    t.levelTime = {dram / (machine.bandwidth[0] * shares.memory),
                   std::max(l2Traffic / (machine.bandwidth[1] * shares.caches), l2Traffic / (machine.portBandwidth * machine.multiprocessors * shares.caches * active)),
                   sharedTraffic / (machine.bandwidth[2] * shares.caches * busyShare), registerTraffic / (machine.bandwidth[3] * shares.caches * busyShare)};
    // A block waits for its first keys and for its last write; parts of keys are joined by a kernel of their own.
    t.latency = shares.launch + 2 * shares.fill * wholeUp(waves) + (split > 1 ? shares.launch + 2 * shares.fill : 0);
    t.tiling = {blockRows, keyBlock, split, waves};
    settleBound(t);
    return t;
}

namespace {

struct Tile {
    double m, n;
};

/// Outputs of one multiprocessor, as BLAS libraries cut them; either way round, for a product may be computed transposed. Widths between
/// powers of two fill waves (cuBLAS 12 names such kernels).
constexpr Tile tiles[]{{256, 128}, {128, 256}, {128, 224}, {224, 128}, {128, 192}, {192, 128}, {128, 160}, {160, 128}, {128, 128}, {64, 256}, {256, 64}, {128, 96}, {96, 128}, {64, 128}, {128, 64}, {64, 64}, {32, 128}, {128, 32}, {32, 64}, {64, 32}, {16, 128}, {128, 16}, {16, 64}, {64, 16}};
constexpr double smallestTile = 16;
constexpr double splits[]{1, 2, 3, 4, 6, 8, 16};

constexpr double accumulatorBytes = 4; ///< fp32

bool aligned(const ProductKernels& kernels, double elements, double bytes) {
    const double row = elements * bytes / kernels.alignmentBytes;
    return row == wholeUp(row);
}

/// The part of a tile that one group of threads computes: the longer side is halved until its accumulators fit.
Tile groupTile(Tile tile, double bytes) {
    while (tile.m * tile.n * accumulatorBytes > bytes && tile.m * tile.n > 1) (tile.n >= tile.m ? tile.n : tile.m) /= 2;
    return tile;
}

/// Everything about the product that no choice of tile changes.
struct Setting {
    const RooflineMachine& machine;
    const GemmWork& work;
    double elementBytes; ///< the wider operand's
    double instructionDepth, slab;
    double matrixRate; ///< of one multiprocessor
    double sharedRate, registerRate, portRate;
    double l2Rate, dramRate;
    double warmBytes;
    double dramFloor;      ///< s, of the compulsory traffic
    double productLatency; ///< s, of an instruction
    double cluster;        ///< multiprocessors that share their loads
};

/// What leaves L2 when neighbouring multiprocessors share their loads: a cluster works on a larger tile.
double clusterTraffic(const GemmWork& work, const Tile& tile, double cluster) {
    double least = outputStationaryTraffic(work, tile.m, tile.n);
    for (double high = 1; high <= cluster; high *= 2) least = std::min(least, outputStationaryTraffic(work, tile.m * high, tile.n * cluster / high));
    return least;
}

bool fits(const Setting& s, const Tile& tile) {
    const double shared = (tile.m * s.work.leftBytes + tile.n * s.work.rightBytes) * s.slab * s.machine.kernels.slabsAtOnce;
    return shared <= s.machine.capacity[indexOf(MemoryLevel::shared)] &&
           tile.m * tile.n * accumulatorBytes <= s.machine.capacity[indexOf(MemoryLevel::registers)] * s.machine.kernels.accumulatorShare;
}

/// A smaller tile would cover the same rows or columns.
bool wasteful(const GemmWork& work, const Tile& tile) {
    return (tile.m > smallestTile && tile.m >= 2 * work.m) || (tile.n > smallestTile && tile.n >= 2 * work.n);
}

void tryTile(const Setting& s, const Tile& tile, RooflineTime& best) {
    const GemmWork& work = s.work;
    const double rows = wholeUp(work.m / tile.m), columns = wholeUp(work.n / tile.n);
    const double count = rows * columns * work.batch;
    const double multiprocessors = s.machine.multiprocessors;

    const double fullDepth = wholeUp(work.k / s.instructionDepth) * s.instructionDepth;
    const double leastWaves = std::max(1.0, count / multiprocessors);
    const double matrixFloor = leastWaves * 2 * tile.m * tile.n * fullDepth / s.matrixRate / (leastWaves == 1 ? splits[std::size(splits) - 1] : 1);
    const double l2Traffic = clusterTraffic(work, tile, s.cluster);
    // What no split of k can undercut: most tiles end here, before their DRAM traffic is looked for.
    const double floor = std::max({matrixFloor, l2Traffic * work.batch / s.l2Rate, s.dramFloor}) + s.machine.shares.launch + 2 * s.machine.shares.fill;
    if (best.time > 0 && floor >= best.time) return;
    const double atOnce = std::max(1.0, std::min(multiprocessors, count) / std::max(1.0, std::min(work.batch, multiprocessors)));
    double dramTraffic = cachedTraffic(work, s.machine.capacity[indexOf(MemoryLevel::l2)], tile.m, tile.n, s.slab, atOnce) * work.batch;
    dramTraffic = std::max(dramTraffic, work.leastDramBytes);
    dramTraffic = std::max(0.0, dramTraffic - s.warmBytes);
    const Tile group = groupTile(tile, s.machine.capacity[indexOf(MemoryLevel::registers)] * s.machine.kernels.groupShare);
    const double groups = tile.m * tile.n / (group.m * group.n);

    for (const double split : splits) {
        // More parts than fill the multiprocessors, or thinner than a slab, only cost.
        if (split > 1 && (count * (split - 1) >= 2 * multiprocessors || work.k / split < 2 * s.slab)) break;
        const double depth = wholeUp(work.k / split / s.instructionDepth) * s.instructionDepth;
        const double pieces = count * split;
        const double waves = wholeUp(pieces / multiprocessors);
        // What one piece takes.
        const double sharedBytes = groups * (group.m * work.leftBytes + group.n * work.rightBytes) * depth;
        const double registerBytes = sharedBytes + 2 * tile.m * tile.n * accumulatorBytes * depth / s.instructionDepth;
        const double portBytes = (std::min(tile.m, work.m) * work.leftBytes + std::min(tile.n, work.n) * work.rightBytes) * depth;
        // Partial sums go out and come back.
        const double sums = split > 1 ? 2 * split * work.m * work.n * accumulatorBytes : 0;

        RooflineTime t;
        t.matrix = waves * std::max(2 * tile.m * tile.n * depth / s.matrixRate, depth / s.instructionDepth * s.productLatency);
        t.traffic = {dramTraffic, (l2Traffic + sums) * work.batch, sharedBytes * pieces, registerBytes * pieces};
        t.levelTime = {t.traffic[0] / s.dramRate, std::max(t.traffic[1] / s.l2Rate, waves * portBytes / s.portRate), waves * sharedBytes / s.sharedRate,
                       waves * registerBytes / s.registerRate};
        t.latency = s.machine.shares.launch + s.machine.shares.fill * (split > 1 ? 3 : 2);
        t.tiling = {tile.m, tile.n, split, waves};
        settleBound(t);
        if (best.time == 0 || t.time < best.time) best = t;
    }
}

} // namespace

RooflineTime gemmRoofline(const RooflineMachine& machine, const GemmWork& work) {
    if (!(work.m > 0 && work.n > 0 && work.k > 0 && work.batch > 0)) return {};
    const RooflineShares& shares = machine.shares;
    const ProductKernels& kernels = machine.kernels;
    const double elementBytes = std::max(work.leftBytes, work.rightBytes);
    double rate = machine.matrixPeak[static_cast<std::size_t>(work.rate)] * shares.matrix / machine.multiprocessors;
    if (!aligned(kernels, work.n, work.rightBytes) || !aligned(kernels, work.k, work.leftBytes)) rate *= kernels.misalignedShare;
    const auto perMultiprocessor = [&](MemoryLevel level) { return machine.bandwidth[indexOf(level)] * shares.caches / machine.multiprocessors; };
    const double operands = (work.m * work.k * work.leftBytes + work.k * work.n * work.rightBytes + work.m * work.n * work.outBytes) * work.batch;
    const double l2 = machine.capacity[indexOf(MemoryLevel::l2)];
    const double warmBytes = work.warm && operands <= l2 * kernels.warmShare ? operands : 0;
    const Setting setting{machine,
                          work,
                          elementBytes,
                          kernels.instructionBytes / elementBytes,
                          kernels.slabBytes / elementBytes,
                          rate,
                          perMultiprocessor(MemoryLevel::shared),
                          perMultiprocessor(MemoryLevel::registers),
                          machine.portBandwidth * shares.caches,
                          machine.bandwidth[indexOf(MemoryLevel::l2)] * shares.caches,
                          machine.bandwidth[indexOf(MemoryLevel::dram)] * shares.memory,
                          warmBytes,
                          std::max(0.0, std::max(operands, work.leastDramBytes) - warmBytes) / (machine.bandwidth[indexOf(MemoryLevel::dram)] * shares.memory),
                          machine.productLatency,
                          std::min(machine.clusterSize, kernels.largestCluster)};
    RooflineTime best;
    for (const Tile& tile : tiles)
        if (fits(setting, tile) && !wasteful(work, tile)) tryTile(setting, tile, best);
    if (best.time == 0) tryTile(setting, {smallestTile, smallestTile}, best);
    best.flops = 2 * work.m * work.n * work.k * work.batch;
    return best;
}

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

namespace {

Quantity levelQuantity(const RooflineMachine& machine, const RooflineTime& time, MemoryLevel level) {
    const std::size_t i = indexOf(level);
    const double share = level == MemoryLevel::dram ? machine.shares.memory : machine.shares.caches;
    Quantity quantity{std::string(toString(level)), time.levelTime[i], "s", Source::roofline, level == MemoryLevel::dram ? "traffic/(bandwidth × share)" : "traffic of the busiest multiprocessor/(its bandwidth × share)", "", {}};
    quantity.inputs = {{"traffic", time.traffic[i], "bytes", Source::derived, "sum over tiles that the next level holds", "Kundu et al. 2024, arXiv 2407.14645, section III", {}},
                       {"bandwidth", machine.bandwidth[i], "bytes/s", Source::given, "", "data sheet, or multiprocessors × clock × bytes a clock", {}},
                       {"share", share, "1", Source::assumed, "", level == MemoryLevel::dram ? "physics.json, roofline_memory_share" : "physics.json, roofline_cache_share", {}},
                       {"arithmetic intensity", time.intensity(level), "FLOP/byte", Source::derived, "FLOP/traffic", "", {}}};
    return quantity;
}

} // namespace

Quantity explainRoofline(const RooflineMachine& machine, const RooflineTime& time, std::string name) {
    Quantity matrix{"matrix units", time.matrix, "s", Source::roofline, "waves × 2 tile_m tile_n k/(peak × share/multiprocessors)", "", {}};
    matrix.inputs = {{"work", time.flops, "FLOP", Source::derived, "", "operator graph", {}},
                     {"share", machine.shares.matrix, "1", Source::assumed, "", "physics.json, roofline_matrix_share", {}},
                     {"multiprocessors", machine.multiprocessors, "1", Source::given, "", "data sheet", {}},
                     {"tile m", time.tiling.m, "1", Source::derived, "fastest of the tiles that fit", "", {}},
                     {"tile n", time.tiling.n, "1", Source::derived, "fastest of the tiles that fit", "", {}},
                     {"parts of k", time.tiling.split, "1", Source::derived, "fastest of 1 to 16", "", {}},
                     {"waves", time.tiling.waves, "1", Source::derived, "tiles × parts/multiprocessors, whole", "", {}}};
    Quantity whole{std::move(name), time.time, "s", Source::roofline, "max(matrix, vector, DRAM, L2, shared memory, registers) + latency", std::string(toString(time.bound)) + " bound", {}};
    whole.inputs.push_back(std::move(matrix));
    whole.inputs.push_back({"vector units", time.vector, "s", Source::roofline, "FLOP/(vector peak × share)", "", {}});
    for (std::size_t i = 0; i < memoryLevels; ++i) whole.inputs.push_back(levelQuantity(machine, time, static_cast<MemoryLevel>(i)));
    whole.inputs.push_back({"latency", time.latency, "s", Source::assumed, "launch + way to DRAM and back", "physics.json, roofline_launch and roofline_fill", {}});
    return whole;
}

} // namespace orrery
