// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/timed_operator.hpp"

namespace orrery {

std::string_view toString(Bound bound) {
    switch (bound) {
    case Bound::compute: return "compute";
    case Bound::memory: return "memory";
    case Bound::network: return "network";
    case Bound::latency: return "latency";
    }
    return "";
}

} // namespace orrery
