// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/views/kernel_names.hpp"

#include <algorithm>
#include <map>

namespace orrery {

std::vector<KernelName> kernelNames(const RecordedJob& job) {
    struct Sum {
        std::int64_t kernels = 0, nanoseconds = 0;
    };
    std::map<std::string, Sum> sums;
    for (const RecordedRank& rank : job.ranks) {
        const KinetoTrace& trace = *rank.trace;
        std::vector<Sum> own(trace.names.size()); // texts are compared once a rank
        for (const DeviceEvent& event : trace.device) {
            if (event.work != DeviceWork::kernel || event.name >= own.size()) continue;
            own[event.name].kernels += 1;
            own[event.name].nanoseconds += event.when.end - event.when.start;
        }
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (own[i].kernels == 0) continue;
            Sum& sum = sums[trace.names[i]];
            sum.kernels += own[i].kernels;
            sum.nanoseconds += own[i].nanoseconds;
        }
    }
    std::vector<KernelName> names;
    names.reserve(sums.size());
    for (const auto& [name, sum] : sums) names.push_back({name, sum.kernels, static_cast<double>(sum.nanoseconds) * 1e-9});
    std::stable_sort(names.begin(), names.end(), [](const KernelName& a, const KernelName& b) { return a.seconds > b.seconds; });
    return names;
}

} // namespace orrery
