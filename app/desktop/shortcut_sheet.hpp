#pragma once

#include "app/desktop/commands.hpp"

#include <QDialog>

namespace orrery {

/// F1: every command that has a key, by menu. Made from the registry, so it can't be out of date.
class ShortcutSheet : public QDialog {
    Q_OBJECT
public:
    ShortcutSheet(const CommandRegistry& registry, QWidget* parent);
};

} // namespace orrery
