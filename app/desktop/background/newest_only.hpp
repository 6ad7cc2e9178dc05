// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaObject>
#include <QObject>

#include <functional>
#include <utility>

namespace orrery {

/// Calls `deliver` in the thread of `receiver`, unless a newer request has been made by then. `newest` is the receiver's own count of
/// requests, which only its thread reads and changes.
inline void deliverIfNewest(QObject& receiver, const quint64& newest, quint64 generation, std::function<void()> deliver) {
    QMetaObject::invokeMethod(
        &receiver,
        [&newest, generation, deliver = std::move(deliver)] {
            if (generation == newest) deliver();
        },
        Qt::QueuedConnection);
}

} // namespace orrery
