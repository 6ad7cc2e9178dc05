// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/memory_holders.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace orrery {
namespace {

/// Which tensor: micro-batch, piece, layer, chunk and its number in the piece.
using InstanceKey = std::tuple<int, int, int, int, int>;

/// A pass on a stage, at its place among the stage's works.
struct PassAt {
    const StagePass* pass = nullptr;
    std::size_t work = 0;
};

struct Instance {
    const SegmentTensor* tensor = nullptr;
    PassAt writer;
};

/// A stage's works replayed up to a moment.
class Moment {
public:
    Moment(const Result& result, int stage, double time)
        : result_(result), detail_(result.memory.detail), stage_(static_cast<std::size_t>(stage)), time_(time), works_(detail_.works[stage_]),
          spans_(result.timeline.stages[stage_].streams[static_cast<std::size_t>(StreamKind::compute)].spans) {
        for (; at_ < works_.size() && spans_[at_].end <= time; ++at_)
            for (const StagePass& pass : passesOf(at_)) apply({&pass, at_});
        if (at_ == works_.size() || spans_[at_].start > time) return;
        for (const StagePass& pass : passesOf(at_)) running_.emplace_back(&pass, runningOperator(pass));
    }

    std::vector<MemoryHolder> holders() const {
        std::vector<MemoryHolder> holders;
        addStates(holders);
        addBuffers(holders);
        for (const auto& [key, instance] : kept_)
            if (!isReplaced(key)) addTensor(holders, *instance.tensor, instance.writer, false, parkedShare());
        for (const auto& [pass, index] : running_)
            for (const SegmentTensor& tensor : memoryOf(*pass).tensors)
                if (index >= 0 && tensor.isAliveAt(index)) addTensor(holders, tensor, writerOf(*pass, tensor), !tensor.keptAfter, 1);
        std::stable_sort(holders.begin(), holders.end(), [](const MemoryHolder& a, const MemoryHolder& b) {
            return std::tie(a.kind, a.microBatch, a.layer) < std::tie(b.kind, b.microBatch, b.layer);
        });
        return holders;
    }

private:
    struct Passes {
        const StageWork& work;
        const StagePass* begin() const { return work.passes.data(); }
        const StagePass* end() const { return work.passes.data() + work.count; }
    };
    Passes passesOf(std::size_t work) const { return {works_[work]}; }
    const Segment& segmentAt(std::size_t work) const { return result_.timeline.segments[spans_[work].segment]; }
    const SegmentMemory& memoryOf(const StagePass& pass) const { return detail_.segments[pass.segment]; }
    InstanceKey keyOf(const StagePass& pass, const SegmentTensor& tensor) const {
        return {pass.microBatch, memoryOf(pass).piece, pass.layer, pass.chunk, tensor.tensor};
    }
    static bool sameUnit(const StagePass& a, const StagePass& b) { return a.microBatch == b.microBatch && a.layer == b.layer && a.chunk == b.chunk; }
    /// The share of what is kept between the passes that is not in host memory.
    double parkedShare() const { return 1 - result_.scenario.execution.offload.activations; }

    void apply(const PassAt& at) {
        for (const SegmentTensor& tensor : memoryOf(*at.pass).tensors) {
            if (tensor.keptAfter) kept_.try_emplace(keyOf(*at.pass, tensor), Instance{&tensor, at});
            else if (tensor.first < 0) kept_.erase(keyOf(*at.pass, tensor));
        }
    }

    std::vector<double> turnsOf(std::size_t work, const StagePass& pass) const { return operatorTurns(segmentAt(work), memoryOf(pass).operators); }

    /// The last whose turn has come, -1 when none's has; of several whose turn came together the one that needs most.
    std::int32_t runningOperator(const StagePass& pass) const {
        const SegmentMemory& memory = memoryOf(pass);
        const std::vector<double> turns = turnsOf(at_, pass);
        std::int32_t best = works_[at_].count > 1 ? -1 : 0;
        double latest = -1, most = 0;
        for (std::size_t i = 0; i < turns.size() && spans_[at_].start + turns[i] <= time_; ++i) {
            const auto index = static_cast<std::int32_t>(i);
            double bytes = 0;
            for (const SegmentTensor& tensor : memory.tensors)
                if (tensor.isAliveAt(index)) bytes += tensor.bytes;
            // The last has buffers of its own kind beside it.
            if (turns[i] == latest && bytes <= most && i + 1 < turns.size()) continue;
            latest = turns[i];
            most = bytes;
            best = index;
        }
        return best;
    }

    /// The running pass speaks for what it found alive.
    bool isReplaced(const InstanceKey& key) const {
        for (const auto& [pass, index] : running_) {
            if (index < 0) continue;
            for (const SegmentTensor& tensor : memoryOf(*pass).tensors)
                if (tensor.first < 0 && keyOf(*pass, tensor) == key) return true;
        }
        return false;
    }

    PassAt writerOf(const StagePass& running, const SegmentTensor& tensor) const {
        const auto found = tensor.first < 0 ? kept_.find(keyOf(running, tensor)) : kept_.end();
        return found == kept_.end() ? PassAt{&running, at_} : found->second.writer;
    }

    const SegmentTensor* lifeIn(const StagePass& pass, std::int32_t id) const {
        for (const SegmentTensor& tensor : memoryOf(pass).tensors)
            if (tensor.tensor == id) return &tensor;
        return nullptr;
    }

    /// The pass that frees what `from` left alive.
    PassAt freedBy(const StagePass& from, std::int32_t id) const {
        for (std::size_t work = at_; work < works_.size(); ++work) {
            for (const StagePass& pass : passesOf(work)) {
                if (!sameUnit(pass, from) || memoryOf(pass).piece != memoryOf(from).piece) continue;
                const SegmentTensor* life = lifeIn(pass, id);
                if (life && life->first < 0 && !life->keptAfter) return {&pass, work};
            }
        }
        return {};
    }

    const std::string& nameOf(const PassAt& at, std::int32_t index) const {
        static const std::string none;
        const std::vector<std::uint32_t>& operators = memoryOf(*at.pass).operators;
        const auto place = static_cast<std::size_t>(std::max(index, 0));
        return place < operators.size() ? result_.timeline.operators[operators[place]].op.name : none;
    }

    /// When a pass comes to an operator: what it writes is there, what the one before needed last is not.
    double reaches(const PassAt& at, std::int32_t index) const {
        const std::vector<double> turns = turnsOf(at.work, *at.pass);
        const auto place = static_cast<std::size_t>(std::max(index, 0));
        if (index <= 0 || place >= turns.size()) return spans_[at.work].start;
        return spans_[at.work].start + turns[place];
    }

    /// When none that had its turn together with an operator is the last to have had it.
    double leaves(const PassAt& at, std::int32_t index) const {
        const std::vector<double> turns = turnsOf(at.work, *at.pass);
        const auto place = static_cast<std::size_t>(std::max(index, 0));
        if (place >= turns.size()) return spans_[at.work].end;
        const auto next = std::upper_bound(turns.begin(), turns.end(), turns[place]);
        return next == turns.end() ? spans_[at.work].end : spans_[at.work].start + *next;
    }

    void addTensor(std::vector<MemoryHolder>& holders, const SegmentTensor& tensor, const PassAt& writer, bool freedHere, double share) const {
        if (tensor.bytes * share <= 0) return;
        MemoryHolder holder;
        holder.kind = tensor.kind;
        holder.piece = detail_.pieces[static_cast<std::size_t>(memoryOf(*writer.pass).piece)].name;
        holder.tensor = tensor.name;
        holder.layer = writer.pass->layer;
        holder.microBatch = writer.pass->microBatch;
        holder.bytes = tensor.bytes * share;
        const SegmentTensor* written = lifeIn(*writer.pass, tensor.tensor);
        holder.firstOperator = nameOf(writer, written ? written->first : 0);
        holder.from = reaches(writer, written ? written->first : 0);
        const PassAt last = freedHere && tensor.first >= 0 ? writer : freedBy(*writer.pass, tensor.tensor);
        holder.to = result_.timeline.duration;
        if (last.pass) {
            const SegmentTensor* freed = lifeIn(*last.pass, tensor.tensor);
            holder.lastOperator = nameOf(last, freed ? freed->last : 0);
            holder.to = leaves(last, freed ? freed->last : 0);
        }
        holders.push_back(std::move(holder));
    }

    void addLasting(std::vector<MemoryHolder>& holders, MemoryKind kind, const std::string& piece, std::string_view name, int layer, double bytes) const {
        if (bytes <= 0) return;
        MemoryHolder holder;
        holder.kind = kind;
        holder.piece = piece;
        holder.tensor = name;
        holder.layer = layer;
        holder.bytes = bytes;
        holder.to = std::max(result_.timeline.duration, time_);
        holder.from = std::min(0.0, time_);
        holders.push_back(std::move(holder));
    }

    void addStates(std::vector<MemoryHolder>& holders) const {
        for (const StageUnit& unit : detail_.units[stage_]) {
            const PieceStates& states = detail_.pieces[static_cast<std::size_t>(unit.piece)];
            for (const StateTensor& tensor : states.tensors) {
                addLasting(holders, MemoryKind::weights, states.name, tensor.name, unit.layer, tensor.weights);
                addLasting(holders, MemoryKind::gradients, states.name, tensor.name, unit.layer, tensor.gradients);
                addLasting(holders, MemoryKind::optimizer_states, states.name, tensor.name, unit.layer, tensor.optimizerStates);
            }
        }
        for (const ConstantHolder& constant : detail_.constants[stage_]) addLasting(holders, constant.kind, "", constant.name, -1, constant.bytes);
    }

    double slotBegins(std::int32_t slot) const {
        const auto work = static_cast<std::size_t>(slot / 2);
        if (work >= works_.size()) return result_.timeline.duration;
        const StagePass& pass = works_[work].passes[0];
        const auto last = static_cast<std::int32_t>(memoryOf(pass).operators.size()) - 1;
        return slot % 2 == 0 ? spans_[work].start : reaches({&pass, work}, last);
    }

    void addBuffers(std::vector<MemoryHolder>& holders) const {
        if (works_.empty() || time_ < spans_.front().start) return;
        // Between two works what is alive in the slots on both sides.
        const auto before = 2 * static_cast<std::int32_t>(at_) - 1;
        const std::int32_t from = running_.empty() ? before : slotOf(detail_, works_[at_], at_, running_.front().second);
        const std::int32_t to = running_.empty() ? before + 1 : from;
        for (const BufferLife& life : detail_.buffers[stage_]) {
            if (life.first > from || life.last < to) continue;
            addLasting(holders, life.kind, detail_.pieces[static_cast<std::size_t>(life.piece)].name, life.name, life.layer, life.bytes);
            holders.back().from = std::min(time_, slotBegins(life.first));
            holders.back().to = std::max(time_, slotBegins(life.last + 1));
        }
    }

    const Result& result_;
    const MemoryDetail& detail_;
    std::size_t stage_;
    double time_;
    const std::vector<StageWork>& works_;
    const std::vector<Span>& spans_;
    std::size_t at_ = 0;                                             ///< the first work that isn't done
    std::vector<std::pair<const StagePass*, std::int32_t>> running_; ///< with the operator each has come to
    std::map<InstanceKey, Instance> kept_;
};

} // namespace

std::vector<double> operatorTurns(const Segment& segment, const std::vector<std::uint32_t>& operators) {
    std::vector<double> turns(operators.size(), 0);
    for (const SegmentEntry& entry : segment.entries) {
        const auto place = std::lower_bound(operators.begin(), operators.end(), entry.op);
        if (place == operators.end() || *place != entry.op) continue;
        double& turn = turns[static_cast<std::size_t>(place - operators.begin())];
        turn = std::max(turn, entry.start);
    }
    for (std::size_t i = 1; i < turns.size(); ++i) turns[i] = std::max(turns[i], turns[i - 1]);
    return turns;
}

std::int32_t slotOf(const MemoryDetail& detail, const StageWork& work, std::size_t place, std::int32_t index) {
    const bool last = work.count == 1 && index + 1 == static_cast<std::int32_t>(detail.segments[work.passes[0].segment].operators.size());
    return 2 * static_cast<std::int32_t>(place) + (last ? 1 : 0);
}

std::array<double, memoryKindCount> memoryAt(const Result& result, int stage, double time) {
    std::array<double, memoryKindCount> bytes{};
    for (const MemoryHolder& holder : holdersAt(result, stage, time)) bytes[static_cast<std::size_t>(holder.kind)] += holder.bytes;
    return bytes;
}

std::vector<MemoryHolder> holdersAt(const Result& result, int stage, double time) {
    if (stage < 0 || static_cast<std::size_t>(stage) >= result.memory.detail.works.size()) return {};
    return Moment(result, stage, time).holders();
}

} // namespace orrery
