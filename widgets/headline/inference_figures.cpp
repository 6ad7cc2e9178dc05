// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/format.hpp"
#include "widgets/headline/figure_maker.hpp"

#include <algorithm>

namespace orrery {

namespace {

/// $ for 10^6 generated tokens.
std::optional<double> costPerMillionTokens(const Result* result) {
    const std::optional<double> price = pricePerHour(result);
    const InferenceMetrics* metrics = result != nullptr ? result->inference() : nullptr;
    if (!price || metrics == nullptr || metrics->outputTokensPerSecondPerAccelerator <= 0) return std::nullopt;
    return *price / 3600.0 / metrics->outputTokensPerSecondPerAccelerator * 1e6;
}

double cacheBytes(const Result& result) {
    double most = 0;
    for (const StageMemory& stage : result.memory.stages) most = std::max(most, stage.bytes[static_cast<std::size_t>(MemoryKind::kv_cache)]);
    return most;
}

class InferenceFigures : FigureMaker {
    Q_DECLARE_TR_FUNCTIONS(FigureMaker)

public:
    InferenceFigures(const Result& result, const Result* baseline, const QString& baselineName)
        : FigureMaker(&result, baseline, baselineName), metrics_(*result.inference()), before_(baseline != nullptr ? baseline->inference() : nullptr) {}

    std::vector<Figure> make() {
        return {time("/ttft_s", tr("Time to first token"), tr("From the prompts to the first token of every sequence of the batch."), &InferenceMetrics::ttft, ErrorOf::first_token),
                time("/tpot_s", tr("Time per output token"), tr("Mean time between two tokens of a sequence after its first."), &InferenceMetrics::tpot, ErrorOf::per_token),
                time("/request_latency_s", tr("Request latency"), tr("From the prompts to the last token."), &InferenceMetrics::requestLatency, ErrorOf::output_rate),
                throughput(), peakMemory(), cache(),
                cost("/output_tokens_per_s_per_accelerator", tr("Cost per million tokens"), tr("Accelerator-hours for 10⁶ generated tokens at the price of the scenario."),
                     costPerMillionTokens(result_), costPerMillionTokens(baseline_))};
    }

private:
    const InferenceWorkload& workload() const { return std::get<InferenceWorkload>(result_->scenario.workload); }
    std::optional<double> beforeOf(double InferenceMetrics::*member) const { return before_ != nullptr ? std::optional(before_->*member) : std::nullopt; }

    Figure time(const char* pointer, const QString& title, const QString& meaning, double InferenceMetrics::*member, ErrorOf error) const {
        Figure figure = titled(pointer, title, meaning);
        const Readable readable = readableTime(metrics_.*member);
        figure.number = readable.number;
        figure.unit = readable.unit;
        addErrorBar(figure, barOf(error));
        if (member == &InferenceMetrics::ttft) figure.detail = tr("%1 prompt tokens × %2").arg(grouped(workload().inputLength), grouped(workload().batchSize));
        if (member == &InferenceMetrics::requestLatency) figure.detail = tr("%1 tokens out").arg(grouped(workload().outputLength));
        if (member == &InferenceMetrics::tpot && metrics_.tpot > 0) figure.detail = tr("%1 tokens/s for one user").arg(grouped(1 / metrics_.tpot, 1));
        compare(figure, metrics_.*member, beforeOf(member), true);
        return figure;
    }

    Figure throughput() const {
        Figure figure = titled("/output_tokens_per_s_per_accelerator", tr("Tokens/s per accelerator"), tr("Generated tokens a second, divided by the accelerators of an instance."));
        const double rate = metrics_.outputTokensPerSecondPerAccelerator;
        figure.number = grouped(rate, rate < 10 ? 2 : 0);
        addErrorBar(figure, barOf(ErrorOf::output_rate), true);
        figure.detail = tr("%1 of an instance").arg(grouped(metrics_.outputTokensPerSecond));
        compare(figure, rate, beforeOf(&InferenceMetrics::outputTokensPerSecondPerAccelerator), false);
        return figure;
    }

    Figure cache() const {
        Figure figure = titled("/memory/stages/0/kv_cache", tr("Key-value cache"), tr("Keys and values of the whole batch when its last token is made, on the fullest accelerator."));
        const Readable bytes = readableBytes(cacheBytes(*result_));
        figure.number = bytes.number;
        figure.unit = bytes.unit;
        figure.detail = tr("in %1").arg(QString::fromStdString(std::string(wordOf(workload().cachePrecision))));
        compare(figure, cacheBytes(*result_), baseline_ != nullptr ? std::optional(cacheBytes(*baseline_)) : std::nullopt, true);
        return figure;
    }

    const InferenceMetrics& metrics_;
    const InferenceMetrics* before_;
};

} // namespace

std::vector<Figure> inferenceFigures(const Result& result, const Result* baseline, const QString& baselineName) {
    return InferenceFigures(result, baseline, baselineName).make();
}

} // namespace orrery
