// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/memory_kinds.hpp"

#include <QCoreApplication>
#include <algorithm>

namespace orrery {
namespace {

QString text(const char* source) { return QCoreApplication::translate("orrery::MemoryKind", source); }

} // namespace

QString memoryKindName(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::weights: return text("weights");
    case MemoryKind::gradients: return text("gradients");
    case MemoryKind::optimizer_states: return text("optimizer");
    case MemoryKind::activations: return text("activations");
    case MemoryKind::kv_cache: return text("KV cache");
    case MemoryKind::temporary: return text("temporary");
    case MemoryKind::communication_buffers: return text("communication");
    case MemoryKind::fragmentation: return text("fragmentation");
    case MemoryKind::framework: return text("framework");
    }
    return {};
}

QString memoryKindExplanation(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::weights: return text("Parameters in the precision the matrix products read.");
    case MemoryKind::gradients: return text("Gradients that the optimizer will read.");
    case MemoryKind::optimizer_states: return text("Master weights and moments that the optimizer keeps.");
    case MemoryKind::activations: return text("What forward saved for backward, of every micro-batch in flight.");
    case MemoryKind::kv_cache: return text("Keys and values of the tokens so far.");
    case MemoryKind::temporary: return text("In use only inside the operator or layer that runs.");
    case MemoryKind::communication_buffers: return text("Buffers that the communicators of every process group hold.");
    case MemoryKind::fragmentation: return text("Reserved by the allocator beside what is in use.");
    case MemoryKind::framework: return text("Device context, libraries and workspaces.");
    }
    return {};
}

std::vector<MemoryKind> shownMemoryKinds(const MemoryReport& report) {
    std::vector<MemoryKind> kinds;
    for (std::size_t i = 0; i < memoryKindCount; ++i) {
        const bool used = std::any_of(report.stages.begin(), report.stages.end(),
                                      [i](const StageMemory& stage) { return stage.bytes[i] > 0; });
        if (used) kinds.push_back(static_cast<MemoryKind>(i));
    }
    return kinds;
}

} // namespace orrery
