// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/live/extension/connection.hpp"
#include "app/live/extension/contents.hpp"
#include "app/live/extension/live_work.hpp"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orrery::live {

/// A process group whose members are real ranks, in processes of their own, and virtual ones, which are nowhere. What real ranks send each other
/// goes through the coordinator; what virtual ranks would send is made here (contents.hpp). A call that needs nothing of another real rank is over
/// when it was told.
class LiveGroup final : public c10d::ProcessGroup {
public:
    using Tensors = std::vector<at::Tensor>;
    using Works = c10::intrusive_ptr<c10d::Work>;

    /// `members` are the job's ranks in the group's order; `real` those of the job that have a process.
    LiveGroup(std::shared_ptr<Connection> connection, std::uint32_t number, int rank, std::vector<int> members, const std::vector<int>& real, ContentRules rules);

    const std::string getBackendName() const override { return "orrery"; }

    Works broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
    Works allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
    Works allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) override;
    Works reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
    Works allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override;
    Works _allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& options) override;
    Works allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override;
    Works gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& options) override;
    Works scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& options) override;
    Works reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ReduceScatterOptions& options) override;
    Works _reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) override;
    Works alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<std::int64_t>& outputSplits, std::vector<std::int64_t>& inputSplits, const c10d::AllToAllOptions& options) override;
    Works alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) override;
    Works send(Tensors& tensors, int to, int tag) override;
    Works recv(Tensors& tensors, int from, int tag) override;
    Works recvAnysource(Tensors& tensors, int tag) override;
    Works barrier(const c10d::BarrierOptions& options) override;
    void monitoredBarrier(const c10d::BarrierOptions& options, bool waitAll) override;
    void setSequenceNumberForGroup() override {}
    std::uint64_t getSequenceNumberForGroup() override { return calls_; }

    const std::vector<int>& members() const { return members_; }

private:
    /// Data for one member, or for all (WireSection::all).
    struct Outgoing {
        std::int32_t member = WireSection::all;
        Tensors tensors;
    };
    /// Tells the coordinator, and completes by itself what waits for no other real rank.
    Works call(LiveCall call, c10d::OpType type, const std::vector<Outgoing>& outgoing, Tensors outputs, LiveWork::Take take);
    LiveCall described(CallKind kind, const Tensors& tensors, double bytesFactor = 1) const;
    bool isReal(std::int32_t member) const { return real_[static_cast<std::size_t>(member)]; }
    Works reduced(CallKind kind, Tensors tensors, Reduction reduction, std::int32_t root, c10d::OpType type);
    Works gathered(std::vector<Tensors> byMember, Tensors own, std::int32_t root, c10d::OpType type);
    Works scatterReduced(at::Tensor output, std::vector<Tensors> byMember, Reduction reduction, c10d::OpType type);
    Works exchanged(std::vector<at::Tensor> outputs, std::vector<at::Tensor> inputs, c10d::OpType type);
    Works received(Tensors& tensors, std::int32_t from, int tag, c10d::OpType type);
    /// Own share and what other real ranks gave, in the order of the members, so that all get the same bits.
    void combine(Tensors& own, const Given& given, Reduction reduction);
    std::uint64_t streamOf(std::uint64_t call, std::int32_t member) const;
    void remark(const std::string& text);

    std::shared_ptr<Connection> connection_;
    std::uint32_t number_;
    std::vector<int> members_;
    std::vector<bool> real_;
    std::int64_t realMembers_ = 0;
    ContentRules rules_;
    std::uint64_t calls_ = 0;
    bool overflowTold_ = false;
};

} // namespace orrery::live
