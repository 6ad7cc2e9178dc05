// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/catalog/platform.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What a generator gives: a topology in the drawn form (`{"nodes", "links"}`, with "routing" where it isn't the shortest
/// ways), or what is wrong with its parameters. Problems point to the parameter by its key ("/hosts_per_unit"); the edits
/// of their mends set parameters the same way.
struct GeneratedTopology {
    BoxedJson topology; ///< null when there are problems
    Problems problems;

    bool ok() const { return problems.empty(); }
};

/// The host that a generator repeats, and the cables out of it.
struct HostSpec {
    std::string stem = "host"; ///< of the hosts' ids: "dgx" makes "dgx-0", "dgx-1" …
    std::string accelerator;   ///< catalogue id
    int accelerators = 8;
    int nics = 0;                  ///< network interfaces of one host; 0: one for each accelerator
    double bandwidth = 50;         ///< GB/s of one interface, each direction
    std::optional<double> latency; ///< µs one way of each link; left out, the platform's own applies
    int hostsPerDomain = 1;        ///< hosts that share a scale-up fabric: 18 for an NVL72 rack; 1: each its own

    int interfaces() const { return nics > 0 ? nics : accelerators; }
};

/// The first word of a platform's hosts' ids: "dgx" for "dgx-h100", "tray" where many hosts share a scale-up fabric.
std::string hostStem(const Platform& platform);

/// A host of a platform as sold, one interface an accelerator. The latency is written only where the platform isn't the
/// one that fills in left out values for its accelerator.
HostSpec hostOf(const Platform& platform);

/// Collects what is wrong with a generator's parameters, in the order of asking.
class ParameterChecks {
public:
    /// GB/s of an interface below `leastBandwidth` are refused.
    explicit ParameterChecks(const HostSpec& host, double leastBandwidth = 1e-3);

    /// `value` must lie in [least, most].
    void range(const char* key, double value, double least, double most);
    /// Anything else: `mended` is the value that would do.
    void fail(const char* key, const std::string& message, const std::string& mend);
    void fail(const char* key, const std::string& message, const std::string& mend, double mended);
    /// The whole must be a cluster that ranks can number and a drawing that a window can hold.
    void size(const char* key, double hosts, double drawnLinks, bool stacks);

    bool ok() const { return problems_.empty(); }
    GeneratedTopology refuse() { return {Json(), std::move(problems_)}; }

private:
    int accelerators_;
    Problems problems_;
};

/// "leaf-3"
std::string numbered(const std::string& stem, int n);

/// Writes nodes and links in the drawn form.
class TopologyBuilder {
public:
    explicit TopologyBuilder(const HostSpec& host) : host_(host) {}

    /// The next host, or `replicas` of them as one node; gives its id.
    std::string addHost(int replicas = 1, const std::string& domain = {});
    /// The next host, at its place in a torus.
    std::string addHostAt(const std::vector<int>& coordinates);
    void addSwitch(const std::string& id, int replicas = 1, const std::string& group = {});
    /// `bandwidth` in GB/s of one cable and direction.
    void link(const std::string& from, const std::string& to, double bandwidth, int count);
    /// Cables from one switch up to each of `to`, as many as `cables` of `bandwidth` are worth in all. Where they don't
    /// divide, whole cables are added (`exact` false), or all are narrowed until the sum is exact.
    void fanOut(const std::string& from, const std::vector<std::string>& to, double cables, double bandwidth, bool exact);

    Json take(const char* routing = nullptr);

private:
    const HostSpec& host_;
    Json nodes_ = Json::array();
    Json links_ = Json::array();
    int hosts_ = 0;
};

} // namespace orrery
