// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/recorded/recorded_workload.hpp"

#include "core/model/recorded/operator_map.hpp"
#include "core/model/recorded/tensor_lives.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>

namespace orrery {
namespace {

constexpr std::int32_t noStep = -1;

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// What a name alone says of the phase.
std::optional<Phase> phaseOfName(const std::string& name) {
    if (contains(name, "Optimizer.") || contains(name, "## optimizer") || contains(name, "_fused_adam") ||
        contains(name, "_fused_sgd"))
        return Phase::optimizer;
    if (contains(name, "autograd::engine::evaluate_function") || contains(name, "Backward") || contains(name, "_backward"))
        return Phase::backward;
    return std::nullopt;
}

bool touchesDevice(const RecordedNode& node) {
    const auto any = [](const std::vector<RecordedArgument>& arguments) {
        return std::any_of(arguments.begin(), arguments.end(), [](const RecordedArgument& argument) {
            return std::any_of(argument.tensors.begin(), argument.tensors.end(),
                               [](const RecordedTensor& tensor) { return tensor.onDevice; });
        });
    };
    return any(node.inputs) || any(node.outputs);
}

double allBytes(const RecordedArgument& argument) {
    double bytes = 0;
    for (const RecordedTensor& tensor : argument.tensors) bytes += tensor.bytes();
    return bytes;
}

bool knowsSizes(const RecordedNode& node) {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [](const RecordedArgument& argument) {
        return std::any_of(argument.tensors.begin(), argument.tensors.end(),
                           [](const RecordedTensor& tensor) { return tensor.shapeKnown; });
    });
}

/// c10d's calls that fill a second buffer name that one first: allgather_(outputs, inputs, …).
double rankBytesOf(const RecordedNode& node, CollectiveKind kind) {
    const bool twoBuffers =
        kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_to_all;
    const std::size_t wanted = twoBuffers && node.name.starts_with("c10d::") ? 1 : 0;
    if (wanted < node.inputs.size() && !node.inputs[wanted].tensors.empty()) return allBytes(node.inputs[wanted]);
    return node.inputs.empty() ? 0 : allBytes(node.inputs.front());
}

class WorkloadMaker {
public:
    explicit WorkloadMaker(const Recording& recording) : recording_(recording), nodes_(recording.nodes), lives_(workload_) {
        workload_.format = recording.format;
        workload_.graph.name = "recorded";
        workload_.nodes = nodes_.size();
        workload_.controlIgnored = recording.controlIgnored;
        phases_.assign(nodes_.size(), Phase::forward);
        for (const RecordedNode& node : nodes_) workload_.recordedTime += node.duration.value_or(0);
    }

    RecordedWorkload run() {
        if (recording_.dependencies) addDependentNodes();
        else if (recording_.callTree) addCallTree();
        else addList();
        lives_.finish();
        for (auto& [name, kind] : unmapped_) workload_.unmapped.push_back(std::move(kind));
        std::stable_sort(workload_.unmapped.begin(), workload_.unmapped.end(),
                         [](const UnmappedNodes& a, const UnmappedNodes& b) { return a.count > b.count; });
        return std::move(workload_);
    }

private:
    // --- steps -----------------------------------------------------------------------------------------------------------

    RecordedStep& addStep(std::uint32_t node, Operator op, RecordedStream stream) {
        op.phase = phases_[node];
        workload_.graph.forward.push_back(std::move(op));
        RecordedStep step;
        step.stream = stream;
        step.recorded = nodes_[node].duration;
        workload_.steps.push_back(std::move(step));
        return workload_.steps.back();
    }

    void countUnmapped(const RecordedNode& node, const std::string& name) {
        UnmappedNodes& kind = unmapped_[name];
        if (kind.count++ == 0) kind.place = node.place;
        kind.name = name;
        kind.time += node.duration.value_or(0);
        ++workload_.unmappedNodes;
        workload_.unmappedTime += node.duration.value_or(0);
    }

    /// An operator of a list or call tree that is known, or that nobody knows.
    void addOperator(std::uint32_t index, const std::optional<MappedOperator>& mapped) {
        const RecordedNode& node = nodes_[index];
        const std::string name = plainOperatorName(node.name);
        const OperatorFacts facts = operatorFacts(name);
        if (!mapped) {
            countUnmapped(node, name);
            Operator op;
            op.name = name;
            op.kind = OperatorKind::residual;
            addStep(index, std::move(op), RecordedStream::compute).mapped = false;
            lives_.addStep(node, false, true, {});
            return;
        }
        if (facts.what == OperatorClass::collective) {
            const bool receives = contains(name, "recv");
            RecordedStep& step = addCommunication(index, facts.collective, receives ? 0 : rankBytesOf(node, facts.collective));
            if (!receives && !knowsSizes(node)) {
                step.mapped = false;
                countUnmapped(node, name);
            }
            lives_.addStep(node, false, true, {});
            return;
        }
        addStep(index, mapped->op, RecordedStream::compute).causal = mapped->causal;
        lives_.addStep(node, facts.inPlace, true, mapped->weightInputs);
    }

    RecordedStep& addCommunication(std::uint32_t index, CollectiveKind kind, double rankBytes) {
        Operator op;
        op.name = "nccl:" + std::string(toString(kind));
        op.kind = kind == CollectiveKind::send_receive ? OperatorKind::send_receive : OperatorKind::collective;
        op.collective = kind;
        op.group = RankGroup::data;
        RecordedStep& step = addStep(index, std::move(op), RecordedStream::communication);
        step.rankBytes = rankBytes;
        step.groupSize = nodes_[index].groupSize;
        return step;
    }

    // --- operators inside operators ----------------------------------------------------------------------------------------

    /// Callers before those they call. Nodes that call themselves in a circle are left out; no recorder writes such.
    std::vector<std::uint32_t> callersFirst() const {
        std::vector<std::vector<std::uint32_t>> called(nodes_.size());
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].parent < 0) order.push_back(i);
            else called[static_cast<std::size_t>(nodes_[i].parent)].push_back(i);
        }
        for (std::size_t done = 0; done < order.size(); ++done)
            order.insert(order.end(), called[order[done]].begin(), called[order[done]].end());
        return order;
    }

    /// Names of the form space::operator that PyTorch dispatches; annotations and autograd's own nodes only contain such.
    static bool isDispatched(const RecordedNode& node) {
        return contains(node.name, "::") && !node.userScope && !contains(node.name, "autograd::") && !contains(node.name, "## ");
    }

    void addCallTree() {
        const std::vector<std::uint32_t> order = callersFirst();
        std::vector<std::optional<MappedOperator>> mapped(nodes_.size());
        std::vector<char> works(nodes_.size(), 0), absorbed(nodes_.size(), 0);
        for (const std::uint32_t i : order) {
            mapped[i] = touchesDevice(nodes_[i]) || contains(nodes_[i].name, "c10d::") || contains(nodes_[i].name, "nccl:")
                            ? mapOperator(nodes_[i])
                            : std::nullopt;
            const auto parent = nodes_[i].parent;
            const std::optional<Phase> named = phaseOfName(nodes_[i].name);
            if (parent >= 0) phases_[i] = phases_[static_cast<std::size_t>(parent)];
            if (nodes_[i].phase) phases_[i] = *nodes_[i].phase;
            if (named) phases_[i] = *named;
        }
        for (auto i = order.rbegin(); i != order.rend(); ++i) {
            if (mapped[*i]) works[*i] = 1;
            if (works[*i] && nodes_[*i].parent >= 0) works[static_cast<std::size_t>(nodes_[*i].parent)] = 1;
        }
        std::vector<std::uint32_t> taken;
        std::vector<char> allocates(nodes_.size(), 0);
        for (const std::uint32_t i : order) {
            const auto parent = nodes_[i].parent;
            absorbed[i] = parent >= 0 && absorbed[static_cast<std::size_t>(parent)];
            if (absorbed[i]) continue;
            const OperatorClass what = operatorFacts(plainOperatorName(nodes_[i].name)).what;
            const bool idle = what == OperatorClass::view || what == OperatorClass::free || what == OperatorClass::composite;
            const bool unknown = !idle && !works[i] && isDispatched(nodes_[i]) && touchesDevice(nodes_[i]);
            if (mapped[i] || unknown) {
                absorbed[i] = 1;
                taken.push_back(i);
            } else if (what == OperatorClass::free) {
                allocates[i] = 1;
                taken.push_back(i);
            }
        }
        // Ids rise as calls begin.
        std::sort(taken.begin(), taken.end());
        for (const std::uint32_t i : taken) {
            if (allocates[i]) lives_.allocate(nodes_[i]);
            else addOperator(i, mapped[i]);
        }
    }

    // --- a flat list -------------------------------------------------------------------------------------------------------

    void addList() {
        Phase phase = Phase::forward;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            const RecordedNode& node = nodes_[i];
            if (node.kind == RecordedKind::none) continue;
            const OperatorFacts facts = operatorFacts(plainOperatorName(node.name));
            // In the order of execution backward follows forward, and the optimizer comes last.
            const bool list = facts.what == OperatorClass::lists;
            if (node.phase) phase = *node.phase;
            else if (facts.optimizer || (list && phase == Phase::backward)) phase = Phase::optimizer;
            else if (facts.backward && phase == Phase::forward) phase = Phase::backward;
            phases_[i] = phase;
            if (facts.what == OperatorClass::view || facts.what == OperatorClass::composite) continue;
            if (facts.what == OperatorClass::free) lives_.allocate(node);
            else addOperator(i, mapOperator(node));
        }
    }

    // --- nodes with dependencies of their own ------------------------------------------------------------------------------

    std::vector<std::uint32_t> dependentOrder() const {
        std::vector<std::uint32_t> waiting(nodes_.size(), 0);
        std::vector<std::vector<std::uint32_t>> next(nodes_.size());
        for (std::uint32_t i = 0; i < nodes_.size(); ++i)
            for (const std::uint32_t before : nodes_[i].after) {
                next[before].push_back(i);
                ++waiting[i];
            }
        std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i)
            if (waiting[i] == 0) ready.push(i);
        std::vector<std::uint32_t> order;
        while (!ready.empty()) {
            order.push_back(ready.top());
            ready.pop();
            for (const std::uint32_t after : next[order.back()])
                if (--waiting[after] == 0) ready.push(after);
        }
        return order;
    }

    /// The host's operator that launched a kernel: converters name it first among what the kernel depends on.
    /// One that they cut into parts, "aten::mm(0)" and "aten::mm(1)", stands in each with all its tensors; the first part speaks.
    std::int32_t launcherOf(const RecordedNode& node) const {
        std::int32_t launcher = hostBefore(node, "");
        while (launcher >= 0) {
            const std::string& name = nodes_[static_cast<std::size_t>(launcher)].name;
            if (!name.ends_with(')') || name.ends_with("(0)")) break;
            const std::int32_t earlier = hostBefore(nodes_[static_cast<std::size_t>(launcher)], plainOperatorName(name));
            if (earlier < 0) break;
            launcher = earlier;
        }
        return launcher;
    }

    std::int32_t hostBefore(const RecordedNode& node, const std::string& plainName) const {
        for (const std::uint32_t before : node.after)
            if (nodes_[before].kind == RecordedKind::host && (plainName.empty() || plainOperatorName(nodes_[before].name) == plainName))
                return static_cast<std::int32_t>(before);
        return -1;
    }

    /// Autograd works on a thread of its own; what its operators launch is backward too.
    void findPhases() {
        std::set<std::int64_t> backwardThreads;
        std::optional<std::int64_t> firstThread;
        for (const RecordedNode& node : nodes_) {
            if (node.kind != RecordedKind::host) continue;
            if (!firstThread) firstThread = node.thread;
            if (node.thread != *firstThread && phaseOfName(node.name) == Phase::backward) backwardThreads.insert(node.thread);
        }
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            const std::int32_t launcher = nodes_[i].kind == RecordedKind::host ? -1 : launcherOf(nodes_[i]);
            const RecordedNode& teller = launcher < 0 ? nodes_[i] : nodes_[static_cast<std::size_t>(launcher)];
            const bool list = operatorFacts(plainOperatorName(teller.name)).what == OperatorClass::lists;
            if (teller.kind == RecordedKind::host && backwardThreads.contains(teller.thread)) phases_[i] = Phase::backward;
            if (list) phases_[i] = Phase::optimizer;
            else if (const auto named = phaseOfName(teller.name)) phases_[i] = *named;
            else if (teller.phase) phases_[i] = *teller.phase;
        }
    }

    /// "void at::native::vectorized_elementwise_kernel<4, …>" for people.
    static std::string shortKernelName(std::string name) {
        if (name.starts_with("void ")) name.erase(0, 5);
        const std::size_t end = name.find_first_of("<(", name.starts_with("(") ? 1 : 0);
        if (end != std::string::npos && end > 0) name.resize(end);
        constexpr std::size_t longest = 80;
        if (name.size() > longest) name.resize(longest);
        return name.empty() ? "unnamed" : name;
    }

    /// Makers of traces number their nodes: "COMP_NODE_step9" and "COMP_NODE_step11" are of one kind.
    static std::string withoutNumber(const std::string& name) {
        const std::size_t last = name.find_last_not_of("0123456789");
        return last == std::string::npos || last + 1 == name.size() ? name : name.substr(0, last + 1) + "*";
    }

    void addKernel(std::uint32_t index) {
        const RecordedNode& node = nodes_[index];
        const std::int32_t launcher = launcherOf(node);
        Operator op;
        bool known = false, causal = true;
        std::vector<std::size_t> weightInputs;
        if (launcher >= 0) {
            const RecordedNode& host = nodes_[static_cast<std::size_t>(launcher)];
            op.name = plainOperatorName(host.name);
            const OperatorFacts facts = operatorFacts(op.name);
            if (const auto mapped = mapOperator(host)) {
                // An operator's work is shared out over its kernels by their time.
                const auto& [time, count] = launched_[launcher];
                const double share = time > 0 ? node.duration.value_or(0) / time : 1.0 / count;
                op = mapped->op;
                causal = mapped->causal;
                weightInputs = mapped->weightInputs;
                op.flops *= share;
                op.bytesRead *= share;
                op.bytesWritten *= share;
                known = true;
            } else if (facts.what > OperatorClass::composite) {
                op.kind = facts.kind;
                known = true;
            }
        } else {
            op.name = shortKernelName(node.name);
        }
        if (node.flops > 0 || node.bytes > 0) {
            op.kind = OperatorKind::gemm;
            op.shape = {};
            op.flops = node.flops;
            op.bytesRead = node.bytes;
            op.bytesWritten = 0;
            known = true;
        }
        if (!known)
            if (const auto kind = kernelKind(node.name)) {
                op.kind = *kind;
                known = true;
            }
        if (!known) {
            op.kind = OperatorKind::residual;
            countUnmapped(node, withoutNumber(op.name));
        }
        RecordedStep& step = addStep(index, std::move(op), RecordedStream::compute);
        step.causal = causal;
        step.mapped = known;
        lives_.addStep(node, false, false, weightInputs);
    }

    void addDependentNodes() {
        findPhases();
        for (const RecordedNode& node : nodes_) {
            if (node.kind != RecordedKind::kernel) continue;
            auto& [time, count] = launched_[launcherOf(node)];
            time += node.duration.value_or(0);
            count += 1;
        }
        std::vector<std::int32_t> stepOf(nodes_.size(), noStep);
        for (const std::uint32_t i : dependentOrder()) {
            const RecordedNode& node = nodes_[i];
            stepOf[i] = static_cast<std::int32_t>(workload_.steps.size());
            switch (node.kind) {
            case RecordedKind::kernel:
            case RecordedKind::op: addKernel(i); break;
            case RecordedKind::collective:
            case RecordedKind::send: {
                RecordedStep& step = addCommunication(i, node.collective, node.rankBytes);
                if (node.rankBytes > 0 && node.collective != CollectiveKind::none) break;
                step.mapped = false;
                countUnmapped(node, shortKernelName(node.name));
                break;
            }
            case RecordedKind::receive: addCommunication(i, CollectiveKind::send_receive, 0); break;
            case RecordedKind::load_store: {
                Operator op;
                op.name = shortKernelName(node.name);
                op.kind = OperatorKind::permute;
                op.bytesRead = node.bytes;
                addStep(i, std::move(op), RecordedStream::compute);
                break;
            }
            case RecordedKind::host:
            case RecordedKind::none: {
                Operator op;
                op.name = plainOperatorName(node.name);
                op.kind = OperatorKind::residual;
                RecordedStep& step = addStep(i, std::move(op), RecordedStream::host);
                if (node.kind == RecordedKind::none) step.recorded = 0;
                workload_.hostRecorded = workload_.hostRecorded || node.duration.has_value();
                break;
            }
            }
            std::vector<std::uint32_t>& after = workload_.steps.back().after;
            for (const std::uint32_t before : node.after) after.push_back(static_cast<std::uint32_t>(stepOf[before]));
        }
    }

    const Recording& recording_;
    const std::vector<RecordedNode>& nodes_;
    RecordedWorkload workload_;
    TensorLives lives_;
    std::vector<Phase> phases_;
    std::map<std::string, UnmappedNodes> unmapped_;
    std::map<std::int32_t, std::pair<double, double>> launched_; ///< by launcher: time and number of its kernels
};

} // namespace

RecordedWorkload makeRecordedWorkload(const Recording& recording) { return WorkloadMaker(recording).run(); }

} // namespace orrery
