// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timed_work/segment.hpp"
#include "core/timed_work/timed_operator.hpp"

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

std::string_view toString(StreamKind kind) {
    switch (kind) {
    case StreamKind::compute: return "compute";
    case StreamKind::tensor: return "tensor";
    case StreamKind::pipeline: return "pipeline";
    case StreamKind::data: return "data";
    case StreamKind::to_host: return "to_host";
    case StreamKind::from_host: return "from_host";
    }
    return "";
}

} // namespace orrery
