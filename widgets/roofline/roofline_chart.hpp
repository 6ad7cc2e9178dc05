// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/common/exportable.hpp"

#include <QWidget>

QT_BEGIN_NAMESPACE
class QStackedWidget;
class QToolButton;
QT_END_NAMESPACE

namespace orrery {

class EmptyState;
class PanelHeader;
class RooflinePlot;
class Selection;
class Theme;

/// Every operator under the accelerator's ceilings: what it reaches against how much it computes for a byte moved.
/// A click chooses the operator everywhere; the arrow keys step through them, longest first.
class RooflineChart : public QWidget, public Exportable {
    Q_OBJECT
public:
    RooflineChart(const Theme& theme, Selection& selection, QWidget* parent = nullptr);

    QString exportName() const override;
    const Theme& chartTheme() const override { return theme_; }
    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override; ///< a line an operator and phase, those without FLOPs too
    ChartPlot asPlot() const override;

    RooflinePlot* plot() const { return plot_; }
    QString describe(std::size_t point) const; ///< the tooltip's text
    QToolButton* levelsButton() const { return levels_; }

    QSize sizeHint() const override { return {340, 350}; }
    QSize minimumSizeHint() const override { return {220, 150}; }

public slots:
    void setResult(orrery::ResultPtr result);
    void setBaseline(const orrery::ResultPtr& baseline); ///< null: none
    void setBusy(bool busy);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void applyTheme();
    void followSelection();
    void choose(std::optional<std::size_t> point);
    void step(int by);
    QString subtitle() const;

    const Theme& theme_;
    Selection& selection_;
    ResultPtr result_;
    PanelHeader* header_;
    RooflinePlot* plot_;
    QToolButton* levels_;
    EmptyState* empty_;
    QStackedWidget* stack_;
};

} // namespace orrery
