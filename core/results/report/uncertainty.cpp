// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/uncertainty.hpp"
#include "core/results/report/result.hpp"

#include <initializer_list>
#include <utility>

namespace orrery {
namespace {

using Figures = std::vector<FigureWithBar>;

Figures figuresOf(const TrainingMetrics& metrics, const Result& result) {
    return {{"/iteration_time_s", ErrorOf::time, metrics.iterationTime, "s"},
            {"/tokens_per_s", ErrorOf::time, metrics.tokensPerSecond, "1/s", true},
            {"/tokens_per_s_per_accelerator", ErrorOf::time, metrics.tokensPerSecondPerAccelerator, "1/s", true},
            {"/peak_memory_bytes", ErrorOf::memory, result.memory.peakBytes, "bytes"}};
}

Figures figuresOf(const InferenceMetrics& metrics, const Result&) {
    return {{"/ttft_s", ErrorOf::first_token, metrics.ttft, "s"},
            {"/tpot_s", ErrorOf::per_token, metrics.tpot, "s"},
            {"/request_latency_s", ErrorOf::output_rate, metrics.requestLatency, "s"},
            {"/output_tokens_per_s", ErrorOf::output_rate, metrics.outputTokensPerSecond, "1/s", true},
            {"/output_tokens_per_s_per_accelerator", ErrorOf::output_rate, metrics.outputTokensPerSecondPerAccelerator, "1/s", true}};
}

Figures figuresOf(const ServingReport& report, const Result&) {
    const ServingMetrics& served = report.served;
    return {{"/ttft_s/mean", ErrorOf::first_token, served.ttft.mean, "s"},
            {"/ttft_s/p50", ErrorOf::first_token, served.ttft.p50, "s"},
            {"/tpot_s/mean", ErrorOf::per_token, served.tpot.mean, "s"},
            {"/tpot_s/p50", ErrorOf::per_token, served.tpot.p50, "s"},
            {"/output_tokens_per_s", ErrorOf::output_rate, served.outputTokensPerSecond, "1/s", true},
            {"/output_tokens_per_s_per_accelerator", ErrorOf::output_rate, report.outputTokensPerSecondPerAccelerator, "1/s", true}};
}

/// Its halves have bars of their own; nobody measured loops.
Figures figuresOf(const RlReport&, const Result&) { return {}; }

} // namespace

std::optional<double> fitsProbability(const Result& result) {
    if (!result.uncertainty || result.memory.peakBytes <= 0) return std::nullopt;
    const std::optional<ErrorBar>& bar = result.uncertainty->of(ErrorOf::memory);
    if (!bar) return std::nullopt;
    return chanceBelow(result.memory.capacityBytes / result.memory.peakBytes, bar->factor, bar->level);
}

std::vector<ErrorOf> errorsOf(std::string_view kind, std::string_view pointer) {
    const auto starts = [pointer](std::initializer_list<std::string_view> names) {
        return std::any_of(names.begin(), names.end(), [pointer](std::string_view name) { return pointer.starts_with(name); });
    };
    if (kind == "rl") return {};
    if (kind == "training") {
        if (starts({"/iteration_time_s", "/tokens_per_s", "/model_tflops_per_accelerator", "/mfu", "/hfu", "/run/days", "/run/accelerator_hours", "/run/cost", "/cost_per_billion_tokens"})) return {ErrorOf::time};
        return starts({"/memory/peak_bytes", "/peak_memory_bytes"}) ? std::vector{ErrorOf::memory} : std::vector<ErrorOf>{};
    }
    if (starts({"/ttft_s"})) return {ErrorOf::first_token};
    if (starts({"/tpot_s", "/itl_s", "/output_tokens_per_s_per_user"})) return {ErrorOf::per_token};
    if (starts({"/e2e_s"})) return {ErrorOf::first_token, ErrorOf::per_token};
    return starts({"/output_tokens_per_s", "/request_latency_s", "/total_tokens_per_s", "/cost_per_million_output_tokens"}) ? std::vector{ErrorOf::output_rate} : std::vector<ErrorOf>{};
}

std::vector<FigureWithBar> figuresWithBars(const Result& result) {
    if (!result.uncertainty) return {};
    Figures figures = std::visit([&result](const auto& metrics) { return figuresOf(metrics, result); }, result.metrics);
    std::erase_if(figures, [&result](const FigureWithBar& figure) { return figure.value <= 0 || !result.uncertainty->of(figure.what); }); // nothing served has no error
    return figures;
}

} // namespace orrery
