// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/format.hpp"
#include "widgets/headline/figure_maker.hpp"

namespace orrery {

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
