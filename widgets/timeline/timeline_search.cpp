// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/names.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QToolTip>

#include <algorithm>
#include <tuple>

namespace orrery {
namespace {

/// Rows are searched side by side in order of time; bars that start together follow the order of their rows.
struct Found {
    double start = 0;
    int order = 0; ///< of the row, from top to bottom
    BarReference bar;
    bool operator<(const Found& other) const { return std::tie(start, order) < std::tie(other.start, other.order); }
};

} // namespace

bool TimelineView::findNext(const QString& text) {
    const QString wanted = text.trimmed();
    if (!hasRows() || wanted.isEmpty()) return false;

    std::vector<bool> matches(timeline().operators.size());
    for (std::size_t op = 0; op < matches.size(); ++op)
        matches[op] = QString::fromStdString(timeline().operators[op].op.name).contains(wanted, Qt::CaseInsensitive);

    const auto firstMatch = [&](const BarColumns& bars, std::size_t from) {
        while (from < bars.size() && !matches[bars.label[from]]) ++from;
        return from;
    };

    Found after{-1, -1, {}};
    if (focused_) {
        int row = focused_->row;
        for (int stage = 0; stage < focused_->stage; ++stage) row += static_cast<int>(rows_->stages[static_cast<std::size_t>(stage)].streams.size());
        after = {instance(*focused_).start, row, *focused_};
    }
    std::optional<Found> next;  // the first one past the focused bar
    std::optional<Found> first; // of all, for starting over
    const auto consider = [&](const Found& found) {
        if (!first || found < *first) first = found;
        if (after < found && (!next || found < *next)) next = found;
    };
    int order = 0;
    for (int stage = 0; stage < static_cast<int>(rows_->stages.size()); ++stage) {
        const StageRows& stageRows = rows_->stages[static_cast<std::size_t>(stage)];
        const int firstOrder = order;
        if (isHidden(stage)) {
            order += static_cast<int>(stageRows.streams.size());
            continue;
        }
        for (int row = 0; row < static_cast<int>(stageRows.streams.size()); ++row, ++order) {
            const BarColumns& bars = stageRows.streams[static_cast<std::size_t>(row)].bars;
            std::size_t past = 0;
            if (focused_ && order == after.order) past = focused_->bar + 1;
            else if (focused_) past = bars.firstStartingAtOrAfter(after.start);
            for (const std::size_t from : {std::size_t{0}, past})
                if (const std::size_t bar = firstMatch(bars, from); bar < bars.size()) consider({bars.start[bar], order, {stage, row, bar}});
        }
        // A pass by its label: its first operator in the compute lane stands for it.
        const PassRow& passes = stageRows.passes;
        if (passes.passes.empty()) continue;
        const BarColumns& compute = stageRows.streams.front().bars;
        for (std::size_t pass = 0; pass < passes.bars.size(); ++pass) {
            if (passLabel(passes.passes[pass], timeline(), stageRows.chunked).compare(wanted, Qt::CaseInsensitive) != 0) continue;
            const std::size_t bar = compute.firstStartingAtOrAfter(passes.bars.start[pass]);
            if (bar < compute.size()) consider({compute.start[bar], firstOrder, {stage, 0, bar}});
        }
    }
    const std::optional<Found> chosen = next ? next : first;
    if (!chosen) return false;
    focusBar(chosen->bar, true);
    return true;
}

void TimelineView::search() {
    const QString wanted = search_->text().trimmed();
    const bool found = findNext(wanted);
    showSearchFailed(!found && !wanted.isEmpty());
    if (found || wanted.isEmpty()) return;
    const QString text = tr("No operator or pass has “%1” in its name").arg(wanted);
    selection_.setHint(text);
    QToolTip::showText(search_->mapToGlobal(QPoint(0, search_->height())), text, search_);
}

void TimelineView::showSearchFailed(bool failed) {
    search_->setStyleSheet(failed ? QStringLiteral("color: %1;").arg(theme_.colors().error.name()) : QString());
    search_->setAccessibleDescription(failed ? tr("Nothing found") : QString());
}

} // namespace orrery
