// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/search_page.hpp"

#include "app/desktop/explore/explore_context.hpp"
#include "app/desktop/explore/run_bar.hpp"
#include "app/desktop/explore/search_space_edit.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/front_chart.hpp"
#include "widgets/explore/parallel_chart.hpp"
#include "widgets/explore/points_table.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

namespace orrery {
namespace {

constexpr double mostCombinations = 2'000'000; ///< as many as the command takes unless it is told otherwise
constexpr double longSearch = 300;             ///< s, if all were simulated
constexpr std::size_t mostFallenLines = 1500;  ///< that are drawn of plans that fell without a simulation
constexpr int spaceWidth = 360;                ///< px

/// "vLLM" of "vllm": as its makers write it.
QString nameOfTool(const std::string& word) {
    static constexpr std::array names{std::pair("megatron-lm", "Megatron-LM"), std::pair("megatron-bridge", "Megatron-Bridge"), std::pair("vllm", "vLLM"), std::pair("sglang", "SGLang"), std::pair("trtllm", "TensorRT-LLM")};
    for (const auto& [key, name] : names)
        if (word == key) return QString::fromLatin1(name);
    return QString::fromStdString(word);
}

} // namespace

SearchPage::SearchPage(ExploreContext& context, QWidget* parent) : QWidget(parent), context_(context), shownSearch_(Json()) {
    build();
    connect(space_, &SearchSpaceEdit::changed, this, [this] {
        edited_ = true;
        checkQuestion();
    });
    connect(keep_, &QPushButton::clicked, this, [this] {
        if (const auto search = space_->search()) {
            shownSearch_ = *search;
            edited_ = false;
            emit context_.editRequested(tr("Keep the search"), {{"/search", *search}});
        }
    });
    connect(bar_, &RunBar::runRequested, this, &SearchPage::run);
    connect(bar_, &RunBar::cancelRequested, &worker_, &ExploreWorker::cancel);
    connect(chart_, &FrontChart::pointChosen, this, &SearchPage::choose);
    connect(parallel_, &ParallelChart::pointChosen, this, &SearchPage::choose);
    connect(parallel_, &ParallelChart::brushed, this, &SearchPage::showWithin);
    connect(target_, &TargetBar::targetChanged, this, &SearchPage::readAtTarget);
    connect(target_, &TargetBar::viewChanged, charts_, &QStackedWidget::setCurrentIndex);
    connect(table_, &PointsTable::pointChosen, this, &SearchPage::choose);
    const auto openPlan = [this](std::size_t plan) { context_.open(question_->space.changes(plan)); };
    connect(chart_, &FrontChart::openRequested, this, openPlan);
    connect(parallel_, &ParallelChart::openRequested, this, openPlan);
    connect(table_, &PointsTable::openRequested, this, openPlan);
    connect(open_, &QPushButton::clicked, this, [this, openPlan] { openPlan(*chosen_); });
    connect(variant_, &QPushButton::clicked, this, [this] { context_.keepAsVariant(question_->space.changes(*chosen_)); });
    connect(save_, &QPushButton::clicked, this, [this] {
        std::vector<PlainTable> tables{table_->model().plain()};
        if (result_) tables.push_back(prunedTable(result_->pruned));
        const QString said = context_.saveTables(tr("Save the plans"), QStringLiteral("search.xlsx"), tables);
        if (!said.isEmpty()) bar_->setStatus(said);
    });
    connect(&worker_, &ExploreWorker::progressed, this, [this](double share, double seconds) { bar_->setProgress(share, seconds, 0); });
    connect(&worker_, &ExploreWorker::failed, this, [this](const QString& why) { bar_->setStatus(why, "error"); });
    connect(&worker_, &ExploreWorker::finished, this, &SearchPage::showEnd);
    connect(&context_, &ExploreContext::documentChanged, this, [this] {
        if (isVisible()) showSearch();
        if (!found_.empty() && !bar_->isRunning() && ranEdition_ != context_.edition()) bar_->setStatus(tr("The scenario has changed since; search again for the present one."));
    });
    showActions();
}

SearchPage::~SearchPage() { worker_.disconnect(this); }

void SearchPage::build() {
    space_ = new SearchSpaceEdit(context_);
    keep_ = new QPushButton(tr("Keep in the scenario"));
    keep_->setToolTip(tr("Writes the space, the objectives and the constraints into the scenario's “search”"));
    bar_ = new RunBar(context_.theme(), tr("Search"));
    target_ = new TargetBar;
    chart_ = new FrontChart(context_.theme());
    parallel_ = new ParallelChart(context_.theme());
    charts_ = new QStackedWidget;
    charts_->addWidget(chart_);
    charts_->addWidget(parallel_);
    table_ = new PointsTable(context_.theme(), tr("Plans of the front and runners-up"));
    pruned_ = new QLabel;
    pruned_->setTextFormat(Qt::RichText);
    pruned_->setWordWrap(true);
    pruned_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    pruned_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    pruned_->setObjectName(QStringLiteral("search_pruned"));
    setRole(*pruned_, "secondary");
    open_ = new QPushButton(tr("Open as the scenario"));
    open_->setToolTip(tr("Makes the chosen plan the scenario's; one undo takes it back"));
    variant_ = new QPushButton(tr("Keep as variant"));
    launch_ = new QPushButton(tr("Copy launch command"));
    launch_->setToolTip(tr("Puts the command that starts the chosen plan into the clipboard"));
    auto* tools = new QMenu(launch_);
    connect(tools, &QMenu::aboutToShow, this, [this, tools] {
        tools->clear();
        for (const std::string& tool : context_.launchTools()) tools->addAction(nameOfTool(tool), this, [this, tool] { copyLaunch(tool); });
    });
    launch_->setMenu(tools);
    launch_->setStyleSheet(QStringLiteral("QPushButton::menu-indicator { image: none; width: 0; }"));
    save_ = new QPushButton(tr("Save table…"));
    save_->setToolTip(tr("Writes the plans, and what was not simulated, as a workbook (.xlsx), or the plans as .csv"));

    auto* side = new QWidget;
    auto* left = new QVBoxLayout(side);
    left->setContentsMargins(12, 8, 12, 8);
    left->setSpacing(6);
    left->addWidget(space_, 3);
    left->addWidget(keep_, 0, Qt::AlignLeft);
    auto* why = new QScrollArea;
    why->setWidget(pruned_);
    why->setWidgetResizable(true);
    why->setFrameShape(QFrame::NoFrame);
    setRole(*pruned_, "secondary");
    why->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    left->addWidget(new Hairline);
    left->addWidget(why, 1);
    auto* split = new QSplitter(Qt::Vertical);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(charts_);
    split->addWidget(table_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 5, 12, 6);
    foot->setSpacing(6);
    for (QPushButton* button : {open_, variant_, launch_}) foot->addWidget(button);
    foot->addStretch(1);
    foot->addWidget(save_);
    auto* right = new QVBoxLayout;
    right->setSpacing(0);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(12, 8, 12, 6);
    head->setSpacing(5);
    head->addWidget(bar_);
    head->addWidget(target_);
    right->addLayout(head);
    right->addWidget(new Hairline);
    right->addWidget(split, 1);
    right->addWidget(new Hairline);
    right->addLayout(foot);
    auto* line = new QFrame;
    line->setFixedWidth(1);
    setRole(*line, "hairline");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    side->setFixedWidth(spaceWidth);
    table_->hide(); // until there is something to list
    row->addWidget(side);
    row->addWidget(line);
    row->addLayout(right, 1);
}

void SearchPage::refreshMeasures() { space_->refreshMeasures(context_.measures()); }

void SearchPage::showSearch() {
    const Json& document = context_.document();
    const Json* own = valueAt(document, "/search");
    const Json* kind = valueAt(document, "/workload/kind");
    const std::string kindNow = kind && kind->is_string() ? kind->get<std::string>() : "training";
    const bool sameKind = kindNow == shownKind_;
    if (own ? (*own == *shownSearch_) : ((edited_ || !shownSearch_->is_null()) && sameKind)) return checkQuestion();
    const Json search = own ? *own : usualSearch(document, context_.result() ? &context_.result()->scenario : nullptr);
    if (!sameKind) refreshMeasures();
    shownKind_ = kindNow;
    shownSearch_ = search;
    edited_ = false;
    space_->setSearch(search);
    checkQuestion();
}

std::optional<SearchQuestion> SearchPage::readQuestion(QString& why) {
    const auto search = space_->search();
    if (!search) return std::nullopt;
    Json document = context_.document();
    document["search"] = *search;
    Problems problems;
    auto question = searchQuestionOf(document, problems);
    if (!question && !problems.empty()) why = QString::fromStdString(problems.front().message + " " + problems.front().mend);
    return question;
}

void SearchPage::checkQuestion() {
    QString why;
    const auto question = readQuestion(why);
    keep_->setEnabled(question.has_value());
    if (!question) {
        bar_->setCanRun(false);
        return bar_->setCost(why.isEmpty() ? tr("Name keys to vary, with values to try.") : why, true);
    }
    if (!question_) target_->setObjective(question->second); // of what is shown, once there is something
    const double combinations = question->space.points();
    const auto seconds = context_.secondsFor(combinations);
    QString cost = combinations == 1 ? tr("1 combination") : tr("%1 combinations").arg(grouped(combinations));
    const bool tooMany = combinations > mostCombinations;
    if (tooMany) cost += tr("; %1 are the most: vary less").arg(grouped(mostCombinations));
    else if (seconds && *seconds >= 1) cost += tr(", %1 if all were simulated and nothing else ran; many fall by a rule or an estimate").arg(aboutTime(*seconds));
    bar_->setCanRun(!tooMany);
    bar_->setCost(cost, tooMany || (seconds && *seconds > longSearch));
}

void SearchPage::run() {
    QString why;
    auto question = readQuestion(why);
    if (!question || question->space.points() > mostCombinations) return;
    question_ = std::move(question);
    ranEdition_ = context_.edition();
    found_.clear();
    pictures_ = {};
    parallel_->clearBrushes();
    target_->setObjective(question_->second);
    target_->setReadout({});
    result_.reset();
    chosen_.reset();
    std::vector<std::size_t> figures(question_->space.measures.size());
    for (std::size_t i = 0; i < figures.size(); ++i) figures[i] = i;
    table_->model().setQuestion(question_->space, figures, true);
    table_->show();
    showPlans();
    showPruned();
    bar_->begin();
    worker_.start(
        [this, trials = context_.trials(), asked = *question_](const RunControl& control, const ExploreWorker::Deliver& deliver) {
            for (const SweptKey& axis : asked.space.axes) {
                const Problems ofPlace = problemsOfPlace(*trials, axis.pointer, *axis.values.front());
                if (ofPlace.empty()) continue;
                return deliver([this, pointer = axis.pointer, problem = ofPlace.front()] {
                    space_->setKeyProblem(QString::fromStdString(pointer), QString::fromStdString(problem.message + " " + problem.mend));
                });
            }
            PointBatches batches(deliver, [this](const std::vector<FoundPoint>& found) { take(found); });
            SearchOptions options;
            options.mostFallen = mostFallenLines;
            options.memory = &memory_;
            options.onPoint = [&](std::size_t index, const SweptPoint& point) { batches.add(index, point); };
            auto run = std::make_shared<const SearchRun>(runSearch(*trials, asked, std::move(options), control));
            batches.flush();
            deliver([this, run] { result_ = *run; });
        },
        context_.memoryCeiling());
}

void SearchPage::take(const std::vector<FoundPoint>& found) {
    for (const auto& [index, point] : found) found_[index] = point;
    showPlans();
}

/// The same picture while the search runs and when it is over: what was simulated, and the front of that.
void SearchPage::showPlans() {
    if (!question_) return;
    const auto limit = pictures_.front.limitOfX;
    pictures_ = picturesOf(*question_, found_, result_ ? result_->fallen : std::vector<FallenPlan>{});
    pictures_.front.limitOfX = limit;
    chart_->setData(pictures_.front);
    parallel_->setData(pictures_.parallel);
    showReadout();
    showRows();
    // A target that stood there before the first plan did.
    if (const auto axis = targetAxis(); axis && target_->target() && !parallel_->brushes()[*axis]) readAtTarget();
}

void SearchPage::showRows() {
    const bool first = table_->model().rows().empty();
    table_->model().setRows(isLimited() ? rowsWithin(pictures_, found_, parallel_->brushes()) : pictures_.rows);
    if (first) table_->fitColumns();
    chart_->choose(chosen_);
    parallel_->choose(chosen_);
    table_->choose(chosen_);
    showActions();
}

std::optional<std::size_t> SearchPage::targetAxis() const {
    const std::vector<ParallelAxis>& axes = parallel_->data().axes;
    for (std::size_t i = 0; question_ && i < axes.size(); ++i)
        if (!axes[i].isKey() && axes[i].pointer == question_->second.measure.pointer) return i;
    return std::nullopt;
}

void SearchPage::readAtTarget() {
    const auto axis = targetAxis();
    if (!axis) return;
    const auto target = target_->target();
    constexpr double beyond = std::numeric_limits<double>::max();
    if (!target) return parallel_->setBrush(*axis, std::nullopt);
    parallel_->setBrush(*axis, question_->second.maximise ? Brush{*target, beyond} : Brush{-beyond, *target});
}

void SearchPage::showWithin() {
    if (!question_) return;
    std::optional<double> limit;
    const Brushes& brushes = parallel_->brushes();
    if (const auto axis = targetAxis(); axis && brushes[*axis]) limit = question_->second.maximise ? brushes[*axis]->low : brushes[*axis]->high;
    if (limit != target_->target()) target_->setTarget(limit);
    pictures_.front.limitOfX = limit;
    chart_->setData(pictures_.front);
    if (const auto best = showReadout()) chosen_ = best;
    showRows();
}

std::optional<std::size_t> SearchPage::showReadout() {
    if (!isLimited()) {
        target_->setReadout({});
        return std::nullopt;
    }
    std::set<std::size_t> within;
    for (const std::size_t plan : parallel_->within()) within.insert(pictures_.parallel.plans[plan].point);
    const QString count = tr("%1 of %2 plans within the limits").arg(grouped(double(within.size())), grouped(double(pictures_.parallel.simulated())));
    const auto best = std::find_if(pictures_.ranked.begin(), pictures_.ranked.end(), [&](std::size_t point) { return within.contains(point); });
    if (best == pictures_.ranked.end()) {
        target_->setReadout(tr("%1; none of them fits and satisfies all").arg(count));
        return std::nullopt;
    }
    const auto figure = [&](const Measure& measure) { return figureWords(measure.pointer, *searchFigure(*question_, *found_.at(*best), measure)); };
    target_->setReadout(tr("best %1 at %2 with %3 · %4").arg(figure(question_->objective.measure), figure(question_->second.measure), planOf(*question_, *best), count));
    return *best;
}

bool SearchPage::isLimited() const {
    const Brushes& brushes = parallel_->brushes();
    return std::any_of(brushes.begin(), brushes.end(), [](const std::optional<Brush>& brush) { return brush.has_value(); });
}

QString SearchPage::prunedText() const { return pruned_->text(); }

void SearchPage::showPruned() {
    if (!result_) return pruned_->setText({});
    QStringList lines;
    lines << tr("<b>%1</b> of %2 simulated, %3 fit and satisfy all").arg(grouped(double(result_->evaluated)), grouped(result_->combinations), grouped(double(result_->feasible)));
    for (const PrunedRule& rule : result_->pruned) lines << (rule.count > 1 ? tr("<b>%1</b> fell, for example: %2") : tr("<b>%1</b> fell: %2")).arg(grouped(double(rule.count)), QString::fromStdString(rule.why).toHtmlEscaped());
    if (result_->rankCorrelation) lines << tr("Rank correlation of estimated and simulated times %1").arg(grouped(*result_->rankCorrelation, 3));
    pruned_->setText(QStringLiteral("<p style='margin:0 0 4px 0'>") + lines.join(QStringLiteral("</p><p style='margin:0 0 4px 0'>")) + QStringLiteral("</p>"));
}

void SearchPage::choose(std::optional<std::size_t> plan) {
    chosen_ = plan;
    chart_->choose(plan);
    parallel_->choose(plan);
    table_->choose(plan);
    showActions();
}

void SearchPage::showActions() {
    const auto chosen = chosen_ ? found_.find(*chosen_) : found_.end();
    const bool opens = chosen != found_.end() && chosen->second->fits;
    for (QPushButton* button : {open_, variant_, launch_}) button->setEnabled(opens);
    save_->setEnabled(!table_->model().rows().empty());
}

void SearchPage::showEnd(double seconds, bool cancelled) {
    bar_->end();
    showPlans();
    showPruned();
    table_->fitColumns();
    if (!result_) {
        bar_->setStatus(tr("Nothing was searched."), "error");
        return emit finished();
    }
    QStringList words;
    if (cancelled) words << tr("Cancelled; what was found stays");
    else words << tr("%1 combinations in %2").arg(grouped(result_->combinations), readableTime(seconds).text());
    if (!result_->best.empty()) {
        const FoundPlan& best = result_->best.front();
        const Json* figure = searchFigure(*question_, best.point, question_->objective.measure);
        words << tr("best %1 %2 with %3").arg(figureName(question_->objective.measure.pointer), figure ? figureWords(question_->objective.measure.pointer, *figure) : QString(), planOf(*question_, best.index));
        if (!chosen_) choose(best.index);
    } else if (!cancelled) {
        words << tr("no plan is left; the reasons stand at the left");
    }
    if (!result_->problems.empty()) words << QString::fromStdString(result_->problems.front().message);
    if (ranEdition_ != context_.edition()) words << tr("the scenario has changed since");
    bar_->setStatus(words.join(QStringLiteral(" · ")));
    emit finished();
}

void SearchPage::copyLaunch(const std::string& tool) {
    if (!chosen_ || !question_) return;
    Problems problems;
    const auto text = context_.launchText(question_->space.changes(*chosen_), tool, problems);
    if (!text) return bar_->setStatus(problems.empty() ? tr("There is no such command.") : QString::fromStdString(problems.front().message), "error");
    QGuiApplication::clipboard()->setText(*text);
    bar_->setStatus(tr("The %1 command of %2 is in the clipboard.").arg(nameOfTool(tool), planOf(*question_, *chosen_)));
}

} // namespace orrery
