#pragma once

#include "core/schedule/step.hpp"

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

inline bool endsGradients(PassKind kind) { return kind == PassKind::backward || kind == PassKind::backward_weight; }

} // namespace orrery
