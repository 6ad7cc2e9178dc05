// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace orrery {

/// Milliseconds since the system started this process, libraries and all.
double millisecondsSinceProcessStart();

/// Watches a window's start: when it was painted for the first time and, if told to, how long that took, on standard error.
class StartClock : public QObject {
    Q_OBJECT
public:
    StartClock(QWidget& window, bool tell);

    void firstResult(); ///< tells that time too

signals:
    void firstPaint(); ///< the window is on screen

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool tell_;
    bool painted_ = false;
    bool shown_ = false;
};

} // namespace orrery
