// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"

#include <vector>

namespace orrery {

/// How fast a device's passes went on while communication ran beside them, read off a run: the rule is the engine's (Interference), so that what a kernel is slowed by
/// stands at the kernel and not over its whole pass.
class PassPace {
public:
    PassPace(const Program& program, const TaskTimes& times, DeviceId device);
    /// When a pass of the device, which began at its start in the run, has done so many seconds of what it takes alone, s.
    double moment(TaskId pass, double alone) const;
    /// What a pass of the device would have taken alone, s: what it did take in the run, without what slowed it.
    double alone(TaskId pass) const;

private:
    struct Beside {
        double start = 0, end = 0; ///< s
        LoadClass load = 0;
    };
    double factorOver(LoadClass slowed, double start, double end) const;
    double next(double moment) const;

    const Program& program_;
    const TaskTimes& times_;
    std::vector<Beside> beside_;  ///< by start
    std::vector<double> latest_;  ///< end of those up to each
    std::vector<double> moments_; ///< at which any begins or ends, rising
};

} // namespace orrery
