// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/frame/workspaces.hpp"

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QString>
#include <QTimer>

#include <vector>

class QDockWidget;
class QMainWindow;
class QSettings;
class QWidget;

namespace orrery {

class WindowViews;

/// Where the panels are. Each is a dock; a workspace is an arrangement of all of them. What the user moves, resizes, hides or
/// shows is kept for each workspace, and `reset` puts the present one back.
class WindowLayout : public QObject {
    Q_OBJECT
public:
    struct Panel {
        QString id;
        QString title; ///< translated
        QWidget* widget = nullptr;
        QDockWidget* dock = nullptr;
    };

    WindowLayout(QMainWindow& window, WindowViews& views);

    const std::vector<Panel>& panels() const { return panels_; }
    bool isPanelShown(const QString& id) const;
    /// Shown, and not behind another panel in its place.
    bool isPanelInFront(const QString& id) const;
    void setPanelShown(const QString& id, bool shown);
    /// Shown, and in front of others in its place.
    void bringUp(const QString& id);
    /// Does what `bringUp` does where the workspace has room for the panel; else shows it in the workspace `otherwise`, which is switched to.
    void reveal(const QString& id, const QString& otherwise = QStringLiteral("overview"));
    QString panelOf(const QWidget* widget) const; ///< the panel that it stands in; empty: none

    const std::vector<Workspace>& workspaces() const { return workspaces_; }
    const QString& workspace() const { return current_; }
    const QString& lastBesideDraw() const { return lastBesideDraw_; } ///< where drawing returns to
    void showWorkspace(const QString& id);

    /// Gives one panel all of the room, or brings the others back.
    void toggleMaximised(const QString& id);
    const QString& maximised() const { return maximised_; } ///< empty: none

    /// Unlocked docks have title bars to drag them by.
    bool isUnlocked() const { return unlocked_; }
    void setUnlocked(bool unlocked);

    void reset();
    void save(QSettings& settings) const;
    bool restore(const QSettings& settings); ///< false: nothing stored, or of another version

signals:
    void workspaceChanged(const QString& id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// How a workspace was left.
    struct Kept {
        QByteArray docks;
        int windowWidth = 0;        ///< px then
        QHash<QString, int> widths; ///< px of the panels shown then
    };

    void addPanel(const QString& id, const QString& title, QWidget* widget, QSize least);
    const Panel* panel(const QString& id) const;
    const Workspace& spec() const;
    QDockWidget* shownIn(const WorkspaceColumn& column) const; ///< any dock that gives the column its width; null: none shown
    void arrange();
    void hideLostGrips();
    void bring(const Kept& kept);
    Kept present() const;
    bool isKnown(const QString& workspace) const;
    void enter(const QString& workspace);
    void followWindowWidth(int before);

    QMainWindow& window_;
    std::vector<Panel> panels_;
    std::vector<Workspace> workspaces_;
    QString current_;
    QString lastBesideDraw_;
    QHash<QString, Kept> kept_;
    QHash<QString, QPointer<QWidget>> focused_; ///< of the workspaces that were left
    QString maximised_;
    Kept beforeMaximised_;
    QHash<QString, int> widths_; ///< px of the panels' docks at `settledWidth_`
    int settledWidth_ = 0;       ///< px of the window
    QTimer gripTimer_;           ///< once after all that moves docks
    bool unlocked_ = false;
};

} // namespace orrery
