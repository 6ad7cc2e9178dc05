// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/figures_with_bars.hpp"

#include "core/report/result.hpp"

#include <utility>

namespace orrery {
namespace {

using Figures = std::vector<FigureWithBar>;

Figures figuresOf(const TrainingMetrics& metrics, const Result& result) {
    return {{"/iteration_time_s", ErrorOf::time, metrics.iterationTime, "s"},
            {"/tokens_per_s", ErrorOf::time, metrics.tokensPerSecond, "1/s"},
            {"/tokens_per_s_per_accelerator", ErrorOf::time, metrics.tokensPerSecondPerAccelerator, "1/s"},
            {"/peak_memory_bytes", ErrorOf::memory, result.memory.peakBytes, "bytes"}};
}

Figures figuresOf(const InferenceMetrics& metrics, const Result&) {
    return {{"/ttft_s", ErrorOf::first_token, metrics.ttft, "s"},
            {"/tpot_s", ErrorOf::per_token, metrics.tpot, "s"},
            {"/request_latency_s", ErrorOf::output_rate, metrics.requestLatency, "s"},
            {"/output_tokens_per_s", ErrorOf::output_rate, metrics.outputTokensPerSecond, "1/s"},
            {"/output_tokens_per_s_per_accelerator", ErrorOf::output_rate, metrics.outputTokensPerSecondPerAccelerator, "1/s"}};
}

Figures figuresOf(const ServingReport& report, const Result&) {
    const ServingMetrics& served = report.served;
    return {{"/ttft_s/mean", ErrorOf::first_token, served.ttft.mean, "s"},
            {"/ttft_s/p50", ErrorOf::first_token, served.ttft.p50, "s"},
            {"/tpot_s/mean", ErrorOf::per_token, served.tpot.mean, "s"},
            {"/tpot_s/p50", ErrorOf::per_token, served.tpot.p50, "s"},
            {"/output_tokens_per_s", ErrorOf::output_rate, served.outputTokensPerSecond, "1/s"},
            {"/output_tokens_per_s_per_accelerator", ErrorOf::output_rate, report.outputTokensPerSecondPerAccelerator, "1/s"}};
}

} // namespace

std::vector<FigureWithBar> figuresWithBars(const Result& result) {
    if (!result.uncertainty) return {};
    Figures figures = std::visit([&result](const auto& metrics) { return figuresOf(metrics, result); }, result.metrics);
    std::erase_if(figures, [&result](const FigureWithBar& figure) { return figure.value <= 0 || !result.uncertainty->of(figure.what); }); // nothing served has no error
    return figures;
}

} // namespace orrery
