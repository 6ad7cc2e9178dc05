// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <functional>
#include <vector>

namespace orrery {

/// Shows in several turns of the event loop what would block the window's thread in one: keys and pictures come between them. What is on
/// screen is told first, in the order in which it was added, then what is hidden, then what comes after all of it.
class ViewTurns : public QObject {
    Q_OBJECT
public:
    explicit ViewTurns(QObject* parent = nullptr);

    void add(const QWidget* view, std::function<void()> tell); ///< a view that is gone by its turn hears nothing
    void addLast(std::function<void()> tell);                  ///< once every view has been told
    void clear();                                              ///< views hear nothing of what still waits; what comes last does
    void finish();                                             ///< all of it now
    bool isEmpty() const { return waiting_.empty(); }

private:
    struct Turn {
        QPointer<const QWidget> view;
        bool last = false;
        std::function<void()> tell;
    };

    void takeTurn();
    void takeNext();
    std::vector<Turn>::iterator next();

    std::vector<Turn> waiting_;
    QTimer timer_;
};

} // namespace orrery
