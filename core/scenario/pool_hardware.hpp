// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/collectives/library.hpp"
#include "core/catalog/kernel_constants.hpp"

#include <memory>

namespace orrery {

class KernelTimes; // core/operators

/// What the hosts of a pool carry where it is another accelerator than the cluster's: what of a scenario follows from the accelerator.
struct PoolHardware {
    KernelConstants kernels;
    std::shared_ptr<const KernelTimes> kernelTimes; ///< null: by roofline alone
    LibraryConstants library;
    double scaleUpBandwidth = 0, scaleUpLatency = 0, usualScaleUpLatency = 0; ///< as of a cluster
};

} // namespace orrery
