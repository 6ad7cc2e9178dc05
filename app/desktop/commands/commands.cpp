// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/commands/commands.hpp"

#include <QMenu>
#include <QRegularExpression>
#include <QWidget>

#include <algorithm>

namespace orrery {

CommandRegistry::CommandRegistry(QWidget* window) : QObject(window), window_(window) {}

void CommandRegistry::addMenu(CommandMenu menu) {
    menus_.push_back(std::move(menu));
    built_.push_back(nullptr);
}

void CommandRegistry::add(Command command) {
    Q_ASSERT(!action(command.id));
    auto* action = new QAction(command.text, this);
    action->setObjectName(command.id);
    action->setShortcuts(command.shortcuts);
    action->setCheckable(static_cast<bool>(command.checked));
    // "About" and "Quit" would otherwise move to another menu on some platforms.
    action->setMenuRole(QAction::NoRole);
    connect(action, &QAction::triggered, this, [this, run = command.run] {
        run();
        refresh();
    });
    window_->addAction(action);
    actions_.push_back(action);
    commands_.push_back(std::move(command));
}

void CommandRegistry::fill(QMenuBar& bar) {
    for (const CommandMenu& menu : menus_) {
        if (menu.parent.isEmpty()) menuFor(bar, menu.id);
    }
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        if (commands_[i].menu.isEmpty()) continue;
        QMenu* target = menuFor(bar, commands_[i].menu);
        if (commands_[i].startsGroup) target->addSeparator();
        target->addAction(actions_[i]);
    }
    refresh();
}

QMenu* CommandRegistry::menuFor(QMenuBar& bar, const QString& id) {
    const auto found = std::find_if(menus_.begin(), menus_.end(), [&id](const CommandMenu& m) { return m.id == id; });
    Q_ASSERT(found != menus_.end());
    QMenu*& built = built_[static_cast<std::size_t>(found - menus_.begin())];
    if (!built) {
        built = found->parent.isEmpty() ? bar.addMenu(found->title) : menuFor(bar, found->parent)->addMenu(found->title);
        built->setObjectName(id);
        connect(built, &QMenu::aboutToShow, this, &CommandRegistry::refresh);
    }
    return built;
}

QAction* CommandRegistry::action(const QString& id) const {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        if (commands_[i].id == id) return actions_[i];
    }
    return nullptr;
}

QMenu* CommandRegistry::menu(const QString& id) const {
    for (std::size_t i = 0; i < menus_.size(); ++i) {
        if (menus_[i].id == id) return built_[i];
    }
    return nullptr;
}

QString CommandRegistry::menuTitle(const QString& id) const {
    for (const CommandMenu& menu : menus_) {
        if (menu.id != id) continue;
        const QString title = plainText(menu.title);
        return menu.parent.isEmpty() ? title : menuTitle(menu.parent) + QStringLiteral(" ▸ ") + title;
    }
    return {};
}

void CommandRegistry::refresh() {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
        const Command& command = commands_[i];
        QAction* action = actions_[i];
        if (command.label) {
            const QString label = command.label();
            action->setVisible(!label.isEmpty());
            if (!label.isEmpty()) action->setText(label);
        }
        action->setEnabled(!command.enabled || command.enabled());
        if (command.checked) action->setChecked(command.checked());
    }
}

QString plainText(const QString& title) {
    // Where letters have no place for a mnemonic of their own it stands behind them: "文件(&F)".
    static const QRegularExpression behind(QStringLiteral("\\(&[A-Za-z0-9]\\)"));
    const QString text = QString(title).remove(behind);
    QString plain;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == u'&' && i + 1 < text.size()) ++i; // "&&" is a real one
        plain += text[i];
    }
    return plain;
}

} // namespace orrery
