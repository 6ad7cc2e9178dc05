// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/flow_layout.hpp"

#include <algorithm>

namespace orrery {

FlowLayout::FlowLayout(int horizontalGap, int verticalGap) : horizontalGap_(horizontalGap), verticalGap_(verticalGap) {
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() {
    for (QLayoutItem* item : items_) delete item;
}

QLayoutItem* FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
    QLayoutItem* item = itemAt(index);
    if (item != nullptr) items_.erase(items_.begin() + index);
    return item;
}

QSize FlowLayout::sizeHint() const {
    int width = 0, height = 0;
    for (const QLayoutItem* item : items_) {
        width += item->sizeHint().width() + horizontalGap_;
        height = std::max(height, item->sizeHint().height());
    }
    return {std::max(0, width - horizontalGap_), height + contentsMargins().top()};
}

QSize FlowLayout::minimumSize() const {
    QSize size;
    for (const QLayoutItem* item : items_) size = size.expandedTo(item->sizeHint());
    return size + QSize(0, contentsMargins().top());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool place) const {
    int x = rect.x(), y = rect.y() + contentsMargins().top(), line = 0;
    for (QLayoutItem* item : items_) {
        const QSize size = item->sizeHint();
        if (x > rect.x() && x + size.width() > rect.x() + rect.width()) {
            x = rect.x();
            y += line + verticalGap_;
            line = 0;
        }
        if (place) item->setGeometry({x, y, std::min(size.width(), rect.width()), size.height()});
        x += size.width() + horizontalGap_;
        line = std::max(line, size.height());
    }
    return y + line - rect.y();
}

} // namespace orrery
