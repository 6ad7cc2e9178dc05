// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/parallel.hpp"

#include <QMetaObject>
#include <QObject>
#include <QString>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace orrery {

/// A thread that computes beside the window: it runs `work(stop)`, at full speed whatever the window's thread has in its registers.
template <typename Work>
std::jthread backgroundThread(Work work) {
    return std::jthread([work = std::move(work)](const std::stop_token& stop) mutable {
        releaseVectorRegisters();
        work(stop);
    });
}

/// Waits until `isDone`: a moment as it is, then with the window painting and `what` named in a dialog that gives up. False: given up.
bool waitWithDialog(const QString& what, const std::function<bool(int milliseconds)>& isDone);

/// Runs `work` in a thread of its own and gives what it gives, so that no disk or parser ever holds the window up. Nothing when the
/// user gave up; the work then goes on unheard, so it must own all it uses. Its exception is thrown here.
template <typename Result>
std::optional<Result> inBackground(const QString& what, std::function<Result()> work) {
    struct Shared {
        std::mutex mutex;
        std::condition_variable ended;
        std::optional<Result> result;
        std::exception_ptr failure;
        bool done = false;
    };
    const auto shared = std::make_shared<Shared>();
    backgroundThread([shared, work = std::move(work)](const std::stop_token&) {
        std::optional<Result> result;
        std::exception_ptr failure;
        try {
            result = work();
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(shared->mutex);
        shared->result = std::move(result);
        shared->failure = failure;
        shared->done = true;
        shared->ended.notify_all();
    }).detach();
    const auto isDone = [&shared](int milliseconds) {
        std::unique_lock lock(shared->mutex);
        return shared->ended.wait_for(lock, std::chrono::milliseconds(milliseconds), [&shared] { return shared->done; });
    };
    if (!waitWithDialog(what, isDone)) return std::nullopt;
    const std::lock_guard lock(shared->mutex);
    if (shared->failure) std::rethrow_exception(shared->failure);
    return std::move(shared->result);
}

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
