// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/sweep_page.hpp"

#include "app/desktop/explore/explore_context.hpp"
#include "app/desktop/explore/point_batches.hpp"
#include "app/desktop/explore/run_bar.hpp"
#include "core/answers/explore/value_list.hpp"
#include "core/base/json.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/heat_map.hpp"
#include "widgets/explore/key_edit.hpp"
#include "widgets/explore/line_chart.hpp"
#include "widgets/explore/measure_box.hpp"
#include "widgets/explore/points_table.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace orrery {
namespace {

constexpr double mostSweptPoints = 20000;    ///< as many as the command takes unless it is told otherwise
constexpr double longSweep = 60;             ///< s
constexpr std::size_t allFiguresUpTo = 2000; ///< points; of more only the figures that are shown are kept
constexpr std::size_t shownFigures = 7;

} // namespace

SweepPage::SweepPage(ExploreContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    build();
    connect(first_, &KeyEdit::changed, this, &SweepPage::checkQuestion);
    connect(second_, &KeyEdit::changed, this, &SweepPage::checkQuestion);
    connect(addKey_, &QPushButton::clicked, this, [this] {
        chooseSecond(true);
        second_->keyLine()->setFocus();
    });
    connect(second_, &KeyEdit::removeRequested, this, [this] { chooseSecond(false); });
    connect(measure_, &MeasureBox::askedChanged, this, &SweepPage::showMeasure);
    connect(view_, &QComboBox::activated, this, &SweepPage::showCharts);
    connect(bar_, &RunBar::runRequested, this, &SweepPage::run);
    for (KeyEdit* key : {first_, second_})
        connect(key, &KeyEdit::entered, this, [this] {
            if (bar_->canRun()) run();
        });
    connect(bar_, &RunBar::cancelRequested, &worker_, &ExploreWorker::cancel);
    connect(lines_, &LineChart::pointChosen, this, &SweepPage::choose);
    connect(map_, &HeatMap::pointChosen, this, &SweepPage::choose);
    connect(table_, &PointsTable::pointChosen, this, &SweepPage::choose);
    const auto openPoint = [this](std::size_t point) { context_.open(changesOf(point)); };
    connect(lines_, &LineChart::openRequested, this, openPoint);
    connect(map_, &HeatMap::openRequested, this, openPoint);
    connect(table_, &PointsTable::openRequested, this, openPoint);
    connect(open_, &QPushButton::clicked, this, [this] { context_.open(changesOf(*chosen_)); });
    connect(variant_, &QPushButton::clicked, this, [this] { context_.keepAsVariant(changesOf(*chosen_)); });
    connect(save_, &QPushButton::clicked, this, &SweepPage::saveTable);
    connect(&worker_, &ExploreWorker::progressed, this, [this](double share, double seconds) { bar_->setProgress(share, seconds, question_.points()); });
    connect(&worker_, &ExploreWorker::failed, this, [this](const QString& why) { bar_->setStatus(why, "error"); });
    connect(&worker_, &ExploreWorker::finished, this, &SweepPage::showEnd);
    connect(&context_, &ExploreContext::documentChanged, this, [this] {
        if (!points_.empty() && !bar_->isRunning() && ranEdition_ != context_.edition()) bar_->setStatus(tr("The scenario has changed since; run again for the present one."));
    });
    checkQuestion();
    showActions();
}

SweepPage::~SweepPage() { worker_.disconnect(this); }

void SweepPage::build() {
    first_ = new KeyEdit(context_.theme(), tr("Vary"), tr("1,2,4,8 or 1..8 or log:1..64:7"), context_.keys());
    second_ = new KeyEdit(context_.theme(), tr("and"), tr("1,2,4,8 or 1..8 or log:1..64:7"), context_.keys());
    second_->setRemovable(true);
    addKey_ = new QPushButton(tr("+ second key"));
    addKey_->setToolTip(tr("Varies another key too: a map of both"));
    measure_ = new MeasureBox(tr("Figure to look at"));
    view_ = new QComboBox;
    view_->addItems({tr("Map"), tr("Lines")});
    view_->setAccessibleName(tr("How two keys are shown"));
    view_->setMinimumHeight(26);
    bar_ = new RunBar(context_.theme(), tr("Run the sweep"));
    lines_ = new LineChart(context_.theme(), tr("A figure over the values of a key."), tr("Right-click a field of the form and choose “Sweep this…”, or name a key above and run the sweep."));
    map_ = new HeatMap(context_.theme());
    table_ = new PointsTable(context_.theme(), tr("Points of the sweep"));
    open_ = new QPushButton(tr("Open as the scenario"));
    open_->setToolTip(tr("Makes the chosen point's values the scenario's; one undo takes them back"));
    variant_ = new QPushButton(tr("Keep as variant"));
    save_ = new QPushButton(tr("Save table…"));
    save_->setToolTip(tr("Writes the table as a workbook (.xlsx) or as .csv"));
    charts_ = new QStackedWidget;
    charts_->addWidget(lines_);
    charts_->addWidget(map_);

    auto* label = new QLabel(tr("Look at"));
    setRole(*label, "secondary");
    auto* looked = new QHBoxLayout;
    looked->setSpacing(6);
    looked->addWidget(label);
    looked->addWidget(measure_, 1);
    looked->addWidget(view_);
    looked->addWidget(addKey_);
    looked->addStretch(1);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(12, 8, 12, 6);
    head->setSpacing(5);
    head->addWidget(first_);
    head->addWidget(second_);
    head->addLayout(looked);
    head->addWidget(bar_);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(charts_);
    split->addWidget(table_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({3000, 2000}); // shares, until somebody drags: a table's own wish is for little
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 5, 12, 6);
    foot->setSpacing(6);
    foot->addWidget(open_);
    foot->addWidget(variant_);
    foot->addStretch(1);
    foot->addWidget(save_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(new Hairline);
    column->addWidget(split, 1);
    column->addWidget(new Hairline);
    column->addLayout(foot);
    second_->hide();
    view_->hide();
    table_->hide(); // until there is something to list
}

void SweepPage::propose(const QString& pointer, const QString& values, std::optional<SensitivityInput> input) {
    // A key that is asked for while one is there already joins it only by hand: what was asked for stands alone.
    chooseSecond(false);
    first_->set(pointer, values);
    input_ = std::move(input);
    checkQuestion();
}

void SweepPage::chooseSecond(bool shown) {
    second_->setVisible(shown);
    addKey_->setVisible(!shown);
    if (!shown) second_->set({}, {});
    checkQuestion();
}

void SweepPage::ask(const std::string& measure) { measure_->ask(measure); }

void SweepPage::refreshMeasures() { measure_->setMeasures(context_.measures()); }

std::optional<SweepQuestion> SweepPage::readQuestion() {
    SweepQuestion question;
    bool sound = true;
    for (KeyEdit* edit : {first_, second_}) {
        if (edit->isHidden() && edit == second_) continue;
        const QString key = edit->key(), values = edit->values();
        edit->setProblem({});
        edit->setCount({});
        if (key.isEmpty() || values.isEmpty()) {
            sound = false;
            continue;
        }
        Problems problems;
        const auto parsed = parseValues(values.toStdString(), static_cast<std::size_t>(mostSweptPoints), problems);
        if (!key.startsWith(u'/')) edit->setProblem(tr("No field of the form is called so. Choose one of those that are offered."));
        else if (!parsed) edit->setProblem(QString::fromStdString(problems.front().message + " " + problems.front().mend));
        else if (!question.axes.empty() && question.axes.front().pointer == key.toStdString()) edit->setProblem(tr("This key is varied twice. Name another."));
        if (!edit->problem().isEmpty()) {
            sound = false;
            continue;
        }
        edit->setCount(tr("%n value(s)", nullptr, static_cast<int>(parsed->size())));
        question.axes.push_back({key.toStdString(), *parsed});
    }
    if (!sound || question.axes.empty()) return std::nullopt;
    return question;
}

void SweepPage::checkQuestion() {
    if (input_ && first_->key().toStdString() != input_->pointer) input_.reset();
    const auto question = readQuestion();
    if (!question) {
        bar_->setCanRun(false);
        return bar_->setCost({}, false);
    }
    const double points = question->points();
    const auto seconds = context_.secondsFor(points);
    QString cost = points == 1 ? tr("1 point") : tr("%1 points").arg(grouped(points));
    if (seconds) cost += QStringLiteral(", ") + aboutTime(*seconds);
    const bool tooMany = points > mostSweptPoints;
    if (tooMany) cost += tr("; %1 are the most: vary less").arg(grouped(mostSweptPoints));
    bar_->setCanRun(!tooMany);
    bar_->setCost(cost, tooMany || (seconds && *seconds > longSweep));
}

void SweepPage::run() {
    auto question = readQuestion();
    if (!question || question->points() > mostSweptPoints) return;
    const auto add = [&](const Measure& measure) {
        const auto same = [&](const Measure& known) { return known.name == measure.name; };
        if (std::none_of(question->measures.begin(), question->measures.end(), same)) question->measures.push_back(measure);
    };
    add(measureFor(context_.document(), measure_->asked()));
    std::vector<Measure> known = context_.measures();
    const bool all = question->points() <= static_cast<double>(allFiguresUpTo);
    if (!all && known.size() > shownFigures) known.resize(shownFigures);
    for (const Measure& measure : known) add(measure);
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < std::min(question->measures.size(), shownFigures); ++i)
        if (i == 0 || i <= measuresFor(context_.document(), {}).size() + 1) shown.push_back(i);

    question_ = *question;
    ranInput_ = input_;
    ranEdition_ = context_.edition();
    chosen_.reset();
    points_.assign(static_cast<std::size_t>(question_.points()), nullptr);
    table_->model().setQuestion(question_, shown, false);
    table_->show();
    view_->setVisible(question_.axes.size() == 2);
    first_->setProblem({});
    second_->setProblem({});
    bar_->begin();
    showAll();
    table_->fitColumns();
    worker_.start(
        [this, trials = context_.trials(), asked = question_, input = input_](const RunControl& control, const ExploreWorker::Deliver& deliver) {
            PointBatches batches(deliver, [this](const std::vector<FoundPoint>& found) { take(found); });
            const SweepRun run = runTiedSweep(*trials, asked, input, control, [&](std::size_t index, const SweptPoint& point) { batches.add(index, point); });
            batches.flush();
            if (run.problems.empty()) return;
            deliver([this, problem = run.problems.front()] {
                const QString text = QString::fromStdString(problem.message + (problem.mend.empty() ? "" : " " + problem.mend));
                KeyEdit* edit = problem.pointer == second_->key().toStdString() ? second_ : first_;
                edit->setProblem(text);
            });
        },
        context_.memoryCeiling());
}

void SweepPage::take(const std::vector<FoundPoint>& found) {
    const bool first = std::none_of(points_.begin(), points_.end(), [](const auto& point) { return point != nullptr; });
    for (const auto& [index, point] : found) points_[index] = point;
    showAll();
    if (first) table_->fitColumns();
}

void SweepPage::showAll() {
    std::vector<PointsModel::Listed> rows(points_.size());
    for (std::size_t i = 0; i < points_.size(); ++i) rows[i] = {i, points_[i], {}};
    table_->model().setRows(std::move(rows));
    showCharts();
    showActions();
}

std::optional<std::size_t> SweepPage::shownMeasure() const {
    const std::string asked = measure_->asked();
    for (std::size_t i = 0; i < question_.measures.size(); ++i)
        if (question_.measures[i].name == asked || question_.measures[i].pointer == asked) return i;
    return std::nullopt;
}

void SweepPage::showMeasure() {
    showCharts();
    if (!points_.empty() && !shownMeasure()) bar_->setStatus(tr("Run the sweep again for this figure."));
}

void SweepPage::showCharts() {
    if (question_.axes.empty()) return;
    const std::size_t measure = shownMeasure().value_or(0);
    const std::string& pointer = question_.measures[measure].pointer;
    const bool two = question_.axes.size() == 2;
    const auto figureOf = [&](std::size_t point) -> std::optional<double> {
        if (!points_[point] || !points_[point]->fits || measure >= points_[point]->metrics.size()) return std::nullopt;
        const Json& value = *points_[point]->metrics[measure];
        return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
    };
    const auto fitsOf = [&](std::size_t point) { return points_[point] ? points_[point]->fits : std::nullopt; };
    if (two && view_->currentIndex() == 0) {
        HeatMapData picture{question_.axes[0].pointer, question_.axes[1].pointer, pointer, question_.axes[0].values, question_.axes[1].values, {}};
        for (std::size_t i = 0; i < points_.size(); ++i) picture.cells.push_back({figureOf(i), fitsOf(i), points_[i] ? QString::fromStdString(points_[i]->problem) : QString()});
        map_->setData(std::move(picture));
        map_->choose(chosen_);
        return charts_->setCurrentWidget(map_);
    }
    LineChartData picture;
    picture.key = question_.axes.back().pointer;
    picture.figure = pointer;
    picture.xs = question_.axes.back().values;
    const std::size_t count = picture.xs.size();
    for (std::size_t line = 0; line < points_.size() / count; ++line) {
        LineChartData::Line one;
        one.name = two ? tr("%1 %2").arg(keyName(question_.axes[0].pointer), valueWords(*question_.axes[0].values[line])) : figureName(pointer);
        for (std::size_t i = 0; i < count; ++i) one.places.push_back({figureOf(line * count + i), fitsOf(line * count + i), line * count + i});
        picture.lines.push_back(std::move(one));
    }
    lines_->setData(std::move(picture));
    lines_->choose(chosen_);
    charts_->setCurrentWidget(lines_);
}

void SweepPage::choose(std::optional<std::size_t> point) {
    chosen_ = point;
    lines_->choose(point);
    map_->choose(point);
    table_->choose(point);
    showActions();
}

std::vector<ScenarioEdit> SweepPage::changesOf(std::size_t point) const { return sweptChanges(question_, point, ranInput_); }

void SweepPage::showActions() {
    const bool opens = chosen_ && *chosen_ < points_.size() && points_[*chosen_] && points_[*chosen_]->fits;
    open_->setEnabled(opens);
    variant_->setEnabled(opens);
    save_->setEnabled(std::any_of(points_.begin(), points_.end(), [](const auto& point) { return point != nullptr; }));
}

void SweepPage::showEnd(double seconds, bool cancelled) {
    bar_->end();
    const auto tried = static_cast<std::size_t>(std::count_if(points_.begin(), points_.end(), [](const auto& point) { return point != nullptr; }));
    const auto fit = static_cast<std::size_t>(std::count_if(points_.begin(), points_.end(), [](const auto& point) { return point && point->fits.value_or(false); }));
    QStringList words;
    if (cancelled) words << tr("Cancelled: %1 of %2 points are kept").arg(grouped(double(tried)), grouped(double(points_.size())));
    else if (tried > 0) words << tr("%1 in %2").arg(tried == 1 ? tr("1 point") : tr("%1 points").arg(grouped(double(tried))), readableTime(seconds).text());
    if (fit < tried) words << tr("%1 fit").arg(grouped(double(fit)));
    if (ranEdition_ != context_.edition()) words << tr("the scenario has changed since");
    if (tried > 0 || cancelled) bar_->setStatus(words.join(QStringLiteral(" · ")));
    else bar_->setStatus(tr("Nothing was run."), "error");
    table_->fitColumns();
    showActions();
    emit finished();
}

void SweepPage::saveTable() {
    const QString said = context_.saveTables(tr("Save the sweep"), QStringLiteral("sweep.xlsx"), {table_->model().plain()});
    if (!said.isEmpty()) bar_->setStatus(said);
}

} // namespace orrery
