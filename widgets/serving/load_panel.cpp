// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/load_panel.hpp"

#include "core/base/json.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/common/section.hpp"
#include "widgets/serving/load_chart.hpp"
#include "widgets/serving/load_figures.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSlider>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr int rateSteps = 200; ///< of the slider: as fine as a hand is

/// Three digits: what a slider is let go at is no measurement.
double threeDigits(double value) {
    const int places = 2 - static_cast<int>(std::floor(std::log10(value)));
    const double scale = std::pow(10, std::abs(places));
    return places > 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
}

/// The right end of the slider before a curve says where the engine ends.
double usualMost(const OfferedLoad& present) { return present.kind == LoadKind::users ? std::max(2.0, 2 * present.value) : threeDigits(2 * present.value); }

} // namespace

LoadPanel::LoadPanel(const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(theme), header_(new PanelHeader(theme, tr("Throughput and latency"), this)), chart_(new LoadChart(theme)), name_(new QLabel),
      slider_(new QSlider(Qt::Horizontal)), value_(new QLabel), figures_(new LoadFigures(theme)) {
    slider_->setAccessibleName(tr("Load to try"));
    slider_->setToolTip(tr("Drag to see the figures of another load; let go to make it the scenario's"));
    slider_->setFixedHeight(20);
    value_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setRole(*name_, "secondary");
    auto* row = new QHBoxLayout;
    row->setContentsMargins(12, 2, 12, 0);
    row->setSpacing(8);
    row->addWidget(name_);
    row->addWidget(slider_, 1);
    row->addWidget(value_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(chart_, 1);
    column->addLayout(row);
    column->addWidget(figures_);
    connect(slider_, &QSlider::valueChanged, this, &LoadPanel::moved);
    connect(slider_, &QSlider::sliderReleased, this, &LoadPanel::settle);
    connect(&theme_, &Theme::changed, this, &LoadPanel::applyTheme);
    applyTheme();
    setResult(nullptr);
}

void LoadPanel::applyTheme() {
    name_->setFont(theme_.secondaryFont());
    value_->setFont(theme_.secondaryFont());
}

void LoadPanel::setResult(ResultPtr result) {
    result_ = std::move(result);
    const auto* workload = result_ && result_->serving() ? std::get_if<ServingWorkload>(&result_->scenario.workload) : nullptr;
    const auto before = present_;
    present_ = workload && result_->fits ? offeredLoad(*workload) : std::nullopt;
    QString why;
    if (workload && !result_->fits) why = tr("The model leaves no room for a cache: nothing is served.");
    else if (workload && !present_)
        why = std::holds_alternative<RequestLog>(workload->requests) ? tr("These requests were recorded and come when they came then: generate requests to vary their rate.")
                                                                     : tr("All requests come at once: choose another way to arrive to vary their rate.");
    else if (workload) why = tr("Other loads are simulated beside the window; the curve grows as they come.");
    chart_->setWhyNothing(why);
    chart_->setTried(std::nullopt);
    // The curve of the scenario before stays until the new one comes; one over another kind of load says nothing.
    if (!present_ || !before || before->kind != present_->kind) {
        chart_->setCurve(nullptr);
        if (present_) most_ = usualMost(*present_);
    } else {
        chart_->setBusy(chart_->curve() != nullptr);
    }
    if (!present_) progress_ = -1;
    placeSlider();
    showFigures();
    updateSubtitle();
}

void LoadPanel::setBusy(bool busy) {
    if (busy) chart_->setBusy(true); // a curve undims it
}

void LoadPanel::setCurve(const LoadCurvePtr& curve) {
    if (!present_) return;
    chart_->setCurve(curve);
    if (!curve) chart_->setWhyNothing(tr("No request is completed under any load."));
    if (curve && curve->complete) {
        progress_ = -1;
        if (!curve->points.empty()) most_ = curve->points.back().load;
        placeSlider();
    }
    showFigures();
    updateSubtitle();
}

void LoadPanel::setTried(const LoadPoint& point) {
    if (!present_ || point.load == present_->value) return;
    chart_->setTried(point);
    showFigures();
}

void LoadPanel::setProgress(double share) {
    progress_ = share;
    updateSubtitle();
}

void LoadPanel::updateSubtitle() {
    const QString range = chart_->whyNothing().isEmpty() ? chart_->heading().subtitle : QString();
    if (progress_ < 0 || !present_) return header_->setSubtitle(range);
    header_->setSubtitle(tr("simulating other loads, %1 %").arg(grouped(100 * progress_)));
}

void LoadPanel::showFigures() {
    if (!present_) return figures_->setPoint(std::nullopt);
    if (chart_->tried()) return figures_->setPoint(chart_->tried());
    if (const LoadCurvePtr& curve = chart_->curve(); curve && curve->present.value == present_->value)
        for (const LoadPoint& point : curve->points)
            if (point.load == present_->value) return figures_->setPoint(point);
    // Until the curve has it, the result's own figures; only the fullest moment of the cache is not among them.
    LoadPoint own;
    own.load = present_->value;
    own.outputTokensPerSecondPerAccelerator = result_->serving()->outputTokensPerSecondPerAccelerator;
    own.served = result_->serving()->served;
    figures_->setPoint(own);
}

double LoadPanel::load() const {
    if (!present_) return 0;
    if (slider_->value() == ownStep_) return present_->value; // whatever step it is nearest to
    if (present_->kind == LoadKind::users) return slider_->value();
    return threeDigits(most_ * slider_->value() / rateSteps);
}

/// To the scenario's own load, unless a hand is on it.
void LoadPanel::placeSlider() {
    const bool shows = present_.has_value();
    for (QWidget* part : {static_cast<QWidget*>(name_), static_cast<QWidget*>(slider_), static_cast<QWidget*>(value_), static_cast<QWidget*>(figures_)}) part->setVisible(shows);
    if (!present_ || slider_->isSliderDown()) return;
    const QScopedValueRollback<bool> guard(placing_, true);
    most_ = std::max(most_, present_->value);
    const bool users = present_->kind == LoadKind::users;
    name_->setText(users ? tr("Users") : tr("Rate"));
    slider_->setRange(1, users ? static_cast<int>(std::lround(most_)) : rateSteps);
    slider_->setSingleStep(1);
    slider_->setPageStep(std::max(1, slider_->maximum() / 10));
    slider_->setValue(static_cast<int>(std::lround(users ? present_->value : present_->value / most_ * rateSteps)));
    ownStep_ = slider_->value();
    value_->setText(loadText(present_->kind, present_->value));
}

void LoadPanel::moved() {
    if (placing_ || !present_) return;
    value_->setText(loadText(present_->kind, load()));
    if (slider_->isSliderDown()) emit loadTried(load());
    else settle(); // by the keyboard or a click beside the handle
}

void LoadPanel::settle() {
    if (!present_) return;
    const double wanted = load();
    if (wanted == present_->value) return;
    const bool users = present_->kind == LoadKind::users;
    const bool whole = std::floor(wanted) == wanted;
    const Json value = whole ? Json(static_cast<std::int64_t>(wanted)) : Json(wanted);
    emit editRequested(users ? tr("Change the users") : tr("Change the rate"),
                       {{users ? "/workload/requests/arrival/concurrency" : "/workload/requests/arrival/rate_per_s", value}});
}

void LoadPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    emit shown();
}

} // namespace orrery
