// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/network/generators/host_spec.hpp"

#include <string>
#include <vector>

namespace orrery {

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
