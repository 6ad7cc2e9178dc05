// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/background_task.hpp"

#include <QApplication>
#include <QEventLoop>
#include <QProgressDialog>
#include <QTimer>

namespace orrery {
namespace {

constexpr int unnoticed = 150; ///< ms: nobody notices a window that stands still as long
constexpr int lookEvery = 20;  ///< ms

} // namespace

bool waitWithDialog(const QString& what, const std::function<bool(int milliseconds)>& isDone) {
    if (isDone(unnoticed)) return true;
    if (!qobject_cast<QApplication*>(QCoreApplication::instance())) { // no window to hold up
        while (!isDone(1000)) {}
        return true;
    }
    QProgressDialog dialog(what, QCoreApplication::translate("orrery::BackgroundTask", "Give up"), 0, 0, QApplication::activeWindow());
    dialog.setWindowModality(Qt::ApplicationModal);
    dialog.setMinimumDuration(0);
    QEventLoop loop;
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, &loop, [&] {
        if (isDone(0) || dialog.wasCanceled()) loop.quit();
    });
    QObject::connect(&dialog, &QProgressDialog::canceled, &loop, &QEventLoop::quit);
    look.start(lookEvery);
    dialog.show();
    loop.exec();
    return isDone(0);
}

} // namespace orrery
