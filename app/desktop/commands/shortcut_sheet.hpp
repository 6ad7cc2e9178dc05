// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/commands/commands.hpp"

#include "widgets/common/key_help.hpp"

#include <QDialog>

namespace orrery {

/// Keys that work while one view has the focus.
struct KeyGroup {
    QString title;
    std::vector<KeyHelp> keys;
};
std::vector<KeyGroup> viewKeys();

/// Every command that has a key, by menu, and the keys of the views. Made from the registry and from what the views say of
/// themselves, so it can't be out of date.
class ShortcutSheet : public QDialog {
    Q_OBJECT
public:
    ShortcutSheet(const CommandRegistry& registry, QWidget* parent);
};

} // namespace orrery
