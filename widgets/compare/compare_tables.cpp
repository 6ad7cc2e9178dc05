// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_tables.hpp"

#include "core/base/json.hpp"
#include "core/results/report/result_pointer.hpp"
#include "core/scenario/document/variants.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/compare/compared.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/insight/difference_bars.hpp"

#include <QFontMetrics>
#include <QHeaderView>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

/// Figures of each kind of workload, in the order of the headline; those that a result does not have are left out.
const std::vector<std::string>& figuresOf(const Result& result) {
    static const std::vector<std::string> training{"/iteration_time_s", "/tokens_per_s", "/tokens_per_s_per_accelerator", "/model_tflops_per_accelerator", "/mfu", "/hfu", "/memory/peak_bytes", "/bubble_fraction",
                                                   "/time_breakdown_s/tensor_exposed", "/time_breakdown_s/context_exposed", "/time_breakdown_s/expert_exposed", "/time_breakdown_s/pipeline_exposed", "/time_breakdown_s/data_exposed", "/cost_per_billion_tokens", "/run/days", "/run/cost", "/run/energy_kwh"};
    static const std::vector<std::string> batch{"/request_latency_s", "/ttft_s", "/tpot_s", "/output_tokens_per_s", "/output_tokens_per_s_per_accelerator", "/memory/peak_bytes"};
    static const std::vector<std::string> served{"/e2e_s/mean", "/ttft_s/mean", "/ttft_s/p99", "/tpot_s/mean", "/tpot_s/p99", "/queue_s/mean", "/output_tokens_per_s", "/output_tokens_per_s_per_accelerator", "/output_tokens_per_s_per_user", "/goodput_requests_per_s", "/kv_cache_utilisation", "/preemptions", "/cost_per_million_output_tokens", "/memory/peak_bytes"};
    static const std::vector<std::string> loop{"/iteration_time_s", "/answers_per_s", "/output_tokens_per_s", "/tokens_per_s", "/parts_s/rollout", "/parts_s/reward", "/parts_s/training", "/parts_s/sync", "/idle/rollout", "/idle/training", "/memory/peak_bytes"};
    if (result.training()) return training;
    if (result.rl()) return loop;
    return result.inference() ? batch : served;
}

bool isShareFigure(const std::string& pointer) { return pointer == "/mfu" || pointer == "/hfu" || pointer == "/bubble_fraction" || pointer.starts_with("/idle/") || pointer == "/kv_cache_utilisation"; }

QString figureText(const std::string& pointer, double value) { return isShareFigure(pointer) ? readablePercent(value).text() : figureWords(pointer, value); }

/// Shares differ in points, all else in its own unit's share.
QString differenceText(const std::string& pointer, double from, double to) {
    if (!isShareFigure(pointer)) return signedChange(from, to);
    const double points = (to - from) * 100;
    if (std::abs(points) < 0.05) return CompareTable::tr("±0 pp");
    return (points < 0 ? QStringLiteral("−") : QStringLiteral("+")) + CompareTable::tr("%1 pp").arg(std::abs(points), 0, 'f', 1);
}

} // namespace

CompareTable::CompareTable(const Theme& theme, const QString& name, QWidget* parent) : QTableWidget(parent), theme_(theme) {
    setAccessibleName(name);
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::NoSelection);
    setFocusPolicy(Qt::TabFocus);
    setWordWrap(false);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(22);
    verticalHeader()->setMinimumSectionSize(18);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setTextElideMode(Qt::ElideRight);
    horizontalHeader()->setMinimumSectionSize(30);
    connect(&theme_, &Theme::changed, this, &CompareTable::applyTheme);
}

QString CompareTable::textAt(int row, int column) const {
    const QTableWidgetItem* found = item(row, column);
    return found ? found->text() : QString();
}

void CompareTable::begin(const QStringList& heads) {
    setRowCount(0);
    roles_.clear();
    setColumnCount(static_cast<int>(heads.size()));
    for (int column = 0; column < columnCount(); ++column) {
        auto* head = new QTableWidgetItem(heads[column]);
        head->setTextAlignment(Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignRight));
        head->setToolTip(heads[column]);
        setHorizontalHeaderItem(column, head);
    }
}

void CompareTable::add(const QStringList& texts, const std::vector<const char*>& roles, const QString& toolTip) {
    const int row = rowCount();
    insertRow(row);
    roles_.push_back(roles);
    roles_.back().resize(static_cast<std::size_t>(texts.size()), nullptr);
    for (int column = 0; column < texts.size(); ++column) {
        auto* cell = new QTableWidgetItem(texts[column]);
        cell->setTextAlignment(Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignRight));
        cell->setToolTip(column == 0 && !toolTip.isEmpty() ? toolTip : texts[column]);
        setItem(row, column, cell);
    }
}

void CompareTable::end() {
    applyTheme();
    resizeColumnsToContents();
    // A long name of a scenario is cut rather than pushing its numbers out of sight.
    constexpr int widestHead = 92, widestCell = 130, headPadding = 28;
    const QFontMetrics metrics(horizontalHeader()->font());
    for (int column = 1; column < columnCount(); ++column) {
        const int head = std::min(horizontalHeader()->sectionSizeHint(column), widestHead);
        setColumnWidth(column, std::min(std::max(sizeHintForColumn(column) + 6, head), widestCell));
        // A head on the right loses its first letters where it has no room: the style cuts it before it elides.
        QTableWidgetItem* title = horizontalHeaderItem(column);
        const bool hasRoom = horizontalHeader()->sectionSizeHint(column) <= columnWidth(column);
        title->setText(hasRoom ? title->toolTip() : metrics.elidedText(title->toolTip(), Qt::ElideRight, columnWidth(column) - headPadding));
    }
    giveRest();
}

void CompareTable::giveRest() {
    if (columnCount() == 0) return;
    constexpr int least = 84;
    int others = 0;
    for (int column = 1; column < columnCount(); ++column) others += columnWidth(column);
    setColumnWidth(0, std::max(least, viewport()->width() - others));
}

void CompareTable::resizeEvent(QResizeEvent* event) {
    QTableWidget::resizeEvent(event);
    giveRest();
}

void CompareTable::applyTheme() {
    setFont(theme_.secondaryFont());
    horizontalHeader()->setFont(theme_.axisFont());
    const ThemeColors& colors = theme_.colors();
    for (int row = 0; row < rowCount(); ++row) {
        for (int column = 0; column < columnCount(); ++column) {
            const char* role = roles_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
            const std::string_view word = role ? role : column == 0 ? "secondary"
                                                                    : "ink";
            if (QTableWidgetItem* cell = item(row, column)) cell->setForeground(word == "good" ? colors.good : word == "warning" ? colors.warning
                                                                                                           : word == "secondary" ? colors.secondary
                                                                                                                                 : colors.ink);
        }
    }
}

InputsTable::InputsTable(const Theme& theme, QWidget* parent) : CompareTable(theme, tr("Inputs that differ"), parent) {}

void InputsTable::setCompared(const std::vector<ComparedScenario>& scenarios) {
    pointers_.clear();
    QStringList heads{tr("input")};
    for (const ComparedScenario& one : scenarios) heads << one.name;
    begin(heads);
    std::vector<const Json*> documents;
    for (const ComparedScenario& one : scenarios) documents.push_back(&*one.document);
    for (const ComparedInput& input : comparedInputs(documents, [&scenarios](std::size_t i, const std::string&pointer) { return inputWords(scenarios[i], pointer); })) {
        pointers_.push_back(input.pointer);
        std::vector<const char*> roles{nullptr};
        for (const QString& value : input.values) roles.push_back(value == input.values.front() ? "secondary" : nullptr);
        add(QStringList{input.name} + input.values, roles, QString::fromStdString(input.pointer));
    }
    end();
}

FiguresTable::FiguresTable(const Theme& theme, QWidget* parent) : CompareTable(theme, tr("Results"), parent) {
    setCursor(Qt::PointingHandCursor);
    const auto ask = [this](int row, int column) {
        const auto figure = static_cast<std::size_t>(row);
        if (row < 0 || figure >= pointers_.size()) return;
        // The name and the first scenario's figure, then of each other one its figure and the difference.
        const auto scenario = static_cast<std::size_t>(column / 2);
        if (column > 1 && column % 2 == 1) emit differenceRequested(scenario, pointers_[figure]);
        else emit whyRequested(scenario, pointers_[figure]);
    };
    connect(this, &QTableWidget::cellClicked, this, ask);
    connect(this, &QTableWidget::cellActivated, this, ask);
}

void FiguresTable::setCompared(const std::vector<ComparedScenario>& scenarios, const std::vector<BoxedJson>& results) {
    pointers_.clear();
    QStringList heads{tr("figure")};
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
        heads << scenarios[i].name;
        if (i > 0) heads << tr("difference");
    }
    begin(heads);
    const ResultPtr first = scenarios.empty() ? nullptr : scenarios.front().result;
    if (first) {
        for (const std::string& pointer : figuresOf(*first)) {
            const auto numberOf = [&](std::size_t i) -> std::optional<double> {
                if (!scenarios[i].result || !areOfOneKind(*first, *scenarios[i].result)) return std::nullopt;
                const Json* value = resultAt(*results[i], pointer);
                return value && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
            };
            const std::optional<double> from = numberOf(0);
            bool any = false;
            QStringList texts{pointer.starts_with("/time_breakdown_s/") ? partWords(pointer.substr(pointer.rfind('/') + 1)) : figureName(pointer)};
            std::vector<const char*> roles{nullptr};
            for (std::size_t i = 0; i < scenarios.size(); ++i) {
                const std::optional<double> value = numberOf(i);
                any = any || (value && (*value != 0 || !pointer.starts_with("/time_breakdown_s")));
                texts << (value ? figureText(pointer, *value) : QStringLiteral("–"));
                roles.push_back(nullptr);
                if (i == 0) continue;
                texts << (value && from ? differenceText(pointer, *from, *value) : QString());
                roles.push_back(value && from ? changeRole(pointer, *from, *value) : nullptr);
            }
            if (!any) continue;
            pointers_.push_back(pointer);
            add(texts, roles, QString::fromStdString(pointer));
        }
    }
    end();
}

MatchedOperators::MatchedOperators(const Theme& theme, QWidget* parent) : CompareTable(theme, tr("Operators, matched by name"), parent) {
}

void MatchedOperators::clearCompared() {
    begin({tr("operator")});
    end();
}

void MatchedOperators::setCompared(const ComparedScenario& from, const ComparedScenario& to) {
    begin({tr("operator"), from.name, to.name, tr("as fast")});
    struct Pair {
        double a = 0, b = 0, countA = 0, countB = 0;
    };
    std::map<std::pair<std::string, std::string>, Pair> pairs;
    if (from.result)
        for (const OperationRow& row : from.result->operations) {
            Pair& pair = pairs[{row.kind, row.phase}];
            pair.a += row.time;
            pair.countA += row.count;
        }
    if (to.result)
        for (const OperationRow& row : to.result->operations) {
            Pair& pair = pairs[{row.kind, row.phase}];
            pair.b += row.time;
            pair.countB += row.count;
        }
    std::vector<std::pair<std::pair<std::string, std::string>, Pair>> rows(pairs.begin(), pairs.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& x, const auto& y) { return std::abs(x.second.b - x.second.a) > std::abs(y.second.b - y.second.a); });
    constexpr std::size_t most = 40;
    if (rows.size() > most) rows.resize(most);
    for (const auto& [kind, pair] : rows) {
        const double a = pair.countA > 0 ? pair.a / pair.countA : 0, b = pair.countB > 0 ? pair.b / pair.countB : 0;
        const bool both = a > 0 && b > 0;
        // An operator that several phases have is told apart by its phase.
        const bool once = std::count_if(pairs.begin(), pairs.end(), [&kind = kind](const auto& other) { return other.first.first == kind.first; }) == 1;
        const QString name = QString::fromStdString(once ? kind.first : kind.first + ", " + kind.second);
        add({name, a > 0 ? readableTime(a).text() : QStringLiteral("–"), b > 0 ? readableTime(b).text() : QStringLiteral("–"), both ? tr("%1 ×").arg(a / b, 0, 'f', 2) : QString()},
            {nullptr, nullptr, nullptr, both ? changeRole("/time_s", a, b) : nullptr}, tr("%1, %2; mean of one").arg(QString::fromStdString(kind.first), QString::fromStdString(kind.second)));
    }
    end();
}

} // namespace orrery
