// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/tile_traffic.hpp"

#include <algorithm>

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

} // namespace orrery
