// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/frame/view_turns.hpp"

#include <QElapsedTimer>

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// Views are told one after another for so long (ms) before the event loop has its turn: a fourth of a picture's time on a screen of 60 Hz,
/// since the view begun last goes on beyond it and what changed is painted as well.
constexpr qint64 longestTurn = 4;

} // namespace

ViewTurns::ViewTurns(QObject* parent) : QObject(parent) {
    timer_.setSingleShot(true);
    timer_.setInterval(0);
    connect(&timer_, &QTimer::timeout, this, &ViewTurns::takeTurn);
}

void ViewTurns::add(const QWidget* view, std::function<void()> tell) {
    waiting_.push_back({view, false, std::move(tell)});
    timer_.start();
}

void ViewTurns::addLast(std::function<void()> tell) {
    waiting_.push_back({nullptr, true, std::move(tell)});
    timer_.start();
}

void ViewTurns::clear() {
    std::erase_if(waiting_, [](const Turn& turn) { return !turn.last; });
}

void ViewTurns::finish() {
    while (!isEmpty()) takeNext();
    timer_.stop();
}

/// Whatever the eye may see comes first; a view may have come on screen, or left it, since it was added.
std::vector<ViewTurns::Turn>::iterator ViewTurns::next() {
    const auto shown = std::find_if(waiting_.begin(), waiting_.end(), [](const Turn& turn) { return turn.view && turn.view->isVisible(); });
    if (shown != waiting_.end()) return shown;
    const auto hidden = std::find_if(waiting_.begin(), waiting_.end(), [](const Turn& turn) { return !turn.last; });
    return hidden != waiting_.end() ? hidden : waiting_.begin();
}

void ViewTurns::takeNext() {
    const auto at = next();
    const Turn turn = std::move(*at);
    waiting_.erase(at); // what it tells may add more, or clear the rest
    if (turn.last || turn.view) turn.tell();
}

void ViewTurns::takeTurn() {
    QElapsedTimer clock;
    clock.start();
    while (!isEmpty() && clock.elapsed() < longestTurn) takeNext();
    if (!isEmpty()) timer_.start();
}

} // namespace orrery
