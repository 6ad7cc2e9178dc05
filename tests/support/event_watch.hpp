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
/// handling not apart: no key is taken meanwhile. Pictures alone are told apart: a scene has the whole window painted wherever it is told of
/// a change.
class WatchedApplication : public QApplication {
public:
    using Watch = std::function<void(const QObject& receiver, QEvent::Type type, double seconds)>;

    using QApplication::QApplication;

    static WatchedApplication& instance() { return static_cast<WatchedApplication&>(*QCoreApplication::instance()); }
    void setWatch(Watch watch) { watch_ = std::move(watch); }
    static bool paints(QEvent::Type type) { return type == QEvent::Paint || type == QEvent::UpdateRequest || type == QEvent::Expose; }

    bool notify(QObject* receiver, QEvent* event) override {
        const QEvent::Type type = event->type();
        const bool picture = paints(type);
        if (!watch_ || painting_ || (depth_ > 0 && !picture)) return QApplication::notify(receiver, event);
        const QPointer<QObject> watched = receiver;
        if (depth_ == 0) painted_ = 0;
        ++depth_;
        painting_ = picture;
        const double before = ownSeconds();
        const bool taken = QApplication::notify(receiver, event);
        const double took = ownSeconds() - before;
        painting_ = false;
        --depth_;
        if (watched) watch_(*watched, type, picture ? took : took - painted_);
        if (picture) painted_ += took;
        return taken;
    }

private:
    Watch watch_;
    int depth_ = 0;
    bool painting_ = false;
    double painted_ = 0; ///< s, in the event that is handled
};

} // namespace orrery::test
