// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/memory_kinds.hpp"

#include <QCoreApplication>
#include <algorithm>

namespace orrery {
namespace {

struct MemoryKindText {
    Q_DECLARE_TR_FUNCTIONS(MemoryKindText)
};

} // namespace

QString memoryKindName(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::weights: return MemoryKindText::tr("weights");
    case MemoryKind::gradients: return MemoryKindText::tr("gradients");
    case MemoryKind::optimizer_states: return MemoryKindText::tr("optimizer");
    case MemoryKind::activations: return MemoryKindText::tr("activations");
    case MemoryKind::kv_cache: return MemoryKindText::tr("KV cache");
    case MemoryKind::temporary: return MemoryKindText::tr("temporary");
    case MemoryKind::communication_buffers: return MemoryKindText::tr("communication");
    case MemoryKind::fragmentation: return MemoryKindText::tr("fragmentation");
    case MemoryKind::framework: return MemoryKindText::tr("framework");
    }
    return {};
}

QString memoryKindExplanation(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::weights: return MemoryKindText::tr("Parameters in the precision the matrix products read.");
    case MemoryKind::gradients: return MemoryKindText::tr("Gradients that the optimizer will read.");
    case MemoryKind::optimizer_states: return MemoryKindText::tr("Master weights and moments that the optimizer keeps.");
    case MemoryKind::activations: return MemoryKindText::tr("What forward saved for backward, of every micro-batch in flight.");
    case MemoryKind::kv_cache: return MemoryKindText::tr("Keys and values of the tokens so far.");
    case MemoryKind::temporary: return MemoryKindText::tr("In use only inside the operator or layer that runs.");
    case MemoryKind::communication_buffers: return MemoryKindText::tr("Buffers that the communicators of every process group hold.");
    case MemoryKind::fragmentation: return MemoryKindText::tr("Reserved by the allocator beside what is in use.");
    case MemoryKind::framework: return MemoryKindText::tr("Device context, libraries and workspaces.");
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
