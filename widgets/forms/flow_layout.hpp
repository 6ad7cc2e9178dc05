// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>

#include <vector>

namespace orrery {

/// Puts its items side by side and goes on in the next line when the width is used up.
class FlowLayout : public QLayout {
public:
    explicit FlowLayout(int horizontalGap = 12, int verticalGap = 4);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override { items_.push_back(item); }
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, false); }
    QSize sizeHint() const override;
    QSize minimumSize() const override; ///< as wide as the widest item
    void setGeometry(const QRect& rect) override;

private:
    int arrange(const QRect& rect, bool place) const; ///< the height it takes

    std::vector<QLayoutItem*> items_;
    int horizontalGap_;
    int verticalGap_;
};

} // namespace orrery
