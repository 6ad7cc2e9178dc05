// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/serving/serving_values.hpp"

#include <QAbstractScrollArea>
#include <QColor>
#include <QWidget>
#include <optional>
#include <vector>

namespace orrery {

class Theme;

/// A stretch of a request's time.
struct LifePiece {
    LifePart part = LifePart::queued;
    double from = 0, to = 0; ///< s
};
/// From arrival to last token, without gaps; none of a request that never ended. The record has sums alone: what was lost to preemption
/// stands at the end of the phase that it lengthened.
std::vector<LifePiece> lifePiecesOf(const RequestRecord& record);

/// Requests one below the other in the order of the list, each a bar by phase. Time spans the lanes in view, and only those are painted.
class RequestLanes : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit RequestLanes(const Theme& theme, QWidget* parent = nullptr);

    void setResult(ResultPtr result);
    void setChosen(std::optional<std::size_t> request); ///< scrolls to it
    std::optional<std::size_t> chosen() const { return chosen_; }
    std::optional<std::size_t> laneAt(int y) const; ///< px of the viewport

    QSize minimumSizeHint() const override { return {0, 0}; } ///< it gives way to the table

signals:
    void laneClicked(std::size_t request);

protected:
    void paintEvent(QPaintEvent*) override;
    void resizeEvent(QResizeEvent*) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    const ServingReport* report() const { return result_ ? result_->serving() : nullptr; }
    int laneHeight() const;
    void fitBar();

    const Theme& theme_;
    ResultPtr result_;
    std::optional<std::size_t> chosen_;
};

/// The same in a life and in the lanes.
QColor lifePartColour(const Theme& theme, LifePart part);

/// The life of one request as a bar: what its time from arrival to last token was spent in. What was gathered over several times (preempted)
/// is one part.
class RequestLife : public QWidget {
    Q_OBJECT
public:
    explicit RequestLife(const Theme& theme, QWidget* parent = nullptr);

    void setRequest(const ResultPtr& result, std::optional<std::size_t> request);
    std::optional<std::size_t> request() const { return request_; }
    QString words() const; ///< "r12: 9 ms queued · 21 ms prefill · 2.31 s decode"

    QSize sizeHint() const override { return {300, fixedHeight}; }
    QSize minimumSizeHint() const override { return {160, fixedHeight}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    static constexpr int fixedHeight = 58; ///< px
    const RequestRecord* record() const;

    const Theme& theme_;
    ResultPtr result_;
    std::optional<std::size_t> request_;
};

} // namespace orrery
