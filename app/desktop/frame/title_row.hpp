// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/frame/status_row.hpp"
#include "app/desktop/frame/workspaces.hpp"

#include <QFrame>
#include <QLineEdit>

namespace orrery {

class Theme;

/// A title that is edited where it stands: looks like a label until it is clicked or reached by Tab. Enter or leaving takes the
/// text, Escape puts the old one back. Where there is no room it ends in an ellipsis.
class TitleEdit : public QLineEdit {
    Q_OBJECT
public:
    explicit TitleEdit(const Theme& theme, QWidget* parent = nullptr);

    const QString& title() const { return title_; }
    void setTitle(const QString& title); ///< a title that is being edited keeps what was typed

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void renamed(const QString& title);

protected:
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void showTitle();
    void take();

    const Theme& theme_;
    QString title_;
};

} // namespace orrery

class QLabel;
class QTabBar;

namespace orrery {

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
