// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/commands/commands.hpp"

#include <QFrame>

class QLineEdit;
class QListWidget;

namespace orrery {

/// Ctrl+Shift+P: type a few letters of any command, press Enter.
class CommandPalette : public QFrame {
    Q_OBJECT
public:
    CommandPalette(CommandRegistry& registry, QWidget* parent);

    void open(); ///< shows it empty, in the upper middle of the parent

    QLineEdit* input() const { return input_; }
    QStringList shownIds() const; ///< ids of the commands on the list, best first

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& pattern);
    void runCurrent();

    CommandRegistry& registry_;
    QLineEdit* input_;
    QListWidget* list_;
};

} // namespace orrery
