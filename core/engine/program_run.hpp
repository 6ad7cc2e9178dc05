// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"

#include <memory>
#include <vector>

namespace orrery {

class EngineRun; // engine.cpp

/// A program's run, moment by moment, for whoever has other runs beside it: several share a transfer model, each is told to advance when the
/// earliest of all moments is its own. runProgram() of core/engine/engine.hpp does the same in one call.
class ProgramRun {
public:
    /// Starts what waits for nothing at `begin`, s. Program and model live as long as the run; throws as runProgram() does.
    ProgramRun(const Program& program, double begin, TransferModel* transfers = nullptr);
    ~ProgramRun();
    ProgramRun(ProgramRun&&) noexcept;
    ProgramRun& operator=(ProgramRun&&) noexcept;

    /// s; infinity: nothing runs any more.
    double nextEvent();
    /// Does what happens at nextEvent().
    void advance();
    /// When every task ran, s on the clock that `begin` is on. Throws DeadlockError while some have not.
    const TaskTimes& times() const;

private:
    std::unique_ptr<EngineRun> run_;
};

} // namespace orrery
