// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/chart_widget.hpp"
#include "widgets/memory/memory_holders.hpp"

#include <QWidget>

#include <vector>

namespace orrery {

class Theme;

/// What holds a stage's memory at a moment, as nested rectangles whose areas are bytes: kind, layer, micro-batch, tensor. A
/// click chooses; a double click or Enter looks inside, Escape goes out again; arrow keys go to neighbours, parent and child.
class MemoryTreemap : public ChartWidget {
    Q_OBJECT
public:
    MemoryTreemap(const Theme& theme, MemoryHolders& holders, QWidget* parent = nullptr);

    /// A node as it is drawn. Cells come after what they lie in.
    struct Cell {
        int node = 0;
        QRectF rect;
        QRectF label;      ///< where its name stands; empty: there is no room
        bool leaf = false; ///< nothing is drawn inside
    };
    const std::vector<Cell>& cells() const { return cells_; }
    int inside() const;               ///< the node that fills the drawing
    QString describe(int node) const; ///< the tooltip's text
    QString crumbs() const;           ///< "activations › layer 3"

    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override; ///< a line a holder
    ChartPlot asPlot() const override;

public slots:
    void lookInside(int node);

signals:
    void insideChanged();

protected:
    void dress() override { rebuild(); }
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    bool event(QEvent* event) override;

private:
    void rebuild();
    std::vector<Cell> layOut(const QRectF& area) const;
    void layOutChildren(int node, const QRectF& area, std::vector<Cell>& cells) const;
    void draw(QPainter& painter, const std::vector<Cell>& cells, const QRectF& area, bool marks) const;
    void drawLabel(QPainter& painter, const Cell& cell, const QColor& fill) const;
    void drawGroupLabel(QPainter& painter, const Cell& cell) const; ///< above what lies in it
    void drawLeafLabel(QPainter& painter, const Cell& cell) const;  ///< over several lines, upright or smaller, rather than half a word
    bool drawLeafLabel(QPainter& painter, const HolderNode& node, const QRectF& room, const QFont& font) const;
    QColor fillOf(const Cell& cell) const;
    int nodeAt(const QPointF& position) const;
    int chosenOrFirst() const;

    MemoryHolders& holders_;
    QString insidePath_;
    std::vector<Cell> cells_;
};

} // namespace orrery
