// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/headline/figures.hpp"

#include <QAbstractButton>

#include <map>

namespace orrery {

class Theme;

/// One figure as a button: title, number with unit and change, detail. Clicking it asks why.
class FigureTile : public QAbstractButton {
    Q_OBJECT
public:
    explicit FigureTile(const Theme& theme, QWidget* parent = nullptr);

    void setFigure(const Figure& figure);
    const Figure& figure() const { return figure_; }
    void setDimmed(bool dimmed);
    bool isDimmed() const { return dimmed_; }
    void setNumberSize(double pixels);          ///< 21 as drawn in the look; smaller where the strip is narrow
    int neededWidth(double numberPixels) const; ///< px at which nothing is cut
    int lineHeights() const;                    ///< px of the tile
    QSize sizeHint() const override { return {neededWidth(numberSize_), lineHeights()}; }
    QSize minimumSizeHint() const override { return {40, lineHeights()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    const Theme& theme_;
    Figure figure_;
    bool dimmed_ = false;
    double numberSize_ = 21;
    mutable std::map<double, int> neededWidths_; ///< by size of the number, of this figure: layouts ask many times
};

} // namespace orrery
