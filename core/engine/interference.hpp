// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace orrery {

/// How many times as long a task takes that is slowed with a weight, where what runs beside it slows a whole one by `factor`.
inline double timesAsLong(double weight, double factor) { return 1 + weight * (factor - 1); }

/// Tasks under way on devices they share: how far each has come, how fast it goes on, when it will end.
///
/// Rates change at the moments at which tasks start or end and are constant between them, so ends are exact.
class Interference {
public:
    explicit Interference(const Program& program);
    /// Takes up the streams, places, slowdowns and tasks that the program has got since.
    void absorb();

    void start(TaskId task, double now, bool isTransfer);
    void finish(TaskId task);
    /// Whether the task is under way, or was never followed because nothing can slow it.
    bool isRunning(TaskId task) const { return program_.load(task).load == 0 || running_[program_.taskStreams()[task]].task == task; }

    /// Once all that starts and ends at `now` has been told: adds the tasks whose rate changed, with their new ends, s.
    void settle(double now, std::vector<std::pair<TaskId, double>>& ends);

private:
    static constexpr TaskId nothing = ~TaskId{0};
    struct Running {
        TaskId task = nothing;
        LoadClass load = 0;
        bool canBeSlowed = false;
        double weight = 0;
        double left = 0;  ///< s alone, at `since`
        double since = 0; ///< s
        double rate = 1;
    };
    /// Lists in compressed rows.
    struct Rows {
        std::vector<std::uint32_t> offsets, values;
    };
    static Rows rowsOf(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& entries, std::size_t rows);

    void layOutDevices();
    void tabulateSlowdowns();
    void touch(StreamId stream);
    double rateOf(StreamId stream) const;

    const Program& program_;
    std::size_t tasks_ = 0, places_ = 0, slowdowns_ = 0; ///< of the program, taken up so far
    Rows devices_;                                       ///< by stream
    Rows streams_;                                       ///< by device
    std::size_t classes_ = 1;
    std::vector<double> slowdown_; ///< by class slowed and class beside it
    std::vector<Running> running_; ///< by stream
    std::vector<DeviceId> touched_;
    std::vector<bool> isTouched_; ///< by device
};

} // namespace orrery
