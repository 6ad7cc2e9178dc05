// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/exportable.hpp"
#include "widgets/common/theme.hpp"

#include <QWidget>

namespace orrery {

/// A chart that follows mouse and keys, is painted anew in another theme, and can leave the window. What it draws and says is the derived class's.
class ChartWidget : public QWidget, public Exportable {
public:
    QString exportName() const override { return exportName_; }
    const Theme& chartTheme() const override { return theme_; }
    QSize sizeHint() const override { return {560, 320}; }
    QSize minimumSizeHint() const override { return {220, 130}; }

protected:
    /// The theme outlives it. `exportName`: the suggested file name.
    ChartWidget(const Theme& theme, const QString& exportName, const QString& accessibleName, QWidget* parent) : QWidget(parent), theme_(theme), exportName_(exportName) {
        setMouseTracking(true);
        setFocusPolicy(Qt::StrongFocus);
        setAccessibleName(accessibleName);
        connect(&theme_, &Theme::changed, this, [this] { dress(); });
    }

    virtual void dress() { update(); } ///< in the theme's new colours

    const Theme& theme_;

private:
    QString exportName_;
};

} // namespace orrery
