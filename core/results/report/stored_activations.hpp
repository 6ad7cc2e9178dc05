// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace orrery {

/// What forward keeps for backward, without what only the running operator needs: the papers' "activation memory".
struct StoredActivations {
    double layerBytes = 0;              ///< of one layer and micro-batch; the mean over the model's layers
    std::vector<double> stagePeakBytes; ///< by stage: the most that is kept at any one moment
};

} // namespace orrery
