// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/service/engine_account.hpp"

#include <algorithm>

namespace orrery {

void describeRun(Result& result, const Scenario& scenario) {
    result.scenario = scenario;
    result.name = scenario.name;
    result.assumed = scenario.assumed;
    result.warnings = scenario.warnings;
    result.parameters = scenario.model.parameters();
    result.activeParameters = scenario.model.activeParameters();
}

void fillMemory(Result& result, const EngineMemory& memory) {
    StageMemory stage;
    const auto bytes = [&](MemoryKind kind) -> double& { return stage.bytes[static_cast<std::size_t>(kind)]; };
    bytes(MemoryKind::weights) = memory.weights;
    bytes(MemoryKind::kv_cache) = memory.cache;
    bytes(MemoryKind::temporary) = memory.activations;
    bytes(MemoryKind::framework) = memory.framework;
    stage.peakBytes = memory.needed();
    MemoryReport& report = result.memory;
    report.capacityBytes = memory.capacity;
    report.peakBytes = stage.peakBytes;
    report.allocatedPeakBytes = report.reservedPeakBytes = stage.peakBytes - memory.framework;
    for (stage.stage = 0; stage.stage < result.scenario.parallelism.pipeline; ++stage.stage) report.stages.push_back(stage);
    result.fits = report.peakBytes <= report.capacityBytes;
    if (!result.fits) result.outOfMemory = OutOfMemory{0, report.peakBytes, report.capacityBytes, {}};
}

void addOperations(Result& result, const StepModel& model, const StepBatch& batch, double times) {
    const bool decodes = batch.prefills.empty();
    const double stages = model.engine().parallelism.pipeline;
    for (const StepModel::Counted& counted : model.counted(batch)) {
        const Operator& op = counted.timed.op;
        const bool communicates = op.kind == OperatorKind::collective || op.kind == OperatorKind::send_receive;
        OperationRow row;
        row.kind = op.name;
        row.phase = communicates ? "communication" : decodes || counted.decode ? "decode"
                                                                               : "prefill";
        row.bound = counted.timed.bound;
        row.source = counted.timed.source;
        row.work = op.kind;
        row.group = op.group;
        // A collective stands in both phases and has one row, as in training.
        const auto same = [&](const OperationRow& other) { return other.kind == row.kind && other.phase == row.phase; };
        auto at = std::find_if(result.operations.begin(), result.operations.end(), same);
        if (at == result.operations.end()) at = result.operations.insert(at, row);
        const double count = counted.count * times / stages;
        at->count += count;
        at->time += count * counted.timed.time;
        at->flops += count * op.flops;
        at->bytes += count * (op.messageBytes > 0 ? op.messageBytes : op.bytesRead + op.bytesWritten);
    }
}

} // namespace orrery
