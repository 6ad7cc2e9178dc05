// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/features.hpp"

namespace orrery {
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
