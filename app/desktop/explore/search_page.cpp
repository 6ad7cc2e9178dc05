// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/search_page.hpp"

#include "app/desktop/explore/explore_context.hpp"
#include "app/desktop/explore/run_bar.hpp"
#include "app/desktop/explore/search_space_edit.hpp"
#include "app/desktop/explore/usual_space.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/search/front.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/front_chart.hpp"
#include "widgets/explore/points_table.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace orrery {

namespace {

constexpr double mostCombinations = 2'000'000; ///< as many as the command takes unless it is told otherwise
constexpr double longSearch = 300;             ///< s, if all were simulated
constexpr int spaceWidth = 360;                ///< px

/// Only keys that take more than one value tell plans apart.
QString planOf(const SearchQuestion& question, std::size_t plan) {
    std::vector<ScenarioEdit> changes = question.space.changes(plan), varied;
    for (std::size_t i = 0; i < changes.size(); ++i)
        if (question.space.axes[i].values.size() > 1) varied.push_back(changes[i]);
    return planWords(varied.empty() ? changes : varied);
}

const Json* searchFigure(const SearchQuestion& question, const SweptPoint& point, const Measure& measure) {
    for (std::size_t m = 0; m < question.space.measures.size() && m < point.metrics.size(); ++m)
        if (question.space.measures[m].pointer == measure.pointer) return &*point.metrics[m];
    return nullptr;
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
    connect(table_, &PointsTable::pointChosen, this, &SearchPage::choose);
    const auto openPlan = [this](std::size_t plan) { context_.open(question_->space.changes(plan)); };
    connect(chart_, &FrontChart::openRequested, this, openPlan);
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
    chart_ = new FrontChart(context_.theme());
    table_ = new PointsTable(context_.theme(), tr("Plans of the front and runners-up"));
    pruned_ = new QLabel;
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
        for (const std::string& tool : context_.launchTools()) tools->addAction(QString::fromStdString(tool), this, [this, tool] { copyLaunch(tool); });
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
    split->addWidget(chart_);
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
    head->addWidget(bar_);
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
        return bar_->setCost(why.isEmpty() ? tr("Mend the space first.") : why, true);
    }
    const double combinations = question->space.points();
    const auto seconds = context_.secondsFor(combinations);
    QString cost = combinations == 1 ? tr("1 combination") : tr("%1 combinations").arg(grouped(combinations));
    const bool tooMany = combinations > mostCombinations;
    if (tooMany) cost += tr("; %1 are the most: vary less").arg(grouped(mostCombinations));
    else if (seconds) cost += tr("; simulating them all would take %1, but most fall by a rule or an estimate first").arg(aboutTime(*seconds));
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
    result_.reset();
    chosen_.reset();
    std::vector<std::size_t> figures(question_->space.measures.size());
    for (std::size_t i = 0; i < figures.size(); ++i) figures[i] = i;
    table_->model().setQuestion(question_->space, std::move(figures), true);
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

bool SearchPage::isFeasible(const SweptPoint& point) const {
    if (!point.fits.value_or(false)) return false;
    return std::all_of(question_->constraints.begin(), question_->constraints.end(), [&](const Constraint& constraint) {
        const Json* figure = searchFigure(*question_, point, constraint.measure);
        return figure && constraint.holds(*figure);
    });
}

/// The same picture while the search runs and when it is over: what was simulated, and the front of that.
void SearchPage::showPlans() {
    if (!question_) return;
    FrontChartData picture;
    picture.xFigure = question_->second.measure.pointer;
    picture.yFigure = question_->objective.measure.pointer;
    picture.mostOfX = question_->second.maximise;
    picture.mostOfY = question_->objective.maximise;
    std::vector<Costs> costs;
    std::vector<std::size_t> planOfCosts; // into picture.plans
    for (const auto& [index, point] : found_) {
        const Json* x = searchFigure(*question_, *point, question_->second.measure);
        const Json* y = searchFigure(*question_, *point, question_->objective.measure);
        if (!x || !y || !x->is_number() || !y->is_number()) continue;
        FrontChartData::Plan plan{x->get<double>(), y->get<double>(), index, isFeasible(*point), false, planOf(*question_, index)};
        if (plan.feasible) {
            costs.push_back({question_->objective.cost(plan.y), question_->second.cost(plan.x)});
            planOfCosts.push_back(picture.plans.size());
        }
        picture.plans.push_back(std::move(plan));
    }
    std::vector<std::size_t> order(costs.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a].first < costs[b].first || (costs[a].first == costs[b].first && costs[a].second < costs[b].second); });
    std::vector<PointsModel::Listed> rows;
    for (const std::size_t i : frontOf(costs)) {
        FrontChartData::Plan& plan = picture.plans[planOfCosts[i]];
        plan.onFront = true;
        rows.push_back({plan.point, found_.at(plan.point), tr("front")});
    }
    for (std::size_t i = 0; i < std::min(order.size(), listedPlans); ++i) {
        const FrontChartData::Plan& plan = picture.plans[planOfCosts[order[i]]];
        if (!plan.onFront) rows.push_back({plan.point, found_.at(plan.point), tr("runner-up")});
    }
    const bool first = table_->model().rows().empty();
    table_->model().setRows(std::move(rows));
    if (first) table_->fitColumns();
    chart_->setData(std::move(picture));
    chart_->choose(chosen_);
    table_->choose(chosen_);
    showActions();
}

QString SearchPage::prunedText() const { return pruned_->text(); }

void SearchPage::showPruned() {
    if (!result_) return pruned_->setText({});
    QStringList lines;
    lines << tr("<b>%1</b> of %2 simulated, %3 fit and satisfy all").arg(grouped(double(result_->evaluated)), grouped(result_->combinations), grouped(double(result_->feasible)));
    for (const PrunedRule& rule : result_->pruned) lines << tr("<b>%1</b> not: %2").arg(grouped(double(rule.count)), QString::fromStdString(rule.why).toHtmlEscaped());
    if (result_->rankCorrelation) lines << tr("Rank correlation of estimated and simulated times %1").arg(grouped(*result_->rankCorrelation, 3));
    pruned_->setText(QStringLiteral("<p style='margin:0 0 4px 0'>") + lines.join(QStringLiteral("</p><p style='margin:0 0 4px 0'>")) + QStringLiteral("</p>"));
}

void SearchPage::choose(std::optional<std::size_t> plan) {
    chosen_ = plan;
    chart_->choose(plan);
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
        words << tr("best %1 with %2").arg(figure ? figureWords(question_->objective.measure.pointer, *figure) : QString(), planOf(*question_, best.index));
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
    bar_->setStatus(tr("The %1 command of %2 is in the clipboard.").arg(QString::fromStdString(tool), planOf(*question_, *chosen_)));
}

} // namespace orrery
