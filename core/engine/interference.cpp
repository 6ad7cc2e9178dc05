// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/interference.hpp"

#include <algorithm>

namespace orrery {

Interference::Rows Interference::rowsOf(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& entries, std::size_t rows) {
    Rows list{std::vector<std::uint32_t>(rows + 1, 0), std::vector<std::uint32_t>(entries.size())};
    for (const auto& [row, value] : entries) ++list.offsets[row + 1];
    for (std::size_t row = 0; row < rows; ++row) list.offsets[row + 1] += list.offsets[row];
    std::vector<std::uint32_t> next(list.offsets.begin(), list.offsets.end() - 1);
    for (const auto& [row, value] : entries) list.values[next[row]++] = value;
    return list;
}

Interference::Interference(const Program& program) : program_(program) {
    layOutDevices();
    tabulateSlowdowns();
    absorb();
}

void Interference::absorb() {
    if (running_.size() != program_.streamCount() || places_ != program_.places().size()) layOutDevices();
    std::size_t classes = classes_;
    for (; tasks_ < program_.taskCount(); ++tasks_) classes = std::max(classes, program_.load(static_cast<TaskId>(tasks_)).load + std::size_t{1});
    if (classes == classes_ && slowdowns_ == program_.slowdowns().size()) return;
    classes_ = classes;
    tabulateSlowdowns();
}

void Interference::layOutDevices() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> turned;
    DeviceId devices = 0;
    for (const auto& [stream, device] : program_.places()) {
        turned.emplace_back(device, stream);
        devices = std::max(devices, device + 1);
    }
    running_.resize(program_.streamCount());
    devices_ = rowsOf(program_.places(), program_.streamCount());
    streams_ = rowsOf(turned, devices);
    isTouched_.resize(devices, false);
    places_ = program_.places().size();
}

void Interference::tabulateSlowdowns() {
    for (const Program::Slowdown& pair : program_.slowdowns()) classes_ = std::max({classes_, pair.slowed + std::size_t{1}, pair.by + std::size_t{1}});
    slowdown_.assign(classes_ * classes_, 1);
    for (const Program::Slowdown& pair : program_.slowdowns()) slowdown_[pair.slowed * classes_ + pair.by] = pair.factor;
    slowdowns_ = program_.slowdowns().size();
}

void Interference::touch(StreamId stream) {
    for (std::uint32_t i = devices_.offsets[stream]; i < devices_.offsets[stream + 1]; ++i) {
        const DeviceId device = devices_.values[i];
        if (isTouched_[device]) continue;
        isTouched_[device] = true;
        touched_.push_back(device);
    }
}

void Interference::start(TaskId task, double now, bool isTransfer) {
    const Program::Load load = program_.load(task);
    if (load.load == 0) return;
    const StreamId stream = program_.taskStreams()[task];
    running_[stream] = {task, load.load, !isTransfer && load.weight > 0, load.weight, program_.durations()[task], now, 1};
    touch(stream);
}

void Interference::finish(TaskId task) {
    if (program_.load(task).load == 0) return;
    const StreamId stream = program_.taskStreams()[task];
    running_[stream].task = nothing;
    touch(stream);
}

double Interference::rateOf(StreamId stream) const {
    const Running& own = running_[stream];
    double most = 1;
    for (std::uint32_t i = devices_.offsets[stream]; i < devices_.offsets[stream + 1]; ++i) {
        const DeviceId device = devices_.values[i];
        for (std::uint32_t j = streams_.offsets[device]; j < streams_.offsets[device + 1]; ++j) {
            const Running& other = running_[streams_.values[j]];
            if (other.task != nothing && other.task != own.task) most = std::max(most, slowdown_[own.load * classes_ + other.load]);
        }
    }
    return 1 / timesAsLong(own.weight, most);
}

void Interference::settle(double now, std::vector<std::pair<TaskId, double>>& ends) {
    for (const DeviceId device : touched_) {
        isTouched_[device] = false;
        for (std::uint32_t i = streams_.offsets[device]; i < streams_.offsets[device + 1]; ++i) {
            const StreamId stream = streams_.values[i];
            Running& running = running_[stream];
            if (running.task == nothing || !running.canBeSlowed) continue;
            const double rate = rateOf(stream);
            if (rate == running.rate) continue;
            // Moments that are one within rounding may come in any order.
            const double since = std::max(running.since, now);
            running.left = std::max(0.0, running.left - (since - running.since) * running.rate);
            running.since = since;
            running.rate = rate;
            ends.emplace_back(running.task, since + running.left / rate);
        }
    }
    touched_.clear();
}

} // namespace orrery
