// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/request_lanes.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

namespace orrery {
namespace {

constexpr int laneNameWidth = 72, laneMargin = 12; ///< px

} // namespace

std::vector<LifePiece> lifePiecesOf(const RequestRecord& record) {
    std::vector<LifePiece> pieces;
    if (!record.isCompleted()) return pieces;
    double now = record.arrival;
    const auto add = [&](LifePart part, double seconds) {
        if (!(seconds > 0)) return;
        pieces.push_back({part, now, now + seconds});
        now += seconds;
    };
    add(LifePart::front_end, record.frontEnd);
    const double firstQueue = record.queuedBeforePrefill();
    add(LifePart::queued, firstQueue);
    add(LifePart::prefill, record.prefillSeconds());
    add(LifePart::preempted, record.preemptedBeforeFirst);
    add(LifePart::transfer, record.transferred);
    add(LifePart::queued, record.queued - firstQueue);
    add(LifePart::decode, record.decodeSeconds());
    add(LifePart::preempted, record.preempted - record.preemptedBeforeFirst);
    return pieces;
}

RequestLanes::RequestLanes(const Theme& theme, QWidget* parent) : QAbstractScrollArea(parent), theme_(theme) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Requests over time"));
    connect(&theme_, &Theme::changed, this, [this] {
        fitBar();
        viewport()->update();
    });
}

int RequestLanes::laneHeight() const { return QFontMetrics(theme_.axisFont()).height() + 2; }

void RequestLanes::fitBar() {
    const int count = report() ? static_cast<int>(report()->records.size()) : 0;
    const int inView = std::max(1, viewport()->height() / laneHeight() - 1); // one row is the axis
    verticalScrollBar()->setPageStep(inView);
    verticalScrollBar()->setRange(0, std::max(0, count - inView));
}

void RequestLanes::setResult(ResultPtr result) {
    result_ = std::move(result);
    chosen_.reset();
    fitBar();
    viewport()->update();
}

void RequestLanes::setChosen(std::optional<std::size_t> request) {
    chosen_ = request;
    if (request) {
        const int lane = static_cast<int>(*request), first = verticalScrollBar()->value(), inView = verticalScrollBar()->pageStep();
        if (lane < first || lane >= first + inView) verticalScrollBar()->setValue(lane - inView / 2);
    }
    viewport()->update();
}

std::optional<std::size_t> RequestLanes::laneAt(int y) const {
    const int row = y / laneHeight() - 1;
    if (!report() || y < laneHeight() || row >= verticalScrollBar()->pageStep()) return std::nullopt;
    const auto lane = static_cast<std::size_t>(verticalScrollBar()->value() + row);
    return lane < report()->records.size() ? std::optional(lane) : std::nullopt;
}

void RequestLanes::resizeEvent(QResizeEvent*) { fitBar(); }

void RequestLanes::mousePressEvent(QMouseEvent* event) {
    if (const auto lane = laneAt(static_cast<int>(event->position().y()))) emit laneClicked(*lane);
}

void RequestLanes::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), theme_.colors().panel);
    if (!report()) return;
    const auto& records = report()->records;
    const auto first = static_cast<std::size_t>(verticalScrollBar()->value());
    const std::size_t end = std::min(records.size(), first + static_cast<std::size_t>(verticalScrollBar()->pageStep()));
    if (first >= end) return;
    double start = records[first].arrival, stop = start;
    for (std::size_t i = first; i < end; ++i) {
        start = std::min(start, records[i].arrival);
        stop = std::max({stop, records[i].arrival, records[i].finish});
    }
    const double left = laneMargin + laneNameWidth, width = viewport()->width() - left - laneMargin;
    const int height = laneHeight();
    painter.setFont(theme_.axisFont());
    painter.setPen(theme_.colors().secondary);
    painter.drawText(QRectF(left, 0, width / 2, height), Qt::AlignLeft | Qt::AlignVCenter, readableTime(start).text());
    painter.drawText(QRectF(left + width / 2, 0, width / 2, height), Qt::AlignRight | Qt::AlignVCenter, readableTime(stop).text());
    for (std::size_t i = first; i < end; ++i) {
        const double top = static_cast<double>(i - first + 1) * height;
        if (chosen_ == i) {
            QColor tint = theme_.colors().accent;
            tint.setAlphaF(0.16f);
            painter.fillRect(QRectF(0, top, viewport()->width(), height), tint);
        }
        painter.setPen(theme_.colors().ink);
        painter.drawText(QRectF(laneMargin, top, laneNameWidth - 4, height), Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("r") + QString::number(i));
        for (const LifePiece& piece : lifePiecesOf(records[i])) {
            const double from = left + (piece.from - start) / (stop - start) * width, to = left + (piece.to - start) / (stop - start) * width;
            const bool waits = piece.part == LifePart::queued || piece.part == LifePart::preempted;
            const QColor colour = lifePartColour(theme_, piece.part);
            painter.fillRect(QRectF(from, top + 2, to - from, height - 4), waits ? QBrush(colour, Qt::BDiagPattern) : QBrush(colour));
        }
    }
}

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
