// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/kernel_likeness.hpp"

#include "core/base/text.hpp"
#include "core/records/ranks/device_graph.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

class KernelSpread {
public:
    /// `alone`: of kernels that nothing ran beside.
    KernelSpread(const PlannedRanks& ranks, const std::vector<ClassRecord>& records, bool alone) : ranks_(ranks), alone_(alone) {
        for (const ClassRecord& one : records)
            visit(one, [&](std::size_t, const ClassKernel& kind, double seconds) {
                sums_[kind].first += std::log(seconds);
                sums_[kind].second += 1;
            });
        for (const ClassRecord& one : records) addWithinPasses(one);
    }
    bool isKnown() const { return freedom_ > 0; }
    double sigma() const { return isKnown() ? std::sqrt(squares_ / freedom_) : 0; }

private:
    static constexpr double leastSeconds = 1e-6; ///< shorter ones vary by the clock's nanosecond

    template <typename Visit>
    void visit(const ClassRecord& one, Visit&& visitor) const {
        visitKernels(ranks_, one.rank, [&](std::size_t pass, const PlannedKernel& kernel, std::size_t at) {
            const double seconds = one.record->kernels[at];
            if (seconds > leastSeconds && !(alone_ && one.record->beside[at])) visitor(pass, ClassKernel{one.ofClass, kernel.op}, seconds);
        });
    }
    void addWithinPasses(const ClassRecord& one) {
        std::vector<double> away;
        std::size_t current = 0;
        const auto close = [&] {
            if (away.size() > 1) {
                double mean = 0;
                for (const double each : away) mean += each / static_cast<double>(away.size());
                for (const double each : away) squares_ += (each - mean) * (each - mean);
                freedom_ += static_cast<double>(away.size()) - 1;
            }
            away.clear();
        };
        visit(one, [&](std::size_t pass, const ClassKernel& kind, double seconds) {
            if (pass != current) close();
            current = pass;
            const auto& [sum, count] = sums_.at(kind);
            if (count >= 2) away.push_back((std::log(seconds) - sum / count) * std::sqrt(count / (count - 1)));
        });
        close();
    }

    const PlannedRanks& ranks_;
    const bool alone_;
    std::map<ClassKernel, std::pair<double, double>> sums_; ///< of logarithms, and how many
    double squares_ = 0, freedom_ = 0;
};

} // namespace

double kernelSpread(const PlannedRanks& ranks, const std::vector<ClassRecord>& records) {
    const KernelSpread alone(ranks, records, true);
    return alone.isKnown() ? alone.sigma() : KernelSpread(ranks, records, false).sigma();
}

KernelMeans::KernelMeans(const PlannedRanks& ranks, const std::vector<ClassRecord>& records) {
    for (const ClassRecord& one : records) {
        Sums& all = classes_[one.ofClass];
        visitKernels(ranks, one.rank, [&](std::size_t, const PlannedKernel& kernel, std::size_t at) {
            if (one.record->beside[at] || kernel.seconds <= 0) return;
            for (Sums* sums : {&all, &kinds_[{one.ofClass, kernel.op}]}) {
                sums->recorded += one.record->kernels[at];
                sums->planned += kernel.seconds;
            }
        });
    }
}

namespace {

std::string inSmallLetters(std::string text) {
    text = lowered(std::move(text));
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
