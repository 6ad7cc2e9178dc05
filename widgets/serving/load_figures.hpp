// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/load_curve.hpp"

#include <QWidget>

#include <optional>
#include <vector>

namespace orrery {

class Theme;

/// The figures of one load in two lines: what, and how much. It shows as many as there is room for, the first before the last.
class LoadFigures : public QWidget {
    Q_OBJECT
public:
    explicit LoadFigures(const Theme& theme, QWidget* parent = nullptr);

    void setPoint(const std::optional<LoadPoint>& point);
    QString words() const; ///< "TTFT p50 27 ms, p99 145 ms; TPOT …"

    QSize sizeHint() const override { return {480, fixedHeight}; }
    QSize minimumSizeHint() const override { return {160, fixedHeight}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    static constexpr int fixedHeight = 36; ///< px
    struct LoadFigure {
        QString name, value;
    };

    const Theme& theme_;
    std::vector<LoadFigure> figures_;
};

} // namespace orrery
