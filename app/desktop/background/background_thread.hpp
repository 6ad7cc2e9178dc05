// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/parallel.hpp"

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

} // namespace orrery
