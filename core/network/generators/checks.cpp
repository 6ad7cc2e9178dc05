// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/checks.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
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

} // namespace orrery
