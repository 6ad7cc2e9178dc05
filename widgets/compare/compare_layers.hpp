// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/layer_memory.hpp"
#include "widgets/common/chart_widget.hpp"
#include "widgets/compare/compared.hpp"

#include <QFontMetricsF>
#include <QWidget>

#include <optional>
#include <vector>

namespace orrery {

class Theme;

/// Memory layer by layer, each when its stage holds most: what is shown as bars stacked by kind, the baseline as outlines about them. The layer
/// under the mouse is told in full.
class CompareLayers : public ChartWidget {
    Q_OBJECT
public:
    explicit CompareLayers(const Theme& theme, QWidget* parent = nullptr);

    /// `from`: what is compared with; null: nothing is.
    void setCompared(const ComparedScenario* from, const ComparedScenario* shown);

    /// A layer of the model, with what either scenario holds of it.
    struct Row {
        std::string piece;
        int layer = -1;
        std::optional<LayerMemory> from, shown;
    };
    const std::vector<Row>& rows();        ///< in the model's order
    QPointF placeOf(std::size_t row);      ///< in the middle of its bar
    QString wordsOf(const Row& row) const; ///< all that is known of it
    QString hint() const { return hint_; } ///< of the layer under the mouse

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QByteArray csv() const override;
    QString whyNothing() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Frame;
    struct LegendEntry;
    Frame frameIn(const QRectF& area) const;
    std::vector<LegendEntry> legendIn(const QRectF& area, const QFontMetricsF& metrics) const;
    void find() const;
    void draw(QPainter& painter, const QRectF& area) const;

    ResultPtr fromResult_, shownResult_;
    QString from_, shown_;
    mutable bool stale_ = true; ///< going through all tensors waits for eyes
    mutable std::vector<Row> rows_;
    QString hint_;
};

} // namespace orrery
