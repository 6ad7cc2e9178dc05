#include "app/desktop/window_layout.hpp"

#include "app/desktop/window_views.hpp"
#include "widgets/common/section.hpp"

#include <QDockWidget>
#include <QFrame>
#include <QMainWindow>
#include <QSettings>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

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
constexpr int stateVersion = 2;

// Shares of the window's width as in the sketch, between what can be read and what is wasted (px).
int formWidth(int window) { return std::clamp(window * 37 / 200, 290, 420); }
int rightWidth(int window) { return std::clamp(window * 47 / 200, 310, 760); }

} // namespace

WindowLayout::WindowLayout(QMainWindow& window, WindowViews& views)
    : QObject(&window), window_(window), middle_(new QSplitter(Qt::Vertical)) {
    window_.setDockNestingEnabled(true);
    window_.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window_.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window_.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);

    addDock("scenario", tr("&Scenario"), views.formPanel(), Qt::LeftDockWidgetArea, 250);

    middle_->setObjectName("middle");
    middle_->setChildrenCollapsible(false);
    middle_->setHandleWidth(1);
    const auto addMiddle = [this](const QString& id, const QString& title, QWidget* widget, int minimumHeight) {
        widget = onPanel(widget);
        widget->setMinimumHeight(minimumHeight);
        middle_->addWidget(widget);
        panels_.push_back({id, title, widget, nullptr});
    };
    addMiddle("cluster", tr("&Cluster"), views.clusterPanel(), 150);
    addMiddle("timeline", tr("&Timeline"), views.timelinePanel(), 150);
    addMiddle("operators", tr("&Operators, links and tensors"), views.tablePanel(), 100);
    window_.setCentralWidget(middle_);

    addDock("memory", tr("&Memory"), views.memoryPanel(), Qt::RightDockWidgetArea, 240);
    addDock("roofline", tr("&Roofline"), views.rooflinePanel(), Qt::RightDockWidgetArea, 240);
    addDock("why", tr("&Why this long?"), views.whyPanel(), Qt::RightDockWidgetArea, 240);
    addDock("findings", tr("&Problems and what was assumed"), views.findingsPanel(), Qt::BottomDockWidgetArea, 240);
    addDock("jitter", tr("&Jitter"), views.jitterPanel(), Qt::RightDockWidgetArea, 240);
    reset();
}

void WindowLayout::addDock(const QString& id, const QString& title, QWidget* widget, Qt::DockWidgetArea area, int minimumWidth) {
    auto* dock = new QDockWidget(QString(title).remove(u'&'), &window_);
    dock->setObjectName("dock." + id);
    widget = onPanel(widget);
    widget->setMinimumWidth(minimumWidth);
    dock->setWidget(widget);
    dock->setTitleBarWidget(new QWidget(dock)); // locked: the panel's own header is title enough
    dock->setFeatures(QDockWidget::DockWidgetClosable);
    window_.addDockWidget(area, dock);
    panels_.push_back({id, title, widget, dock});
}

const WindowLayout::Panel* WindowLayout::panel(const QString& id) const {
    const auto found = std::find_if(panels_.begin(), panels_.end(), [&id](const Panel& p) { return p.id == id; });
    return found == panels_.end() ? nullptr : &*found;
}

bool WindowLayout::isPanelShown(const QString& id) const {
    const Panel* found = panel(id);
    if (!found) return false;
    return !(found->dock ? static_cast<QWidget*>(found->dock) : found->widget)->isHidden();
}

void WindowLayout::setPanelShown(const QString& id, bool shown) {
    const Panel* found = panel(id);
    if (!found) return;
    if (found->dock) {
        found->dock->setVisible(shown);
    } else {
        found->widget->setVisible(shown);
    }
}

void WindowLayout::bringUp(const QString& id) {
    setPanelShown(id, true);
    if (const Panel* found = panel(id); found && found->dock) found->dock->raise();
}

void WindowLayout::setUnlocked(bool unlocked) {
    if (unlocked == unlocked_) return;
    unlocked_ = unlocked;
    for (const Panel& each : panels_) {
        if (!each.dock) continue;
        QWidget* old = each.dock->titleBarWidget();
        each.dock->setTitleBarWidget(unlocked ? nullptr : new QWidget(each.dock));
        delete old;
        each.dock->setFeatures(unlocked ? QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable
                                        : QDockWidget::DockWidgetFeatures(QDockWidget::DockWidgetClosable));
    }
}

void WindowLayout::favourCluster(bool favoured) {
    if (favoured && sizesBefore_.isEmpty()) {
        sizesBefore_ = middle_->sizes();
        middle_->setSizes({600, 250, 150});
    } else if (!favoured && !sizesBefore_.isEmpty()) {
        middle_->setSizes(sizesBefore_);
        sizesBefore_.clear();
    }
}

void WindowLayout::reset() {
    setUnlocked(false);
    QList<QDockWidget*> right;
    for (const Panel& each : panels_) {
        const bool behind = each.id == QStringLiteral("jitter"); // a tab of the roofline's place
        const bool shown = each.id != QStringLiteral("findings") && !behind;
        if (!each.dock) {
            each.widget->setVisible(true);
            continue;
        }
        each.dock->setFloating(false);
        const Qt::DockWidgetArea area = each.id == QStringLiteral("scenario")   ? Qt::LeftDockWidgetArea
                                        : each.id == QStringLiteral("findings") ? Qt::BottomDockWidgetArea
                                                                                : Qt::RightDockWidgetArea;
        if (behind) window_.tabifyDockWidget(panel("roofline")->dock, each.dock);
        else window_.addDockWidget(area, each.dock, area == Qt::BottomDockWidgetArea ? Qt::Horizontal : Qt::Vertical);
        each.dock->setVisible(shown);
        if (area == Qt::RightDockWidgetArea && !behind) right << each.dock;
    }
    // Shares of the height as in the sketch; Qt scales them to what there is.
    window_.resizeDocks(right, {300, 320, 200}, Qt::Vertical);
    window_.resizeDocks({panel("scenario")->dock, panel("memory")->dock}, {formWidth(window_.width()), rightWidth(window_.width())}, Qt::Horizontal);
    window_.resizeDocks({panel("findings")->dock}, {180}, Qt::Vertical);
    sizesBefore_.clear();
    middle_->setSizes({330, 360, 150});
    middle_->setStretchFactor(0, 3);
    middle_->setStretchFactor(1, 4);
    middle_->setStretchFactor(2, 1);
}

void WindowLayout::save(QSettings& settings) const {
    settings.setValue("layout/version", stateVersion);
    settings.setValue("layout/geometry", window_.saveGeometry());
    settings.setValue("layout/docks", window_.saveState(stateVersion));
    settings.setValue("layout/middle", middle_->saveState());
}

bool WindowLayout::restore(const QSettings& settings) {
    if (settings.value("layout/version").toInt() != stateVersion) return false;
    window_.restoreGeometry(settings.value("layout/geometry").toByteArray());
    return window_.restoreState(settings.value("layout/docks").toByteArray(), stateVersion) &&
                          middle_->restoreState(settings.value("layout/middle").toByteArray());
}

} // namespace orrery
