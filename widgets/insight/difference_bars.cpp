// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/difference_bars.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/key_words.hpp"
#include "widgets/common/theme.hpp"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// More would push the causes out of sight; what is left is less than any of these.
constexpr std::size_t mostBars = 6;
/// Share of the largest part; less is a bar of no width.
constexpr double leastShown = 0.005;

QString signedTime(double seconds) { return (seconds < 0 ? QStringLiteral("−") : QStringLiteral("+")) + readableTime(std::abs(seconds)).text(); }

} // namespace

QString partWords(const std::string& name) {
    QString words = QString::fromStdString(name).replace(QLatin1Char('_'), QLatin1Char(' '));
    // What a request waits for, and what of its steps is others'.
    if (words.startsWith(QStringLiteral("queue "))) return DifferenceBars::tr("waiting for %1").arg(keyWords(words.mid(6)));
    if (words.endsWith(QStringLiteral(" others"))) return DifferenceBars::tr("%1, others' work").arg(keyWords(words.left(words.size() - 7)));
    // The headline's bubble is the mean of all stages; what an iteration's time is made of is the stage's that ends it.
    if (name == "bubble") return DifferenceBars::tr("bubble, last stage");
    return keyWords(words);
}

DifferenceBars::DifferenceBars(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void DifferenceBars::setComparison(std::optional<Comparison> comparison) {
    parts_ = comparison ? std::move(comparison->parts) : std::vector<Comparison::Part>{};
    std::stable_sort(parts_.begin(), parts_.end(), [](const auto& a, const auto& b) { return std::abs(a.delta) > std::abs(b.delta); });
    const double largest = parts_.empty() ? 0 : std::abs(parts_.front().delta);
    parts_.erase(std::remove_if(parts_.begin(), parts_.end(), [&](const auto& part) { return std::abs(part.delta) <= leastShown * largest; }), parts_.end());
    if (parts_.size() > mostBars) parts_.resize(mostBars);
    describe();
    updateGeometry();
    update();
}

/// For those who hear the window.
void DifferenceBars::describe() {
    QStringList words;
    for (const Comparison::Part& part : parts_) words << partWords(part.name) + QLatin1Char(' ') + signedTime(part.delta);
    setAccessibleName(tr("Parts of the difference"));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    setToolTip(words.join(QLatin1Char('\n')));
}

int DifferenceBars::rowHeight() const { return QFontMetrics(theme_.secondaryFont()).height() + 4; }

QSize DifferenceBars::sizeHint() const { return {240, static_cast<int>(parts_.size()) * rowHeight()}; }

void DifferenceBars::paintEvent(QPaintEvent*) {
    if (parts_.empty()) return;
    QPainter painter(this);
    painter.setFont(theme_.secondaryFont());
    const QFontMetricsF metrics(painter.font());
    const ThemeColors& colors = theme_.colors();
    double names = 0, numbers = 0;
    for (const Comparison::Part& part : parts_) {
        names = std::max(names, metrics.horizontalAdvance(partWords(part.name)));
        numbers = std::max(numbers, metrics.horizontalAdvance(signedTime(part.delta)));
    }
    constexpr double gap = 8, barHeight = 9;
    names = std::min(names, width() * 0.4);
    const double left = names + gap, right = width() - numbers - gap, middle = (left + right) / 2;
    const double reach = std::max(0.0, (right - left) / 2 - 2) / std::abs(parts_.front().delta);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Comparison::Part& part = parts_[i];
        const QRectF row(0, double(i) * rowHeight(), width(), rowHeight());
        painter.setPen(colors.secondary);
        painter.drawText(QRectF(0, row.top(), names, row.height()), Qt::AlignVCenter | Qt::AlignLeft, metrics.elidedText(partWords(part.name), Qt::ElideRight, names + 1));
        painter.setPen(colors.ink);
        painter.drawText(QRectF(right + gap, row.top(), numbers + 1, row.height()), Qt::AlignVCenter | Qt::AlignRight, signedTime(part.delta));
        const double length = part.delta * reach;
        painter.fillRect(QRectF(std::min(middle, middle + length), row.center().y() - barHeight / 2, std::abs(length), barHeight), part.delta > 0 ? colors.warning : colors.good);
    }
    painter.setPen(colors.line);
    painter.drawLine(QPointF(middle, 0), QPointF(middle, height()));
}

} // namespace orrery
