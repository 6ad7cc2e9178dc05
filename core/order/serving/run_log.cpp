// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/run_log.hpp"

namespace orrery {

const char* nameOf(Rejection rejection) {
    switch (rejection) {
    case Rejection::none: return "none";
    case Rejection::longer_than_model: return "longer_than_model";
    case Rejection::longer_than_pool: return "longer_than_pool";
    case Rejection::longer_than_step: return "longer_than_step";
    case Rejection::fleet_full: return "fleet_full";
    case Rejection::waited_too_long: return "waited_too_long";
    }
    return "none";
}

RunLog::RunLog(std::size_t requests, bool keepTokenTimes) : records(requests), keepsTokenTimes(keepTokenTimes) {
    if (keepTokenTimes) tokenTimes.resize(requests);
}

} // namespace orrery
