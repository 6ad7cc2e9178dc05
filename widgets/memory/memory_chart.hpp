// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/common/exportable.hpp"

#include <QWidget>

QT_BEGIN_NAMESPACE
class QChartView;
QT_END_NAMESPACE

namespace orrery {

class MemoryBars;
class Selection;
class Theme;

/// Memory of every stage at its peak, stacked by kind, under the capacity. A click chooses the stage.
class MemoryChart : public QWidget, public Exportable {
    Q_OBJECT
public:
    MemoryChart(const Theme& theme, Selection& selection, QWidget* parent = nullptr);

    QString exportName() const override;
    const Theme& chartTheme() const override { return theme_; }
    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override; ///< a line a stage, bytes
    ChartPlot asPlot() const override;

    QString describe(std::size_t stage, std::optional<MemoryKind> kind) const; ///< the tooltip's text

    QSize sizeHint() const override { return {340, 240}; }
    QSize minimumSizeHint() const override { return {220, 140}; }

public slots:
    void setResult(orrery::ResultPtr result);
    void setBaseline(const orrery::ResultPtr& baseline); ///< null: none
    void setBusy(bool busy);                             ///< dims what is shown while newer numbers are on their way

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void applyTheme();

    const Theme& theme_;
    Selection& selection_;
    ResultPtr result_;
    MemoryBars* bars_;
    QChartView* view_;
    QWidget* empty_;
};

} // namespace orrery
