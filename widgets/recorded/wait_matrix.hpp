// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/theme.hpp"

#include <QStringList>
#include <QWidget>

#include <vector>

namespace orrery {

/// Who waits for whom as squares: a row is a rank that waits, a column the rank that came last. The longer, the fuller the colour; the time stands in it
/// where there is room, and in the tool tip.
class WaitMatrix : public QWidget {
    Q_OBJECT
public:
    explicit WaitMatrix(const Theme& theme, QWidget* parent = nullptr);

    /// `waiting` in s, one row and one column for each name. `whyNothing` stands where it is empty.
    void setWaiting(QStringList names, std::vector<std::vector<double>> waiting, const QString& whyNothing);
    QString sentence() const; ///< "Rank 7 is waited for longest: 12.3 ms in all."; empty: nobody waits
    QRectF cellArea(int row, int column) const;
    QString describeAt(const QPointF& position) const;

signals:
    void rankChosen(int place); ///< of the row that was clicked

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    QRectF grid() const;

    const Theme& theme_;
    QStringList names_;
    std::vector<std::vector<double>> waiting_;
    double longest_ = 0; ///< s
    QString whyNothing_;
};

} // namespace orrery
