// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QMainWindow;
class QSettings;

namespace orrery {

class CommandRegistry;

/// Three ways in for who starts the program for the first time: find a plan, open a record, take a lesson. It lies over the window and moves nothing; Escape,
/// a way taken or its button closes it.
class FirstRunCard : public QFrame {
    Q_OBJECT
public:
    FirstRunCard(QMainWindow& window, const CommandRegistry& commands);

    /// Shows it where these settings have never seen it.
    static void offer(QMainWindow& window, const CommandRegistry& commands, QSettings& settings);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void standInTheMiddle();
};

} // namespace orrery
