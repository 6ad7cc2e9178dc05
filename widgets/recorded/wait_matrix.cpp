// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/recorded/wait_matrix.hpp"

#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>

namespace orrery {
namespace {

constexpr double besideGrid = 12, headHeight = 38; ///< px
constexpr double lowestCell = 15;                  ///< a name beside it
constexpr double widestCell = 84, highestCell = 30;

} // namespace

WaitMatrix::WaitMatrix(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setAccessibleName(tr("Who waits for whom"));
    connect(&theme_, &Theme::changed, this, QOverload<>::of(&QWidget::update));
}

void WaitMatrix::setWaiting(QStringList names, std::vector<std::vector<double>> waiting, const QString& whyNothing) {
    names_ = std::move(names);
    waiting_ = std::move(waiting);
    whyNothing_ = whyNothing;
    longest_ = 0;
    setMinimumHeight(static_cast<int>(headHeight + 8 + lowestCell * static_cast<double>(waiting_.size())));
    for (const auto& row : waiting_)
        for (const double time : row) longest_ = std::max(longest_, time);
    setAccessibleDescription(waiting_.empty() ? whyNothing_ : sentence());
    update();
}

QString WaitMatrix::sentence() const {
    double most = 0;
    int who = -1;
    for (std::size_t column = 0; column < waiting_.size(); ++column) {
        double sum = 0;
        for (const auto& row : waiting_) sum += row[column];
        if (sum > most) {
            most = sum;
            who = static_cast<int>(column);
        }
    }
    return who < 0 ? QString() : tr("%1 is waited for longest: %2 in all.", "a rank").arg(names_.value(who), readableTime(most).text());
}

QRectF WaitMatrix::grid() const {
    const QFontMetricsF metrics(theme_.secondaryFont());
    double left = 0;
    for (const QString& name : names_) left = std::max(left, metrics.horizontalAdvance(name));
    left = std::min(left, width() / 4.0) + besideGrid + 8;
    const double count = std::max<double>(1, static_cast<double>(waiting_.size()));
    return {left, headHeight, std::min(width() - left - besideGrid, count * widestCell), std::min(height() - headHeight - 8, count * highestCell)};
}

QRectF WaitMatrix::cellArea(int row, int column) const {
    const QRectF all = grid();
    const double across = all.width() / static_cast<double>(waiting_.size()), down = all.height() / static_cast<double>(waiting_.size());
    return {all.left() + column * across, all.top() + row * down, across, down};
}

QString WaitMatrix::describeAt(const QPointF& position) const {
    for (std::size_t row = 0; row < waiting_.size(); ++row)
        for (std::size_t column = 0; column < waiting_.size(); ++column)
            if (cellArea(static_cast<int>(row), static_cast<int>(column)).contains(position))
                return tr("%1 waits %2 for %3").arg(names_.value(static_cast<qsizetype>(row)), readableTime(waiting_[row][column]).text(), names_.value(static_cast<qsizetype>(column)));
    return {};
}

void WaitMatrix::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColors& colors = theme_.colors();
    painter.fillRect(rect(), colors.panel);
    if (waiting_.empty()) {
        drawEmptyState(painter, rect(), theme_, tr("Who waits for whom in collectives, rank by rank"), whyNothing_);
        return;
    }
    const QRectF all = grid();
    painter.setFont(theme_.secondaryFont());
    painter.setPen(colors.secondary);
    painter.drawText(QRectF(all.left(), 2, width() - all.left(), 16), Qt::AlignLeft | Qt::AlignVCenter, tr("waits for …"));
    const QFontMetricsF metrics(theme_.secondaryFont());
    // Where names would touch, the number in them says it, of all alike.
    const double room = cellArea(0, 0).width();
    const bool named = std::all_of(names_.begin(), names_.end(), [&](const QString& name) { return metrics.horizontalAdvance(name) + 4 <= room; });
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        const QRectF cell = cellArea(static_cast<int>(i), static_cast<int>(i));
        const QString name = names_.value(static_cast<qsizetype>(i));
        const QString head = named ? name : name.section(QLatin1Char(' '), -1);
        painter.setPen(colors.secondary);
        if (metrics.horizontalAdvance(head) <= cell.width() + 1) painter.drawText(QRectF(cell.left(), 20, cell.width(), 16), Qt::AlignHCenter | Qt::AlignVCenter, head);
        if (metrics.height() <= cell.height() + 3) painter.drawText(QRectF(0, cell.top(), all.left() - 8, cell.height()), Qt::AlignRight | Qt::AlignVCenter, metrics.elidedText(name, Qt::ElideRight, all.left() - besideGrid - 8));
    }
    painter.setFont(theme_.axisFont());
    const QFontMetricsF small(theme_.axisFont());
    for (std::size_t row = 0; row < waiting_.size(); ++row)
        for (std::size_t column = 0; column < waiting_.size(); ++column) {
            const QRectF cell = cellArea(static_cast<int>(row), static_cast<int>(column)).adjusted(0.5, 0.5, -0.5, -0.5);
            const double time = waiting_[row][column];
            const double share = longest_ > 0 ? time / longest_ : 0;
            const QColor fill(static_cast<int>(colors.panel.red() + (colors.warning.red() - colors.panel.red()) * share * 0.8), static_cast<int>(colors.panel.green() + (colors.warning.green() - colors.panel.green()) * share * 0.8),
                              static_cast<int>(colors.panel.blue() + (colors.warning.blue() - colors.panel.blue()) * share * 0.8));
            painter.fillRect(cell, fill);
            painter.setPen(colors.grid);
            painter.drawRect(cell);
            const QString text = time > 0 ? readableTime(time).text() : row == column ? QStringLiteral("–")
                                                                                      : QString();
            if (small.horizontalAdvance(text) + 4 > cell.width() || small.height() > cell.height()) continue;
            painter.setPen(theme_.textOn(fill));
            painter.drawText(cell, Qt::AlignCenter, text);
        }
}

bool WaitMatrix::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QString text = describeAt(help->pos());
        if (text.isEmpty()) QToolTip::hideText();
        else QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

void WaitMatrix::mousePressEvent(QMouseEvent* event) {
    for (std::size_t row = 0; row < waiting_.size(); ++row)
        if (event->position().y() >= cellArea(static_cast<int>(row), 0).top() && event->position().y() < cellArea(static_cast<int>(row), 0).bottom()) emit rankChosen(static_cast<int>(row));
}

} // namespace orrery
