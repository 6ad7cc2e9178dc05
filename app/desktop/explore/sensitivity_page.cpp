// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/sensitivity_page.hpp"

#include "app/desktop/explore/explore_context.hpp"
#include "app/desktop/explore/run_bar.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/measure_box.hpp"
#include "widgets/explore/tornado_chart.hpp"

#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace orrery {

SensitivityPage::SensitivityPage(ExploreContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    build();
    connect(bar_, &RunBar::runRequested, this, &SensitivityPage::run);
    connect(bar_, &RunBar::cancelRequested, &worker_, &ExploreWorker::cancel);
    connect(chart_, &TornadoChart::sweepRequested, this, &SensitivityPage::askSweep);
    connect(&worker_, &ExploreWorker::progressed, this, [this](double share, double seconds) { bar_->setProgress(share, seconds, 0); });
    connect(&worker_, &ExploreWorker::failed, this, [this](const QString& why) { bar_->setStatus(why, "error"); });
    connect(&worker_, &ExploreWorker::finished, this, [this](double seconds, bool cancelled) {
        bar_->end();
        if (!problem_.isEmpty()) {
            bar_->setStatus(problem_, "error");
        } else if (cancelled) {
            bar_->setStatus(tr("Cancelled"));
        } else {
            bar_->setStatus(tr("%1 inputs in %2; %3 change the figure").arg(grouped(double(inputs_.size())), readableTime(seconds).text(), grouped(double(chart_->barCount()))));
        }
        emit finished();
    });
}

SensitivityPage::~SensitivityPage() { worker_.disconnect(this); }

void SensitivityPage::build() {
    measure_ = new MeasureBox(tr("Figure to look at"));
    by_ = new QDoubleSpinBox;
    by_->setRange(0.1, 90);
    by_->setDecimals(1);
    by_->setValue(10);
    by_->setSuffix(QStringLiteral(" %"));
    by_->setAccessibleName(tr("How much less and more"));
    by_->setMinimumHeight(26);
    bar_ = new RunBar(context_.theme(), tr("Run it"));
    bar_->setCanRun(true);
    chart_ = new TornadoChart(context_.theme());
    const auto word = [](const QString& text) {
        auto* label = new QLabel(text);
        setRole(*label, "secondary");
        return label;
    };
    auto* asked = new QHBoxLayout;
    asked->setSpacing(6);
    asked->addWidget(word(tr("What")));
    asked->addWidget(measure_, 1);
    asked->addWidget(word(tr("hangs on: each input less and more by")));
    asked->addWidget(by_);
    asked->addStretch(1);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(12, 8, 12, 6);
    head->setSpacing(5);
    head->addLayout(asked);
    head->addWidget(bar_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(new Hairline);
    column->addWidget(chart_, 1);
}

void SensitivityPage::refreshMeasures() {
    measure_->setMeasures(context_.measures());
    const ResultPtr result = context_.result();
    if (!result) return bar_->setCost({}, false);
    const double scenarios = 2 * double(sensitivityInputs(*context_.trials(), result->scenario).size());
    const auto seconds = context_.secondsFor(scenarios);
    bar_->setCost(tr("%1 scenarios").arg(grouped(scenarios)) + (seconds ? QStringLiteral(", ") + aboutTime(*seconds) : QString()), false);
}

void SensitivityPage::run() {
    problem_.clear();
    bar_->begin();
    worker_.start(
        [this, trials = context_.trials(), measure = measureFor(context_.document(), measure_->asked()), by = by_->value()](const RunControl& control, const ExploreWorker::Deliver& deliver) {
            const SensitivityRun run = sensitivity(*trials, measure, by, control);
            Problems problems;
            const auto scenario = trials->read({}, problems);
            std::vector<SensitivityInput> inputs = scenario ? sensitivityInputs(*trials, *scenario) : std::vector<SensitivityInput>();
            deliver([this, run, inputs = std::move(inputs)] {
                if (!run.problems.empty()) problem_ = QString::fromStdString(run.problems.front().message + " " + run.problems.front().mend);
                if (!run.sensitivity) return; // what was there stays
                inputs_ = inputs;
                chart_->setSensitivity(run.sensitivity);
            });
        },
        context_.memoryCeiling());
}

void SensitivityPage::askSweep(std::size_t row) {
    const SensitivityRow& shown = chart_->sensitivity()->rows[row];
    const auto found = std::find_if(inputs_.begin(), inputs_.end(), [&](const SensitivityInput& input) { return input.pointer == shown.input; });
    if (found == inputs_.end()) return;
    QStringList values;
    for (const double factor : {0.5, 0.6, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0}) {
        const double value = found->value * factor;
        if (found->high > found->low && value > found->high) break;
        const QString text = QString::number(value, 'g', 6);
        if (!values.contains(text)) values << text;
    }
    emit sweepRequested(*found, values.join(u','), chart_->sensitivity()->measure.name);
}

} // namespace orrery
