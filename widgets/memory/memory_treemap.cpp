// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/memory_treemap.hpp"

#include "core/base/units.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/memory/memory_kinds.hpp"
#include "widgets/memory/squarify.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double treemapMargin = 12;
constexpr double smallestInside = 90;  ///< px²; what is smaller shows nothing inside
constexpr double smallestLabel = 26;   ///< px of width
constexpr double padding = 3;          ///< px between a cell's edge and its text
constexpr qsizetype fewestTelling = 6; ///< letters of a cut name, and its ellipsis, that still tell which it is

/// A name on one line: whole, or most of it. "ml…" says nothing.
QString telling(const QString& name, double width, const QFontMetricsF& metrics) {
    const QString shown = metrics.elidedText(name, Qt::ElideRight, width);
    return shown == name || (shown.size() > fewestTelling && 2 * shown.size() > name.size()) ? shown : QString();
}

/// A name over at most `most` lines of `width`, broken after its dots, underscores, slashes and spaces; empty: it does not fit whole.
QStringList brokenName(const QString& name, double width, int most, const QFontMetricsF& metrics) {
    QStringList lines;
    QString line;
    for (qsizetype from = 0; from < name.size();) {
        qsizetype to = from;
        while (to < name.size() && !QStringLiteral("._/ ").contains(name[to])) ++to;
        to = std::min(to + 1, name.size());
        const QString part = name.mid(from, to - from);
        if (!line.isEmpty() && metrics.horizontalAdvance(line + part.trimmed()) > width) {
            lines << line.trimmed();
            line.clear();
        }
        line += part;
        if (metrics.horizontalAdvance(line.trimmed()) > width) return {};
        from = to;
    }
    if (!line.isEmpty()) lines << line.trimmed();
    return lines.size() <= most ? lines : QStringList();
}

} // namespace

MemoryTreemap::MemoryTreemap(const Theme& theme, MemoryHolders& holders, QWidget* parent) : ChartWidget(theme, {QStringLiteral("memory-holders"), tr("What holds the memory"), {340, 240}, {220, 140}}, parent), holders_(holders) {
    connect(&holders_, &MemoryHolders::changed, this, &MemoryTreemap::rebuild);
    connect(&holders_, &MemoryHolders::chosenChanged, this, [this] {
        if (holders_.chosen() > 0) setAccessibleDescription(describe(holders_.chosen()));
        update();
    });
}

int MemoryTreemap::inside() const {
    const HolderTree& tree = holders_.tree();
    int node = tree.find(insidePath_);
    while (node > 0 && tree.node(node).children.empty()) node = tree.node(node).parent;
    return node;
}

void MemoryTreemap::lookInside(int node) {
    const HolderTree& tree = holders_.tree();
    if (node < 0) return;
    // A tensor has nothing inside: what it lies in comes nearer.
    while (node > 0 && tree.node(node).children.empty()) node = tree.node(node).parent;
    const QString path = tree.path(node);
    if (path == insidePath_) return;
    insidePath_ = path;
    rebuild();
    emit insideChanged();
}

void MemoryTreemap::rebuild() {
    cells_ = layOut(QRectF(rect()).adjusted(treemapMargin, 2, -treemapMargin, -treemapMargin));
    update();
}

std::vector<MemoryTreemap::Cell> MemoryTreemap::layOut(const QRectF& area) const {
    std::vector<Cell> cells;
    const int top = inside();
    if (top >= 0 && area.width() > 8 && area.height() > 8) layOutChildren(top, area, cells);
    return cells;
}

void MemoryTreemap::layOutChildren(int node, const QRectF& area, std::vector<Cell>& cells) const {
    const HolderTree& tree = holders_.tree();
    const std::vector<int>& children = tree.node(node).children;
    std::vector<double> weights;
    weights.reserve(children.size());
    for (const int child : children) weights.push_back(tree.node(child).bytes);
    const std::vector<QRectF> rects = squarify(area, weights);
    const double line = QFontMetricsF(theme_.axisFont()).height();
    for (std::size_t i = 0; i < children.size(); ++i) {
        Cell cell{children[i], rects[i], {}, true};
        const bool labelled = cell.rect.width() >= smallestLabel && cell.rect.height() >= line + 2;
        if (labelled) cell.label = QRectF(cell.rect.left() + padding, cell.rect.top() + 1, cell.rect.width() - 2 * padding, line);
        // A group of one tensor is that tensor.
        const std::vector<int>& within = tree.node(cell.node).children;
        const bool hasInside = within.size() > 1 || (within.size() == 1 && !tree.node(within.front()).children.empty());
        QRectF inner = cell.rect.adjusted(1, 1, -1, -1);
        // Above what lies in it, its own name.
        if (labelled && cell.rect.height() > 2.5 * line) inner.setTop(cell.rect.top() + line + 2);
        cell.leaf = !hasInside || inner.width() * inner.height() < smallestInside || inner.width() < 5 || inner.height() < 5 ||
                    (labelled && inner.top() < cell.label.bottom());
        const bool leaf = cell.leaf;
        cells.push_back(cell);
        if (!leaf) layOutChildren(children[i], inner, cells);
    }
}

void MemoryTreemap::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    rebuild();
}

QColor MemoryTreemap::fillOf(const Cell& cell) const {
    const HolderTree& tree = holders_.tree();
    const QColor kind = theme_.color(tree.node(cell.node).kind);
    // What holds others stands back; neighbours of a kind differ a little, so that each is seen as one.
    if (!cell.leaf) return mixed(kind, theme_.colors().panel, 0.7);
    const HolderNode& parent = tree.node(tree.node(cell.node).parent);
    const auto place = std::find(parent.children.begin(), parent.children.end(), cell.node) - parent.children.begin();
    return mixed(kind, theme_.colors().panel, 0.09 * static_cast<double>(place % 3));
}

void MemoryTreemap::drawLabel(QPainter& painter, const Cell& cell, const QColor& fill) const {
    painter.setPen(cell.leaf ? theme_.textOn(fill) : theme_.colors().ink);
    if (cell.leaf) drawLeafLabel(painter, cell);
    else drawGroupLabel(painter, cell);
}

void MemoryTreemap::drawGroupLabel(QPainter& painter, const Cell& cell) const {
    const HolderNode& node = holders_.tree().node(cell.node);
    const QFontMetricsF metrics(theme_.axisFont());
    const QString shown = telling(node.name, cell.label.width(), metrics);
    if (shown.isEmpty()) return;
    painter.drawText(cell.label, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, shown);
    const QString bytes = readableBytes(node.bytes).text();
    const double used = metrics.horizontalAdvance(shown) + 8;
    if (used + metrics.horizontalAdvance(bytes) + 2 <= cell.label.width())
        painter.drawText(cell.label.adjusted(used, 0, 0, 0), Qt::AlignRight | Qt::AlignVCenter, bytes);
}

void MemoryTreemap::drawLeafLabel(QPainter& painter, const Cell& cell) const {
    const QRectF room = cell.rect.adjusted(padding, 1, -padding, -1);
    if (std::max(room.width(), room.height()) < smallestLabel) return;
    // The smaller letters of a figure's small print, before no name at all.
    for (const double pixels : {10.5, 8.5, 7.5})
        if (drawLeafLabel(painter, holders_.tree().node(cell.node), room, theme_.font(pixels))) break;
    painter.setFont(theme_.axisFont());
}

bool MemoryTreemap::drawLeafLabel(QPainter& painter, const HolderNode& node, const QRectF& room, const QFont& font) const {
    const QFontMetricsF metrics(font);
    if (metrics.height() > std::max(room.width(), room.height())) return false;
    painter.setFont(font);
    const auto linesIn = [&](double height) { return static_cast<int>(std::floor((height + 1) / metrics.height())); };
    const auto write = [&](const QStringList& lines, const QRectF& place) {
        QRectF line(place.left(), place.top(), place.width(), metrics.height());
        for (const QString& text : lines) {
            painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
            line.translate(0, metrics.height());
        }
    };
    QStringList lines = brokenName(node.name, room.width(), linesIn(room.height()), metrics);
    if (lines.isEmpty() && room.height() > room.width()) {
        // Upright in a cell that is a column.
        lines = brokenName(node.name, room.height(), linesIn(room.width()), metrics);
        if (lines.isEmpty()) return false;
        painter.save();
        painter.translate(room.bottomLeft());
        painter.rotate(-90);
        write(lines, QRectF(0, 0, room.height(), room.width()));
        painter.restore();
        return true;
    }
    if (lines.isEmpty() && linesIn(room.height()) > 0) {
        if (const QString shown = telling(node.name, room.width(), metrics); !shown.isEmpty()) lines = {shown};
    }
    if (lines.isEmpty()) return false;
    const QString bytes = readableBytes(node.bytes).text();
    if (lines.size() < linesIn(room.height()) && metrics.horizontalAdvance(bytes) + 2 <= room.width()) lines << bytes;
    write(lines, room);
    return true;
}

void MemoryTreemap::draw(QPainter& painter, const std::vector<Cell>& cells, const QRectF& area, bool marks) const {
    if (cells.empty()) {
        drawEmptyState(painter, area, theme_, tr("What holds a stage's memory at one moment, down to the tensor."),
                       holders_.hasStages() ? tr("An engine keeps one account of each kind: “By stage” shows them.")
                                            : tr("Choose a model and a cluster; then click on a moment in “Over time”."));
        return;
    }
    painter.setFont(theme_.axisFont());
    painter.setRenderHint(QPainter::Antialiasing, false);
    const int chosen = holders_.chosen();
    for (const Cell& cell : cells) {
        const QColor fill = fillOf(cell);
        const bool wide = cell.rect.width() > 4 && cell.rect.height() > 4;
        painter.fillRect(wide ? cell.rect.adjusted(0.5, 0.5, -0.5, -0.5) : cell.rect, fill);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Cell& cell : cells)
        if (cell.leaf || !cell.label.isEmpty()) drawLabel(painter, cell, fillOf(cell));
    if (!marks || chosen <= 0) return;
    for (const Cell& cell : cells) {
        if (cell.node != chosen) continue;
        painter.setPen(QPen(theme_.colors().ink, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cell.rect.adjusted(1, 1, -1, -1));
    }
}

void MemoryTreemap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    draw(painter, cells_, rect(), true);
}

int MemoryTreemap::nodeAt(const QPointF& position) const {
    int found = -1;
    for (const Cell& cell : cells_)
        if (cell.rect.contains(position)) found = cell.node; // the innermost comes last
    return found;
}

QString MemoryTreemap::describe(int index) const {
    const HolderTree& tree = holders_.tree();
    const HolderNode& node = tree.node(index);
    QStringList names;
    for (int at = index; at > 0; at = tree.node(at).parent) names.prepend(tree.node(at).name);
    const double total = holders_.totalBytes();
    QString text = tr("%1\n%2, %3 of what stage %4 holds")
                       .arg(names.join(QStringLiteral(" › ")), readableBytes(node.bytes).text(), readablePercent(total > 0 ? node.bytes / total : 0).text())
                       .arg(holders_.stage());
    if (node.holder >= 0) {
        const MemoryHolder& holder = holders_.holders()[static_cast<std::size_t>(node.holder)];
        if (holder.count > 1) text += tr("\n%1 of them").arg(grouped(holder.count));
        if (!holder.firstOperator.empty()) text += tr("\nwritten by %1").arg(QString::fromStdString(holder.firstOperator));
        if (!holder.lastOperator.empty()) text += tr("\nneeded last by %1").arg(QString::fromStdString(holder.lastOperator));
    } else if (tree.node(index).parent == 0) {
        text += QLatin1Char('\n') + memoryKindExplanation(node.kind);
    }
    return text;
}

QString MemoryTreemap::crumbs() const {
    const HolderTree& tree = holders_.tree();
    QStringList names;
    for (int at = inside(); at > 0; at = tree.node(at).parent) names.prepend(tree.node(at).name);
    return names.join(QStringLiteral(" › "));
}

void MemoryTreemap::mouseMoveEvent(QMouseEvent* event) {
    const int node = nodeAt(event->position());
    if (node > 0) QToolTip::showText(event->globalPosition().toPoint(), describe(node), this);
    else QToolTip::hideText();
}

void MemoryTreemap::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::BackButton) return lookInside(inside() > 0 ? holders_.tree().node(inside()).parent : 0);
    if (event->button() != Qt::LeftButton) return;
    const int node = nodeAt(event->position());
    holders_.choose(node == holders_.chosen() ? holders_.tree().root() : node);
}

void MemoryTreemap::mouseDoubleClickEvent(QMouseEvent* event) {
    const int node = nodeAt(event->position());
    if (node < 0) return;
    // One step at a time: the child of what fills the drawing that the click lies in.
    int child = node;
    while (child > 0 && holders_.tree().node(child).parent != inside()) child = holders_.tree().node(child).parent;
    holders_.choose(node);
    lookInside(child);
}

bool MemoryTreemap::event(QEvent* event) {
    // Escape goes out of what is looked into; only from the outside it is the window's.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && inside() > 0) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

int MemoryTreemap::chosenOrFirst() const {
    const int chosen = holders_.chosen();
    const HolderTree& tree = holders_.tree();
    if (chosen > 0 && tree.isWithin(chosen, inside())) return chosen;
    const std::vector<int>& children = tree.node(inside()).children;
    return children.empty() ? -1 : children.front();
}

void MemoryTreemap::keyPressEvent(QKeyEvent* event) {
    const HolderTree& tree = holders_.tree();
    if (tree.isEmpty()) return QWidget::keyPressEvent(event);
    const int now = chosenOrFirst();
    if (now < 0) return QWidget::keyPressEvent(event);
    const std::vector<int>& siblings = tree.node(tree.node(now).parent).children;
    const auto place = std::find(siblings.begin(), siblings.end(), now) - siblings.begin();
    switch (event->key()) {
    case Qt::Key_Right:
        if (place + 1 < static_cast<std::ptrdiff_t>(siblings.size())) holders_.choose(holders_.chosen() > 0 ? siblings[static_cast<std::size_t>(place) + 1] : now);
        return;
    case Qt::Key_Left:
        if (place > 0) holders_.choose(siblings[static_cast<std::size_t>(place) - 1]);
        return;
    case Qt::Key_Down:
        if (!tree.node(now).children.empty()) holders_.choose(tree.node(now).children.front());
        return;
    case Qt::Key_Up:
        if (tree.node(now).parent > 0) holders_.choose(tree.node(now).parent);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter: lookInside(now); return;
    case Qt::Key_Escape:
    case Qt::Key_Backspace:
        if (inside() > 0) {
            lookInside(tree.node(inside()).parent);
            return;
        }
        break;
    default: break;
    }
    QWidget::keyPressEvent(event);
}

void MemoryTreemap::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    if (event->reason() == Qt::TabFocusReason && holders_.chosen() <= 0 && !holders_.tree().isEmpty()) holders_.choose(chosenOrFirst());
}

ChartHeading MemoryTreemap::heading() const {
    holders_.lookUpIfDue();
    const QString within = crumbs();
    const QString of = tr("%1 · %2").arg(holders_.subtitle(), readableBytes(holders_.totalBytes()).text());
    return {tr("What holds the memory"), within.isEmpty() ? of : tr("%1 · %2").arg(of, within)};
}

QString MemoryTreemap::whyNothing() const {
    if (holders_.hasStages()) return {}; // asked often: nothing is looked up for it
    return tr("It shows what holds a stage's memory. Choose a model and a cluster; the drawing follows the first run.");
}

void MemoryTreemap::renderBody(QPainter& painter, const QRectF& area) const {
    holders_.lookUpIfDue();
    const QRectF body = area.adjusted(treemapMargin, 0, -treemapMargin, -treemapMargin);
    draw(painter, layOut(body), body, false);
}

ChartPlot MemoryTreemap::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::bars;
    plot.x = 6;
    plot.y = {8};
    plot.xTitle = tr("tensor");
    plot.yTitle = tr("GiB");
    plot.series = 2;
    plot.yUnit = units::gibibyte;
    return plot;
}

QByteArray MemoryTreemap::csv() const {
    holders_.lookUpIfDue();
    QByteArray text("stage,time_s,kind,piece,layer,micro_batch,tensor,count,bytes,first_operator,last_operator,from_s,to_s\n");
    const auto cell = [](std::string_view word) { return '"' + QByteArray(word.data(), static_cast<qsizetype>(word.size())).replace('"', "\"\"") + '"'; };
    const auto number = [](double value) { return QByteArray::number(value, 'g', 17); };
    const auto index = [](int value) { return value < 0 ? QByteArray() : QByteArray::number(value); };
    for (const MemoryHolder& holder : holders_.holders()) {
        const QByteArrayList cells{QByteArray::number(holders_.stage()), number(holders_.time()), cell(toString(holder.kind)), cell(holder.piece),
                                   index(holder.layer), index(holder.microBatch), cell(holder.tensor), number(holder.count), number(holder.bytes),
                                   cell(holder.firstOperator), cell(holder.lastOperator), number(holder.from), number(holder.to)};
        text += cells.join(',') + '\n';
    }
    return text;
}

} // namespace orrery
