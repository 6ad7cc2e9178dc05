// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/serving_values.hpp"

#include "core/order/serving/serving_metrics.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace orrery {
namespace {

struct ServingText {
    Q_DECLARE_TR_FUNCTIONS(Serving)
};

/// What one instance adds to the sums when a step of it begins, or when it has nothing to do.
struct CounterChange {
    double time = 0;
    std::size_t instance = 0;
    CounterSample now;
};

std::vector<CounterChange> changesOf(const std::vector<StepRecord>& steps, std::size_t instance, std::int64_t blocks) {
    std::vector<CounterChange> changes;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const StepRecord& step = steps[i];
        const double end = step.start + step.seconds;
        changes.push_back({step.start, instance, {step.start, step.running, step.waiting, std::max<std::int64_t>(0, blocks - step.freeBlocks)}});
        const bool standsStill = i + 1 == steps.size() || steps[i + 1].start > end * (1 + 1e-12);
        if (standsStill) changes.push_back({end, instance, {end, 0, 0, 0}});
    }
    return changes;
}

} // namespace

double LatencyValues::shareWithin(double seconds) const {
    if (sorted.empty()) return 0;
    return static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), seconds) - sorted.begin()) / static_cast<double>(sorted.size());
}

std::vector<LatencyValues> latenciesOf(const Result& result) {
    const ServingReport* report = result.serving();
    if (report == nullptr) return {};
    ServiceLevel slo;
    if (const auto* workload = std::get_if<ServingWorkload>(&result.scenario.workload)) slo = workload->slo;
    LatencyValues ttft{ServingText::tr("TTFT"), ServingText::tr("time to first token"), report->served.ttft, {}, slo.ttft};
    LatencyValues tpot{ServingText::tr("TPOT"), ServingText::tr("time per output token"), report->served.tpot, {}, slo.tpot};
    LatencyValues e2e{ServingText::tr("E2E"), ServingText::tr("whole request"), report->served.e2e, {}, slo.e2e};
    for (std::size_t i = 0; i < report->records.size(); ++i) {
        const RequestRecord& record = report->records[i];
        if (!record.isCompleted()) continue;
        ttft.sorted.push_back(record.firstToken - record.arrival);
        e2e.sorted.push_back(record.finish - record.arrival);
        if (report->requests && i < report->requests->requests.size())
            if (const auto seconds = tpotOf(report->requests->requests[i], record)) tpot.sorted.push_back(*seconds);
    }
    std::vector<LatencyValues> all{std::move(ttft), std::move(tpot), std::move(e2e)};
    for (LatencyValues& one : all) std::sort(one.sorted.begin(), one.sorted.end());
    return all;
}

const CounterSample* ServingCounters::at(double seconds) const {
    const auto after = std::upper_bound(samples.begin(), samples.end(), seconds, [](double time, const CounterSample& sample) { return time < sample.time; });
    return after == samples.begin() ? nullptr : &*std::prev(after);
}

ServingCounters countersOf(const ServingReport& report) {
    ServingCounters counters;
    std::vector<CounterChange> changes;
    for (std::size_t instance = 0; instance < report.steps.size(); ++instance) {
        const std::vector<CounterChange> own = changesOf(report.steps[instance], instance, report.cache.blocks);
        changes.insert(changes.end(), own.begin(), own.end());
    }
    counters.blocks = report.cache.blocks * static_cast<std::int64_t>(report.steps.size());
    std::stable_sort(changes.begin(), changes.end(), [](const CounterChange& a, const CounterChange& b) { return a.time < b.time; });
    std::vector<CounterSample> now(report.steps.size());
    CounterSample sum;
    for (const CounterChange& change : changes) {
        CounterSample& before = now[change.instance];
        sum.time = change.time;
        sum.running += change.now.running - before.running;
        sum.waiting += change.now.waiting - before.waiting;
        sum.usedBlocks += change.now.usedBlocks - before.usedBlocks;
        before = change.now;
        if (!counters.samples.empty() && counters.samples.back().time == sum.time) counters.samples.back() = sum;
        else counters.samples.push_back(sum);
    }
    for (const CounterSample& sample : counters.samples) {
        counters.duration = std::max(counters.duration, sample.time);
        counters.mostRunning = std::max(counters.mostRunning, sample.running);
        counters.mostWaiting = std::max(counters.mostWaiting, sample.waiting);
        counters.mostUsed = std::max(counters.mostUsed, sample.usedBlocks);
    }
    return counters;
}

QString lifePartName(LifePart part) {
    switch (part) {
    case LifePart::front_end: return ServingText::tr("on the way");
    case LifePart::queued: return ServingText::tr("queued");
    case LifePart::prefill: return ServingText::tr("prefill");
    case LifePart::transfer: return ServingText::tr("KV transfer");
    case LifePart::decode: return ServingText::tr("decode");
    case LifePart::preempted: return ServingText::tr("preempted");
    }
    return {};
}

std::array<double, lifePartCount> lifeOf(const RequestRecord& record) {
    if (!record.isCompleted()) return {};
    return {record.frontEnd, record.queued, record.prefillSeconds(), record.transferred, record.decodeSeconds(), record.preempted};
}

} // namespace orrery
