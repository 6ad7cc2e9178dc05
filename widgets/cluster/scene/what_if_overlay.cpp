// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/scene/what_if_overlay.hpp"

#include "widgets/cluster/what_if/what_if_list.hpp"
#include "widgets/common/panel_header.hpp"

#include <QWidget>

#include <algorithm>

namespace orrery {

WhatIfList* WhatIfOverlay::makeList(const Theme& theme) {
    list_ = new WhatIfList(theme, &canvas_);
    return list_;
}

const WhatIf* WhatIfOverlay::at(int index) const {
    return index >= 0 && static_cast<std::size_t>(index) < whatIfs_.size() ? &whatIfs_[static_cast<std::size_t>(index)] : nullptr;
}

void WhatIfOverlay::takeDocument() {
    whatIfs_ = readWhatIfs(scene_.scenario, scene_.document, scene_.names);
    scene_.look.linkMarks.clear();
    scene_.look.nodeMarks.clear();
    scene_.look.arrows.clear();
    QStringList texts;
    for (const WhatIf& one : whatIfs_) {
        texts << one.text;
        mark(one);
    }
    list_->setTexts(texts);
    place();
}

void WhatIfOverlay::mark(const WhatIf& one) {
    ClusterLook& look = scene_.look;
    for (const int link : one.links) look.linkMarks[link].down |= one.down;
    if (one.kind == WhatIf::Kind::traffic) {
        if (one.nodes.size() == 2) look.arrows.push_back({one.nodes[0], one.nodes[1], one.text.section(QStringLiteral(": "), 0, 0)});
        return;
    }
    for (const int node : one.nodes) {
        NodeMark& shown = look.nodeMarks[node];
        if (one.kind == WhatIf::Kind::straggler) shown.slowdown = std::max(shown.slowdown, one.amount);
        else (one.down ? shown.down : shown.degraded) = true;
    }
}

void WhatIfOverlay::place() {
    if (!list_->isVisibleTo(&canvas_)) return;
    // Where the drawing has little room, the list waits folded until it is asked for.
    constexpr int roomy = 240; // px
    if (const bool low = canvas_.height() < roomy; low != wasLow_) {
        wasLow_ = low;
        list_->setOpen(!low);
    }
    list_->adjustSize();
    list_->move(canvas_.width() - list_->width() - 8, PanelHeader::lineHeight + 4);
    list_->raise();
}

double WhatIfOverlay::widthBeside(const QRectF& drawn) const {
    if (!list_->isVisibleTo(&canvas_) || !list_->isOpen() || !QRectF(list_->geometry()).intersects(drawn)) return 0;
    return list_->width() + 8;
}

} // namespace orrery
