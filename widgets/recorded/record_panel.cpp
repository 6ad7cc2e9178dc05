// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/recorded/record_panel.hpp"

#include "core/records/views/critical_path.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/common/section.hpp"
#include "widgets/recorded/record_table.hpp"
#include "widgets/recorded/record_words.hpp"
#include "widgets/recorded/wait_matrix.hpp"
#include "widgets/timeline/names.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QApplication>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr std::size_t unfoldedRanks = 2; ///< more of them begin folded

} // namespace

RecordPanel::RecordPanel(const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(theme), header_(new PanelHeader(theme, tr("Recorded ranks"))), figures_(new QLabel), lacks_(new QLabel), reading_(new QWidget), readingText_(new QLabel), bar_(new QProgressBar),
      cancel_(new QPushButton(tr("Cancel"))), open_(new QPushButton(tr("Open recorded traces…"))), fold_(new QToolButton), byClass_(new QToolButton), showPath_(new QToolButton), besideButton_(new QToolButton), calibrate_(new QPushButton), stack_(new QStackedWidget), empty_(new QWidget), content_(new QWidget),
      timeline_(new TimelineView(theme, selection_)), tabs_(new QTabWidget),
      sums_(new RecordTable(theme, tr("What a stretch of the record consists of"), tr("What the selected stretch of the record consists of"), tr("Drag over the timeline to select one; nothing was recorded in this one."))), by_(new QComboBox), of_(new QComboBox),
      ranks_(new RecordTable(theme, tr("Recorded ranks"), tr("The recorded ranks"), tr("Open traces of several ranks of one job together."))), waits_(new WaitMatrix(theme)), waitWords_(new QLabel),
      path_(new RecordTable(theme, tr("The critical path"), tr("What the critical path consists of, from the first work to the last"), tr("“Critical path” above the timeline finds it."))),
      beside_(new RecordTable(theme, tr("The scenario beside the record"), tr("What the simulation takes too long or too short for, class by class"), tr("“Beside the scenario” above the timeline puts the simulated iteration under the record."))),
      facts_(new RecordTable(theme, tr("Files without moments"), tr("What is in files that have no moments to lay on an axis"), tr("Execution traces of PyTorch and Chakra, and pipelines, are listed here."))) {
    build();
    connect(&selection_, &Selection::rangeChanged, this, &RecordPanel::updateSums);
    connect(&selection_, &Selection::stageChanged, this, &RecordPanel::updateSums);
    connect(&selection_, &Selection::hintChanged, this, &RecordPanel::hintChanged);
    connect(timeline_, &TimelineView::focusChanged, this, &RecordPanel::showArrows);
    connect(by_, &QComboBox::currentIndexChanged, this, &RecordPanel::updateSums);
    connect(of_, &QComboBox::currentIndexChanged, this, &RecordPanel::updateSums);
    connect(fold_, &QToolButton::toggled, timeline_, &TimelineView::setAllFolded);
    connect(byClass_, &QToolButton::toggled, this, &RecordPanel::showClasses);
    connect(showPath_, &QToolButton::toggled, this, &RecordPanel::showPath);
    connect(besideButton_, &QToolButton::clicked, this, [this](bool on) { emit besideRequested(on ? std::max(0, selection_.stage()) : -1); });
    connect(calibrate_, &QPushButton::clicked, this, [this] {
        if (records_ && records_->beside && records_->beside->calibration) emit calibrationRequested(records_->beside->calibration->gemmRateOfPeak);
    });
    connect(cancel_, &QPushButton::clicked, this, &RecordPanel::cancelRequested);
    connect(open_, &QPushButton::clicked, this, &RecordPanel::openRequested);
    connect(sums_, &RecordTable::rowChosen, this, [this](int key) {
        if (static_cast<SumBy>(by_->currentIndex()) == SumBy::operation) selection_.setOperator(QString::fromStdString(records_->record->timeline.operators[static_cast<std::size_t>(key)].op.name), {});
        else chooseRank(key);
    });
    connect(ranks_, &RecordTable::rowChosen, this, [this](int place) {
        if (place < 0) return;
        selection_.setStage(place);
        chooseRank(place);
    });
    connect(ranks_, &RecordTable::rowActivated, this, [this](int place) {
        if (records_->job) emit rankRequested(place);
    });
    connect(waits_, &WaitMatrix::rankChosen, this, [this](int place) { selection_.setStage(place); });
    connect(&theme_, &Theme::changed, this, &RecordPanel::applyTheme);
    applyTheme();
    setRecords(nullptr);
}

void RecordPanel::build() {
    setObjectName("record_panel");
    timeline_->setEmptyTexts(tr("Recorded ranks, stream by stream"), tr("These files have no moments to lay on an axis; the table below says what is in them."));
    fold_->setText(tr("Fold all"));
    fold_->setCheckable(true);
    fold_->setToolTip(tr("One lane a rank: what its device does, over all its streams"));
    showPath_->setText(tr("Critical path"));
    showPath_->setCheckable(true);
    showPath_->setToolTip(tr("Underlines what the end of the record waited for, step by step, over to the rank that came last to a collective"));
    besideButton_->setText(tr("Beside the scenario"));
    besideButton_->setCheckable(true);
    besideButton_->setToolTip(tr("Puts the simulated iteration under the record, on one axis, with the error by class of operators. A chosen rank's record is taken, else the first"));
    header_->tools()->addWidget(besideButton_);
    header_->tools()->addWidget(showPath_);
    byClass_->setText(tr("One rank a class"));
    byClass_->setCheckable(true);
    byClass_->setToolTip(tr("Shows one rank for all that can't differ from it: a recorded one where there is one"));
    header_->tools()->addWidget(byClass_);
    header_->tools()->addWidget(fold_);
    for (QLabel* label : {figures_, lacks_, waitWords_}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setContentsMargins(12, 0, 12, 4);
    }
    setRole(*lacks_, "secondary");
    bar_->setRange(0, 1000);
    bar_->setTextVisible(false);
    bar_->setFixedHeight(8);
    auto* line = new QHBoxLayout(reading_);
    line->setContentsMargins(12, 4, 12, 6);
    line->addWidget(readingText_);
    line->addWidget(bar_, 1);
    line->addWidget(cancel_);
    auto* emptyRows = new QVBoxLayout(empty_);
    auto* words = new EmptyState(theme_, tr("Recorded traces: what every rank of a real job did, stream by stream"), tr("Kineto JSON of PyTorch's profiler, exports of Nsight Systems, memory snapshots; plain or packed. Several files together are ranks of one job."));
    words->setFixedHeight(90);
    emptyRows->addStretch(1);
    emptyRows->addWidget(words);
    emptyRows->addWidget(open_, 0, Qt::AlignHCenter);
    emptyRows->addStretch(2);

    by_->addItems({tr("by operator"), tr("by stream"), tr("by rank")});
    by_->setAccessibleName(tr("Rows of the table"));
    of_->addItems({tr("of devices"), tr("of hosts")});
    of_->setAccessibleName(tr("Events that the table counts"));
    sums_->tools()->addWidget(of_);
    sums_->tools()->addWidget(by_);
    auto* waitPage = new QWidget;
    auto* waitRows = new QVBoxLayout(waitPage);
    waitRows->setContentsMargins(0, 6, 0, 0);
    waitRows->setSpacing(2);
    waitRows->addWidget(waitWords_);
    auto* scrolled = new QScrollArea;
    scrolled->setWidgetResizable(true);
    scrolled->setFrameShape(QFrame::NoFrame);
    scrolled->setWidget(waits_);
    waitRows->addWidget(scrolled, 1);
    tabs_->setDocumentMode(true);
    tabs_->addTab(sums_, tr("Selected stretch"));
    tabs_->addTab(ranks_, tr("Ranks"));
    tabs_->addTab(waitPage, tr("Who waits for whom"));
    tabs_->addTab(path_, tr("Critical path"));
    tabs_->addTab(beside_, tr("Beside the scenario"));
    beside_->tools()->addWidget(calibrate_);
    tabs_->addTab(facts_, tr("Other files"));
    auto* split = new QSplitter(Qt::Vertical);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(timeline_);
    split->addWidget(tabs_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    auto* contentRows = new QVBoxLayout(content_);
    contentRows->setContentsMargins(0, 0, 0, 0);
    contentRows->setSpacing(0);
    contentRows->addWidget(figures_);
    contentRows->addWidget(lacks_);
    contentRows->addWidget(new Hairline);
    contentRows->addWidget(split, 1);
    stack_->addWidget(empty_);
    stack_->addWidget(content_);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(header_);
    rows->addWidget(reading_);
    rows->addWidget(stack_, 1);
    reading_->hide();
}

void RecordPanel::applyTheme() {
    for (QWidget* each : {static_cast<QWidget*>(figures_), static_cast<QWidget*>(waitWords_)}) each->setFont(theme_.bodyFont());
    for (QWidget* each : {static_cast<QWidget*>(lacks_), static_cast<QWidget*>(readingText_)}) each->setFont(theme_.secondaryFont());
}

void RecordPanel::setProgress(const QString& what, double fraction) {
    readingText_->setText(what);
    bar_->setValue(static_cast<int>(fraction * 1000));
    reading_->show();
    open_->setEnabled(false);
}

void RecordPanel::setIdle() {
    const bool hadKey = reading_->isAncestorOf(QApplication::focusWidget());
    open_->setEnabled(true);
    if (hadKey) open_->setFocus(Qt::OtherFocusReason); // not to whatever comes next in the window
    reading_->hide();
}

bool RecordPanel::isReading() const { return !reading_->isHidden(); }

void RecordPanel::setRecords(const ShownRecordsPtr& records) {
    setIdle();
    records_ = records;
    selection_.clear();
    const bool hadKey = open_->hasFocus();
    stack_->setCurrentWidget(records_ ? content_ : empty_);
    if (hadKey && records_) timeline_->setFocus(Qt::OtherFocusReason);
    const bool hasTimeline = records_ && records_->hasTimeline();
    fold_->setEnabled(hasTimeline);
    showPath_->setEnabled(hasTimeline && records_->job);
    showPath_->setChecked(false);
    timeline_->showTimeline(hasTimeline ? std::shared_ptr<const Timeline>(records_->record, &records_->record->timeline) : nullptr, hasTimeline ? records_->rows : nullptr);
    timeline_->fit();
    const bool canStandIn = hasTimeline && !standInsOf(*records_).empty();
    byClass_->setVisible(canStandIn);
    showClasses(canStandIn && byClass_->isChecked());
    const bool many = hasTimeline && records_->job && records_->job->ranks.size() > unfoldedRanks;
    fold_->setChecked(many);
    timeline_->setAllFolded(many);
    showTexts();
    showRanks();
    showWaits();
    path_->setRows({}, {});
    std::vector<RecordTableRow> facts;
    if (records_)
        for (const RecordFacts& each : records_->facts)
            for (const auto& [what, value] : factsOf(*each.figures)) facts.push_back({static_cast<int>(facts.size()), {QFileInfo(QString::fromStdString(each.file)).fileName(), what, value}});
    facts_->setRows({tr("File"), tr("What"), tr("Value")}, facts);
    tabs_->setTabVisible(tabs_->indexOf(facts_), !facts.empty());
    showBeside();
    tabs_->setCurrentWidget(records_ && records_->beside ? static_cast<QWidget*>(beside_) : records_ && records_->hybrid ? ranks_
                                                                                        : hasTimeline || facts.empty()   ? sums_
                                                                                                                         : facts_);
    updateSums();
}

void RecordPanel::showClasses(bool folded) { timeline_->showStandIns(folded && records_ ? standInsOf(*records_) : std::map<int, QString>()); }

/// Opens a rank that is folded, or stands behind another of its class.
void RecordPanel::chooseRank(int place) {
    if (timeline_->isHidden(place)) byClass_->setChecked(false);
    timeline_->setFolded(place, false);
}

QString RecordPanel::rankName(int place) const {
    const Timeline& timeline = records_->record->timeline;
    return stageTitle(timeline, timeline.stages[static_cast<std::size_t>(place)]);
}

QString RecordPanel::figuresText() const { return figures_->text(); }
QString RecordPanel::lacksText() const { return lacks_->text(); }

void RecordPanel::showTexts() {
    const bool hasTimeline = records_ && records_->hasTimeline();
    header_->setSubtitle(records_ ? filesSummary(*records_) : QString());
    figures_->setText(hasTimeline ? figuresOf(*records_) : QString());
    figures_->setVisible(hasTimeline);
    const QStringList lacks = records_ ? lacksOf(*records_) : QStringList();
    lacks_->setText(lacks.join(QLatin1Char(' ')));
    lacks_->setVisible(!lacks.isEmpty());
}

void RecordPanel::updateSums() {
    if (!records_ || !records_->hasTimeline()) return sums_->setRows({}, {});
    const bool ranged = selection_.rangeEnd() > selection_.rangeStart();
    const double from = ranged ? selection_.rangeStart() : 0, to = ranged ? selection_.rangeEnd() : records_->record->timeline.duration;
    const auto by = static_cast<SumBy>(by_->currentIndex());
    of_->setEnabled(by != SumBy::rank);
    const QString what = ranged ? tr("Selection %1").arg(readableTimeRange(from, to)) : tr("Whole record, %1").arg(readableTime(to).text());
    sums_->setScope(selection_.stage() >= 0 ? tr("%1, %2", "stretch of time, rank").arg(what, rankName(selection_.stage())) : what);
    const bool host = of_->currentIndex() == 1;
    sums_->setRows(sumColumns(by), sumRows(*records_->record, spanSums(*records_->record, from, to, by, host, selection_.stage()), by, to - from));
}

void RecordPanel::showRanks() { ranks_->setRows(records_ ? rankColumns(*records_) : QStringList(), records_ && (records_->job || records_->hybrid) ? rankRows(*records_) : std::vector<RecordTableRow>()); }

void RecordPanel::setScenarioReady(bool ready) {
    scenarioReady_ = ready;
    showBeside();
}

void RecordPanel::showBeside() {
    const bool is = records_ && records_->beside;
    besideButton_->setEnabled(is || (scenarioReady_ && records_ && records_->hasTimeline() && records_->job));
    besideButton_->setChecked(is);
    beside_->setRows(is ? besideColumns() : QStringList(), is ? besideRows(records_->beside->errors) : std::vector<RecordTableRow>());
    beside_->setScope(is ? besideScope(*records_->beside) : QString());
    calibrate_->setVisible(is && records_->beside->calibration);
    if (is && records_->beside->calibration) {
        const double error = records_->beside->calibration->error;
        calibrate_->setText(tr("Take over %1 of peak for large products").arg(records_->beside->calibration->gemmRateOfPeak, 0, 'f', 4));
        calibrate_->setToolTip(tr("Writes execution.calibration.gemm_rate_of_peak into the scenario: a run with it leaves matrix products %1%2 off").arg(error < 0 ? QStringLiteral("−") : QStringLiteral("+"), readablePercent(std::abs(error)).text()));
    }
}

void RecordPanel::showWaits() {
    QStringList names;
    std::vector<std::vector<double>> waiting;
    QString why = tr("Open the traces of several ranks of one job together.");
    if (records_ && records_->hasTimeline()) {
        waiting = records_->waiting;
        for (int place = 0; place < static_cast<int>(waiting.size()); ++place) names << rankName(place);
        if (records_->job && !records_->job->whyApart.empty()) why = tr("These records can't be taken together: %1").arg(QString::fromStdString(records_->job->whyApart));
    }
    waits_->setWaiting(names, std::move(waiting), why);
    waitWords_->setText(waits_->sentence());
    waitWords_->setVisible(!waitWords_->text().isEmpty());
}

void RecordPanel::showArrows() {
    std::vector<TimelineArrow> arrows;
    const auto focused = timeline_->focusedSpan();
    if (focused && records_ && records_->hasTimeline() && records_->job) {
        const auto& stages = records_->record->timeline.stages;
        const auto startOf = [&stages](const RecordSpan& span) { return stages[static_cast<std::size_t>(span.stage)].streams[span.stream].spans[span.span].start; };
        for (const RecordLink& link : linksOf(*records_->record, *records_->job, {focused->stage, focused->stream, focused->span})) arrows.push_back({link.from.stage, link.from.stream, startOf(link.from), link.to.stage, link.to.stream, startOf(link.to)});
    }
    timeline_->setArrows(std::move(arrows));
}

void RecordPanel::showPath(bool shown) {
    std::vector<MarkedStretch> stretches;
    if (shown && records_ && records_->hasTimeline() && records_->job) {
        const std::vector<PathStep> path = criticalPath(*records_->job);
        for (const PathStep& step : path) {
            if (step.deviceEvent == PathStep::onHost) continue;
            const auto span = deviceSpan(*records_->record, *records_->job, static_cast<int>(step.place), step.deviceEvent);
            if (!span) continue;
            stretches.push_back({span->stage, span->stream, static_cast<double>(step.start - records_->job->begin) * 1e-9, static_cast<double>(step.end - records_->job->begin) * 1e-9});
        }
        path_->setRows(pathColumns(), pathRows(*records_, path));
        path_->setScope(pathScope(*records_, path));
        tabs_->setCurrentWidget(path_);
    }
    timeline_->setMarkedStretches(std::move(stretches));
}

} // namespace orrery
