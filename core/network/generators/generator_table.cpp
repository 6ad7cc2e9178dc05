// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/generator_table.hpp"

#include "core/base/json.hpp"
#include "core/network/generators/clos_fabrics.hpp"
#include "core/network/generators/direct_fabrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace orrery {
namespace {

GeneratorParameter integer(const char* key, double least, double most, double usual) {
    return {key, ParameterKind::integer, least, most, usual};
}
GeneratorParameter number(const char* key, double least, double most, double usual) { return {key, ParameterKind::number, least, most, usual}; }
GeneratorParameter flag(const char* key, bool usual) { return {key, ParameterKind::flag, 0, 1, usual ? 1.0 : 0.0}; }
GeneratorParameter oversubscription() { return number("oversubscription", 1, 64, 1); }

/// A generator's values with the usual ones where none is given.
class Values {
public:
    Values(const std::vector<GeneratorParameter>& parameters, const ParameterValues& given) : parameters_(parameters), given_(given) {}

    double number(std::string_view key) const {
        if (const auto it = given_.find(key); it != given_.end()) return it->second;
        const auto it = std::find_if(parameters_.begin(), parameters_.end(), [&](const GeneratorParameter& p) { return p.key == key; });
        return it == parameters_.end() ? 0 : it->usual;
    }
    int integer(std::string_view key) const {
        const double value = number(key);
        return std::isnan(value) ? std::numeric_limits<int>::min() : static_cast<int>(std::clamp(value, -2e9, 2e9));
    }
    bool flag(std::string_view key) const { return number(key) != 0; }

private:
    const std::vector<GeneratorParameter>& parameters_;
    const ParameterValues& given_;
};

template <typename Make>
Generator entry(const char* id, std::vector<GeneratorParameter> parameters, Make make) {
    Generator generator{id, parameters, {}};
    generator.make = [parameters = std::move(parameters), make](const HostSpec& host, const ParameterValues& given) {
        return make(host, Values(parameters, given));
    };
    return generator;
}

/// TPU v5p's four chips a host are joined by the torus alone, one plane of it.
GeneratedTopology tpu(const HostSpec& host, const Values& v) {
    TpuTorus torus;
    torus.host = host;
    torus.host.hostsPerDomain = 1;
    torus.chipBandwidth = v.number("chip_bandwidth_gb_s");
    torus.chips = {v.integer("x"), v.integer("y"), v.integer("z")};
    return generateTpuTorus(torus);
}

GeneratedTopology torus(const HostSpec& host, const Values& v, std::vector<int> extents) {
    Torus torus;
    torus.host = host;
    torus.host.hostsPerDomain = 1;
    torus.extents = std::move(extents);
    if (const int cables = v.integer("cables"); cables > 0) torus.cables.assign(torus.extents.size(), cables);
    torus.wrap = v.flag("wrap");
    return generateTorus(torus);
}

std::vector<Generator> makeTable() {
    return {
        entry("superpod",
              {integer("hosts", 1, 100000, 32), integer("hosts_per_unit", 1, 256, 32), integer("switch_ports", 4, 1024, 64), oversubscription(),
               flag("stacks", false)},
              [](const HostSpec& host, const Values& v) {
                  return generateSuperPod({host, v.integer("hosts"), v.integer("hosts_per_unit"), v.integer("switch_ports"),
                                           v.number("oversubscription"), v.flag("stacks")});
              }),
        entry("racks", {integer("racks", 1, 4096, 1), integer("switch_ports", 4, 1024, 64), oversubscription(), flag("stacks", false)},
              [](const HostSpec& host, const Values& v) {
                  return generateRackPod({host, v.integer("racks"), v.integer("switch_ports"), v.number("oversubscription"), v.flag("stacks")});
              }),
        entry("leaf-spine",
              {integer("hosts", 1, 100000, 16), integer("hosts_per_leaf", 1, 1024, 8), integer("spines", 0, 1024, 0), oversubscription(),
               flag("stacks", false)},
              [](const HostSpec& host, const Values& v) {
                  return generateLeafSpine({host, v.integer("hosts"), v.integer("hosts_per_leaf"), v.integer("spines"),
                                            v.number("oversubscription"), v.flag("stacks")});
              }),
        entry("fat-tree", {integer("k", 2, 128, 4), oversubscription(), flag("rails", false), flag("stacks", false)},
              [](const HostSpec& host, const Values& v) {
                  return generateFatTree({host, v.integer("k"), v.number("oversubscription"), v.flag("rails"), v.flag("stacks")});
              }),
        entry("sized-fat-tree", {integer("hosts", 1, 100000, 64), oversubscription(), flag("stacks", false)},
              [](const HostSpec& host, const Values& v) {
                  return generateSizedFatTree({host, v.integer("hosts"), v.number("oversubscription"), v.flag("stacks")});
              }),
        entry("dragonfly",
              {integer("hosts_per_router", 1, 64, 2), integer("routers_per_group", 1, 64, 4), integer("global_links_per_router", 1, 64, 2),
               integer("groups", 0, 4097, 0), flag("valiant", false), flag("stacks", false)},
              [](const HostSpec& host, const Values& v) {
                  return generateDragonfly({host, v.integer("hosts_per_router"), v.integer("routers_per_group"),
                                            v.integer("global_links_per_router"), v.integer("groups"), v.flag("valiant"), v.flag("stacks")});
              }),
        entry("torus-2d", {integer("x", 1, 512, 4), integer("y", 1, 512, 4), integer("cables", 0, 64, 0), flag("wrap", true)},
              [](const HostSpec& host, const Values& v) { return torus(host, v, {v.integer("x"), v.integer("y")}); }),
        entry("torus-3d",
              {integer("x", 1, 128, 3), integer("y", 1, 128, 3), integer("z", 1, 128, 3), integer("cables", 0, 64, 0), flag("wrap", true)},
              [](const HostSpec& host, const Values& v) { return torus(host, v, {v.integer("x"), v.integer("y"), v.integer("z")}); }),
        entry("tpu-torus",
              {integer("x", 2, 256, 4), integer("y", 2, 256, 4), integer("z", 1, 256, 4), number("chip_bandwidth_gb_s", 1, 1e5, 600)}, tpu),
    };
}

std::int64_t count(const Json& object, const char* key, std::int64_t otherwise) {
    const auto it = object.find(key);
    return it != object.end() && it->is_number_integer() ? it->get<std::int64_t>() : otherwise;
}

} // namespace

const std::vector<Generator>& generators() {
    static const std::vector<Generator> table = makeTable();
    return table;
}

const Generator* findGenerator(std::string_view id) {
    for (const Generator& generator : generators())
        if (generator.id == id) return &generator;
    return nullptr;
}

TopologyTotals totalsOf(const Json& topology) {
    TopologyTotals totals;
    std::unordered_map<std::string, std::int64_t> replicas;
    for (const Json& node : topology.at("nodes")) {
        const std::int64_t copies = count(node, "replicas", 1);
        replicas[node.at("id").get<std::string>()] = copies;
        if (node.at("kind") == "switch") {
            totals.switches += copies;
        } else {
            totals.hosts += copies;
            totals.accelerators += copies * count(node, "count", 0);
        }
    }
    // Pairwise between as many replicas, once for each replica otherwise: either way the larger number.
    for (const Json& link : topology.at("links"))
        totals.cables += count(link, "count", 1) * std::max(replicas[link.at("from").get<std::string>()], replicas[link.at("to").get<std::string>()]);
    return totals;
}

} // namespace orrery
