// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/features.hpp"

namespace orrery {

void describeCall(const OperatorMachine& machine, const KernelCall& call, Features& features) {
    features.termCount = features.count = 0;
    features.least = features.roofline = 0;
    switch (call.kind) {
    case KernelKind::gemm: return describeGemm(machine, call, features);
    case KernelKind::context_attention: return describeContextAttention(machine, call, features);
    case KernelKind::generation_attention: return describeGenerationAttention(machine, call, features);
    case KernelKind::context_mla: return describeContextMla(machine, call, features);
    case KernelKind::generation_mla: return describeGenerationMla(machine, call, features);
    case KernelKind::moe: return describeMoe(machine, call, features);
    case KernelKind::nccl:
    case KernelKind::custom_allreduce: return describeCollective(machine, call, features);
    case KernelKind::deepep_low_latency:
    case KernelKind::deepep_normal: return describeExchange(machine, call, features);
    case KernelKind::gdn:
    case KernelKind::kda:
    case KernelKind::mamba2: return describeState(machine, call, features);
    case KernelKind::mhc_module: return describeStreams(machine, call, features);
    case KernelKind::encoder_attention: return describeEncoderAttention(machine, call, features);
    case KernelKind::expert_alltoall: return describeAlltoall(machine, call, features);
    default: return describeModule(machine, call, features);
    }
}

namespace {

struct Tile {
    double m, n;
};

/// Output tiles that BLAS libraries pick from; each shares out the product in its own number of waves.
constexpr Tile waveTiles[]{{64, 64}, {128, 64}, {64, 128}, {128, 128}, {64, 256}, {256, 128}, {128, 256}, {256, 256}, {128, 192}, {192, 128}, {256, 192}, {32, 128}, {16, 128}};
constexpr Tile choices[]{{256, 256}, {256, 128}, {128, 256}, {128, 128}, {128, 192}, {256, 192}, {64, 128}, {64, 256}, {64, 64}, {128, 64}, {32, 64}};
/// Elements of k's worth of arithmetic that loading one row or column of a tile costs.
constexpr double tileLoad = 8;
/// The share of a kernel's shortest time that a wave takes to fill and drain.
constexpr double waveFill = 0.15;

} // namespace

void describeGemm(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const double m = call.sizes[0], n = call.sizes[1], k = call.sizes[2];
    const double peak = peakFor(machine, call.format);
    const double left = m * k * activationBytes(call.format), right = n * k * weightBytes(call.format), out = m * n * bytesOut;
    const double compute = 2 * m * n * k / peak;
    const double memory = (left + right + out) / machine.bandwidth;

    // The fastest of some tiles, each paying for whole tiles and whole waves.
    double best = 0;
    double chosen = 0;
    int index = 0;
    for (const Tile& tile : choices) {
        const double rounds = Features::wholeUp(Features::tiles(m, tile.m) * Features::tiles(n, tile.n) / machine.multiprocessors);
        const double area = tile.m * tile.n;
        const double cost = rounds * (2 * area * k * machine.multiprocessors / peak * (1 + tileLoad * (tile.m + tile.n) / area) + waveFill * machine.launch);
        if (index == 0 || cost < best) {
            best = cost;
            chosen = index;
        }
        ++index;
    }

    f.least = compute / machine.reachable;
    f.roofline = std::max(compute, memory);
    f.term(machine.launch);
    f.term(compute);
    f.term(memory);
    f.term(std::max(compute, memory));
    f.term(best);
    f.term(std::max(best, memory));

    // Sizes, and the areas that traffic is made of.
    for (const double size : {m, n, k, m * n, n * k, m * k}) f.log(size);
    f.log(compute / launchScale);
    f.log(memory / launchScale);
    f.log(compute / memory); // arithmetic intensity against the machine's balance
    for (const Tile& tile : waveTiles) {
        const double count = Features::tiles(m, tile.m) * Features::tiles(n, tile.n);
        const double rounds = count / machine.multiprocessors;
        f.plain(rounds / Features::wholeUp(rounds));
        if (tile.m * tile.n > 64 * 64) f.plain(m * n / (count * tile.m * tile.n));
        if (tile.m == tile.n && tile.m <= 128) f.log(rounds);
    }
    // Tiles that two multiprocessors work on together, either way round.
    for (const double side : {256.0, 192.0, 128.0, 64.0}) {
        const double down = Features::tiles(m, 256) * Features::tiles(n, side) / (machine.multiprocessors / 2);
        const double across = Features::tiles(n, 256) * Features::tiles(m, side) / (machine.multiprocessors / 2);
        f.plain(down / Features::wholeUp(down));
        f.plain(across / Features::wholeUp(across));
    }
    f.log(best / launchScale);
    f.log(best / compute);
    f.plain(chosen);
    for (const double size : {m, n, k}) f.plain(Features::alignment(size));
    f.plain(Features::tileShare(k, 128));
    // Weights, and both operands, against the L2 cache.
    f.log(right / machine.l2Bytes);
    f.log((left + right) / machine.l2Bytes);
}

namespace {

/// Up to this many choices a token the kernels that route keep them in registers; beyond it there are more kernels.
constexpr double mostKeptChoices = 8;

struct Load {
    double rows = 0;    ///< token copies that the rank timed gets
    double busiest = 0; ///< those of its busiest expert
    double hit = 0;     ///< experts of it that get any
};

/// The mean of x^power under a bounded power law over [1, top] with the given exponent.
double moment(double exponent, double top, int power) {
    const auto integral = [&](double e) {
        return std::abs(1 - e) < 1e-6 ? std::log(top) : (std::pow(top, 1 - e) - 1) / (1 - e);
    };
    return integral(exponent - power) / integral(exponent);
}

/// Tokens dealt to experts whose sizes are drawn from a power law; the busiest rank is the one timed. The largest of `ranks` sums of
/// `local` draws lies about sqrt(2 ln ranks) deviations above their mean.
Load loadOf(double tokens, double topk, double experts, double ranks, double exponent) {
    const double copies = tokens * topk, local = experts / ranks;
    Load load;
    load.rows = copies / ranks;
    load.busiest = std::max(1.0, load.rows / local);
    load.hit = std::min(local, std::max(1.0, load.rows));
    if (exponent <= 0) return load;
    const bool sparse = copies <= experts;
    const double top = sparse ? 200 : std::max(2.0, 0.8 * tokens);
    const double mean = moment(exponent, top, 1);
    const double deviation = std::sqrt(std::max(0.0, moment(exponent, top, 2) / (mean * mean) - 1));
    const double skew = 1 + deviation * std::sqrt(2 * std::log(ranks) / local);
    const double busiest = std::min(top / mean, 1 + deviation * std::sqrt(2 * std::log(experts)));
    load.rows = std::max(1.0, std::min(load.rows * skew, std::min(copies, tokens * local)));
    load.busiest = std::max(1.0, std::min(tokens, copies / experts * busiest));
    // An expert whose share is below half a token gets none.
    const double floor = std::min(0.5 * experts * mean / copies, top);
    const double tail = floor <= 1 ? 1 : (std::abs(1 - exponent) < 1e-6 ? 1 - std::log(floor) / std::log(top) : 1 - (std::pow(floor, 1 - exponent) - 1) / (std::pow(top, 1 - exponent) - 1));
    load.hit = std::clamp(local * tail, 1.0, std::min(local, load.rows));
    return load;
}

} // namespace

void describeMoe(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const auto [tokens, hidden, inter, topk, experts, tp, ep, gated, exponent] = call.sizes;
    const double width = inter / tp, local = std::max(1.0, experts / ep);
    const double matrices = gated > 0 ? 3 : 2;
    const Load load = loadOf(tokens, topk, experts, ep, exponent);
    const double peak = peakFor(machine, call.format);
    const double expertBytes = matrices * hidden * width * weightBytes(call.format);
    const double compute = 2 * load.rows * hidden * width * matrices / peak;
    const double weights = load.hit * expertBytes / machine.bandwidth;
    const double traffic = load.rows * (hidden * 4 + width * matrices * 2) / machine.bandwidth;
    const double memory = weights + traffic;
    const double perExpert = load.rows / load.hit;
    const double upWidth = width * (matrices - 1);
    const double padded = 2 * load.hit * Features::tiles(perExpert, 128) * 128 * hidden * width * matrices / peak;
    // The busiest expert's tiles run at most one to a multiprocessor.
    const double rounds = Features::wholeUp(load.hit * Features::tiles(perExpert, 128) * Features::tiles(upWidth, 128) / machine.multiprocessors) +
                          Features::wholeUp(load.hit * Features::tiles(perExpert, 128) * Features::tiles(hidden, 128) / machine.multiprocessors);
    const double router = tokens * experts / machine.bandwidth;

    f.roofline = std::max(compute, memory);
    f.term(machine.launch);
    f.term(compute);
    f.term(weights);
    f.term(traffic);
    f.term(std::max(padded, memory));
    f.term(std::max(compute, memory));
    f.term(tokens * topk * hidden * 2 / machine.bandwidth); // every token copy is looked at, whoever computes it
    f.term(rounds * machine.launch / 10);
    // A tile alone streams its weights, 64 columns of them, at one multiprocessor's share of the bandwidth.
    const double aloneScale = 64 * weightBytes(call.format) * machine.multiprocessors / machine.bandwidth;
    f.term(hidden * aloneScale);
    f.term(width * aloneScale);
    f.term(topk > mostKeptChoices ? machine.launch : 0);

    for (const double size : {tokens, hidden, width, topk, local}) f.log(size);
    f.log(ep);
    f.plain(gated);
    f.plain(exponent);
    f.log(load.rows);
    f.log(perExpert);
    f.log(load.busiest);
    f.log(load.hit);
    f.log(load.hit / local);
    f.log(compute / launchScale);
    f.log(memory / launchScale);
    f.log(compute / memory);
    f.log(load.hit * expertBytes / machine.l2Bytes);
    f.log(expertBytes);
    for (const double tile : {128.0, 64.0, 16.0}) {
        f.waves(load.hit * Features::tiles(perExpert, tile) * Features::tiles(upWidth, 128), machine.multiprocessors);
        f.waves(load.hit * Features::tiles(perExpert, tile) * Features::tiles(hidden, 128), machine.multiprocessors);
        f.plain(Features::tileShare(perExpert, tile));
    }
    f.plain(Features::alignment(width));
    f.plain(Features::alignment(hidden));
    f.log(tokens * hidden * 2 / machine.bandwidth / launchScale);
    f.log(router / launchScale);
    f.plain((call.variant & alternativeBit) != 0);
}

namespace {

constexpr double stepLaunches = 0.5; ///< of a kernel's shortest time, that a step of a ring takes, near enough to scale by

/// What a rank sends over what nccl-tests calls the size (Thakur et al. 2005).
double sentShare(std::uint8_t operation, double ranks) {
    return (operation == 0 ? 2 : 1) * (ranks - 1) / ranks;
}

constexpr double ranksInNode = 8;

/// How many of `places` that hold the experts in equal parts have any of a token's.
double reached(double places, double topk) { return places * (1 - std::pow(1 - 1 / places, topk)); }

} // namespace

void describeCollective(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const double ranks = call.sizes[0], bytes = call.sizes[1];
    const std::uint8_t operation = call.variant & 3;
    const double sent = sentShare(operation, ranks) * bytes / machine.linkBandwidth;
    // What a switch that adds needs: each byte goes up once and comes down once.
    const double inSwitch = bytes / machine.linkBandwidth;
    const double copied = bytes / machine.bandwidth;
    const double step = stepLaunches * machine.launch;

    f.roofline = sent;
    f.term(machine.launch);
    f.term(sent);
    f.term(inSwitch);
    f.term(copied);
    f.term((ranks - 1) * step);
    f.term(std::min(sent * 2, 20 * step)); // half rate while a low-latency protocol carries a flag beside each word

    f.log(ranks);
    f.log(bytes);
    f.log(bytes / ranks);
    f.log(sent / launchScale);
    f.plain(operation);
    f.plain(operation == 0);
    f.plain(static_cast<double>(call.format));
}

void describeExchange(const OperatorMachine& machine, const KernelCall& call, Features& f) {
    const double nodes = call.sizes[0], hidden = call.sizes[1], tokens = call.sizes[2], topk = call.sizes[3], experts = call.sizes[4], sms = call.sizes[5];
    const bool combine = (call.variant & combineBit) != 0;
    const double elementBytes = combine ? 2 : 1; // tokens go out in 8 bit and come back in 16
    const double ranks = ranksInNode * nodes;
    // Low-latency kernels send a copy for each expert chosen; the usual ones send a token once to each rank, and over the network once
    // to each node, that has any of its experts.
    const bool eachExpert = call.kind == KernelKind::deepep_low_latency;
    const double copies = tokens * (eachExpert ? topk : reached(ranks, topk));
    const double payload = copies * hidden * elementBytes;
    const double abroad = tokens * (eachExpert ? topk : reached(nodes, topk)) * (nodes - 1) / nodes * hidden * elementBytes;
    const double atHome = eachExpert ? payload / nodes : payload;

    f.roofline = std::max(atHome / machine.linkBandwidth, abroad / machine.nicBandwidth);
    f.term(machine.launch);
    f.term(atHome / machine.linkBandwidth);
    f.term(abroad / machine.nicBandwidth);
    f.term(payload / machine.bandwidth);
    f.term(tokens * topk * hidden * elementBytes / machine.bandwidth);
    f.term(nodes > 1 ? machine.launch * nodes : 0);
    f.term(sms > 0 ? payload / (sms * machine.linkBandwidth / machine.multiprocessors) : 0); // a multiprocessor copies only so fast

    for (const double size : {nodes, hidden, tokens, topk, experts, copies, payload}) f.log(size);
    f.log(sms + 1);
    f.log(experts / ranks);
    f.log(f.terms[1] / launchScale);
    f.log((f.terms[2] + f.terms[1]) / launchScale);
    f.plain(combine);
    f.plain((call.variant & alternativeBit) != 0);
}

} // namespace orrery
