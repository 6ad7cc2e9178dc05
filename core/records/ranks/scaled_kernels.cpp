// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/scaled_kernels.hpp"

#include "core/records/ranks/device_graph.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

std::string inSmallLetters(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

} // namespace

bool ScaledKernels::matches(const std::string& name) const { return inSmallLetters(name).find(inSmallLetters(match)) != std::string::npos; }

double factorOf(const std::string& name, const std::vector<ScaledKernels>& scaled) {
    double factor = 1;
    for (const ScaledKernels& rule : scaled)
        if (rule.matches(name)) factor *= rule.factor;
    return factor;
}

std::vector<double> kernelFactors(const KinetoTrace& trace, const std::vector<ScaledKernels>& scaled) {
    std::vector<double> factors;
    if (scaled.empty()) return factors;
    factors.reserve(trace.names.size());
    for (const std::string& name : trace.names) factors.push_back(factorOf(name, scaled));
    return factors;
}

RankRecord scaledRecord(const KinetoTrace& trace, std::string file, const std::vector<ScaledKernels>& scaled, std::optional<std::int64_t> rank) {
    if (scaled.empty()) return recordOf(trace, std::move(file), rank);
    const std::vector<double> factors = kernelFactors(trace, scaled);
    const DeviceGraph graph = deviceGraph(trace);
    const std::vector<Interval> runs = replayed(graph, [&](std::uint32_t index, std::int64_t start) -> std::int64_t {
        const DeviceEvent& event = trace.device[index];
        const std::int64_t duration = event.when.end - event.when.start;
        // Who comes earlier waits longer: the others decide when a collective ends.
        if (event.communication) return std::max(event.when.end - start, duration);
        if (event.work != DeviceWork::kernel) return duration;
        return static_cast<std::int64_t>(std::llround(static_cast<double>(duration) * factors[event.name]));
    });
    KinetoTrace moved;
    moved.rank = trace.rank;
    moved.worldSize = trace.worldSize;
    moved.device = trace.device;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (graph.nodes[i].deviceEvent != DeviceGraph::noEvent) moved.device[graph.nodes[i].deviceEvent].when = runs[i];
    RankRecord record = recordOf(moved, std::move(file), rank);
    record.messages = recordOf(trace, record.file, rank).messages; // what is said on the host stays as it was
    return record;
}

} // namespace orrery
