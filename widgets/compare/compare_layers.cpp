// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_layers.hpp"

#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/value_axis.hpp"
#include "widgets/memory/memory_kinds.hpp"

#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

const std::string memoryPointer = "/memory/peak_bytes"; ///< counts as these bytes do

} // namespace

/// What a colour means.
struct CompareLayers::LegendEntry {
    MemoryKind kind;
    QString name;
    QRectF place;
};

struct CompareLayers::Frame {
    QRectF plot;
    std::vector<LegendEntry> legend; ///< in as many lines as it needs
    ValueAxis axis;
    double column = 0;
    double y(double bytes) const { return plot.bottom() - axis.share(bytes) * plot.height(); }
    double x(std::size_t row) const { return plot.left() + column * double(row); }
};

CompareLayers::CompareLayers(const Theme& theme, QWidget* parent) : ChartWidget(theme, {QStringLiteral("memory-by-layer"), tr("Memory by layer"), {260, 200}, {200, 150}, Qt::NoFocus}, parent) {
}

void CompareLayers::setCompared(const ComparedScenario* from, const ComparedScenario* shown) {
    fromResult_ = from ? from->result : nullptr;
    shownResult_ = shown ? shown->result : nullptr;
    from_ = from ? from->name : QString();
    shown_ = shown ? shown->name : QString();
    stale_ = true;
    hint_.clear();
    update();
}

void CompareLayers::find() const {
    if (!stale_) return;
    stale_ = false;
    rows_.clear();
    // A tied embedding lies on two stages: it counts twice, as the memory does.
    const auto add = [&](const ResultPtr& result, std::optional<LayerMemory> Row::*side) {
        if (!result) return;
        for (LayerMemory& layer : memoryByLayer(*result)) {
            auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& one) { return one.piece == layer.piece && one.layer == layer.layer; });
            if (row == rows_.end()) {
                rows_.push_back({layer.piece, layer.layer, {}, {}});
                row = rows_.end() - 1;
            }
            std::optional<LayerMemory>& own = (*row).*side;
            if (!own) own = std::move(layer);
            else
                for (std::size_t kind = 0; kind < memoryKindCount; ++kind) own->bytes[kind] += layer.bytes[kind];
        }
    };
    add(shownResult_, &Row::shown);
    add(fromResult_, &Row::from);
    // Layers that the baseline alone has go where they belong.
    const auto place = [](const Row& row) { return row.piece == "embedding" ? 0 : row.piece == "layer" ? 1
                                                                              : row.piece == "head"    ? 3
                                                                                                       : 2; };
    std::stable_sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) { return place(a) != place(b) ? place(a) < place(b) : a.layer < b.layer; });
}

const std::vector<CompareLayers::Row>& CompareLayers::rows() {
    find();
    return rows_;
}

QString CompareLayers::whyNothing() const {
    if (!shownResult_) return tr("Choose a scenario that has a result.");
    find();
    return rows_.empty() ? tr("Layers are told apart in planned training. An engine keeps one account for all of them.") : QString();
}

ChartHeading CompareLayers::heading() const {
    return {tr("Memory by layer"), fromResult_ ? tr("%1; outlines: %2").arg(shown_, from_) : shown_};
}

QString CompareLayers::wordsOf(const Row& row) const {
    const QString name = row.layer >= 0 ? tr("layer %1").arg(row.layer) : QString::fromStdString(row.piece).replace(u'_', u' ');
    QStringList lines;
    if (row.shown) {
        lines << tr("%1, stage %2: %3").arg(name).arg(row.shown->stage).arg(readableBytes(row.shown->total()).text());
        for (std::size_t kind = memoryKindCount; kind-- > 0;)
            if (row.shown->bytes[kind] > 0) lines << tr("%1 %2").arg(memoryKindName(static_cast<MemoryKind>(kind)), readableBytes(row.shown->bytes[kind]).text());
    } else {
        lines << tr("%1: not in %2").arg(name, shown_);
    }
    if (row.from) lines << tr("%1, stage %2: %3").arg(from_).arg(row.from->stage).arg(readableBytes(row.from->total()).text());
    if (row.from && row.shown) lines << tr("difference %1").arg(signedFigure(memoryPointer, row.shown->total() - row.from->total()));
    return lines.join(u'\n');
}

QByteArray CompareLayers::csv() const {
    find();
    QString text = QStringLiteral("piece,layer,scenario,stage");
    for (std::size_t kind = 0; kind < memoryKindCount; ++kind) text += u',' + QString::fromUtf8(toString(static_cast<MemoryKind>(kind)).data()) + QStringLiteral("_bytes");
    text += u'\n';
    for (const Row& row : rows_)
        for (const auto& [side, name] : {std::pair(&row.from, &from_), std::pair(&row.shown, &shown_)}) {
            if (!*side) continue;
            text += QString::fromStdString(row.piece) + u',' + QString::number(row.layer) + QStringLiteral(",\"") + QString(*name).replace(u'"', QStringLiteral("\"\"")) + QStringLiteral("\",") + QString::number((*side)->stage);
            for (const double bytes : (*side)->bytes) text += u',' + QString::number(bytes, 'f', 0);
            text += u'\n';
        }
    return text.toUtf8();
}

std::vector<CompareLayers::LegendEntry> CompareLayers::legendIn(const QRectF& area, const QFontMetricsF& metrics) const {
    constexpr double margin = 12, square = 12, between = 12;
    std::vector<LegendEntry> entries;
    QPointF at(area.left() + margin, area.top() + 2);
    for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
        const bool any = std::any_of(rows_.begin(), rows_.end(), [kind](const Row& row) { return (row.shown && row.shown->bytes[kind] > 0) || (row.from && row.from->bytes[kind] > 0); });
        if (!any) continue;
        QString name = memoryKindName(static_cast<MemoryKind>(kind));
        const double wide = square + metrics.horizontalAdvance(name);
        if (!entries.empty() && at.x() + wide > area.right() - margin) at = {area.left() + margin, at.y() + metrics.height() + 2};
        entries.push_back({static_cast<MemoryKind>(kind), std::move(name), QRectF(at, QSizeF(wide, metrics.height() + 2))});
        at.rx() += wide + between;
    }
    return entries;
}

CompareLayers::Frame CompareLayers::frameIn(const QRectF& area) const {
    Frame frame;
    const QFontMetricsF metrics(theme_.axisFont());
    double most = 0;
    for (const Row& row : rows_)
        for (const auto* side : {&row.from, &row.shown})
            if (*side) most = std::max(most, (*side)->total());
    frame.axis = {0, most > 0 ? most * 1.08 : 1, false};
    const double left = metrics.horizontalAdvance(QStringLiteral("00.0 GiB")) + 12;
    frame.legend = legendIn(area, metrics);
    const double legendEnd = frame.legend.empty() ? area.top() : frame.legend.back().place.bottom();
    frame.plot = QRectF(area.left() + left, legendEnd + 6, area.width() - left - 12, 0);
    frame.plot.setBottom(area.bottom() - 2 * metrics.height() - 8);
    frame.column = rows_.empty() ? 0 : frame.plot.width() / double(rows_.size());
    return frame;
}

QPointF CompareLayers::placeOf(std::size_t row) {
    find();
    const Frame frame = frameIn(rect());
    return {frame.x(row) + frame.column / 2, frame.plot.bottom() - 2};
}

void CompareLayers::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    if (const QString why = whyNothing(); !why.isEmpty()) return drawEmptyState(painter, rect(), theme_, tr("No layers to compare."), why);
    draw(painter, rect());
}

void CompareLayers::renderBody(QPainter& painter, const QRectF& area) const {
    if (whyNothing().isEmpty()) draw(painter, area);
}

void CompareLayers::draw(QPainter& painter, const QRectF& area) const {
    const ThemeColors& colors = theme_.colors();
    const Frame frame = frameIn(area);
    painter.setFont(theme_.axisFont());
    const QFontMetricsF metrics(theme_.axisFont());
    const double line = metrics.height();

    for (const LegendEntry& entry : frame.legend) {
        painter.fillRect(QRectF(entry.place.left(), entry.place.center().y() - 4, 8, 8), theme_.color(entry.kind));
        painter.setPen(colors.secondary);
        painter.drawText(entry.place.adjusted(12, 0, 1, 0), Qt::AlignLeft | Qt::AlignVCenter, entry.name);
    }
    const FigureScale scale = figureScale(memoryPointer, frame.axis.high);
    const double step = frame.axis.step(4, scale.factor);
    for (const double tick : frame.axis.ticks(4, scale.factor)) {
        const double y = frame.y(tick);
        painter.setPen(colors.grid);
        painter.drawLine(QPointF(frame.plot.left(), y), QPointF(frame.plot.right(), y));
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(area.left(), y - line / 2, frame.plot.left() - area.left() - 6, line), Qt::AlignRight | Qt::AlignVCenter, tickText(tick / scale.factor, step) + u' ' + scale.unit);
    }
    const double gap = frame.column > 4 ? 1 : 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        const double left = frame.x(i), wide = frame.column - gap;
        double below = 0;
        for (std::size_t kind = 0; row.shown && kind < memoryKindCount; ++kind) {
            const double bytes = row.shown->bytes[kind];
            painter.fillRect(QRectF(left, frame.y(below + bytes), wide, frame.y(below) - frame.y(below + bytes)), theme_.color(static_cast<MemoryKind>(kind)));
            below += bytes;
        }
        if (!row.from) continue;
        painter.setPen(QPen(colors.ink, 1));
        const double y = frame.y(row.from->total());
        painter.drawLine(QPointF(left, y), QPointF(left + wide, y));
        const double before = i > 0 && rows_[i - 1].from ? frame.y(rows_[i - 1].from->total()) : frame.plot.bottom();
        painter.drawLine(QPointF(left, before), QPointF(left, y));
    }
    if (!rows_.empty() && rows_.back().from) painter.drawLine(QPointF(frame.x(rows_.size()) - gap, frame.y(rows_.back().from->total())), QPointF(frame.x(rows_.size()) - gap, frame.plot.bottom()));

    // Numbers of layers where they have room; below, what they are.
    painter.setPen(colors.secondary);
    double free = frame.plot.left();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].layer < 0) continue;
        const QString number = QString::number(rows_[i].layer);
        const double wide = metrics.horizontalAdvance(number) + 10, middle = frame.x(i) + frame.column / 2;
        if (middle - wide / 2 < free || middle + wide / 2 > frame.plot.right() + 8) continue;
        painter.drawText(QRectF(middle - wide / 2, frame.plot.bottom() + 2, wide, line), Qt::AlignCenter, number);
        free = middle + wide / 2;
    }
    const QString below = fromResult_ ? tr("layer; outline: %1").arg(from_) : tr("layer");
    painter.drawText(QRectF(frame.plot.left(), frame.plot.bottom() + 2 + line, frame.plot.width(), line), Qt::AlignCenter, metrics.elidedText(below, Qt::ElideRight, frame.plot.width()));
}

void CompareLayers::mouseMoveEvent(QMouseEvent* event) {
    find();
    const Frame frame = frameIn(rect());
    hint_.clear();
    if (frame.column > 0 && event->position().x() >= frame.plot.left() && event->position().x() < frame.plot.right()) {
        const auto row = static_cast<std::size_t>((event->position().x() - frame.plot.left()) / frame.column);
        if (row < rows_.size()) hint_ = wordsOf(rows_[row]);
    }
    QToolTip::showText(event->globalPosition().toPoint(), hint_, this);
}

void CompareLayers::leaveEvent(QEvent*) { hint_.clear(); }

} // namespace orrery
