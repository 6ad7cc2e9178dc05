// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QPoint>
#include <QTimer>

#include <vector>

class QMainWindow;
class QVBoxLayout;

namespace orrery {

/// Where notices stand: over the foot of the window's middle, so that none that comes or goes moves anything else. After a click
/// the place stays as large as it was, and takes no other, until the mouse has moved or a moment has passed since it last
/// changed: a second click at the same spot hits neither another mend nor what lies below.
class NoticePlace : public QFrame {
    Q_OBJECT
public:
    explicit NoticePlace(QMainWindow& window);

    void add(QWidget* notice);        ///< shows and hides itself
    void standAbove(QWidget* panel);  ///< what it lists is not covered while it is shown
    void standBeside(QWidget* panel); ///< what is typed into it is not covered either, where there is room
    bool isHeld() const { return hold_.isActive(); }

    static constexpr int holdTime = 900; ///< ms

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool event(QEvent* event) override;

private:
    bool anyShown() const;
    void arrange();
    void arrangeSoon();
    bool isBeside(const QObject* watched) const;
    void release();

    QMainWindow& window_;
    QVBoxLayout* column_;
    std::vector<QWidget*> notices_;
    QWidget* floor_ = nullptr; ///< notices stand above it
    QWidget* wall_ = nullptr;  ///< and on its right
    QWidget* shield_;
    QTimer hold_;
    QPoint pressedAt_; ///< on the screen
};

} // namespace orrery
