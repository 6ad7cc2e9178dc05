// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/features.hpp"

namespace orrery {
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

} // namespace orrery
