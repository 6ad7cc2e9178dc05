// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/headline/figure_maker.hpp"

#include "core/base/units.hpp"
#include "core/results/comparison/compare.hpp"
#include "widgets/common/format.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

const QString unknown(QStringLiteral("–"));
const QString minus(QStringLiteral("−"));

QString withSign(double value, int decimals) {
    const QString digits = grouped(std::abs(value), decimals);
    return (value < 0 ? minus : QStringLiteral("+")) + digits;
}

} // namespace

Figure FigureMaker::titled(const char* pointer, const QString& title, const QString& meaning) const {
    Figure figure;
    figure.pointer = QLatin1String(pointer);
    figure.title = title;
    figure.number = unknown;
    figure.meaning = meaning;
    return figure;
}

QString FigureMaker::baselineInShort() const {
    constexpr qsizetype longest = 32;
    return baselineName_.size() > longest ? baselineName_.left(longest - 1).trimmed() + QStringLiteral("…") : baselineName_;
}

std::optional<ErrorBar> FigureMaker::barOf(ErrorOf what) const { return result_->uncertainty ? result_->uncertainty->of(what) : std::nullopt; }

void FigureMaker::addErrorBar(Figure& figure, const std::optional<ErrorBar>& bar, bool rate) const {
    if (!bar) return;
    constexpr double wide = 1.2; // where the two sides are no longer alike
    const QString text = bar->factor < wide && bar->symmetric() ? tr("± %1 %").arg(grouped(100 * bar->halfWidth(), bar->factor < 1.1 ? 1 : 0))
                                                                : tr("−%1 to +%2 %").arg(grouped(100 * bar->down(rate)), grouped(100 * bar->up(rate)));
    figure.unit += figure.unit.isEmpty() ? text : u' ' + text;
    addMeaning(figure, bar, text);
}

void FigureMaker::addMeaning(Figure& figure, const std::optional<ErrorBar>& bar, const QString& interval) const {
    if (!bar) return;
    figure.meaning += tr(" 9 of 10 such runs lie within %1: %2.").arg(interval, QString::fromStdString(bar->basis));
    if (!bar->missing.empty()) figure.meaning += u' ' + QString::fromStdString(bar->missing);
}

void FigureMaker::compare(Figure& figure, double now, std::optional<double> before, bool lessIsBetter) const {
    if (!before || *before == 0 || !std::isfinite(now / *before)) return;
    const double percent = (now / *before - 1) * 100;
    setChange(figure, percent, tr("%1 %").arg(withSign(percent, 1)), lessIsBetter);
    if (figure.verdict != Verdict::neutral) sayHowSure(figure, *before, now);
}

/// "−6.1 ± 2 %" and, in the tooltip, which runs say so. A change that may be none has no colour.
void FigureMaker::sayHowSure(Figure& figure, double before, double now) const {
    const std::optional<SureChange> sure = sureChange(*baseline_, *result_, figure.pointer.toStdString(), before, now);
    if (!sure) return;
    const double half = 50 * (sure->high - sure->low);
    figure.change = tr("%1 ± %2 %").arg(withSign(100 * (now / before - 1), 1), grouped(half, half < 9.95 ? 1 : 0));
    figure.changeMeaning = tr("9 of 10 such differences lie between %1 and %2 %: %3.").arg(withSign(100 * sure->low, 1), withSign(100 * sure->high, 1), QString::fromStdString(sure->basis));
    if (sure->isSure()) return;
    figure.verdict = Verdict::neutral;
    figure.changeMeaning += u' ' + tr("That may be no difference at all.");
}

void FigureMaker::comparePoints(Figure& figure, double now, std::optional<double> before, bool lessIsBetter) const {
    if (!before) return;
    const double points = (now - *before) * 100;
    setChange(figure, points, tr("%1 pp").arg(withSign(points, 1)), lessIsBetter);
}

void FigureMaker::setChange(Figure& figure, double amount, const QString& text, bool lessIsBetter) const {
    if (std::abs(amount) < 0.05) {
        figure.change = tr("±0");
        return;
    }
    figure.change = text;
    figure.verdict = (amount < 0) == lessIsBetter ? Verdict::better : Verdict::worse;
}

Figure FigureMaker::peakMemory() const {
    Figure figure = titled("/memory/peak_bytes", tr("Peak memory"), tr("The most that any accelerator holds at one moment, as the device would report it."));
    if (result_ == nullptr) return figure;
    const MemoryReport& memory = result_->memory;
    const auto fullest = std::max_element(memory.stages.begin(), memory.stages.end(),
                                          [](const StageMemory& a, const StageMemory& b) { return a.peakBytes < b.peakBytes; });
    if (memory.stages.size() > 1) figure.title = tr("Peak memory, stage %1").arg(fullest->stage);
    // One unit for both, so that they can be compared at a glance.
    const auto gib = [](double bytes) { return grouped(bytes / units::gibibyte, 1); };
    figure.number = gib(memory.peakBytes);
    figure.unit = tr("of %1 GiB").arg(gib(memory.capacityBytes));
    if (const std::optional<ErrorBar> bar = barOf(ErrorOf::memory)) addMeaning(figure, bar, tr("%1 to %2 GiB").arg(gib(bar->low(memory.peakBytes)), gib(bar->high(memory.peakBytes))));
    const double left = memory.capacityBytes - memory.peakBytes;
    figure.alarm = !result_->fits;
    figure.detail = result_->fits ? tr("fits · %1 GiB left").arg(gib(left)) : tr("does not fit · %1 GiB over").arg(gib(-left));
    compare(figure, memory.peakBytes, baseline_ != nullptr ? std::optional(baseline_->memory.peakBytes) : std::nullopt, true);
    return figure;
}

Figure FigureMaker::cost(const char* pointer, const QString& title, const QString& meaning, std::optional<double> dollars, std::optional<double> before) const {
    Figure figure = titled(pointer, title, meaning);
    if (result_ == nullptr) return figure;
    if (!dollars) {
        figure.pointer = QStringLiteral("/economics/price_per_accelerator_hour");
        figure.detail = tr("set a price per hour");
        return figure;
    }
    figure.number = tr("$ %1").arg(grouped(*dollars, *dollars < 10 ? 2 : 0));
    figure.detail = tr("at $ %1 per hour").arg(grouped(*pricePerHour(result_), 2));
    compare(figure, *dollars, before, true);
    return figure;
}

std::optional<double> pricePerHour(const Result* result) { return result != nullptr ? result->scenario.economics.pricePerAcceleratorHour : std::nullopt; }

} // namespace orrery
