// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/network/generators/generated.hpp"
#include "core/network/generators/host_spec.hpp"

#include <string>

namespace orrery {

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

} // namespace orrery
