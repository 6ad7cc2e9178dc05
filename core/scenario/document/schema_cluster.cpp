// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/collectives/library.hpp"
#include "core/scenario/document/schema_shapes.hpp"

// `cluster` of the contract, and the fields of the accelerator catalogue.

namespace orrery::schema {
namespace {

/// What core/catalog/technology_design.hpp reads. What is left out is the anchor's.
Shape technologyShape() {
    return object({
        field("anchor", text(), "Id of the catalogue's accelerator that the others are relative to: h100-sxm5-80gb unless given or named by the accelerator's id."),
        field("set", text(), "Whose word is taken for nodes: tsmc-mix, tsmc-logic, irds-2022 or deepflow; tsmc-mix unless given."),
        field("node_nm", positive(1000), "Manufacturing process: 12, 10, 7, 5, 4, 3, 2, 1.6, 1.4 or 1 nm."),
        field("die_mm2", positive(1e5), "Area of all dies, mm²."),
        field("dies", integer(1, 64), "Dies; as many as the area needs unless given."),
        field("power_w", positive(1e5), "Power budget, W."),
        field("dram", choice({text(), object({
                                          field("generation", text(), "hbm2, hbm2e, hbm3, hbm3e, hbm4, gddr6, gddr6x or gddr7."),
                                          field("stacks", integer(1, 64), "Stacks, or devices of GDDR."),
                                          field("pin_gbps", positive(1000), "Rate of a pin, Gb/s; the generation's, as far as the anchor drives its own, unless given."),
                                          field("capacity_gb", positive(1e4), "Memory of a stack, GB; the generation's unless given."),
                                      })}),
              "Memory: a generation with its stacks (\"hbm3x5\"), or an object."),
        field("sram_mb", number(0, 1e5), "Last-level cache, MB."),
        field("links", choice({text(), list(text()), object({
                                                         field("scale_up", text(), "nvlink2 to nvlink6."),
                                                         field("scale_out", text(), "hdr, ndr, xdr or gdr."),
                                                     })}),
              "Links by name: \"nvlink4+ndr\", a list, or an object."),
        field("flops_per_core_clock", positive(1e7), "16-bit FLOPs of a core and clock."),
        field("enabled_fraction", positive(1), "Part of the die's cores that is switched on."),
        field("core_area", positive(100), "Area of a core over the anchor's on one node; its power grows alike."),
    });
}

} // namespace

Shape acceleratorObject() {
    const auto rate = [] { return orNull(number(0, 1e9)); };
    return object({
        field("id", text(), "Short name."),
        field("name", text(), "Full name."),
        field("vendor", text(), "Who makes it."),
        field("form", text(), "SXM, PCIe, OAM …"),
        field("release_year", integer(1990, 2100), "Year it was first sold."),
        field("process_node", orNull(text()), "Manufacturing process."),
        field("peak_dense_tflops", map(rate()), "Peak rate of the matrix units without sparsity by precision, TFLOP/s."),
        field("vector_tflops", map(rate()), "Peak rate outside the matrix units by precision, TFLOP/s."),
        field("memory_gb", orNull(positive(1e6)), "Memory as marketed, GB."),
        field("memory_bytes", orNull(positive(1e15)), "Memory as the driver reports it, bytes."),
        field("memory_bytes_source", orNull(text()), "Where memory_bytes is from."),
        field("memory_bytes_range", list(positive(1e15)), "The least and the most that memory_bytes can be, where nobody listed it, bytes."),
        field("memory_gb_per_s", orNull(positive(1e7)), "Memory bandwidth, GB/s."),
        field("inline_ecc", orNull(boolean()), "Memory keeps its error-correcting codes among the data, as GDDR6 does where ECC is on."),
        field("l2_mb", orNull(number(0, 1e6)), "Last-level cache, MB."),
        field("l2_gb_per_s", rate(), "Bandwidth of the last-level cache, GB/s."),
        field("sm_or_cu_count", orNull(integer(0, 1e6)), "Multiprocessors or compute units."),
        field("boost_clock_mhz", rate(), "Highest clock, MHz."),
        field("shared_mem_kb_per_sm", rate(), "Scratch memory of a multiprocessor, KB."),
        field("register_file_kb_per_sm", rate(), "Register files of a multiprocessor, KB."),
        field("thread_block_cluster", orNull(integer(1, 1024)), "Multiprocessors that one load from the last-level cache can serve."),
        field("asynchronous_matrix_units", orNull(boolean()), "Matrix units read their operands from scratch memory by themselves."),
        field("scale_up",
              object({
                  field("link", orNull(text()), "Name of the link."),
                  field("gb_per_s_per_direction", rate(), "Bandwidth per accelerator and direction, GB/s."),
                  field("gb_per_s_bidirectional", rate(), "Both directions together, GB/s."),
              }),
              "The fabric between accelerators of one node or rack."),
        field("scale_up_domain_size", orNull(integer(1, mostRanks)), "Accelerators that share one scale-up fabric."),
        field("host_link",
              object({
                  field("type", orNull(text()), "Name of the link."),
                  field("gb_per_s_per_direction", rate(), "Bandwidth per direction, GB/s."),
              }),
              "The link to the host's processor."),
        field("typical_nic_gbps_per_accelerator", rate(), "Network interface of the usual platform, Gb/s per accelerator."),
        field("tdp_w", rate(), "Thermal design power, W."),
        field("technology", orNull(technologyShape()), "In place of the fields that follow from it: what the chip is made of, relative to an anchor of the catalogue."),
        field("source", text(), "Where the values are from."),
        field("source_url", text(), "Address of the source."),
        field("from_memory", list(text()), "Fields that no source was seen for."),
        field("notes", anything(), "Free text."),
    });
}

namespace {

Shape fabric() {
    return object({
        field("bandwidth_gb_s", positive(1e6), "Bandwidth per accelerator and direction, GB/s."),
        field("latency_us", number(0, 1e6), "Latency one way, per hop, µs."),
        field("domain_size", integer(1, mostRanks), "Accelerators that share one scale-up fabric; one node unless given."),
        field("oversubscription", number(1, 1e4), "r: a leaf's up-links carry 1/r of its down-links."),
    });
}

Shape accelerator() { return choice({text(), acceleratorObject()}); }

Shape topologyShape() {
    const Shape node = object({
        required("id", text(), "Unique name; links refer to it."),
        required("kind", wordFor<NodeKind>(), "What the node is."),
        field("accelerator", accelerator(), "Id of a catalogue accelerator, or an object with the catalogue's fields; hosts only."),
        field("count", integer(0, 4096), "Accelerators of one host."),
        field("replicas", integer(1, mostRanks), "Identical hosts this one stands for.", 1),
        field("domain", text(), "Hosts with the same text share a scale-up fabric."),
        field("pcie_bandwidth_gb_s", positive(1e6), "Bandwidth per direction of a PCIe switch between its accelerators and the network, GB/s; no limit unless given."),
        field("accelerators_per_pcie_switch", integer(1, 4096), "Accelerators that share one PCIe switch.", 1),
        field("coordinates", list(integer(0, mostRanks)), "Place in a torus or mesh, one number a dimension."),
        field("group", text(), "Switches with the same text are one group of a dragonfly."),
        field("label", text(), "What the drawing shows."),
        field("x", number(-1e7, 1e7), "Place in the drawing."),
        field("y", number(-1e7, 1e7), "Place in the drawing."),
    });
    const Shape link = object({
        required("from", text(), "Id of a node."),
        required("to", text(), "Id of a node."),
        required("bandwidth_gb_s", positive(1e6), "Bandwidth per link and direction, GB/s."),
        field("latency_us", number(0, 1e6), "Latency one way, µs; the usual platform's unless given."),
        field("count", integer(1, mostRanks), "Parallel links.", 1),
    });
    const Shape traffic = object({
        field("name", text(), "What the second job is called."),
        required("from", text(), "Id of the node that sends."),
        required("to", text(), "Id of the node that receives."),
        required("bandwidth_gb_s", positive(1e6), "What it asks for all the time, GB/s."),
    });
    return object({
        required("nodes", list(node), "Hosts and switches; ranks are numbered in this order."),
        field("links", list(link), "Cables between nodes."),
        field("routing", wordFor<RoutingKind>(), "How flows find their way.", wordOf(RoutingKind::shortest)),
        field("traffic", list(traffic), "A second job's traffic."),
    });
}

} // namespace

Shape clusterShape() {
    Shape shape = object({
        field("accelerator", accelerator(), "Id of a catalogue accelerator, or an object with the catalogue's fields."),
        field("accelerators_per_node", integer(1, 4096), "Accelerators of one node; the usual platform's unless given."),
        field("nodes", integer(1, 1e5), "Nodes."),
        field("scale_up", fabric(), "The fabric inside a node or rack; the usual platform's unless given."),
        field("scale_out", fabric(), "The network between nodes; the usual platform's unless given. In a drawing its bandwidth_gb_s makes all links as many times as fast."),
        field("network", text(), "Transport of the network between nodes (infiniband, efa …), whose overheads the library's are."),
        field("topology", topologyShape(), "The cluster as drawn: hosts, switches and links."),
    });
    shape.forms = {{"short form", {"nodes", "accelerator"}, {}},
                   {"drawn form", {"topology"}, {"accelerators_per_node"}}};
    return shape;
}

} // namespace orrery::schema

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
