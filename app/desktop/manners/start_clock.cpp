// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/start_clock.hpp"

#include <QEvent>
#include <QTimer>
#include <QWidget>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

namespace orrery {

double millisecondsSinceProcessStart() {
    std::ifstream file("/proc/self/stat");
    std::string text;
    std::getline(file, text);
    // The program's name stands in brackets and may hold anything; the 20th word after it is the start in clock ticks.
    const auto afterName = text.rfind(')');
    if (afterName == std::string::npos) return 0;
    std::istringstream words(text.substr(afterName + 1));
    std::string word;
    for (int i = 0; i < 20; ++i) words >> word;
    const double started = std::strtod(word.c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 - started) * 1e3;
}

StartClock::StartClock(QWidget& window, bool tell) : QObject(&window), tell_(tell) { window.installEventFilter(this); }

void StartClock::firstResult() {
    if (shown_) return;
    shown_ = true;
    if (tell_) std::fprintf(stderr, "first result after %.0f ms\n", millisecondsSinceProcessStart());
}

bool StartClock::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Paint && !painted_) {
        painted_ = true;
        // The children paint in the same pass; when the loop turns again, all of it is on screen.
        QTimer::singleShot(0, this, [this] {
            if (tell_) std::fprintf(stderr, "window painted after %.0f ms\n", millisecondsSinceProcessStart());
            emit firstPaint();
        });
    }
    return QObject::eventFilter(watched, event);
}

} // namespace orrery
