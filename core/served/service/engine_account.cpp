// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/engine_account.hpp"

#include <algorithm>

namespace orrery {

void describeRun(Result& result, const Scenario& scenario) {
    result.scenario = scenario;
    result.name = scenario.name;
    result.assumed = scenario.assumed;
    result.warnings = scenario.warnings;
    result.parameters = scenario.model.parameters() + scenario.towerParameters();
    result.activeParameters = scenario.model.activeParameters() + scenario.towerParameters();
}

std::size_t fullestStage(const std::vector<EngineMemory>& stages) {
    const auto fullest = std::max_element(stages.begin(), stages.end(), [](const EngineMemory& a, const EngineMemory& b) { return a.needed() < b.needed(); });
    return static_cast<std::size_t>(fullest - stages.begin());
}

void fillMemory(Result& result, const std::vector<EngineMemory>& stages) {
    MemoryReport& report = result.memory;
    for (const EngineMemory& memory : stages) {
        StageMemory stage;
        const auto bytes = [&](MemoryKind kind) -> double& { return stage.bytes[static_cast<std::size_t>(kind)]; };
        stage.stage = static_cast<int>(report.stages.size());
        bytes(MemoryKind::weights) = memory.weights;
        bytes(MemoryKind::kv_cache) = memory.cache;
        bytes(MemoryKind::temporary) = memory.activations;
        bytes(MemoryKind::framework) = memory.framework;
        stage.peakBytes = memory.needed();
        report.stages.push_back(stage);
    }
    const std::size_t fullest = fullestStage(stages);
    report.capacityBytes = stages[fullest].capacity;
    report.peakBytes = stages[fullest].needed();
    report.allocatedPeakBytes = report.reservedPeakBytes = report.peakBytes - stages[fullest].framework;
    result.fits = report.peakBytes <= report.capacityBytes;
    if (!result.fits) result.outOfMemory = OutOfMemory{static_cast<int>(fullest), report.peakBytes, report.capacityBytes, {}};
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
