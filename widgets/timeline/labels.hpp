// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/timeline.hpp"
#include "widgets/timeline/raster.hpp"

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

/// Operators picked out of the rest, and where in each segment they stand. Sized by the templates, not by the bars.
class MarkedOperators {
public:
    MarkedOperators() = default;
    MarkedOperators(const Timeline& timeline, std::vector<bool> operators);

    bool any() const { return any_; }
    bool contains(std::uint32_t op) const { return op < operators_.size() && operators_[op]; }
    /// By segment, for a row of this kind.
    const std::vector<std::vector<SegmentStretch>>& stretches(StreamKind row) const;

private:
    std::vector<bool> operators_;
    bool any_ = false;
    std::vector<std::vector<SegmentStretch>> compute_;
    std::vector<std::vector<SegmentStretch>> tensor_;
    std::vector<std::vector<SegmentStretch>> others_; ///< streams with spans of their own
};

/// The operators that a selection means: by name and phase, or by name alone where no operator has that phase (results
/// file collectives under "communication" whatever pass they run in). Empty name: none.
std::vector<bool> operatorsNamed(const Timeline& timeline, std::string_view name, std::string_view phase);

} // namespace orrery
