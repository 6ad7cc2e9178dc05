// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dimming.hpp"
#include "widgets/common/exportable.hpp"
#include "widgets/common/theme.hpp"

#include <QWidget>

#include <utility>

namespace orrery {

/// What a chart is called and how large it wants to be.
struct ChartFrame {
    QString exportName; ///< the suggested file name
    QString accessibleName;
    QSize hint{560, 320}, least{220, 130};
    Qt::FocusPolicy focus = Qt::StrongFocus; ///< Qt::NoFocus: no key does anything
};

/// A chart that follows mouse and keys, is painted anew in another theme, and can leave the window. What it draws and says is the derived class's.
class ChartWidget : public QWidget, public Exportable {
public:
    QString exportName() const override { return frame_.exportName; }
    const Theme& chartTheme() const override { return theme_; }
    QSize sizeHint() const override { return frame_.hint; }
    QSize minimumSizeHint() const override { return frame_.least; }
    void setBusy(bool busy) { setDimmed(*this, busy); } ///< dims what is shown while newer numbers are on their way

protected:
    /// The theme outlives it.
    ChartWidget(const Theme& theme, ChartFrame frame, QWidget* parent) : QWidget(parent), theme_(theme), frame_(std::move(frame)) {
        setMouseTracking(true);
        setFocusPolicy(frame_.focus);
        setAccessibleName(frame_.accessibleName);
        connect(&theme_, &Theme::changed, this, [this] { dress(); });
    }

    virtual void dress() { update(); } ///< in the theme's new colours

    const Theme& theme_;

private:
    ChartFrame frame_;
};

} // namespace orrery
