// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/operators/predictor.hpp"

#include <memory>

namespace orrery {

/// The predictor this program ships, made by `orrery-cli operators fit`. Reading it takes some milliseconds: keep it.
std::shared_ptr<const OperatorPredictor> shippedPredictor();

} // namespace orrery
