// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/estimate/piece_table.hpp"

#include <algorithm>

namespace orrery {

/// How long two last that begin together, s.
struct Coupled {
    double first = 0, second = 0;
};

/// Two begin together, each at its own rate while the other is under way and at 1 alone.
inline Coupled couple(double first, double firstRate, double second, double secondRate) {
    const double a = first / firstRate, b = second / secondRate;
    if (a <= b) return {a, a + (second - a * secondRate)};
    return {b + (first - b * firstRate), b};
}

/// How long `alone` seconds of work last that begin beside something that lasts `beside` seconds and slows them by `factor`.
inline double slowed(double alone, double beside, double factor) {
    return beside > 0 ? alone + std::min(beside, alone * factor) * (1 - 1 / factor) : alone;
}

/// How long a pass and the `backlog` seconds that the data-parallel group has to send from its start on take.
inline Coupled passBeside(const PassTime& time, double backlog) {
    if (backlog >= time.sent) return {time.beside, backlog + (time.beside - time.sent)};
    const double place = backlog / time.sent * PassTime::samples;
    const auto above = static_cast<std::size_t>(place);
    const double part = place - double(above);
    const double lastsBelow = above == 0 ? time.alone : time.lasts[above - 1], doneBelow = above == 0 ? 0 : time.done[above - 1];
    return {lastsBelow + part * (time.lasts[above] - lastsBelow), doneBelow + part * (time.done[above] - doneBelow)};
}

} // namespace orrery
