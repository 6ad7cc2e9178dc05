// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/headline/figures.hpp"
#include "widgets/common/format.hpp"
#include "widgets/headline/figure_maker.hpp"

#include <QCoreApplication>
#include <algorithm>
#include <array>

namespace orrery {
namespace {

struct MakeFigures {
    const Result& result;
    const Result* baseline;
    const QString& baselineName;

    std::vector<Figure> operator()(const TrainingMetrics&) const { return trainingFigures(&result, baseline, baselineName); }
    std::vector<Figure> operator()(const InferenceMetrics&) const { return inferenceFigures(result, baseline, baselineName); }
    std::vector<Figure> operator()(const ServingReport&) const { return servingFigures(result, baseline, baselineName); }
    std::vector<Figure> operator()(const RlReport&) const { return rlFigures(result, baseline, baselineName); }
};

} // namespace

std::vector<Figure> headlineFigures(const Result* result, const Result* baseline, const QString& baselineName) {
    if (result == nullptr) return trainingFigures(nullptr, baseline, baselineName);
    return std::visit(MakeFigures{*result, baseline, baselineName}, result->metrics);
}

namespace {

/// What an estimate has, by the figures' pointers; a cost follows from the rate.
constexpr std::array<const char*, 5> estimatedPointers{"/iteration_time_s", "/tokens_per_s_per_accelerator", "/mfu", "/memory/peak_bytes", "/cost_per_billion_tokens"};

struct EstimateText {
    Q_DECLARE_TR_FUNCTIONS(FigureMaker)
};

} // namespace

void showEstimate(std::vector<Figure>& figures, const Result& estimate, const Result* baseline, const QString& baselineName) {
    const std::vector<Figure> estimated = headlineFigures(&estimate, baseline, baselineName);
    if (figures.front().pointer != estimated.front().pointer) figures = headlineFigures(nullptr, nullptr, {});
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const bool isEstimated = std::find(estimatedPointers.begin(), estimatedPointers.end(), estimated[i].pointer) != estimatedPointers.end();
        if (!isEstimated) continue;
        figures[i] = estimated[i];
        figures[i].estimated = true;
        figures[i].number.prepend(QStringLiteral("≈ "));
        figures[i].meaning += EstimateText::tr(" About so much by estimate: the simulation is under way, and gives the number itself.");
    }
}

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

namespace {

class ServingFigures : FigureMaker {
    Q_DECLARE_TR_FUNCTIONS(FigureMaker)

public:
    ServingFigures(const Result& result, const Result* baseline, const QString& baselineName)
        : FigureMaker(&result, baseline, baselineName), report_(*result.serving()), before_(baseline != nullptr ? baseline->serving() : nullptr) {}

    std::vector<Figure> make() {
        return {time("/ttft_s/p50", tr("Time to first token, median"), tr("From a request's arrival to its first token."), &ServingMetrics::ttft, ErrorOf::first_token),
                time("/tpot_s/p50", tr("Time per output token, median"), tr("Mean time between two tokens of a request after its first."), &ServingMetrics::tpot, ErrorOf::per_token),
                throughput(), queue(), peakMemory(), cache(),
                cost("/cost_per_million_output_tokens", tr("Cost per million tokens"), tr("Accelerator-hours for 10⁶ generated tokens at the price of the scenario."),
                     report_.costPerMillionOutputTokens, before_ != nullptr ? before_->costPerMillionOutputTokens : std::nullopt)};
    }

private:
    Figure time(const char* pointer, const QString& title, const QString& meaning, Distribution ServingMetrics::*member, std::optional<ErrorOf> error = {}) const {
        Figure figure = titled(pointer, title, meaning);
        const Distribution& values = report_.served.*member;
        if (report_.served.completed == 0) return unserved(figure);
        const Readable median = readableTime(values.p50);
        figure.number = median.number;
        figure.unit = median.unit;
        if (error) addErrorBar(figure, barOf(*error));
        figure.detail = tr("99 % within %1").arg(readableTime(values.p99).text());
        compare(figure, values.p50, before_ != nullptr ? std::optional((before_->served.*member).p50) : std::nullopt, true);
        return figure;
    }

    /// Times and rates of no request are no figures: not zero, and no error bar.
    Figure unserved(Figure figure) const {
        figure.number = QStringLiteral("–");
        figure.detail = report_.served.rejected > 0 ? tr("all requests rejected") : tr("nothing is served");
        return figure;
    }

    Figure throughput() const {
        Figure figure = titled("/output_tokens_per_s_per_accelerator", tr("Tokens/s per accelerator"), tr("Generated tokens a second from the first arrival to the last token, divided by the accelerators in use."));
        if (report_.served.completed == 0) return unserved(figure);
        const double rate = report_.outputTokensPerSecondPerAccelerator;
        figure.number = grouped(rate, rate < 10 ? 2 : 0);
        addErrorBar(figure, barOf(ErrorOf::output_rate), true);
        figure.detail = tr("%1 in all").arg(grouped(report_.served.outputTokensPerSecond));
        compare(figure, rate, before_ != nullptr ? std::optional(before_->outputTokensPerSecondPerAccelerator) : std::nullopt, false);
        return figure;
    }

    Figure queue() const {
        Figure figure = time("/queue_s/p50", tr("Queue, median"), tr("How long a request waits for a place before its prompt runs."), &ServingMetrics::queue);
        if (report_.served.rejected > 0) {
            figure.detail = tr("%1 of %2 rejected").arg(grouped(double(report_.served.rejected)), grouped(double(report_.served.count)));
            figure.alarm = true;
        }
        return figure;
    }

    Figure cache() const {
        Figure figure = titled("/kv_cache_utilisation", tr("Cache in use"), tr("Share of the key-value cache's blocks that hold something, mean over the time of steps."));
        if (report_.served.completed == 0) return unserved(figure);
        const Readable percent = readablePercent(report_.served.kvCacheUtilisation);
        figure.number = percent.number;
        figure.unit = percent.unit;
        figure.detail = report_.served.preemptions > 0 ? tr("%1 preemptions").arg(grouped(double(report_.served.preemptions)))
                                                       : tr("%1 blocks of %2 tokens").arg(grouped(double(report_.cache.blocks)), grouped(report_.cache.blockSize));
        comparePoints(figure, report_.served.kvCacheUtilisation, before_ != nullptr ? std::optional(before_->served.kvCacheUtilisation) : std::nullopt, true);
        return figure;
    }

    const ServingReport& report_;
    const ServingReport* before_;
};

} // namespace

std::vector<Figure> servingFigures(const Result& result, const Result* baseline, const QString& baselineName) {
    return ServingFigures(result, baseline, baselineName).make();
}

} // namespace orrery
