// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QEvent>
#include <QPointer>

#include <ctime>
#include <functional>
#include <utility>

namespace orrery::test {

/// Seconds that this thread has computed: what other programs of the machine do does not count.
inline double ownSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The application of every widget test. It tells whoever watches how long each event kept the window's thread, those inside another one's
/// handling not apart: no key is taken meanwhile.
class WatchedApplication : public QApplication {
public:
    using Watch = std::function<void(const QObject& receiver, QEvent::Type type, double seconds)>;

    using QApplication::QApplication;

    static WatchedApplication& instance() { return static_cast<WatchedApplication&>(*QCoreApplication::instance()); }
    void setWatch(Watch watch) { watch_ = std::move(watch); }

    bool notify(QObject* receiver, QEvent* event) override {
        if (!watch_ || depth_ > 0) return QApplication::notify(receiver, event);
        const QEvent::Type type = event->type();
        const QPointer<QObject> watched = receiver;
        ++depth_;
        const double before = ownSeconds();
        const bool taken = QApplication::notify(receiver, event);
        const double took = ownSeconds() - before;
        --depth_;
        if (watched) watch_(*watched, type, took);
        return taken;
    }

private:
    Watch watch_;
    int depth_ = 0;
};

} // namespace orrery::test
