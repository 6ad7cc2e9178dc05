// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/collectives/collective_words.hpp"
#include "core/scenario/document/schema_shapes.hpp"

// The part of `execution` that asks "what if": collectives forced, accelerators and links that work worse than drawn.

namespace orrery::schema {
namespace {

/// Beyond it a kernel of one in six takes more than seven times as long: no machine, and sums of such times are no log-normals.
constexpr double mostSigma = 2;

} // namespace

Shape collectivesShape() {
    const auto algorithm = [] { return wordFor<CollectiveAlgorithm>(); };
    return object({
        field("all_reduce", algorithm(), "Algorithm of all-reduces."),
        field("all_gather", algorithm(), "Algorithm of all-gathers."),
        field("reduce_scatter", algorithm(), "Algorithm of reduce-scatters."),
        field("broadcast", algorithm(), "Algorithm of broadcasts."),
        field("protocol", wordFor<CollectiveProtocol>(), "Protocol of the library."),
        field("timing", wordFor<CollectiveTiming>(),
              "measured: the library's starts and shares of the links; stated: closed forms with the network's bandwidths and latencies.", wordOf(CollectiveTiming::measured)),
    });
}

Shape jitterShape() {
    const auto ofClass = [](JitterClass which) { return field(keyFor(which), number(0, mostSigma), "Sigma of this class; unless given the common one."); };
    return orNull(choice({
        number(0, 10),
        object({
            field("sigma", number(0, 10), "Standard deviation of the factor's logarithm, of all kernels."),
            field("seed", integer(0, 4294967295.0), "Another seed, other factors.", 0),
            field("method", wordFor<JitterMethod>(),
                  "sampled: drawn by the seed; analytic: the expected slowest of those that wait for each other. sampled where operators or hosts "
                  "are given; else every rank draws a factor for each of its kernels."),
            field("operators", object({ofClass(JitterClass::compute), ofClass(JitterClass::memory), ofClass(JitterClass::communication)}),
                  "Sigma by class of operator: matrix products and attention, everything else on the accelerator, collectives and sends."),
            field("hosts",
                  object({
                      field("sigma", number(0, mostSigma), "Spread of a factor that each host has for as long as the job runs.", 0),
                      field("slow_share", number(0, 1), "Share of the hosts that are slow.", 0),
                      field("slowdown", number(1, 1e3), "How many times as long these take.", 1),
                  }),
                  "Hosts that differ, for as long as the job runs."),
        }),
    }));
}

Shape stragglerShape() {
    Shape straggler = object({
        field("rank", integer(0, mostRanks), "Rank of the accelerator."),
        field("node", text(), "Id of a host: all its accelerators."),
        field("replica", integer(0, mostRanks), "Which replica of the host; all unless given."),
        required("slowdown", number(1, 1e3), "How many times as long its kernels take."),
    });
    straggler.forms = {{"rank", {"rank"}, {"replica"}}, {"node", {"node"}, {}}};
    return straggler;
}

Shape degradedLinkShape() {
    Shape change = object({
        field("from", text(), "Id of one end."),
        field("to", text(), "Id of the other end."),
        field("node", text(), "Id of a switch or host: all its links."),
        field("nic", integer(0, mostRanks), "Which of parallel links; all unless given."),
        field("replica", integer(0, mostRanks), "Which replica of the end; all unless given."),
        field("factor", number(0, 1), "Share of the bandwidth that is left; 0 is down."),
        field("down", boolean(), "Carries nothing; routes move."),
        field("added_latency_us", number(0, 1e6), "Latency on top, one way, µs."),
    });
    change.forms = {{"link", {"from", "to"}, {}}, {"node", {"node"}, {}}};
    return change;
}

} // namespace orrery::schema
