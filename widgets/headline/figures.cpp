// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/headline/figures.hpp"

#include "core/base/units.hpp"
#include "widgets/common/format.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace orrery {

namespace {

const QString unknown(QStringLiteral("–"));
const QString minus(QStringLiteral("−"));

double part(const TrainingMetrics& metrics, TimePart which) { return metrics.breakdown[static_cast<std::size_t>(which)]; }

double exposedTime(const TrainingMetrics& metrics) {
    return part(metrics, TimePart::tensor_exposed) + part(metrics, TimePart::context_exposed) + part(metrics, TimePart::expert_exposed) +
           part(metrics, TimePart::pipeline_exposed) + part(metrics, TimePart::data_exposed);
}

/// $ for 10^9 trained tokens: accelerators × price per hour / 3600 / (tokens/s) × 10^9.
std::optional<double> costPerBillionTokens(const Result& result) {
    const std::optional<double> price = result.scenario.economics.pricePerAcceleratorHour;
    if (!price || !result.training || result.training->tokensPerSecondPerAccelerator <= 0) return std::nullopt;
    return *price / 3600.0 / result.training->tokensPerSecondPerAccelerator * 1e9;
}

double acceleratorCount(const TrainingMetrics& metrics) {
    return metrics.tokensPerSecondPerAccelerator > 0 ? std::round(metrics.tokensPerSecond / metrics.tokensPerSecondPerAccelerator) : 0;
}

QString withSign(double value, int decimals) {
    const QString digits = grouped(std::abs(value), decimals);
    return (value < 0 ? minus : QStringLiteral("+")) + digits;
}

class FigureMaker {
    Q_DECLARE_TR_FUNCTIONS(FigureMaker)

public:
    FigureMaker(const Result* result, const Result* baseline, const QString& baselineName)
        : result_(result), metrics_(result != nullptr && result->training ? &*result->training : nullptr),
          baseline_(baseline), before_(baseline != nullptr && baseline->training ? &*baseline->training : nullptr), baselineName_(baselineName) {}

    std::vector<Figure> make() {
        std::vector<Figure> figures{iterationTime(), throughput(), utilisation(), peakMemory(), bubble(), exposed(), cost()};
        if (metrics_ == nullptr)
            for (Figure& figure : figures) figure.detail = tr("nothing simulated yet");
        return figures;
    }

private:
    Figure titled(const char* pointer, const QString& title, const QString& meaning) const {
        Figure figure;
        figure.pointer = QLatin1String(pointer);
        figure.title = title;
        figure.number = unknown;
        figure.meaning = meaning;
        return figure;
    }

    /// "s ± 4 %", or where that is wide "s −29 +41 %"; and in the tooltip which runs say so.
    void addErrorBar(Figure& figure, const std::optional<ErrorBar>& bar) const {
        if (!bar) return;
        constexpr double wide = 1.2; // where the two sides are no longer alike
        const QString text = bar->factor < wide ? tr("± %1 %").arg(grouped(100 * bar->halfWidth(), bar->factor < 1.1 ? 1 : 0))
                                                : tr("−%1 +%2 %").arg(grouped(100 * (1 - 1 / bar->factor)), grouped(100 * (bar->factor - 1)));
        figure.unit += figure.unit.isEmpty() ? text : u' ' + text;
        addMeaning(figure, bar, text);
    }

    void addMeaning(Figure& figure, const std::optional<ErrorBar>& bar, const QString& interval) const {
        if (!bar) return;
        figure.meaning += tr(" 9 of 10 such runs lie within %1: %2.").arg(interval, QString::fromStdString(bar->basis));
        if (!bar->missing.empty()) figure.meaning += u' ' + QString::fromStdString(bar->missing);
    }

    std::optional<ErrorBar> timeBar() const { return result_->uncertainty ? result_->uncertainty->time : std::nullopt; }

    /// Relative change; less than 0.05 % is none.
    void compare(Figure& figure, double now, double before, bool lessIsBetter) const {
        if (before_ == nullptr || before == 0 || !std::isfinite(now / before)) return;
        const double percent = (now / before - 1) * 100;
        setChange(figure, percent, tr("%1 %").arg(withSign(percent, 1)), lessIsBetter);
    }

    /// Change of a share, in percentage points.
    void comparePoints(Figure& figure, double now, double before, bool lessIsBetter) const {
        if (before_ == nullptr) return;
        const double points = (now - before) * 100;
        setChange(figure, points, tr("%1 pp").arg(withSign(points, 1)), lessIsBetter);
    }

    void setChange(Figure& figure, double amount, const QString& text, bool lessIsBetter) const {
        if (std::abs(amount) < 0.05) {
            figure.change = tr("±0");
            return;
        }
        figure.change = text;
        figure.verdict = (amount < 0) == lessIsBetter ? Verdict::better : Verdict::worse;
    }

    Figure iterationTime() const {
        Figure figure = titled("/iteration_time_s", tr("Iteration time"), tr("Wall clock of one training step."));
        if (metrics_ == nullptr) return figure;
        const Readable time = readableTime(metrics_->iterationTime);
        figure.number = time.number;
        figure.unit = time.unit;
        addErrorBar(figure, timeBar());
        const int microBatches = result_->scenario.workload.microBatch > 0 && result_->scenario.parallelism.data > 0 ? result_->scenario.microBatches() : 0;
        if (before_ != nullptr && !baselineName_.isEmpty()) figure.detail = tr("against %1").arg(baselineName_);
        else if (microBatches > 0) figure.detail = microBatches == 1 ? tr("1 micro-batch") : tr("%1 micro-batches").arg(grouped(microBatches));
        compare(figure, metrics_->iterationTime, before_ != nullptr ? before_->iterationTime : 0, true);
        return figure;
    }

    Figure throughput() const {
        Figure figure = titled("/tokens_per_s_per_accelerator", tr("Tokens/s per accelerator"), tr("Trained tokens a second, divided by the accelerators in use."));
        if (metrics_ == nullptr) return figure;
        figure.number = grouped(metrics_->tokensPerSecondPerAccelerator, metrics_->tokensPerSecondPerAccelerator < 10 ? 2 : 0);
        addErrorBar(figure, timeBar());
        figure.detail = tr("%1 over %2").arg(grouped(metrics_->tokensPerSecond), grouped(acceleratorCount(*metrics_)));
        compare(figure, metrics_->tokensPerSecondPerAccelerator, before_ != nullptr ? before_->tokensPerSecondPerAccelerator : 0, false);
        return figure;
    }

    Figure utilisation() const {
        Figure figure = titled("/mfu", tr("Model FLOP utilisation"),
                               tr("Arithmetic that the model needs, over what the accelerators could do at their dense peak. Recomputation does not count."));
        if (metrics_ == nullptr) return figure;
        const Readable percent = readablePercent(metrics_->mfu);
        figure.number = percent.number;
        figure.unit = percent.unit;
        const std::string& precision = result_->scenario.workload.precision;
        const auto& peaks = result_->scenario.cluster.accelerator.peakDense;
        const auto peak = peaks.find(precision);
        const QString achieved = grouped(metrics_->modelTflopsPerAccelerator);
        if (peak != peaks.end())
            figure.detail = tr("%1 of %2 TFLOP/s · %3").arg(achieved, grouped(peak->second / units::tera), QString::fromStdString(precision));
        else figure.detail = tr("%1 TFLOP/s").arg(achieved);
        comparePoints(figure, metrics_->mfu, before_ != nullptr ? before_->mfu : 0, false);
        return figure;
    }

    Figure peakMemory() const {
        Figure figure = titled("/memory/peak_bytes", tr("Peak memory"), tr("The most that any accelerator holds at one moment, as the device would report it."));
        if (metrics_ == nullptr) return figure;
        const MemoryReport& memory = result_->memory;
        const auto fullest = std::max_element(memory.stages.begin(), memory.stages.end(),
                                              [](const StageMemory& a, const StageMemory& b) { return a.peakBytes < b.peakBytes; });
        if (fullest != memory.stages.end()) figure.title = tr("Peak memory, stage %1").arg(fullest->stage);
        // One unit for both, so that they can be compared at a glance.
        const auto gib = [](double bytes) { return grouped(bytes / units::gibibyte, 1); };
        figure.number = gib(memory.peakBytes);
        figure.unit = tr("of %1 GiB").arg(gib(memory.capacityBytes));
        if (result_->uncertainty && result_->uncertainty->memory) {
            const ErrorBar& bar = *result_->uncertainty->memory;
            addMeaning(figure, bar, tr("%1 to %2 GiB").arg(gib(bar.low(memory.peakBytes)), gib(bar.high(memory.peakBytes))));
        }
        const double left = memory.capacityBytes - memory.peakBytes;
        figure.alarm = !result_->fits;
        figure.detail = result_->fits ? tr("fits · %1 GiB left").arg(gib(left)) : tr("does not fit · %1 GiB over").arg(gib(-left));
        compare(figure, memory.peakBytes, baseline_ != nullptr ? baseline_->memory.peakBytes : 0, true);
        return figure;
    }

    Figure bubble() const {
        Figure figure = titled("/bubble_fraction", tr("Pipeline bubble"), tr("Share of the time between first forward and last backward that a stage waits, mean over the stages."));
        if (metrics_ == nullptr) return figure;
        const Readable percent = readablePercent(metrics_->bubbleFraction);
        figure.number = percent.number;
        figure.unit = percent.unit;
        figure.detail = tr("%1 a stage, mean").arg(readableTime(metrics_->bubbleTime).text());
        const double closing = part(*metrics_, TimePart::bubble);
        if (metrics_->iterationTime > 0)
            figure.meaning += tr(" The stage that ends the iteration waits %1, %2 of it.")
                                  .arg(readableTime(closing).text(), readablePercent(closing / metrics_->iterationTime).text());
        comparePoints(figure, metrics_->bubbleFraction, before_ != nullptr ? before_->bubbleFraction : 0, true);
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

    Figure cost() const {
        Figure figure = titled("/run/cost", tr("Cost per billion tokens"), tr("Accelerator-hours for 10⁹ trained tokens at the price of the scenario."));
        if (metrics_ == nullptr) return figure;
        const std::optional<double> dollars = costPerBillionTokens(*result_);
        if (!dollars) {
            figure.pointer = QStringLiteral("/economics/price_per_accelerator_hour");
            figure.detail = tr("set a price per hour");
            return figure;
        }
        figure.number = tr("$ %1").arg(grouped(*dollars, *dollars < 10 ? 2 : 0));
        figure.detail = tr("at $ %1 per hour").arg(grouped(*result_->scenario.economics.pricePerAcceleratorHour, 2));
        const std::optional<double> before = baseline_ != nullptr ? costPerBillionTokens(*baseline_) : std::nullopt;
        compare(figure, *dollars, before.value_or(0), true);
        return figure;
    }

    const Result* result_;
    const TrainingMetrics* metrics_;
    const Result* baseline_;
    const TrainingMetrics* before_;
    QString baselineName_;
};

} // namespace

std::vector<Figure> headlineFigures(const Result* result, const Result* baseline, const QString& baselineName) {
    return FigureMaker(result, baseline, baselineName).make();
}

} // namespace orrery
