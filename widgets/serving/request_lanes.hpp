// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/serving/serving_values.hpp"

#include <QAbstractScrollArea>

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

} // namespace orrery
