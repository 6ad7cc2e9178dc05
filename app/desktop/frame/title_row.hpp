// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/frame/status_pill.hpp"
#include "app/desktop/frame/workspaces.hpp"

#include <QFrame>

class QLabel;
class QTabBar;

namespace orrery {

class TitleEdit;

/// The row under the menus: the workspaces, which scenario this is, whether it is saved, and how the numbers stand.
class TitleRow : public QFrame {
    Q_OBJECT
public:
    TitleRow(const Theme& theme, const std::vector<Workspace>& workspaces, QWidget* parent = nullptr);

    void setTitle(const QString& title);                           ///< the scenario's own name
    void setFile(const QString& fileName, const QString& toolTip); ///< in secondary ink; empty: in no file
    void setModified(bool modified);
    void setWorkspace(const QString& id);
    TitleEdit& title() { return *title_; }
    QTabBar& workspaceTabs() { return *tabs_; }
    StatusPill& pill() { return *pill_; }

signals:
    void workspaceChosen(const QString& id);
    void renamed(const QString& title);

private:
    void takeFonts();
    void elide();
    bool eventFilter(QObject* watched, QEvent* event) override;

    const Theme& theme_;
    QTabBar* tabs_;
    TitleEdit* title_;
    QLabel* modified_;
    QLabel* file_;
    StatusPill* pill_;
    QString fileName_;
};

} // namespace orrery
