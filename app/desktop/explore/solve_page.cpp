// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/solve_page.hpp"

#include "app/desktop/explore/explore_context.hpp"
#include "app/desktop/explore/run_bar.hpp"
#include "core/answers/explore/value_list.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/key_edit.hpp"
#include "widgets/explore/line_chart.hpp"
#include "widgets/explore/measure_box.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

namespace orrery {

SolvePage::SolvePage(ExploreContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    build();
    connect(key_, &KeyEdit::changed, this, &SolvePage::checkQuestion);
    connect(target_, &QLineEdit::textChanged, this, &SolvePage::checkQuestion);
    connect(target_, &QLineEdit::returnPressed, this, &SolvePage::run);
    connect(measure_, &MeasureBox::askedChanged, this, &SolvePage::checkQuestion);
    connect(bar_, &RunBar::runRequested, this, &SolvePage::run);
    connect(bar_, &RunBar::cancelRequested, &worker_, &ExploreWorker::cancel);
    connect(open_, &QPushButton::clicked, this, [this] { context_.open(changes()); });
    connect(&worker_, &ExploreWorker::failed, this, [this](const QString& why) { bar_->setStatus(why, "error"); });
    connect(&worker_, &ExploreWorker::finished, this, &SolvePage::showEnd);
    checkQuestion();
}

SolvePage::~SolvePage() { worker_.disconnect(this); }

void SolvePage::build() {
    key_ = new KeyEdit(context_.theme(), tr("Which value of"), tr("from..to, such as 25..400"), context_.keys());
    key_->valuesLine()->setToolTip(tr("The range that is looked through: 25..400"));
    key_->valuesLine()->setAccessibleName(tr("Range"));
    measure_ = new MeasureBox(tr("Figure to reach"));
    target_ = new QLineEdit;
    target_->setPlaceholderText(tr("50 %, 12 s, 60 GiB"));
    target_->setAccessibleName(tr("What it is to become"));
    target_->setMinimumHeight(26);
    target_->setMaximumWidth(160);
    bar_ = new RunBar(context_.theme(), tr("Solve"));
    answer_ = new QLabel;
    answer_->setTextFormat(Qt::RichText);
    answer_->setWordWrap(true);
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    answer_->setObjectName(QStringLiteral("solve_answer"));
    chart_ = new LineChart(context_.theme(), tr("All that was tried, with the figure that is asked for."), tr("Name a key with its range, a figure and what it is to become."));
    open_ = new QPushButton(tr("Open as the scenario"));
    open_->setToolTip(tr("Makes the answer the scenario's value; one undo takes it back"));
    open_->setEnabled(false);
    const auto word = [](const QString& text) {
        auto* label = new QLabel(text);
        setRole(*label, "secondary");
        return label;
    };
    auto* reached = new QHBoxLayout;
    reached->setSpacing(6);
    reached->addWidget(word(tr("makes")));
    reached->addWidget(measure_, 1);
    reached->addWidget(word(tr("become")));
    reached->addWidget(target_);
    reached->addStretch(1);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(12, 8, 12, 6);
    head->setSpacing(5);
    head->addWidget(key_);
    head->addLayout(reached);
    head->addWidget(bar_);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 5, 12, 6);
    foot->setSpacing(6);
    foot->addWidget(open_);
    foot->addWidget(answer_, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(new Hairline);
    column->addWidget(chart_, 1);
    column->addWidget(new Hairline);
    column->addLayout(foot);
}

void SolvePage::propose(const QString& pointer, const QString& range) { key_->set(pointer, range); }

void SolvePage::refreshMeasures() { measure_->setMeasures(context_.measures()); }

QString SolvePage::answer() const { return answer_->text(); }

std::optional<SolveQuestion> SolvePage::readQuestion() {
    key_->setProblem({});
    if (key_->key().isEmpty() || key_->values().isEmpty()) return std::nullopt;
    Problems problems;
    const auto range = parseRange(key_->values().toStdString(), problems);
    if (!key_->key().startsWith(u'/')) key_->setProblem(tr("No field of the form is called so. Choose one of those that are offered."));
    else if (!range) key_->setProblem(QString::fromStdString(problems.front().message + " " + problems.front().mend));
    const auto target = figureFromText(target_->text());
    if (!range || !target || !key_->problem().isEmpty()) return std::nullopt;
    return SolveQuestion{key_->key().toStdString(), *range, measureFor(context_.document(), measure_->asked()), *target};
}

void SolvePage::checkQuestion() {
    const auto question = readQuestion();
    bar_->setCanRun(question.has_value());
    if (!question) return bar_->setCost(target_->text().trimmed().isEmpty() || figureFromText(target_->text()) ? QString() : tr("The figure is written as a number, such as 0.5, 50 %, 120 ms or 60 GiB."), true);
    constexpr double usualTries = 30; // some over the range, then those that close in
    const auto seconds = context_.secondsFor(1);
    bar_->setCost(seconds ? tr("some 30 values, %1").arg(aboutTime(usualTries * *seconds)) : QString(), false);
}

void SolvePage::run() {
    const auto question = readQuestion();
    if (!question || bar_->isRunning()) return;
    question_ = *question;
    solution_.reset();
    answer_->clear();
    open_->setEnabled(false);
    bar_->begin(false);
    bar_->setStatus(tr("trying values"));
    worker_.start(
        [this, trials = context_.trials(), asked = question_](const RunControl& control, const ExploreWorker::Deliver& deliver) {
            SolveRun run;
            run.problems = problemsOfPlace(*trials, asked.pointer, asked.range.wholeNumbers ? Json(static_cast<std::int64_t>(asked.range.low)) : Json(asked.range.low));
            if (run.problems.empty()) run = solve(*trials, asked, control);
            deliver([this, run] { take(run); });
        },
        context_.memoryCeiling());
}

void SolvePage::take(const SolveRun& run) {
    solution_ = run.solution;
    LineChartData picture;
    if (solution_) {
        picture.key = question_.pointer;
        picture.figure = question_.measure.pointer;
        picture.target = question_.target;
        picture.answered = solution_->value;
        LineChartData::Line line;
        for (const SolveTrial& trial : solution_->curve) {
            picture.xs.emplace_back(trial.value);
            line.places.push_back({trial.figure, std::nullopt, picture.xs.size() - 1});
        }
        picture.lines.push_back(std::move(line));
        const QString number = QString::fromStdString(formatNumber(solution_->value)), unit = keyUnit(question_.pointer);
        const QString value = unit.isEmpty() ? number : Readable{number, unit}.text();
        answer_->setText(tr("%1 = <b>%2</b> makes %3 <b>%4</b>").arg(keyName(question_.pointer).toHtmlEscaped(), value.toHtmlEscaped(), figureName(question_.measure.pointer).toHtmlEscaped(), figureWords(question_.measure.pointer, solution_->figure).toHtmlEscaped()));
        setRole(*answer_, "");
        open_->setEnabled(true);
    } else if (!run.problems.empty()) {
        setRole(*answer_, "error");
        answer_->setText(QString::fromStdString(run.problems.front().message + " " + run.problems.front().mend).toHtmlEscaped());
    }
    chart_->setData(std::move(picture));
}

void SolvePage::showEnd(double seconds, bool cancelled) {
    bar_->end();
    bar_->setStatus(cancelled ? tr("Cancelled") : solution_ ? tr("%1 values in %2").arg(grouped(double(solution_->curve.size())), readableTime(seconds).text())
                                                            : QString());
    emit finished();
}

std::vector<ScenarioEdit> SolvePage::changes() const {
    const double value = solution_->value;
    return {{question_.pointer, std::floor(value) == value ? Json(static_cast<std::int64_t>(value)) : Json(value)}};
}

} // namespace orrery
