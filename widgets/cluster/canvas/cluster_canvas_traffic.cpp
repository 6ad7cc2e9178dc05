// What ClusterCanvas shows of the traffic of a result, and what is supposed not to work as drawn.

#include "widgets/cluster/canvas/cluster_canvas.hpp"

#include "widgets/cluster/what_if/what_if_list.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QActionGroup>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace orrery {

void ClusterCanvas::setTraffic(NetworkTraffic* traffic) {
    if (traffic_) traffic_->disconnect(this);
    traffic_ = traffic;
    if (traffic_) {
        connect(traffic_, &NetworkTraffic::replaced, this, &ClusterCanvas::mapTraffic);
        connect(traffic_, &NetworkTraffic::changed, this, &ClusterCanvas::takeLoads);
        connect(traffic_, &NetworkTraffic::litChanged, this, &ClusterCanvas::takeLit);
    }
    loadButton_->setVisible(traffic_ != nullptr);
    mapTraffic();
}

void ClusterCanvas::buildLoadMenu() {
    loadButton_ = new QToolButton(header_);
    loadButton_->setText(tr("Load"));
    loadButton_->setToolTip(tr("What the links' colours and widths show"));
    loadButton_->setAccessibleName(loadButton_->toolTip());
    loadButton_->setAutoRaise(true);
    loadButton_->setFocusPolicy(Qt::TabFocus);
    loadButton_->setPopupMode(QToolButton::InstantPopup);
    loadButton_->hide();
    auto* menu = new QMenu(loadButton_);
    auto* group = new QActionGroup(menu);
    const auto choice = [&](const QString& text, bool shown, bool whole) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(shown && !whole);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, shown, whole] {
            loadsShown_ = shown;
            if (traffic_) traffic_->setAlwaysWhole(whole);
            takeLoads();
        });
    };
    choice(tr("Load at the cursor, or over the chosen range"), true, false);
    choice(tr("Load over the whole iteration"), true, true);
    choice(tr("No load"), false, false);
    loadButton_->setMenu(menu);
    header_->tools()->addWidget(loadButton_);
}

void ClusterCanvas::mapTraffic() {
    drawnTraffic_ = traffic_ && traffic_->isKnown() ? DrawnTraffic(document_, names_, traffic_->network()) : DrawnTraffic();
    takeLoads();
    takeLit();
    if (!viewIsUsers_) fit(); // the legend takes its room
}

bool ClusterCanvas::showsLoads() const { return loadsShown_ && traffic_ && traffic_->isKnown() && !drawnTraffic_.isEmpty(); }

void ClusterCanvas::takeLoads() {
    const bool had = !look_.linkLoad.empty() || !look_.fabricLoad.empty();
    look_.linkLoad.clear();
    look_.fabricLoad.clear();
    if (showsLoads()) {
        look_.linkLoad = drawnTraffic_.shares(traffic_->loads());
        look_.fabricLoad = drawnTraffic_.fabricShares(traffic_->loads());
    } else if (!had) {
        return;
    }
    redraw();
}

void ClusterCanvas::takeLit() {
    look_.litLinks.clear();
    look_.litFabrics.clear();
    if (traffic_ && traffic_->isKnown() && !drawnTraffic_.isEmpty() && !traffic_->lit().empty()) {
        const std::vector<bool>& lit = traffic_->lit();
        const auto isLit = [&lit](int reported) { return reported >= 0 && static_cast<std::size_t>(reported) < lit.size() && lit[static_cast<std::size_t>(reported)]; };
        for (std::size_t l = 0; l < document_.links().size(); ++l)
            look_.litLinks.push_back(isLit(drawnTraffic_.link(l).forward) || isLit(drawnTraffic_.link(l).backward));
        for (std::size_t n = 0; n < document_.nodes().size(); ++n) {
            const std::vector<int>& fabrics = drawnTraffic_.inside(n).scaleUp;
            look_.litFabrics.push_back(std::any_of(fabrics.begin(), fabrics.end(), isLit));
        }
    }
    redraw();
}

void ClusterCanvas::chooseReported(int link) {
    if (drawnTraffic_.isEmpty()) return;
    ClusterSelection selection;
    QRectF where;
    if (link >= 0) {
        for (const int drawn : drawnTraffic_.linksOf(link)) {
            selection.links.insert(document_.keyOf(document_.links()[static_cast<std::size_t>(drawn)]));
            where |= geometry_.curves()[static_cast<std::size_t>(drawn)].bounds();
        }
        for (const int node : drawnTraffic_.nodesOf(link)) {
            selection.nodes.insert(document_.nodes()[static_cast<std::size_t>(node)].id);
            where |= geometry_.cards()[static_cast<std::size_t>(node)];
        }
    }
    setSelection(selection);
    if (!where.isNull()) reveal(where);
}

std::vector<int> ClusterCanvas::chosenReported() const {
    std::vector<int> reported;
    if (drawnTraffic_.isEmpty()) return reported;
    const auto add = [&reported](int link) {
        if (link >= 0 && std::find(reported.begin(), reported.end(), link) == reported.end()) reported.push_back(link);
    };
    for (const LinkKey& key : look_.selection.links)
        if (const DrawnLink* link = document_.find(key)) {
            const DrawnTraffic::Link& ways = drawnTraffic_.link(static_cast<std::size_t>(link - document_.links().data()));
            add(ways.forward);
            add(ways.backward);
        }
    for (const std::string& id : look_.selection.nodes) {
        const int node = document_.indexOf(id);
        if (node < 0) continue;
        const DrawnTraffic::Inside& inside = drawnTraffic_.inside(static_cast<std::size_t>(node));
        for (const int link : inside.scaleUp) add(link);
        for (const int link : inside.pcie) add(link);
    }
    return reported;
}

void ClusterCanvas::readSuppositions() {
    names_ = NodeNames(document_, catalog_);
    whatIfs_ = readWhatIfs(scenario_, document_, names_);
    look_.linkMarks.clear();
    look_.nodeMarks.clear();
    look_.arrows.clear();
    QStringList texts;
    for (const WhatIf& one : whatIfs_) {
        texts << one.text;
        for (const int link : one.links) look_.linkMarks[link].down |= one.down;
        if (one.kind == WhatIf::Kind::traffic) {
            if (one.nodes.size() == 2) look_.arrows.push_back({one.nodes[0], one.nodes[1], one.text.section(QStringLiteral(": "), 0, 0)});
            continue;
        }
        for (const int node : one.nodes) {
            NodeMark& mark = look_.nodeMarks[node];
            if (one.kind == WhatIf::Kind::straggler) mark.slowdown = std::max(mark.slowdown, one.amount);
            else (one.down ? mark.down : mark.degraded) = true;
        }
    }
    whatIfList_->setTexts(texts);
    placeWhatIfList();
}

void ClusterCanvas::placeWhatIfList() {
    if (!whatIfList_->isVisibleTo(this)) return;
    // Where the drawing has little room, the list waits folded until it is asked for.
    constexpr int roomy = 240; // px
    if (const bool low = height() < roomy; low != wasLow_) {
        wasLow_ = low;
        whatIfList_->setOpen(!low);
    }
    whatIfList_->adjustSize();
    whatIfList_->move(width() - whatIfList_->width() - 8, PanelHeader::lineHeight + 4);
    whatIfList_->raise();
}

double ClusterCanvas::widthBesideWhatIfs(const QRectF& drawn) const {
    if (!whatIfList_->isVisibleTo(this) || !whatIfList_->isOpen() || !QRectF(whatIfList_->geometry()).intersects(drawn)) return 0;
    return whatIfList_->width() + 8;
}

void ClusterCanvas::showWhatIf(int index) {
    if (index < 0 || static_cast<std::size_t>(index) >= whatIfs_.size()) return;
    const WhatIf& one = whatIfs_[static_cast<std::size_t>(index)];
    ClusterSelection selection;
    QRectF where;
    for (const int link : one.links) {
        selection.links.insert(document_.keyOf(document_.links()[static_cast<std::size_t>(link)]));
        where |= geometry_.curves()[static_cast<std::size_t>(link)].bounds();
    }
    for (const int node : one.nodes) {
        selection.nodes.insert(document_.nodes()[static_cast<std::size_t>(node)].id);
        where |= geometry_.cards()[static_cast<std::size_t>(node)];
    }
    setSelection(selection);
    if (!where.isNull()) reveal(where);
}

void ClusterCanvas::takeBack(int index) {
    if (index < 0 || static_cast<std::size_t>(index) >= whatIfs_.size()) return;
    const WhatIf& one = whatIfs_[static_cast<std::size_t>(index)];
    request(tr("Take back: %1").arg(one.text), editor().remove(one));
}

void ClusterCanvas::restoreEverything() { request(tr("Restore everything"), editor().removeAll()); }

} // namespace orrery
