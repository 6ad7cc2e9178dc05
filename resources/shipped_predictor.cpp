// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/shipped_predictor.hpp"

#include "resources/resources.hpp"

namespace orrery {

std::shared_ptr<const OperatorPredictor> shippedPredictor() {
    return std::make_shared<const OperatorPredictor>(OperatorPredictor::fromOwnBytes(resourceText("catalog/operators.bin")));
}

} // namespace orrery
