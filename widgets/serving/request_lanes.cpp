// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/request_lanes.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/serving/request_life.hpp"

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

} // namespace orrery
