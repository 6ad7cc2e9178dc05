// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/core/answers/simulation/network_scenarios.hpp"

#include <gtest/gtest.h>

#include <map>

// What a drawing looks like must not matter, only what it says.

namespace orrery::test {
namespace {

struct Drawing {
    std::string name;
    Json shortForm;
    Json drawn;
};

Json host(const std::string& id, int count, int replicas, const std::string& domain = {}) {
    Json node{{"id", id}, {"kind", "host"}, {"accelerator", h100Id}, {"count", count}};
    if (replicas > 1) node["replicas"] = replicas;
    if (!domain.empty()) node["domain"] = domain;
    return node;
}

Json switches(const std::string& id, int replicas = 1) {
    Json node{{"id", id}, {"kind", "switch"}};
    if (replicas > 1) node["replicas"] = replicas;
    return node;
}

Json cable(const std::string& from, const std::string& to, double bandwidth, int count) {
    return {{"from", from}, {"to", to}, {"bandwidth_gb_s", bandwidth}, {"count", count}};
}

/// The short form and the same cluster as somebody would draw it.
std::vector<Drawing> drawings() {
    std::vector<Drawing> all;
    Json plain = shortH100(8);
    all.push_back({"plain", plain, {{"topology", {{"nodes", {host("dgx", 8, 8), switches("fabric")}}, {"links", {cable("dgx", "fabric", 50, 8)}}}}}});

    Json slow = shortH100(8);
    slow["scale_out"] = {{"bandwidth_gb_s", 6.25}, {"latency_us", 5}};
    slow["scale_up"] = {{"bandwidth_gb_s", 300}, {"latency_us", 1}};
    Json slowLink = cable("dgx", "fabric", 6.25, 8);
    slowLink["latency_us"] = 5;
    all.push_back({"stated",
                   slow,
                   {{"scale_up", {{"bandwidth_gb_s", 300}, {"latency_us", 1}}},
                    {"topology", {{"nodes", {host("dgx", 8, 8), switches("fabric")}}, {"links", {slowLink}}}}}});

    Json blocking = shortH100(8);
    blocking["scale_out"] = {{"oversubscription", 4}};
    all.push_back({"oversubscribed",
                   blocking,
                   {{"topology",
                     {{"nodes", {switches("leaf", 8), host("dgx", 8, 8), switches("spine")}},
                      {"links", {cable("dgx", "leaf", 50, 8), cable("leaf", "spine", 100, 1)}}}}}});

    Json domains = shortH100(8);
    domains["scale_up"] = {{"domain_size", 32}};
    all.push_back({"domains of four hosts",
                   domains,
                   {{"topology",
                     {{"nodes", {host("a", 8, 4, "rack 1"), host("b", 8, 4, "rack 2"), switches("fabric")}},
                      {"links", {cable("a", "fabric", 50, 8), cable("b", "fabric", 50, 8)}}}}}});
    return all;
}

std::vector<Json> plans(const Json& cluster) {
    std::vector<Json> jobs;
    for (const auto& [tensor, pipeline, zero, order] :
         {std::tuple{8, 2, 0, "tp-dp-pp"}, {4, 4, 1, "tp-pp-dp"}, {8, 1, 3, "tp-dp-pp"}, {1, 1, 2, "tp-dp-pp"}, {2, 4, 1, "dp-tp-pp"}}) {
        Json job = jobOn(cluster, tensor, pipeline, 64 / tensor / pipeline, 4);
        job["parallelism"]["zero_stage"] = zero;
        job["parallelism"]["order"] = order;
        jobs.push_back(std::move(job));
    }
    return jobs;
}

void expectSameNumbers(const Json& one, const Json& other) {
    const ResultPtr a = run(one), b = run(other);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(numbersOf(*a), numbersOf(*b));
}

TEST(ShortForm, GivesTheNumbersOfTheSameClusterDrawn) {
    for (const Drawing& drawing : drawings()) {
        const std::vector<Json> one = plans(drawing.shortForm), other = plans(drawing.drawn);
        for (std::size_t i = 0; i < one.size(); ++i) {
            SCOPED_TRACE(drawing.name + ", plan " + std::to_string(i));
            expectSameNumbers(one[i], other[i]);
        }
    }
}

/// Every assumption written into the scenario: nothing is assumed any more, and nothing changes.
TEST(Assumptions, WrittenOutChangeNothing) {
    std::vector<Json> clusters{shortH100(8)};
    for (const Drawing& drawing : drawings()) clusters.push_back(drawing.drawn);
    for (const Json& cluster : clusters)
        for (const Json& job : plans(cluster)) {
            Json explicitJob = job;
            for (const Assumption& assumption : sound(job).assumed) explicitJob[Json::json_pointer(assumption.pointer)] = assumption.value;
            expectSameNumbers(job, explicitJob);
            EXPECT_TRUE(sound(explicitJob).assumed.empty()) << sound(explicitJob).assumed.front().pointer;
        }
}

/// All fabrics the generators make, with a what-if and another job's traffic that name nodes.
std::vector<Json> generated() {
    SuperPod pod;
    pod.host = h100Host();
    pod.hosts = 8;
    pod.hostsPerUnit = 2;
    pod.switchPorts = 16;
    LeafSpine leaves;
    leaves.host = h100Host(2);
    leaves.hosts = 8;
    leaves.hostsPerLeaf = 2;
    leaves.oversubscription = 4;
    SizedFatTree tree;
    tree.host = h100Host();
    tree.host.nics = 4;
    tree.hosts = 8;
    Torus torus;
    torus.host = h100Host();
    torus.extents = {4, 2};
    std::vector<Json> jobs;
    for (const GeneratedTopology& topology : {generateSuperPod(pod), generateLeafSpine(leaves), generateSizedFatTree(tree), generateTorus(torus)})
        for (Json& job : plans(drawnCluster(topology))) {
            const Json& nodes = job["cluster"]["topology"]["nodes"];
            const Json& links = job["cluster"]["topology"]["links"];
            job["execution"]["degraded_links"] = {{{"from", links[1]["from"]}, {"to", links[1]["to"]}, {"factor", 0.5}}};
            job["execution"]["stragglers"] = {{{"node", nodes[3]["id"]}, {"slowdown", 1.2}}};
            job["cluster"]["topology"]["traffic"] = {{{"from", nodes[0]["id"]}, {"to", nodes[5]["id"]}, {"bandwidth_gb_s", 30}}};
            jobs.push_back(std::move(job));
        }
    return jobs;
}

/// New ids and domain names, in no order.
Json renamed(Json job, RandomSource& random) {
    Json& topology = job["cluster"]["topology"];
    std::map<std::string, std::string> fresh;
    const auto rename = [&](Json& holder, const char* key) {
        if (!holder.contains(key)) return;
        const auto [entry, added] = fresh.emplace(holder[key].get<std::string>(), "");
        if (added) entry->second = std::string(1, static_cast<char>('a' + random.below(26))) + std::to_string(random.next());
        holder[key] = entry->second;
    };
    for (Json& node : topology["nodes"]) {
        rename(node, "id");
        rename(node, "domain");
        rename(node, "group");
    }
    for (Json& link : topology["links"]) {
        rename(link, "from");
        rename(link, "to");
    }
    for (Json* list : {&topology["traffic"], &job["execution"]["degraded_links"], &job["execution"]["stragglers"]})
        for (Json& entry : *list)
            for (const char* key : {"from", "to", "node"}) rename(entry, key);
    return job;
}

TEST(Names, MeanNothing) {
    RandomSource random(1);
    for (const Json& job : generated()) {
        SCOPED_TRACE(job.dump().substr(0, 3000));
        expectSameNumbers(job, renamed(job, random));
    }
}

/// Hosts and switches with replicas drawn one by one.
Json unrolled(const Json& cluster) {
    const Json& topology = cluster["topology"];
    std::map<std::string, int> replicas;
    Json nodes = Json::array(), links = Json::array();
    const auto copy = [&](const std::string& id, int i) { return replicas[id] > 1 ? id + " " + std::to_string(i) : id; };
    for (const Json& node : topology["nodes"]) {
        const std::string id = node["id"];
        replicas[id] = node.value("replicas", 1);
        for (int i = 0; i < replicas[id]; ++i) {
            Json one = node;
            one.erase("replicas");
            one["id"] = copy(id, i);
            nodes.push_back(std::move(one));
        }
    }
    for (const Json& link : topology["links"]) {
        const std::string from = link["from"], to = link["to"];
        const bool paired = replicas[from] == replicas[to];
        for (int i = 0; i < replicas[from]; ++i)
            for (int k = paired ? i : 0; k < (paired ? i + 1 : replicas[to]); ++k) {
                Json one = link;
                one["from"] = copy(from, i);
                one["to"] = copy(to, k);
                links.push_back(std::move(one));
            }
    }
    Json plain = cluster;
    plain["topology"]["nodes"] = nodes;
    plain["topology"]["links"] = links;
    return plain;
}

TEST(Replicas, AreTheSameAsNodesDrawnOneByOne) {
    std::vector<Json> clusters;
    for (const Drawing& drawing : drawings()) clusters.push_back(drawing.drawn);
    SuperPod pod;
    pod.host = h100Host();
    pod.hosts = 8;
    pod.hostsPerUnit = 4;
    pod.switchPorts = 16;
    pod.stacks = true;
    clusters.push_back(drawnCluster(generateSuperPod(pod)));
    for (const Json& cluster : clusters) {
        const std::vector<Json> one = plans(cluster), other = plans(unrolled(cluster));
        for (std::size_t i = 0; i < one.size(); ++i) {
            SCOPED_TRACE(cluster.dump() + ", plan " + std::to_string(i));
            expectSameNumbers(one[i], other[i]);
        }
    }
}

} // namespace
} // namespace orrery::test
