// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/units.hpp"
#include "widgets/common/format.hpp"
#include "widgets/headline/figure_maker.hpp"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

double part(const TrainingMetrics& metrics, TimePart which) { return metrics.breakdown[static_cast<std::size_t>(which)]; }

double exposedTime(const TrainingMetrics& metrics) {
    return part(metrics, TimePart::tensor_exposed) + part(metrics, TimePart::context_exposed) + part(metrics, TimePart::expert_exposed) +
           part(metrics, TimePart::pipeline_exposed) + part(metrics, TimePart::data_exposed);
}

std::optional<double> costPerBillionTokens(const Result* result) {
    const TrainingMetrics* metrics = result != nullptr ? result->training() : nullptr;
    return metrics != nullptr ? metrics->costPerBillionTokens : std::nullopt;
}

double acceleratorCount(const TrainingMetrics& metrics) {
    return metrics.tokensPerSecondPerAccelerator > 0 ? std::round(metrics.tokensPerSecond / metrics.tokensPerSecondPerAccelerator) : 0;
}

class TrainingFigures : FigureMaker {
    Q_DECLARE_TR_FUNCTIONS(FigureMaker)

public:
    TrainingFigures(const Result* result, const Result* baseline, const QString& baselineName)
        : FigureMaker(result, baseline, baselineName), metrics_(result != nullptr ? result->training() : nullptr),
          before_(baseline != nullptr ? baseline->training() : nullptr) {}

    std::vector<Figure> make() {
        std::vector<Figure> figures{iterationTime(), throughput(), utilisation(), peakMemory(), bubble(), exposed(),
                                    cost("/cost_per_billion_tokens", tr("Cost per billion tokens"), tr("Accelerator-hours for 10⁹ trained tokens at the price of the scenario."),
                                         costPerBillionTokens(result_), costPerBillionTokens(baseline_))};
        if (metrics_ == nullptr)
            for (Figure& figure : figures) figure.detail = tr("nothing simulated yet");
        return figures;
    }

private:
    std::optional<double> beforeOf(double TrainingMetrics::*member) const { return before_ != nullptr ? std::optional(before_->*member) : std::nullopt; }

    std::optional<ErrorBar> timeBar() const { return barOf(ErrorOf::time); }

    Figure iterationTime() const {
        Figure figure = titled("/iteration_time_s", tr("Iteration time"), tr("Wall clock of one training step."));
        if (metrics_ == nullptr) return figure;
        const Readable time = readableTime(metrics_->iterationTime);
        figure.number = time.number;
        figure.unit = time.unit;
        addErrorBar(figure, timeBar());
        const int microBatches = result_->scenario.training().microBatch > 0 && result_->scenario.parallelism.data > 0 ? result_->scenario.microBatches() : 0;
        if (before_ != nullptr && !baselineName_.isEmpty()) figure.detail = tr("against %1").arg(baselineInShort());
        else if (microBatches > 0) figure.detail = microBatches == 1 ? tr("1 micro-batch") : tr("%1 micro-batches").arg(grouped(microBatches));
        compare(figure, metrics_->iterationTime, beforeOf(&TrainingMetrics::iterationTime), true);
        return figure;
    }

    Figure throughput() const {
        Figure figure = titled("/tokens_per_s_per_accelerator", tr("Tokens/s per accelerator"), tr("Trained tokens a second, divided by the accelerators in use."));
        if (metrics_ == nullptr) return figure;
        figure.number = grouped(metrics_->tokensPerSecondPerAccelerator, metrics_->tokensPerSecondPerAccelerator < 10 ? 2 : 0);
        addErrorBar(figure, timeBar(), true);
        figure.detail = tr("%1 over %2").arg(grouped(metrics_->tokensPerSecond), grouped(acceleratorCount(*metrics_)));
        compare(figure, metrics_->tokensPerSecondPerAccelerator, beforeOf(&TrainingMetrics::tokensPerSecondPerAccelerator), false);
        return figure;
    }

    Figure utilisation() const {
        Figure figure = titled("/mfu", tr("Model FLOP utilisation"),
                               tr("Arithmetic that the model needs, over what the accelerators could do at their dense peak. Recomputation does not count."));
        if (metrics_ == nullptr) return figure;
        if (result_->scenario.model.toy) {
            figure.detail = tr("a toy has times and no FLOPs");
            return figure;
        }
        const Readable percent = readablePercent(metrics_->mfu);
        figure.number = percent.number;
        figure.unit = percent.unit;
        const std::string precision(wordOf(result_->scenario.precision()));
        const auto& peaks = result_->scenario.cluster.accelerator.peakDense;
        const auto peak = peaks.find(precision);
        const QString achieved = grouped(metrics_->modelTflopsPerAccelerator);
        if (peak != peaks.end())
            figure.detail = tr("%1 of %2 TFLOP/s · %3").arg(achieved, grouped(peak->second / units::tera), QString::fromStdString(precision));
        else figure.detail = tr("%1 TFLOP/s").arg(achieved);
        comparePoints(figure, metrics_->mfu, beforeOf(&TrainingMetrics::mfu), false);
        return figure;
    }

    Figure bubble() const {
        Figure figure = titled("/bubble_fraction", tr("Pipeline bubble"), tr("Share of the time between first forward and last backward that a stage waits, mean over the stages."));
        if (metrics_ == nullptr) return figure;
        const Readable percent = readablePercent(metrics_->bubbleFraction);
        figure.number = percent.number;
        figure.unit = percent.unit;
        const double closing = part(*metrics_, TimePart::bubble);
        figure.detail = tr("%1 mean · %2 last").arg(readableTime(metrics_->bubbleTime).text(), readableTime(closing).text());
        if (metrics_->iterationTime > 0)
            figure.meaning += tr(" The stage that ends the iteration waits %1, %2 of it.")
                                  .arg(readableTime(closing).text(), readablePercent(closing / metrics_->iterationTime).text());
        comparePoints(figure, metrics_->bubbleFraction, beforeOf(&TrainingMetrics::bubbleFraction), true);
        return figure;
    }

    Figure exposed() const {
        Figure figure = titled("/time_breakdown_s", tr("Exposed communication"), tr("Share of the iteration spent on communication that no computation hides."));
        if (metrics_ == nullptr || metrics_->iterationTime <= 0) return figure;
        const double iteration = metrics_->iterationTime;
        const Readable percent = readablePercent(exposedTime(*metrics_) / iteration);
        figure.number = percent.number;
        figure.unit = percent.unit;
        figure.detail = exposedParts();
        if (before_ != nullptr && before_->iterationTime > 0)
            comparePoints(figure, exposedTime(*metrics_) / iteration, exposedTime(*before_) / before_->iterationTime, true);
        return figure;
    }

    /// Whose communication it is; of more than three kinds the largest, for there is room for no more.
    QString exposedParts() const {
        struct Kind {
            QString words;
            double share;
        };
        std::vector<Kind> kinds;
        const auto add = [&](TimePart which, const QString& words, bool always) {
            const double share = part(*metrics_, which) / metrics_->iterationTime;
            if (always || share > 0) kinds.push_back({words.arg(grouped(share * 100, 1)), share});
        };
        add(TimePart::tensor_exposed, tr("tensor %1"), true);
        add(TimePart::expert_exposed, tr("expert %1"), false);
        add(TimePart::context_exposed, tr("context %1"), false);
        add(TimePart::data_exposed, tr("data %1"), true);
        add(TimePart::pipeline_exposed, tr("pipeline %1"), true);
        while (kinds.size() > 3)
            kinds.erase(std::min_element(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.share < b.share; }));
        QStringList words;
        for (const Kind& kind : kinds) words << kind.words;
        return words.join(QStringLiteral(" · "));
    }

    const TrainingMetrics* metrics_;
    const TrainingMetrics* before_;
};

} // namespace

std::vector<Figure> trainingFigures(const Result* result, const Result* baseline, const QString& baselineName) {
    return TrainingFigures(result, baseline, baselineName).make();
}

} // namespace orrery
