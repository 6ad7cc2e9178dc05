// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/accelerator.hpp"
#include "core/operators/kernel_call.hpp"

namespace orrery {

/// Shortest time a kernel lasts, near enough to scale by; the fit finds the real one.
constexpr double launchScale = 2e-6;

/// What a kernel's time is made of, from an accelerator's data sheet alone. Rates per second, sizes in bytes.
struct OperatorMachine {
    double peak16 = 0, peak8 = 0, peak4 = 0, peakInt8 = 0; ///< dense FLOP/s; where a format has no units, the next wider one's
    double reachable = 1;                                  ///< of the peaks: less where they are those of units that were cut since
    double bandwidth = 0;                                  ///< of the memory
    double l2Bytes = 0;
    double multiprocessors = 1;
    double linkBandwidth = 0;    ///< to its peers in the node, a direction
    double nicBandwidth = 0;     ///< a direction
    double launch = launchScale; ///< s latencies are counted in; another where the fit at hand is of a machine of another clock

    bool operator==(const OperatorMachine&) const = default;
};

OperatorMachine operatorMachine(const Accelerator& accelerator);

/// Rate of the format's matrix products.
double peakFor(const OperatorMachine& machine, KernelFormat format);
/// Bytes an element of a weight matrix takes, scales included, and one of the activations beside it.
double weightBytes(KernelFormat format);
double activationBytes(KernelFormat format);

} // namespace orrery
