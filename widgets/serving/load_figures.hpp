// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/load_curve.hpp"

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

namespace orrery {

QString loadNumber(double load);               ///< "24", "2.7": no digit that says nothing
QString loadText(LoadKind kind, double load);  ///< "24 requests/s", "1 user"
QString kneeText(const LoadCurve& curve);      ///< "Knee at 82 users"; of a curve without one, how far it was looked for
QString kneeReason(const LoadCurve& curve);    ///< "the KV cache is full: requests wait for blocks …"; empty: there is none
QString pointText(LoadKind, const LoadPoint&); ///< a point in a few lines
QString cacheText(const LoadPoint& point);     ///< "7.3 %, at most 12 %"

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
