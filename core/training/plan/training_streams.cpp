// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/training_streams.hpp"

namespace orrery {

StreamNames trainingStreamNames() { return {"compute", "tensor", "pipeline", "data", "to_host", "from_host"}; }

} // namespace orrery
