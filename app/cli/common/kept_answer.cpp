// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/kept_answer.hpp"

#include <utility>

namespace orrery {
namespace {

// Each thread has its own, because commands print from the thread that runs them.
thread_local KeptAnswer* keptHere = nullptr;
thread_local std::stop_token stopHere;

} // namespace

KeptAnswer::KeptAnswer() : outer_(std::exchange(keptHere, this)) {}

KeptAnswer::~KeptAnswer() { keptHere = outer_; }

KeptAnswer* KeptAnswer::ofThisThread() { return keptHere; }

StoppedBy::StoppedBy(std::stop_token stop) : outer_(std::exchange(stopHere, std::move(stop))) {}

StoppedBy::~StoppedBy() { stopHere = std::move(outer_); }

RunControl commandControl() {
    RunControl control;
    control.stop = stopHere;
    return control;
}

} // namespace orrery
