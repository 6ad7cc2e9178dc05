// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/estimate/piece_table.hpp"

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

/// What lasts beside traffic that is a share of `backlog` seconds: the rest of these, copies, comes after it and meets nobody.
inline Coupled withCopies(Coupled beside, double backlog, double onLinks) { return {beside.first, beside.second + backlog * (1 - onLinks)}; }

/// How long a pass and the `backlog` seconds that the data-parallel group has to send from its start on take.
inline Coupled passBeside(const PassTime& time, double backlog) {
    if (backlog >= time.sent) return {time.beside, backlog + (time.beside - time.sent)};
    const double place = backlog / time.sent * PassTime::samples;
    const auto above = static_cast<std::size_t>(place);
    const double part = place - double(above);
    const double lastsBelow = above == 0 ? time.alone : time.lasts[above - 1], doneBelow = above == 0 ? 0 : time.done[above - 1];
    return {lastsBelow + part * (time.lasts[above] - lastsBelow), doneBelow + part * (time.done[above] - doneBelow)};
}

/// The same where the group is on links for a share of that time only, with copies between.
inline Coupled passBeside(const PassTime& time, double backlog, double onLinks) {
    if (onLinks == 1) return passBeside(time, backlog);
    // No more can be sent than fits into as long as the pass lasts beside so much.
    constexpr int rounds = 4;
    const double all = backlog * onLinks;
    double sent = all;
    Coupled both;
    for (int i = 0; i < rounds; ++i) {
        both = passBeside(time, sent);
        sent = std::min(all, onLinks * both.first);
    }
    if (sent < all) return {both.first, both.first + (backlog - sent / onLinks)};
    return withCopies(both, backlog, onLinks);
}

} // namespace orrery
