// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/topology_builder.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

std::string hostStem(const Platform& platform) {
    if (platform.scaleUpDomain > platform.acceleratorsPerNode) return "tray";
    const std::string head = platform.id.substr(0, platform.id.find('-'));
    return head.empty() ? "host" : head;
}

HostSpec hostOf(const Platform& platform) {
    HostSpec host;
    host.stem = hostStem(platform);
    host.accelerator = platform.accelerator;
    host.accelerators = platform.acceleratorsPerNode;
    host.hostsPerDomain = std::max(1, platform.scaleUpDomain / std::max(1, platform.acceleratorsPerNode));
    if (platform.scaleOutBandwidth > 0) host.bandwidth = platform.scaleOutBandwidth / units::gigabyte;
    // Rounded to a nanosecond: 1.34e-6 s / 1e-6 is not exactly 1.34.
    if (!platform.usual && platform.scaleOutLatency > 0) host.latency = std::round(platform.scaleOutLatency * 1e9) / 1e3;
    return host;
}

namespace {

constexpr double mostAccelerators = 4e6; ///< as a scenario's cluster may have
constexpr double mostLinks = 5e5;        ///< beyond it a file of the drawing is hundreds of megabytes

Json wholeOrReal(double value) {
    return value == std::round(value) ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

} // namespace

ParameterChecks::ParameterChecks(const HostSpec& host, double leastBandwidth) : accelerators_(host.accelerators) {
    range("accelerators", host.accelerators, 1, 4096);
    range("nics", host.nics, 0, 4096);
    range("bandwidth_gb_s", host.bandwidth, leastBandwidth, 1e6);
    range("hosts_per_domain", host.hostsPerDomain, 1, 1e5);
    if (host.latency) range("latency_us", *host.latency, 0, 1e6);
}

void ParameterChecks::range(const char* key, double value, double least, double most) {
    if (value >= least && value <= most) return;
    const double mended = value < least || std::isnan(value) ? least : most;
    fail(key, std::string(key) + " is " + formatNumber(value) + "; it can be " + formatNumber(least) + " to " + formatNumber(most) + ".",
         "Use " + formatNumber(mended) + ".", mended);
}

void ParameterChecks::fail(const char* key, const std::string& message, const std::string& mend) {
    Problem problem;
    problem.code = "generator-parameter";
    problem.pointer = std::string("/") + key;
    problem.message = message;
    problem.mend = mend;
    problems_.push_back(std::move(problem));
}

void ParameterChecks::fail(const char* key, const std::string& message, const std::string& mend, double mended) {
    fail(key, message, mend);
    problems_.back().edits.push_back({problems_.back().pointer, wholeOrReal(mended)});
}

void ParameterChecks::size(const char* key, double hosts, double drawnLinks, bool stacks) {
    if (!ok()) return;
    if (hosts * accelerators_ > mostAccelerators) {
        fail(key, "That makes " + formatNumber(hosts * accelerators_) + " accelerators, more than any cluster has.",
             "Stay below " + formatNumber(mostAccelerators) + ".");
    } else if (drawnLinks > mostLinks && !stacks) {
        fail("stacks", "The drawing would have " + formatNumber(drawnLinks) + " links.", "Draw equal hosts as one.", 1);
    } else if (drawnLinks > mostLinks) {
        fail(key, "The drawing would have " + formatNumber(drawnLinks) + " links.", "Make it smaller.");
    }
}

namespace {

/// 50, not 50.0.
Json compact(double value) {
    if (value == std::round(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
    return value;
}

} // namespace

std::string numbered(const std::string& stem, int n) { return stem + "-" + std::to_string(n); }

std::string TopologyBuilder::addHost(int replicas, const std::string& domain) {
    std::string id = numbered(host_.stem, hosts_++);
    Json node{{"id", id}, {"kind", "host"}, {"accelerator", host_.accelerator}, {"count", host_.accelerators}};
    if (replicas > 1) node["replicas"] = replicas;
    if (!domain.empty()) node["domain"] = domain;
    nodes_.push_back(std::move(node));
    return id;
}

std::string TopologyBuilder::addHostAt(const std::vector<int>& coordinates) {
    std::string id = addHost();
    nodes_.back()["coordinates"] = coordinates;
    return id;
}

void TopologyBuilder::addSwitch(const std::string& id, int replicas, const std::string& group) {
    Json node{{"id", id}, {"kind", "switch"}};
    if (replicas > 1) node["replicas"] = replicas;
    if (!group.empty()) node["group"] = group;
    nodes_.push_back(std::move(node));
}

void TopologyBuilder::link(const std::string& from, const std::string& to, double bandwidth, int count) {
    Json link{{"from", from}, {"to", to}, {"bandwidth_gb_s", compact(bandwidth)}};
    if (host_.latency) link["latency_us"] = compact(*host_.latency);
    link["count"] = count;
    links_.push_back(std::move(link));
}

void TopologyBuilder::fanOut(const std::string& from, const std::vector<std::string>& to, double cables, double bandwidth, bool exact) {
    const double each = cables / static_cast<double>(to.size());
    // A hair under a whole number is that number: 32/1.6 cables are 20.
    const int count = std::max(1, static_cast<int>(std::ceil(each - 1e-9)));
    const double rate = exact && std::abs(each - count) > 1e-9 ? bandwidth * each / count : bandwidth;
    for (const std::string& above : to) link(from, above, rate, count);
}

Json TopologyBuilder::take(const char* routing) {
    Json topology = Json::object();
    if (routing) topology["routing"] = routing;
    topology["nodes"] = std::move(nodes_);
    topology["links"] = std::move(links_);
    return topology;
}

} // namespace orrery
