#include "core/report/result.hpp"

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

std::string_view toString(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::weights: return "weights";
    case MemoryKind::gradients: return "gradients";
    case MemoryKind::optimizer_states: return "optimizer_states";
    case MemoryKind::activations: return "activations";
    case MemoryKind::kv_cache: return "kv_cache";
    case MemoryKind::temporary: return "temporary";
    case MemoryKind::communication_buffers: return "communication_buffers";
    case MemoryKind::fragmentation: return "fragmentation";
    case MemoryKind::framework: return "framework";
    }
    return "";
}

std::string_view toString(TimePart part) {
    switch (part) {
    case TimePart::forward: return "forward";
    case TimePart::backward: return "backward";
    case TimePart::recompute: return "recompute";
    case TimePart::tensor_exposed: return "tensor_exposed";
    case TimePart::context_exposed: return "context_exposed";
    case TimePart::expert_exposed: return "expert_exposed";
    case TimePart::pipeline_exposed: return "pipeline_exposed";
    case TimePart::data_exposed: return "data_exposed";
    case TimePart::bubble: return "bubble";
    case TimePart::optimizer: return "optimizer";
    case TimePart::overhead: return "overhead";
    }
    return "";
}

} // namespace orrery
