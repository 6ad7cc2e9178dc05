// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/request_life.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/serving/serving_values.hpp"

#include <QPainter>

namespace orrery {
namespace {

const char* reasonOf(Rejection rejection) {
    switch (rejection) {
    case Rejection::none: break;
    case Rejection::longer_than_model: return QT_TRANSLATE_NOOP("orrery::RequestLife", "prompt and answer are longer than the engine takes");
    case Rejection::longer_than_pool: return QT_TRANSLATE_NOOP("orrery::RequestLife", "it has more tokens than the whole cache holds");
    case Rejection::longer_than_step: return QT_TRANSLATE_NOOP("orrery::RequestLife", "its prompt is longer than a step, and is not cut into chunks");
    case Rejection::fleet_full: return QT_TRANSLATE_NOOP("orrery::RequestLife", "as many requests as may waited in front of the replicas");
    case Rejection::waited_too_long: return QT_TRANSLATE_NOOP("orrery::RequestLife", "it waited too long in front of the replicas");
    }
    return "";
}

} // namespace

QColor lifePartColour(const Theme& theme, LifePart part) {
    const ThemeColors& colors = theme.colors();
    switch (part) {
    case LifePart::front_end: return colors.faint;
    case LifePart::queued: return colors.secondary;
    case LifePart::prefill: return colors.forward;
    case LifePart::transfer: return colors.pipeline;
    case LifePart::decode: return colors.backwardWeights;
    case LifePart::preempted: return colors.recompute;
    }
    return colors.line;
}

RequestLife::RequestLife(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setFixedHeight(fixedHeight);
    connect(&theme_, &Theme::changed, this, QOverload<>::of(&QWidget::update));
}

const RequestRecord* RequestLife::record() const {
    const ServingReport* report = result_ ? result_->serving() : nullptr;
    return report && request_ && *request_ < report->records.size() ? &report->records[*request_] : nullptr;
}

void RequestLife::setRequest(const ResultPtr& result, std::optional<std::size_t> request) {
    result_ = result;
    request_ = request;
    setAccessibleName(words());
    setToolTip(words());
    update();
}

QString RequestLife::words() const {
    const RequestRecord* life = record();
    if (!life) return tr("Choose a request to see what its time was spent in.");
    const QString name = QStringLiteral("r") + QString::number(*request_);
    if (life->rejection != Rejection::none) return tr("%1 was rejected: %2.").arg(name, tr(reasonOf(life->rejection)));
    if (!life->isCompleted()) return tr("%1 did not end.").arg(name);
    QStringList parts;
    const auto seconds = lifeOf(*life);
    for (std::size_t part = 0; part < lifePartCount; ++part)
        if (seconds[part] > 0) parts << readableTime(seconds[part]).text() + QLatin1Char(' ') + lifePartName(static_cast<LifePart>(part));
    return tr("%1, from %2 to %3: %4").arg(name, readableTime(life->arrival).text(), readableTime(life->finish).text(), parts.join(QStringLiteral(" · ")));
}

void RequestLife::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().panel);
    painter.setFont(theme_.secondaryFont());
    painter.setPen(theme_.colors().ink);
    const QRectF line(12, 6, width() - 24, 18);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, QFontMetricsF(theme_.secondaryFont()).elidedText(words(), Qt::ElideRight, line.width()));
    const RequestRecord* life = record();
    if (!life || !life->isCompleted()) return;
    const double whole = life->finish - life->arrival;
    const QRectF bar(12, 30, width() - 24, 16);
    double left = bar.left();
    const auto seconds = lifeOf(*life);
    for (std::size_t part = 0; part < lifePartCount && whole > 0; ++part) {
        const QRectF piece(left, bar.top(), seconds[part] / whole * bar.width(), bar.height());
        if (!(piece.width() > 0)) continue;
        const QColor colour = lifePartColour(theme_, static_cast<LifePart>(part));
        // Waiting is hatched: it is time in which nothing was computed.
        const bool waits = static_cast<LifePart>(part) == LifePart::queued || static_cast<LifePart>(part) == LifePart::preempted;
        painter.fillRect(piece, waits ? QBrush(colour, Qt::BDiagPattern) : QBrush(colour));
        painter.setFont(theme_.axisFont());
        const QString name = lifePartName(static_cast<LifePart>(part));
        if (!waits && QFontMetricsF(theme_.axisFont()).horizontalAdvance(name) + 10 < piece.width()) {
            painter.setPen(theme_.textOn(colour));
            painter.drawText(piece, Qt::AlignCenter, name);
        }
        left += piece.width();
    }
    painter.setPen(QPen(theme_.colors().line, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar);
}

} // namespace orrery
