// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>
#include <QString>

#include <optional>

namespace orrery {

enum class ThemeVariant { light,
                          dark,
                          high_contrast,
                          colour_safe };

/// One meaning a hue, the same in every view; a variant is one table of these.
struct ThemeColors {
    QColor background, panel, field;
    QColor line, grid;
    QColor ink, secondary, faint; ///< faint is for strokes and what is switched off: too weak (2.5:1) for text to be read
    QColor accent, good, warning, error;
    QColor forward;  ///< also weights
    QColor backward; ///< also gradients
    QColor backwardWeights;
    QColor recompute; ///< also activations, memory-bound
    QColor tensor;    ///< tensor and sequence communication, temporary
    QColor pipeline;  ///< pipeline communication; also framework
    QColor data;      ///< data communication, capacity limit
    QColor optimizer;
    QColor firstStage, lastStage; ///< ends of the ramp for pipeline stages, replicas and other places: no phase has a hue of it
};

/// The look that all views share. Owned by the window and handed to each view; views repaint on `changed`.
class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(ThemeVariant variant = ThemeVariant::light, QObject* parent = nullptr);

    ThemeVariant variant() const { return variant_; }
    void setVariant(ThemeVariant variant);
    const ThemeColors& colors() const { return colors_; }

    QColor color(Phase phase) const;
    QColor color(const TimedOperator& op) const; ///< by phase, collectives by the group they serve
    QColor color(const OperationRow& row) const; ///< the same of a row of operations: prompts as forward, answers as backward's lighter green
    QColor color(MemoryKind kind) const;
    QColor color(TimePart part) const;

    /// The colour of one stage among `count`: a muted ramp. Its number is always written beside or on it.
    QColor stageColor(int stage, int count) const;

    QFont bodyFont() const;      ///< 12.5 px
    QFont secondaryFont() const; ///< 11.5 px
    QFont axisFont() const;      ///< 10.5 px
    QFont figureFont() const;    ///< 21 px semi-bold
    QFont titleFont() const;     ///< 12.5 px semi-bold
    QFont font(double pixels, QFont::Weight weight = QFont::Normal) const;

    bool isDark() const { return variant_ == ThemeVariant::dark; }
    QColor textOn(const QColor& fill) const;  ///< the ink, light or dark, that reads best on a coloured bar
    QColor asLine(const QColor& color) const; ///< the colour, nearer to ink where a thin line of it would hardly be seen on a panel

    QPalette palette() const;        ///< for QApplication::setPalette
    QString styleSheet() const;      ///< for QApplication::setStyleSheet
    void applyToApplication() const; ///< style, font, palette and style sheet, in the order that makes them hold

signals:
    void changed();

private:
    friend class ColoursForDrawing;

    std::optional<QColor> groupColor(RankGroup group) const; ///< of communication; nothing where nobody is joined

    mutable ThemeVariant variant_; ///< with `colors_`, lent to a drawing that leaves the window
    mutable ThemeColors colors_;
    mutable QString family_; ///< looked up on first use: the font database needs an application
};

/// While it lives, views that draw with the theme draw in another table's colours; nothing on screen is told or repainted.
/// For one drawing on the GUI thread, without an event loop in between.
class ColoursForDrawing {
public:
    ColoursForDrawing(const Theme& theme, ThemeVariant variant);
    ~ColoursForDrawing();
    ColoursForDrawing(const ColoursForDrawing&) = delete;
    ColoursForDrawing& operator=(const ColoursForDrawing&) = delete;

private:
    const Theme& theme_;
    ThemeVariant variantBefore_;
    ThemeColors colorsBefore_;
};

/// The first of `families` whose digits are all of one width, measured: figures that change then keep their place. Where none
/// is, the system's own. Nothing goes by a name: a family of tabular digits today may have other digits tomorrow.
QString familyWithEvenDigits(const QStringList& families);

/// `one` where `share` is 0, `other` where it is 1.
QColor mixed(const QColor& one, const QColor& other, double share);

/// WCAG 2 contrast of two opaque colours, 1 to 21.
double contrastRatio(const QColor& one, const QColor& other);

} // namespace orrery
