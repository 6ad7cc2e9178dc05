// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/jobs/recorded_program.hpp"

#include "core/model/attention_rules.hpp"
#include "core/training/cost/operator_cost.hpp"
#include "core/training/rank_work/rank_work.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// What products in 32 bit run at. PyTorch multiplies matrices in full fp32 unless told otherwise and lets convolutions use
/// TF32 (torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32: defaults since 1.12).
struct RecordedCosts {
    CostModel half, single, convolution;

    RecordedCosts(const Scenario& scenario)
        : half(costModelOf(scenario)), single(half),
          convolution(half) {
        const auto& peaks = scenario.cluster.accelerator.peakDense;
        const auto peakOf = [&](const char* format, double otherwise) {
            const auto found = peaks.find(format);
            return found != peaks.end() && found->second > 0 ? found->second : otherwise;
        };
        single.peak = peakOf("fp32", half.vectorPeak);
        convolution.peak = peakOf("tf32", single.peak);
    }

    const CostModel& of(const Operator& op) const {
        constexpr double singleBytes = 4;
        if (op.operandBytes < singleBytes) return half;
        return op.name.find("conv") != std::string::npos ? convolution : single;
    }
};

/// Operations and bytes are all that is known: the roofline with the rates that products and streams reach.
OperatorTime rooflineTime(const CostModel& cost, const Operator& op) {
    const double compute = op.flops / (cost.peak * cost.constants.gemmRateOfPeak * cost.constants.sustainedShare);
    const double memory = op.bytesRead / (cost.memoryBandwidth * cost.constants.memoryRateOfPeak);
    return {std::max(compute, memory) + cost.constants.kernelLaunch, compute >= memory ? Bound::compute : Bound::memory, Source::roofline};
}

OperatorTime predicted(const RecordedCosts& costs, const Operator& op, bool causal) {
    const CostModel& cost = costs.of(op);
    if (op.kind == OperatorKind::gemm && op.shape.m == 0) return rooflineTime(cost, op);
    if (op.kind != OperatorKind::attention || causal) return operatorTime(cost, op);
    // The cost model takes a causal kernel's part of the counted FLOPs; this one does them all.
    Operator whole = op;
    whole.flops /= causalShare;
    return operatorTime(cost, whole);
}

class RecordedProgramBuilder {
public:
    RecordedProgramBuilder(const Scenario& scenario, const RecordedWorkload& workload, JobTraffic& traffic)
        : scenario_(scenario), workload_(workload), traffic_(traffic), costs_(scenario) {
        compute_ = made_.program.addStream();
        communication_ = made_.program.addStream();
        host_ = made_.program.addStream();
        hostLaunch_ = scenario.execution.cudaGraphs || workload.hostRecorded ? 0 : scenario.execution.profile.hostLaunch;
    }

    RecordedProgram build() {
        made_.program.reserve(2 * workload_.steps.size());
        for (std::size_t i = 0; i < workload_.steps.size(); ++i) {
            const RecordedStep& step = workload_.steps[i];
            const TaskId task = add(step, workload_.graph.forward[i]);
            made_.taskOf.push_back(task);
            for (const std::uint32_t before : step.after) made_.program.addDependency(task, made_.taskOf[before]);
        }
        return std::move(made_);
    }

private:
    TaskId add(const RecordedStep& step, const Operator& op) {
        switch (step.stream) {
        case RecordedStream::host: return addHost(step.recorded.value_or(0));
        case RecordedStream::communication: return addCommunication(step, op);
        default: return addCompute(step, op);
        }
    }

    TaskId note(TaskId task, std::uint32_t segment, RecordedStream stream) {
        made_.tasks.push_back({segment, stream});
        return task;
    }

    TaskId addHost(double time) { return note(made_.program.addTask(host_, time), 0, RecordedStream::host); }

    /// The launch that a kernel or collective waits for, where the recording has no host of its own.
    TaskId launched(TaskId (RecordedProgramBuilder::*addTask)(TimedOperator), TimedOperator timed) {
        if (hostLaunch_ <= 0) return (this->*addTask)(std::move(timed));
        const TaskId launch = addHost(hostLaunch_ * std::max(1, timed.op.kernels));
        const TaskId task = (this->*addTask)(std::move(timed));
        made_.program.addDependency(task, launch);
        return task;
    }

    TaskId addKernel(TimedOperator timed) {
        const double time = timed.time;
        std::string name = timed.op.name;
        const std::uint32_t segment = made_.work.addSingle(std::move(name), std::move(timed), StreamKind::compute);
        return note(made_.program.addTask(compute_, time), segment, RecordedStream::compute);
    }

    TaskId addCompute(const RecordedStep& step, const Operator& op) {
        TimedOperator timed;
        timed.op = op;
        if (!step.mapped && !step.recorded) return addKernel(std::move(timed)); // nobody knows; takes no time
        const OperatorTime time = predicted(costs_, op, step.causal);
        timed.time = step.recorded.value_or(time.time);
        timed.bound = time.bound;
        timed.source = step.recorded ? Source::measured : time.source;
        return launched(&RecordedProgramBuilder::addKernel, std::move(timed));
    }

    TaskId addTransfer(TimedOperator timed) {
        const TrafficKind kind{RankGroup::data, timed.op.collective, 0, 0};
        const double bytes = timed.op.messageBytes;
        const bool sends = scenario_.parallelism.data > 1 && bytes > 0 && kind.collective != CollectiveKind::none;
        JobTraffic::Id patterns = 0;
        if (sends) {
            patterns = traffic_.patterns(kind, bytes);
            timed = timedCollective(traffic_, kind, std::move(timed.op));
        }
        std::string name = timed.op.name;
        const double time = timed.time;
        const auto op = static_cast<std::uint32_t>(made_.work.operators.size());
        const std::uint32_t segment = made_.work.addSingle(std::move(name), std::move(timed), recordedCommunication);
        if (!sends) return note(made_.program.addTask(communication_, time), segment, RecordedStream::communication);
        const auto transfer = static_cast<TransferId>(made_.transfers.size());
        made_.transfers.push_back({patterns, 0, bytes});
        made_.traffic.push_back({0, op, patterns, bytes});
        return note(made_.program.addTransfer(communication_, transfer), segment, RecordedStream::communication);
    }

    TaskId addCommunication(const RecordedStep& step, const Operator& op) {
        TimedOperator timed;
        timed.op = op;
        timed.bound = Bound::network;
        // Counted as nccl-tests does: the whole buffer that an all-gather ends with.
        timed.op.messageBytes = step.rankBytes * (op.collective == CollectiveKind::all_gather ? scenario_.parallelism.data : 1);
        if (!step.mapped && scenario_.parallelism.data > 1) {
            timed.time = step.recorded.value_or(0);
            timed.source = Source::measured;
        }
        return launched(&RecordedProgramBuilder::addTransfer, std::move(timed));
    }

    const Scenario& scenario_;
    const RecordedWorkload& workload_;
    JobTraffic& traffic_;
    RecordedCosts costs_;
    RecordedProgram made_;
    StreamId compute_ = 0, communication_ = 0, host_ = 0;
    double hostLaunch_ = 0;
};

} // namespace

RecordedProgram buildRecordedProgram(const Scenario& scenario, const RecordedWorkload& workload, JobTraffic& traffic) {
    return RecordedProgramBuilder(scenario, workload, traffic).build();
}

} // namespace orrery
