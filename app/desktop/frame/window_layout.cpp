// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/frame/window_layout.hpp"

#include "app/desktop/commands/commands.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "widgets/common/section.hpp"

#include <QDockWidget>
#include <QEvent>
#include <QFrame>
#include <QMainWindow>
#include <QSettings>
#include <QTabBar>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <QVariantMap>

#include <algorithm>

namespace orrery {
namespace {

/// A panel's own background: headers and gaps between its parts are the panel's, not the window's.
QWidget* onPanel(QWidget* content) {
    auto* frame = new QFrame;
    setRole(*frame, "panel");
    auto* box = new QVBoxLayout(frame);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(content);
    return frame;
}

/// Counts up when docks are added or renamed: a state saved by another version is not used.
constexpr int stateVersion = 9;

/// Nothing is painted between the steps of a rearrangement.
class PaintedOnce {
public:
    explicit PaintedOnce(QWidget& widget) : widget_(widget), was_(widget.updatesEnabled()) { widget_.setUpdatesEnabled(false); }
    ~PaintedOnce() { widget_.setUpdatesEnabled(was_); }
    PaintedOnce(const PaintedOnce&) = delete;
    PaintedOnce& operator=(const PaintedOnce&) = delete;

private:
    QWidget& widget_;
    bool was_;
};

} // namespace

WindowLayout::WindowLayout(QMainWindow& window, WindowViews& views) : QObject(&window), window_(window), workspaces_(orrery::workspaces()) {
    window_.setDockNestingEnabled(true);
    window_.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);

    addPanel("scenario", tr("&Scenario"), views.formPanel(), {250, 0});
    addPanel("cluster", tr("&Cluster"), views.clusterPanel(), {240, 130});
    addPanel("timeline", tr("&Timeline"), views.timelinePanel(), {240, 130});
    addPanel("operators", tr("&Operators, links and tensors"), views.tablePanel(), {240, 90});
    addPanel("memory", tr("&Memory"), views.memoryPanel(), {240, 0});
    addPanel("roofline", tr("&Roofline"), views.rooflinePanel(), {240, 0});
    addPanel("why", tr("&Why this long?"), views.whyPanel(), {240, 0});
    addPanel("findings", tr("&Problems and what was assumed"), views.findingsPanel(), {240, 0});
    addPanel("jitter", tr("&Jitter"), views.jitterPanel(), {240, 0});
    addPanel("serving", tr("Re&quests"), views.servingPanel(), {240, 130});
    addPanel("load", tr("T&hroughput and latency"), views.loadPanel(), {240, 190});
    addPanel("explore", tr("E&xplore"), views.explorePanel(), {420, 240});
    addPanel("compare", tr("Comp&are"), views.comparePanel(), {420, 240});
    addPanel("recorded", tr("Recor&ded ranks"), views.recordedPanel(), {420, 240});
    addPanel("lesson", tr("Lesso&n"), views.lessonPanel(), {270, 0});
    current_ = lastBesideDraw_ = workspaces_.front().id;
    window_.installEventFilter(this);
    gripTimer_.setSingleShot(true);
    gripTimer_.setInterval(0);
    connect(&gripTimer_, &QTimer::timeout, this, &WindowLayout::hideLostGrips);
    arrange();
}

void WindowLayout::addPanel(const QString& id, const QString& title, QWidget* widget, QSize least) {
    auto* dock = new QDockWidget(plainText(title), &window_);
    dock->setObjectName("dock." + id);
    widget = onPanel(widget);
    widget->setMinimumWidth(least.width());
    if (least.height() > 0) widget->setMinimumHeight(least.height());
    dock->setWidget(widget);
    dock->setTitleBarWidget(new QWidget(dock)); // locked: the panel's own header is title enough
    dock->setFeatures(QDockWidget::DockWidgetClosable);
    dock->installEventFilter(this);
    window_.addDockWidget(Qt::LeftDockWidgetArea, dock);
    panels_.push_back({id, title, widget, dock});
}

const WindowLayout::Panel* WindowLayout::panel(const QString& id) const {
    const auto found = std::find_if(panels_.begin(), panels_.end(), [&id](const Panel& p) { return p.id == id; });
    return found == panels_.end() ? nullptr : &*found;
}

const Workspace& WindowLayout::spec() const {
    const auto found = std::find_if(workspaces_.begin(), workspaces_.end(), [this](const Workspace& w) { return w.id == current_; });
    Q_ASSERT(found != workspaces_.end());
    return *found;
}

QString WindowLayout::panelOf(const QWidget* widget) const {
    for (; widget; widget = widget->parentWidget())
        for (const Panel& each : panels_)
            if (each.dock == widget) return each.id;
    return {};
}

bool WindowLayout::isPanelShown(const QString& id) const {
    const Panel* found = panel(id);
    return found && !found->dock->isHidden();
}

bool WindowLayout::isPanelInFront(const QString& id) const {
    if (!isPanelShown(id)) return false;
    const QDockWidget& dock = *panel(id)->dock;
    const auto others = window_.tabifiedDockWidgets(panel(id)->dock);
    return !dock.visibleRegion().isEmpty() || std::all_of(others.begin(), others.end(), [](const QDockWidget* other) { return other->isHidden(); });
}

void WindowLayout::setPanelShown(const QString& id, bool shown) {
    const Panel* found = panel(id);
    if (!found) return;
    // Beside a maximised panel nothing else is shown: what is asked for brings the others back.
    if (!maximised_.isEmpty() && id != maximised_) toggleMaximised(maximised_);
    if (shown == !found->dock->isHidden()) return;
    const auto column = std::find_if(spec().columns.begin(), spec().columns.end(), [&id](const WorkspaceColumn& one) {
        return std::any_of(one.cells.begin(), one.cells.end(), [&id](const WorkspaceCell& cell) { return cell.panels.contains(id); });
    });
    // The first panel of a column brings the column's width along.
    const bool opensColumn = shown && column != spec().columns.end() && column->share > 0 && !shownIn(*column);
    found->dock->setVisible(shown);
    if (opensColumn) window_.resizeDocks({found->dock}, {column->widthIn(window_.width())}, Qt::Horizontal);
}

void WindowLayout::bringUp(const QString& id) {
    setPanelShown(id, true);
    if (const Panel* found = panel(id)) found->dock->raise();
}

void WindowLayout::reveal(const QString& id, const QString& otherwise) {
    // What explains and lists stands beside any task.
    const bool goesAnywhere = id == QStringLiteral("findings") || id == QStringLiteral("why") || id == QStringLiteral("jitter");
    if (!goesAnywhere && !isPanelShown(id) && !spec().shows(id)) showWorkspace(otherwise);
    bringUp(id);
}

void WindowLayout::setUnlocked(bool unlocked) {
    if (unlocked == unlocked_) return;
    unlocked_ = unlocked;
    for (const Panel& each : panels_) {
        QWidget* old = each.dock->titleBarWidget();
        each.dock->setTitleBarWidget(unlocked ? nullptr : new QWidget(each.dock));
        delete old;
        each.dock->setFeatures(unlocked ? QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable
                                        : QDockWidget::DockWidgetFeatures(QDockWidget::DockWidgetClosable));
    }
}

/// Every panel to its place in the present workspace, the hidden ones too: Qt keeps only the places that docks have.
void WindowLayout::arrange() {
    const PaintedOnce painted(window_);
    for (const Panel& each : panels_) {
        each.dock->setFloating(false);
        window_.removeDockWidget(each.dock);
    }
    QDockWidget* columnBefore = nullptr;
    for (const WorkspaceColumn& column : spec().columns) {
        // All columns first, so that each is as high as the window.
        QDockWidget* head = panel(column.cells.front().panels.front())->dock;
        if (columnBefore) window_.splitDockWidget(columnBefore, head, Qt::Horizontal);
        else window_.addDockWidget(Qt::LeftDockWidgetArea, head);
        columnBefore = head;
    }
    for (const WorkspaceColumn& column : spec().columns) {
        QDockWidget* above = nullptr;
        for (const WorkspaceCell& cell : column.cells) {
            QDockWidget* front = panel(cell.panels.front())->dock;
            if (above) window_.splitDockWidget(above, front, Qt::Vertical);
            above = front;
        }
    }
    // Tabs last: what is split off a tab becomes another tab.
    for (const WorkspaceColumn& column : spec().columns)
        for (const WorkspaceCell& cell : column.cells)
            for (qsizetype i = 1; i < cell.panels.size(); ++i) window_.tabifyDockWidget(panel(cell.panels.front())->dock, panel(cell.panels[i])->dock);
    for (const Panel& each : panels_) each.dock->setVisible(spec().shows(each.id));

    QList<QDockWidget*> columns;
    QList<int> widths;
    int left = window_.width();
    for (const WorkspaceColumn& column : spec().columns)
        if (column.share > 0 && shownIn(column)) left -= column.widthIn(window_.width());
    for (const WorkspaceColumn& column : spec().columns) {
        QDockWidget* dock = shownIn(column);
        if (!dock) continue;
        columns << dock;
        widths << (column.share > 0 ? column.widthIn(window_.width()) : std::max(left, 1));
        QList<QDockWidget*> cells;
        QList<int> heights;
        for (const WorkspaceCell& cell : column.cells) {
            cells << panel(cell.panels.front())->dock;
            heights << cell.weight * 1000; // shares: Qt scales them to what there is
            if (!cell.shown) heights.back() = 180;
        }
        window_.resizeDocks(cells, heights, Qt::Vertical);
    }
    window_.resizeDocks(columns, widths, Qt::Horizontal);
    settledWidth_ = window_.width();
    for (const Panel& each : panels_)
        if (!each.dock->isHidden()) widths_[each.id] = each.dock->width();
}

QDockWidget* WindowLayout::shownIn(const WorkspaceColumn& column) const {
    for (const WorkspaceCell& cell : column.cells)
        for (const QString& id : cell.panels)
            if (const Panel* found = panel(id); found && !found->dock->isHidden() && !found->dock->isFloating()) return found->dock;
    return nullptr;
}

/// A wider window is for the column that takes what is left: the others only follow their share.
void WindowLayout::followWindowWidth(int before) {
    const int now = window_.width();
    QList<QDockWidget*> columns;
    QList<int> widths;
    int left = now;
    qsizetype elastic = -1;
    for (const WorkspaceColumn& column : spec().columns) {
        QDockWidget* dock = shownIn(column);
        if (!dock) continue;
        columns << dock;
        if (column.share <= 0) {
            elastic = widths.size();
            widths << 0;
            continue;
        }
        const int had = widths_.value(panelOf(dock), column.widthIn(before));
        widths << std::max(column.least, had * column.widthIn(now) / std::max(1, column.widthIn(before)));
        left -= widths.back();
    }
    if (elastic >= 0 && maximised_.isEmpty()) {
        widths[elastic] = std::max(left, 1);
        window_.resizeDocks(columns, widths, Qt::Horizontal);
    }
    settledWidth_ = now;
}

/// Between docks Qt lays grips, wider than the line that is seen. Those of an arrangement that has gone it leaves where they were, over
/// whatever lies there now: nothing under them can be clicked.
void WindowLayout::hideLostGrips() {
    constexpr int overlap = 2; // px that a grip is wider than its line, on either side
    for (QWidget* grip : window_.findChildren<QWidget*>(QStringLiteral("qt_qmainwindow_extended_splitter"), Qt::FindDirectChildrenOnly)) {
        const QRect line = grip->geometry().adjusted(overlap, overlap, -overlap, -overlap);
        const bool lost = std::any_of(panels_.begin(), panels_.end(), [&line](const Panel& each) { return each.dock->isVisible() && !each.dock->isFloating() && each.dock->geometry().intersects(line); });
        if (lost && grip->isVisible()) grip->hide();
    }
}

bool WindowLayout::eventFilter(QObject* watched, QEvent* event) {
    // The Tab key goes from panel to panel, not to the bars between them: each panel has a key of its own, and Qt keeps
    // a bar of which one panel is left, without height and not hidden.
    if (watched == &window_ && event->type() == QEvent::ChildPolished)
        if (auto* bar = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child())) bar->setFocusPolicy(Qt::NoFocus);
    if (event->type() == QEvent::Resize || event->type() == QEvent::Show || event->type() == QEvent::Hide || event->type() == QEvent::Move) gripTimer_.start();
    if (event->type() == QEvent::Resize) {
        if (watched == &window_) {
            if (settledWidth_ > 0 && window_.width() != settledWidth_) followWindowWidth(settledWidth_);
        } else if (window_.width() == settledWidth_ && maximised_.isEmpty()) {
            const auto* dock = qobject_cast<const QDockWidget*>(watched);
            widths_[panelOf(dock)] = dock->width(); // by hand: a separator was dragged
        }
    }
    return QObject::eventFilter(watched, event);
}

WindowLayout::Kept WindowLayout::present() const {
    return maximised_.isEmpty() ? Kept{window_.saveState(stateVersion), window_.width(), widths_} : beforeMaximised_;
}

void WindowLayout::bring(const Kept& kept) {
    const PaintedOnce painted(window_);
    settledWidth_ = 0; // docks that come to their places are nobody's drag
    if (!window_.restoreState(kept.docks, stateVersion)) return arrange();
    widths_ = kept.widths;
    settledWidth_ = window_.width();
    if (kept.windowWidth != window_.width()) followWindowWidth(kept.windowWidth);
}

bool WindowLayout::isKnown(const QString& workspace) const {
    return std::any_of(workspaces_.begin(), workspaces_.end(), [&workspace](const Workspace& w) { return w.id == workspace; });
}

void WindowLayout::enter(const QString& workspace) {
    maximised_.clear();
    current_ = workspace;
    if (workspace != QStringLiteral("draw")) lastBesideDraw_ = workspace;
    if (const auto was = kept_.constFind(workspace); was != kept_.constEnd()) {
        bring(*was);
    } else {
        arrange();
    }
    emit workspaceChanged(workspace);
}

void WindowLayout::showWorkspace(const QString& id) {
    if (!isKnown(id) || id == current_) return;
    kept_[current_] = present();
    QWidget* had = window_.focusWidget();
    if (had != nullptr && !panelOf(had).isEmpty()) focused_[current_] = had;
    enter(id);
    // Qt gives the key of a panel that is hidden to whatever comes next in the window.
    if (had != nullptr && had != &window_ && had->isVisible()) return;
    QWidget* back = focused_.value(id);
    if (back != nullptr && back->isVisible()) back->setFocus(Qt::OtherFocusReason);
    else window_.setFocus(Qt::OtherFocusReason);
}

void WindowLayout::toggleMaximised(const QString& id) {
    if (!maximised_.isEmpty()) {
        maximised_.clear();
        bring(beforeMaximised_);
        return;
    }
    const Panel* found = panel(id);
    if (!found) return;
    const PaintedOnce painted(window_);
    beforeMaximised_ = present();
    maximised_ = id;
    for (const Panel& each : panels_) each.dock->setVisible(each.id == id);
}

void WindowLayout::reset() {
    setUnlocked(false);
    maximised_.clear();
    arrange();
}

void WindowLayout::save(QSettings& settings) const {
    settings.setValue("layout/version", stateVersion);
    settings.setValue("layout/geometry", window_.saveGeometry());
    settings.setValue("layout/workspace", current_);
    QHash<QString, Kept> all = kept_;
    all[current_] = present();
    for (auto each = all.constBegin(); each != all.constEnd(); ++each) {
        QVariantMap widths;
        for (auto width = each->widths.constBegin(); width != each->widths.constEnd(); ++width) widths[width.key()] = width.value();
        settings.setValue("layout/docks." + each.key(), each->docks);
        settings.setValue("layout/window_width." + each.key(), each->windowWidth);
        settings.setValue("layout/widths." + each.key(), widths);
    }
}

bool WindowLayout::restore(const QSettings& settings) {
    if (settings.value("layout/version").toInt() != stateVersion) return false;
    window_.restoreGeometry(settings.value("layout/geometry").toByteArray());
    for (const Workspace& each : workspaces_) {
        Kept kept{settings.value("layout/docks." + each.id).toByteArray(), settings.value("layout/window_width." + each.id).toInt(), {}};
        const QVariantMap widths = settings.value("layout/widths." + each.id).toMap();
        for (auto width = widths.constBegin(); width != widths.constEnd(); ++width) kept.widths[width.key()] = width->toInt();
        if (!kept.docks.isEmpty()) kept_[each.id] = kept;
    }
    const QString last = settings.value("layout/workspace").toString();
    enter(isKnown(last) ? last : current_);
    return true;
}

} // namespace orrery
