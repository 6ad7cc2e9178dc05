// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/what_ifs.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/problem_builder.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr double mostAveragedSigma = 2;
constexpr double leastFactor = 1e-6; ///< of a link's bandwidth, unless it is down

const TopologyNode* nodeNamed(const Cluster& cluster, const std::string& id) {
    const auto found = std::find_if(cluster.nodes.begin(), cluster.nodes.end(), [&](const TopologyNode& node) { return node.id == id; });
    return found == cluster.nodes.end() ? nullptr : &*found;
}

/// The node that a what-if names, or null and a problem.
const TopologyNode* readNode(const FilledDocument& document, const std::string& pointer, const Cluster& cluster, Problems& problems) {
    const std::string id = document.text(pointer);
    if (const TopologyNode* node = nodeNamed(cluster, id)) return node;
    std::vector<std::string> ids;
    for (const TopologyNode& node : cluster.nodes) ids.push_back(node.id);
    const auto near = nearestWord(id, ids);
    ProblemBuilder problem = error("unknown-node", pointer, "No node is called \"" + id + "\".");
    if (near && near->likely)
        problems.push_back(std::move(problem).mend("Did you mean \"" + near->word + "\"?").edit(pointer, near->word));
    else
        problems.push_back(std::move(problem).mend("Name a host or switch of the drawing, such as \"" + ids.front() + "\"."));
    return nullptr;
}

bool replicaExists(const FilledDocument& document, const std::string& pointer, int replicas, const std::string& id, Problems& problems) {
    const int replica = document.integer(pointer, -1);
    if (replica < replicas) return true;
    problems.push_back(error("out-of-range", pointer, "\"" + id + "\" stands for " + counted(replicas, "node") + ", numbered from 0; " + std::to_string(replica) + " is none of them.")
                           .mend("Use up to " + std::to_string(replicas - 1) + ".")
                           .edit(pointer, replicas - 1));
    return false;
}

void readLinks(const FilledDocument& document, const Cluster& cluster, WhatIfs& whatIfs, Problems& problems) {
    const Json* list = document.find("/execution/degraded_links");
    for (std::size_t i = 0; list && list->is_array() && i < list->size(); ++i) {
        const std::string at = "/execution/degraded_links/" + std::to_string(i);
        LinkChange change;
        change.nic = document.integer(at + "/nic", -1);
        change.replica = document.integer(at + "/replica", -1);
        change.factor = document.number(at + "/factor", 1);
        change.down = document.boolean(at + "/down") || change.factor == 0;
        if (change.factor > 0 && change.factor < leastFactor) {
            problems.push_back(error("out-of-range", at + "/factor", "factor must be 0 or at least " + formatNumber(leastFactor) + ".")
                                   .mend("Use 0 for a link that carries nothing.")
                                   .edit(at + "/factor", 0));
            continue;
        }
        change.addedLatency = document.number(at + "/added_latency_us") * units::microsecond;
        const bool whole = document.has(at + "/node");
        const TopologyNode* from = readNode(document, at + (whole ? "/node" : "/from"), cluster, problems);
        const TopologyNode* to = whole ? nullptr : readNode(document, at + "/to", cluster, problems);
        if (!from || (!whole && !to)) continue;
        change.from = from->id;
        if (to) change.to = to->id;
        if (!replicaExists(document, at + "/replica", std::max(from->replicas, to ? to->replicas : 1), from->id, problems)) continue;
        int parallel = 0;
        for (const TopologyLink& link : cluster.links) {
            const bool touches = link.from == from->id || link.to == from->id;
            if (touches && (!to || link.from == to->id || link.to == to->id)) parallel = std::max(parallel, link.count);
        }
        if (parallel == 0) {
            problems.push_back(error("unknown-link", at, to ? "No link joins \"" + from->id + "\" and \"" + to->id + "\"." : "\"" + from->id + "\" has no links.")
                                   .mend("Name the two ends of a link, or remove this what-if."));
        } else if (change.nic >= parallel) {
            problems.push_back(error("out-of-range", at + "/nic", "The link has " + counted(parallel, "parallel cable") + ", numbered from 0; " + std::to_string(change.nic) + " is none of them.")
                                   .mend("Use up to " + std::to_string(parallel - 1) + ".")
                                   .edit(at + "/nic", parallel - 1));
        } else {
            whatIfs.links.push_back(std::move(change));
        }
    }
}

void readStragglers(const FilledDocument& document, const Cluster& cluster, WhatIfs& whatIfs, Problems& problems) {
    const Json* list = document.find("/execution/stragglers");
    for (std::size_t i = 0; list && list->is_array() && i < list->size(); ++i) {
        const std::string at = "/execution/stragglers/" + std::to_string(i);
        const double slowdown = document.number(at + "/slowdown", 1);
        if (document.has(at + "/rank")) {
            const int rank = document.integer(at + "/rank");
            if (rank >= cluster.accelerators()) {
                problems.push_back(error("out-of-range", at + "/rank", "The cluster has " + counted(cluster.accelerators(), "accelerator") + ", numbered from 0; " + std::to_string(rank) + " is none of them.")
                                       .mend("Use up to " + std::to_string(cluster.accelerators() - 1) + ".")
                                       .edit(at + "/rank", cluster.accelerators() - 1));
                continue;
            }
            whatIfs.stragglers.push_back({rank, slowdown});
            continue;
        }
        const TopologyNode* named = readNode(document, at + "/node", cluster, problems);
        if (!named) continue;
        if (named->kind != NodeKind::host) {
            problems.push_back(error("not-a-host", at + "/node", "\"" + named->id + "\" is a switch; only accelerators straggle.")
                                   .mend("Name a host, or degrade the switch's links."));
            continue;
        }
        if (!replicaExists(document, at + "/replica", named->replicas, named->id, problems)) continue;
        const int replica = document.integer(at + "/replica", -1);
        int first = 0;
        for (const TopologyNode& node : cluster.nodes) {
            if (&node == named) break;
            if (node.kind == NodeKind::host) first += node.count * node.replicas;
        }
        for (int r = 0; r < named->replicas; ++r)
            for (int slot = 0; slot < named->count && (replica < 0 || replica == r); ++slot)
                whatIfs.stragglers.push_back({first + r * named->count + slot, slowdown});
    }
}

/// A share of slow hosts is nothing without how slow they are, and the other way round.
void checkSlowHosts(const FilledDocument& document, Problems& problems) {
    const std::string at = "/execution/jitter/hosts";
    const bool share = document.has(at + "/slow_share"), slowdown = document.has(at + "/slowdown");
    if (share && !slowdown && document.number(at + "/slow_share") > 0)
        problems.push_back(error("missing-key", at + "/slowdown", "Some hosts are slow, but not how slow: slowdown is missing.")
                               .mend("Say how many times as long they take, such as 1.2.")
                               .edit(at + "/slowdown", 1.2));
    if (slowdown && !share && document.number(at + "/slowdown") > 1)
        problems.push_back(error("missing-key", at + "/slow_share", "It says how slow slow hosts are, but not how many there are: slow_share is missing.")
                               .mend("Give their share of all hosts, such as 0.01.")
                               .edit(at + "/slow_share", 0.01));
}

void readJitter(const FilledDocument& document, WhatIfs& whatIfs, Problems& problems) {
    const std::string at = "/execution/jitter";
    const Json* given = document.find(at);
    if (given && given->is_number()) whatIfs.jitter.sigma = given->get<double>();
    if (!given || !given->is_object()) return;
    const bool bySlowest = document.has(at + "/method") || document.has(at + "/operators") || document.has(at + "/hosts");
    if (!bySlowest && !document.has(at + "/sigma"))
        problems.push_back(error("missing-key", at + "/sigma", "It does not say how much kernels vary: sigma is missing.").mend("Give it, such as 0.05.").edit(at + "/sigma", 0.05));
    const double sigma = document.number(at + "/sigma");
    const auto seed = static_cast<std::uint64_t>(document.number(at + "/seed"));
    if (!bySlowest) {
        whatIfs.jitter = {sigma, seed};
        return;
    }
    if (sigma > mostAveragedSigma)
        problems.push_back(error("out-of-range", at + "/sigma",
                                 "With method, operators or hosts sigma must be at most 2: sums of times that vary more are no log-normals.")
                               .mend("Use up to 2, or leave method, operators and hosts out.")
                               .edit(at + "/sigma", mostAveragedSigma));
    JitterModel& model = whatIfs.jitterModel;
    model.method = document.word(at + "/method", JitterMethod::sampled);
    model.seed = seed;
    for (const auto& [which, word, form] : WordsOf<JitterClass>::table)
        model.sigma[static_cast<std::size_t>(which)] = document.number(at + "/operators/" + std::string(word), sigma);
    model.hosts = {document.number(at + "/hosts/sigma"), document.number(at + "/hosts/slow_share"), document.number(at + "/hosts/slowdown", 1)};
    checkSlowHosts(document, problems);
}

/// By the known keys: one that the check of the shape refused is here all the same, with any value.
CollectiveOverrides readCollectives(const FilledDocument& document) {
    const std::string at = "/execution/collectives/";
    CollectiveOverrides options;
    for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter", "broadcast"})
        if (document.has(at + operation)) options.algorithm[operation] = document.text(at + operation);
    options.protocol = document.text(at + "protocol");
    if (document.has(at + "timing")) options.measured = document.says(at + "timing", CollectiveTiming::measured);
    return options;
}

} // namespace

WhatIfs readWhatIfs(const FilledDocument& document, const Cluster& cluster, Problems& problems) {
    WhatIfs whatIfs;
    readLinks(document, cluster, whatIfs, problems);
    readStragglers(document, cluster, whatIfs, problems);
    readJitter(document, whatIfs, problems);
    whatIfs.collectives = readCollectives(document);
    return whatIfs;
}

LibraryConstants readLibrary(FilledDocument& document, const Catalog& catalog, const Accelerator& accelerator) {
    LibraryConstants constants = catalog.library().constants(accelerator.id, document.text("/cluster/network"));
    if (!constants.inheritedFrom.empty())
        document.assume("/execution/collectives", constants.inheritedFrom,
                        "collectives were not measured on this accelerator; the communication library's constants are those of " +
                            constants.inheritedFrom);
    return constants;
}

} // namespace orrery
