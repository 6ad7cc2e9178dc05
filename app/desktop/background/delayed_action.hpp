// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/background/background_task.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace orrery {

/// Does something after a while, in a thread of its own, unless it is destroyed before. Once it is destroyed, the action is over.
class DelayedAction {
public:
    DelayedAction(std::chrono::milliseconds delay, std::function<void()> action)
        : thread_(backgroundThread([delay, action = std::move(action)](const std::stop_token& stop) {
              std::mutex mutex;
              std::condition_variable_any wake;
              std::unique_lock lock(mutex);
              wake.wait_for(lock, stop, delay, [] { return false; });
              if (!stop.stop_requested()) action();
          })) {}

private:
    std::jthread thread_;
};

} // namespace orrery
