// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QHash>
#include <QImage>
#include <QString>

#include <vector>

namespace orrery {

/// Texts drawn inside bars. Shaping a text costs more than a whole row of bars, so each is drawn once and copied after.
class BarLabels {
public:
    void setFont(const QFont& font, double devicePixelRatio);

    /// Widths in logical pixels.
    double widthOf(const QString& text);
    double height() const { return height_; }

    /// `text`, or as much of it as fits before an ellipsis; empty where fewer than four letters would be left.
    QString elided(const QString& text, double width);

    const QImage& image(const QString& text, QRgb ink);

private:
    const std::vector<float>& advances(const QString& text);

    QFont font_;
    double devicePixelRatio_ = 1;
    double height_ = 0;
    double ellipsisWidth_ = 0;
    QHash<QString, std::vector<float>> advances_; ///< width of each prefix
    QHash<std::pair<QString, QRgb>, QImage> images_;
};

} // namespace orrery
