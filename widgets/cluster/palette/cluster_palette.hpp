// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/cluster/palette/palette_items.hpp"

#include <QAbstractButton>
#include <QWidget>

#include <vector>

class QSpinBox;
class QToolButton;

namespace orrery {

class Catalog; // core/catalog
class Theme;

/// One line of the palette: a click arms it, a drag takes it along.
class PaletteRow : public QAbstractButton {
    Q_OBJECT
public:
    PaletteRow(PaletteItem item, const Theme& theme, QWidget* parent = nullptr);

    const PaletteItem& item() const { return item_; }
    Json fragment() const;      ///< with the number that is set now
    QString placedName() const; ///< "8 × DGX H100", for the undo text
    QSpinBox* numberField() const { return number_; }
    QToolButton* moreButton() const { return more_; } ///< of platforms: asks for all parameters
    void setMade(Json fragment, QString name);        ///< what a form made of it, until the number changes
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    int fieldsWidth() const;

    PaletteItem item_;
    const Theme& theme_;
    QSpinBox* number_ = nullptr;
    QToolButton* more_ = nullptr;
    Json made_; ///< null: of the number alone
    QString madeName_;
    QPoint pressedAt_;
};

/// What can be placed on the cluster canvas: hosts, switches, whole platforms.
class ClusterPalette : public QWidget {
    Q_OBJECT
public:
    ClusterPalette(const Theme& theme, const Catalog& catalog, QWidget* parent = nullptr);

    QSize minimumSizeHint() const override { return {leastWidth_, 120}; }
    PaletteRow* row(const QString& key) const; ///< "host:dgx-h100"; null: none

public slots:
    void placementEnded(); ///< the canvas placed it, or the user changed their mind

signals:
    void armed(const Json& fragment, const QString& label);
    void disarmed();

private:
    void showAll(bool all);
    void arm(PaletteRow* row);
    void askForAll(PaletteRow* row);

    const Theme& theme_;
    const Catalog& catalog_;
    std::vector<PaletteRow*> rows_;
    QToolButton* more_ = nullptr;
    int leastWidth_ = 0;
};

} // namespace orrery
