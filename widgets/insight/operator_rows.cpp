// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/operator_rows.hpp"
#include "core/base/units.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/operator_words.hpp"
#include "widgets/common/theme.hpp"

#include <QPainter>
#include <QPixmap>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace orrery {

double duration(const Result& result, const OperatorScope& scope) {
    if (!scope.wholeTime()) return scope.to - scope.from;
    return result.training() ? result.training()->iterationTime : result.timeline.duration;
}

std::vector<OperationRow> operatorSums(const Result& result, const OperatorScope& scope) {
    const Timeline& timeline = result.timeline;
    if (scope.whole() || timeline.stages.empty()) return result.operations;

    const double from = scope.wholeTime() ? std::numeric_limits<double>::lowest() : scope.from;
    const double to = scope.wholeTime() ? std::numeric_limits<double>::max() : scope.to;
    std::vector<double> counts(timeline.operators.size());
    std::vector<double> times(timeline.operators.size());
    int stages = 0;
    for (std::size_t index = 0; index < timeline.stages.size(); ++index) {
        if (scope.stage >= 0 && timeline.stages[index].stage != scope.stage) continue;
        ++stages;
        for (const StreamKind stream : streamKinds(timeline)) {
            forEachOperator(timeline, static_cast<int>(index), stream, from, to, [&](const OperatorInstance& instance) {
                const double length = instance.end - instance.start;
                const double inside = std::min(instance.end, to) - std::max(instance.start, from);
                counts[instance.op] += length > 0 ? inside / length : 1;
                times[instance.op] += inside;
            });
        }
    }

    // Stages may time the same operator differently: it is one row all the same, bound as most of its time is.
    std::map<std::pair<std::string, std::string>, std::size_t> rowOf;
    std::vector<OperationRow> rows;
    std::vector<double> largest;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (!(counts[i] > 0)) continue;
        const TimedOperator& timed = timeline.operators[i];
        const std::string phase(toString(timed.op.phase));
        const auto [place, added] = rowOf.try_emplace({timed.op.name, phase}, rows.size());
        if (added) {
            rows.push_back({timed.op.name, phase, 0, 0, 0, 0, timed.bound, timed.source, timed.op.kind, timed.op.group});
            largest.push_back(0);
        }
        OperationRow& row = rows[place->second];
        row.count += counts[i] / stages;
        row.time += times[i] / stages;
        row.flops += counts[i] * timed.op.flops / stages;
        row.bytes += counts[i] * (timed.op.bytesRead + timed.op.bytesWritten) / stages;
        if (times[i] <= largest[place->second]) continue;
        largest[place->second] = times[i];
        row.bound = timed.bound;
        row.source = timed.source;
    }
    return rows;
}

namespace {

bool isWord(int column) {
    return column == OperatorRows::operatorColumn || column == OperatorRows::phaseColumn || column == OperatorRows::boundColumn ||
           column == OperatorRows::sourceColumn;
}

QPixmap swatch(const QColor& color) {
    QPixmap pixmap(9, 9);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(QRectF(0, 0, 9, 9), 2, 2);
    return pixmap;
}

} // namespace

OperatorRows::OperatorRows(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), theme_(theme) {
    connect(&theme_, &Theme::changed, this, [this] {
        if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnTotal - 1), {Qt::DecorationRole});
    });
}

void OperatorRows::setRows(std::vector<OperationRow> rows, double ofTime) {
    beginResetModel();
    rows_ = std::move(rows);
    ofTime_ = ofTime;
    endResetModel();
}

std::optional<int> OperatorRows::find(const QString& name, const QString& phase) const {
    const std::string wantedName = name.toStdString(), wantedPhase = phase.toStdString();
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (rows_[i].kind == wantedName && rows_[i].phase == wantedPhase) return static_cast<int>(i);
    return std::nullopt;
}

int OperatorRows::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }

int OperatorRows::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

QString OperatorRows::text(const OperationRow& row, int column) const {
    switch (column) {
    case operatorColumn: return QString::fromStdString(row.kind);
    case phaseColumn: return phaseText(row.phase);
    // A scope's edge cuts operators and stages differ: then the mean is no whole number.
    case countColumn: {
        const bool whole = std::abs(row.count - std::round(row.count)) < 0.05;
        return whole ? grouped(row.count) : QStringLiteral("⌀ ") + grouped(row.count, 1); // half of an operator nobody runs
    }
    case totalColumn: return readableTime(row.time).text();
    case shareColumn: return readablePercent(share(row)).text();
    case meanColumn: return row.count > 0 ? readableTime(row.time / row.count).text() : QString();
    case boundColumn: return boundText(row.bound);
    case sourceColumn: return sourceText(row.source);
    case rateColumn: return row.flops > 0 && row.time > 0 ? grouped(row.flops / row.time / units::tera, row.flops / row.time < 100 * units::tera ? 1 : 0) : QStringLiteral("–");
    default: return {};
    }
}

QVariant OperatorRows::number(const OperationRow& row, int column) const {
    switch (column) {
    case countColumn: return row.count;
    case totalColumn: return row.time;
    case shareColumn: return share(row);
    case meanColumn: return row.count > 0 ? row.time / row.count : 0.0;
    case rateColumn: return row.time > 0 ? row.flops / row.time : 0.0;
    default: return text(row, column);
    }
}

QVariant OperatorRows::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const OperationRow& operation = row(index.row());
    switch (role) {
    case Qt::DisplayRole: return text(operation, index.column());
    case sortRole: return number(operation, index.column());
    case Qt::TextAlignmentRole: return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (isWord(index.column()) ? Qt::AlignLeft : Qt::AlignRight)));
    case Qt::DecorationRole:
        if (index.column() == operatorColumn) return swatch(theme_.color(operation));
        return {};
    case Qt::ToolTipRole:
        return tr("%1, %2: %3 over %4, bound by %5, time %6")
            .arg(QString::fromStdString(operation.kind), phaseText(operation.phase), readableRate(operation.flops, QStringLiteral("FLOP")).text(),
                 readableBytes(operation.bytes).text(), boundText(operation.bound), sourceText(operation.source));
    default: return {};
    }
}

QVariant OperatorRows::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnTotal) return {};
    if (role == Qt::FontRole) return theme_.secondaryFont();
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (isWord(section) ? Qt::AlignLeft : Qt::AlignRight)));
    if (role == Qt::ToolTipRole && section == shareColumn) return tr("Share of the selected time. Streams run side by side, so shares may sum to more than 100 %.");
    if (role == Qt::ToolTipRole && section == countColumn) return tr("How often one accelerator runs it; the mean where stages differ.");
    if (role == Qt::ToolTipRole && section == totalColumn) return tr("Time of one accelerator. Of the whole iteration it is what each takes alone; of a selection what they took there, slowed by what runs beside them.");
    if (role == Qt::ToolTipRole && section == meanColumn) return tr("Total by count. A bar of the timeline may be longer than an operator takes alone: communication runs beside it.");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case operatorColumn: return tr("operator");
    case phaseColumn: return tr("phase");
    case countColumn: return tr("count");
    case totalColumn: return tr("total");
    case shareColumn: return tr("share");
    case meanColumn: return tr("mean");
    case boundColumn: return tr("bound");
    case sourceColumn: return tr("source");
    case rateColumn: return tr("TFLOP/s");
    default: return {};
    }
}

} // namespace orrery
