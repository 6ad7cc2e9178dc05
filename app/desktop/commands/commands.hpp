// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QMenuBar>
#include <QObject>
#include <QString>

#include <functional>
#include <vector>

namespace orrery {

/// One thing a user can do, as data. Menus, shortcuts, the command palette, the shortcut sheet and the tests all come from these.
struct Command {
    QString id;   ///< "file.open": unique, never shown
    QString menu; ///< id of the menu that holds it; empty: palette and shortcut only
    QString text; ///< "&Open…", translated
    QList<QKeySequence> shortcuts;
    std::function<void()> run;
    std::function<bool()> enabled;  ///< empty: always
    std::function<bool()> checked;  ///< set: the command is a switch
    std::function<QString()> label; ///< set: replaces `text` on every refresh; an empty label hides the command
    bool startsGroup = false;       ///< a separator goes before it in its menu
};

/// A menu; `parent` is the id of the menu that holds it, empty for the menu bar.
struct CommandMenu {
    QString id;
    QString parent;
    QString title;
};

/// Every command of a window, in menu order, each with its action.
class CommandRegistry : public QObject {
    Q_OBJECT
public:
    explicit CommandRegistry(QWidget* window); ///< shortcuts work wherever the focus is in `window`

    void addMenu(CommandMenu menu);
    void add(Command command);
    /// Builds the menus. A submenu stands where its first command was added.
    void fill(QMenuBar& bar);

    const std::vector<Command>& commands() const { return commands_; }
    const std::vector<CommandMenu>& menus() const { return menus_; }
    QAction* action(const QString& id) const;   ///< null for an unknown id
    QMenu* menu(const QString& id) const;       ///< null before `fill`
    QString menuTitle(const QString& id) const; ///< "View ▸ Theme"
    /// Brings enabled, checked and label of every action up to date.
    void refresh();

private:
    QMenu* menuFor(QMenuBar& bar, const QString& id);

    QWidget* window_;
    std::vector<Command> commands_;
    std::vector<QAction*> actions_;
    std::vector<CommandMenu> menus_;
    std::vector<QMenu*> built_; ///< same order as `menus_`
};

/// A command's text without its mnemonic: "Open…" for "&Open…", "打开…" for "打开(&O)…".
QString plainText(const QString& title);

} // namespace orrery
