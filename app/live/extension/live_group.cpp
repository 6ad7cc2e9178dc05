// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/extension/live_group.hpp"

#include "app/live/extension/held_memory.hpp"
#include "app/live/extension/program_place.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace orrery::live {
namespace {

std::int64_t countOf(const std::vector<at::Tensor>& tensors) {
    std::int64_t count = 0;
    for (const at::Tensor& tensor : tensors) count += tensor.numel();
    return count;
}

std::uint64_t bytesOf(const std::vector<at::Tensor>& tensors) {
    std::uint64_t bytes = 0;
    for (const at::Tensor& tensor : tensors) bytes += static_cast<std::uint64_t>(tensor.numel()) * tensor.element_size();
    return bytes;
}

/// A tensor over bytes that are somebody else's; allocates nothing.
at::Tensor over(const void* data, const at::Tensor& like) { return at::from_blob(const_cast<void*>(data), like.sizes(), like.options()); }

/// Copies bytes that came for several tensors into them, one after another.
void spread(std::string_view bytes, const std::vector<at::Tensor>& tensors) {
    if (bytes.size() != bytesOf(tensors)) throw std::runtime_error("a rank sent " + std::to_string(bytes.size()) + " bytes where " + std::to_string(bytesOf(tensors)) + " were expected");
    std::size_t at = 0;
    for (const at::Tensor& tensor : tensors) {
        if (tensor.numel() == 0) continue;
        at::Tensor target = tensor;
        target.copy_(over(bytes.data() + at, tensor));
        at += static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
    }
}

void accumulate(at::Tensor& sum, const at::Tensor& next, Reduction reduction) {
    switch (reduction) {
    case Reduction::product: sum.mul_(next); return;
    case Reduction::minimum: at::minimum_out(sum, sum, next); return;
    case Reduction::maximum: at::maximum_out(sum, sum, next); return;
    case Reduction::bit_and: sum.bitwise_and_(next); return;
    case Reduction::bit_or: sum.bitwise_or_(next); return;
    case Reduction::bit_xor: sum.bitwise_xor_(next); return;
    default: sum.add_(next); return;
    }
}

Reduction reductionOf(const c10d::ReduceOp& operation) {
    const auto kind = static_cast<std::uint8_t>(static_cast<c10d::ReduceOp::RedOpType>(operation));
    if (kind > static_cast<std::uint8_t>(Reduction::bit_xor)) throw std::runtime_error("orrery's process group knows no premultiplied sums; use a plain sum");
    return static_cast<Reduction>(kind);
}

const at::Tensor& only(const std::vector<at::Tensor>& tensors, const char* what) {
    if (tensors.size() != 1) throw std::runtime_error(std::string(what) + ": one tensor a rank, " + std::to_string(tensors.size()) + " were given");
    return tensors.front();
}

std::vector<at::Tensor> chunksOf(const at::Tensor& tensor, std::size_t count) {
    if (tensor.numel() % static_cast<std::int64_t>(count) != 0) throw std::runtime_error("a tensor of " + std::to_string(tensor.numel()) + " elements does not divide among " + std::to_string(count) + " ranks");
    const at::Tensor flat = tensor.view({-1});
    const std::int64_t each = tensor.numel() / static_cast<std::int64_t>(count);
    std::vector<at::Tensor> chunks;
    for (std::size_t i = 0; i < count; ++i) chunks.push_back(flat.narrow(0, static_cast<std::int64_t>(i) * each, each));
    return chunks;
}

} // namespace

LiveGroup::LiveGroup(std::shared_ptr<Connection> connection, std::uint32_t number, int rank, std::vector<int> members, const std::vector<int>& real, ContentRules rules)
    : ProcessGroup(rank, static_cast<int>(members.size())), connection_(std::move(connection)), number_(number), members_(std::move(members)), rules_(rules) {
    for (const int member : members_) {
        real_.push_back(std::find(real.begin(), real.end(), member) != real.end());
        if (real_.back()) ++realMembers_;
    }
}

LiveCall LiveGroup::described(CallKind kind, const Tensors& tensors, double bytesFactor) const {
    LiveCall call;
    call.kind = kind;
    call.type = tensors.empty() ? 0 : static_cast<std::uint8_t>(tensors.front().scalar_type());
    call.elements = static_cast<std::uint64_t>(countOf(tensors));
    call.bytes = static_cast<std::uint64_t>(static_cast<double>(bytesOf(tensors)) * bytesFactor);
    return call;
}

void LiveGroup::remark(const std::string& text) {
    WireWriter writer(WireMessage::remark);
    writer.text(text);
    connection_->send(writer);
}

std::uint64_t LiveGroup::streamOf(std::uint64_t call, std::int32_t member) const {
    return (static_cast<std::uint64_t>(number_) << 48) ^ (call << 16) ^ static_cast<std::uint64_t>(static_cast<std::uint32_t>(member));
}

LiveGroup::Works LiveGroup::call(LiveCall call, c10d::OpType type, const std::vector<Outgoing>& outgoing, Tensors outputs, LiveWork::Take take) {
    call.compute = computeSinceLeft();
    call.operation = connection_->nextOperation();
    call.group = number_;
    call.heldBytes = heldMemory().current;
    call.place = programPlace();
    ++calls_;

    bool awaitsOthers = realMembers_ > 1;
    if (isPointToPoint(call.kind)) awaitsOthers = call.peer == LiveCall::nobody ? realMembers_ > 1 : isReal(call.peer);

    auto work = c10::make_intrusive<LiveWork>(connection_, call.operation, rank_, type, std::move(outputs), std::move(take));
    WireWriter writer(WireMessage::call);
    putCall(writer, call);
    std::vector<Connection::Part> parts;
    std::vector<std::vector<char>> copies; // of tensors that lie in pieces
    std::vector<WireSection> sections;
    if (awaitsOthers) {
        for (const Outgoing& one : outgoing) {
            if (one.member != WireSection::all && (one.member == rank_ || !isReal(one.member))) continue;
            sections.push_back({one.member, bytesOf(one.tensors)});
            for (const at::Tensor& tensor : one.tensors) {
                const std::size_t size = static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
                if (size == 0) continue;
                if (tensor.is_contiguous()) {
                    parts.push_back({tensor.data_ptr(), size});
                    continue;
                }
                copies.emplace_back(size);
                over(copies.back().data(), tensor).copy_(tensor);
                parts.push_back({copies.back().data(), size});
            }
        }
        connection_->expect(call.operation, std::make_shared<AwaitingWork>(work));
    }
    writer.put(static_cast<std::uint32_t>(sections.size()));
    for (const WireSection& section : sections) writer.put(section.member).put(section.bytes);
    connection_->send(writer, parts, awaitsOthers);
    if (!awaitsOthers) work->complete({});
    leaveGroup();
    return work;
}

void LiveGroup::combine(Tensors& own, const Given& given, Reduction reduction) {
    // Real members of a large group are few: every result is computed from all of their shares, at each of them.
    std::vector<char> buffer(bytesOf(own));
    std::size_t at = 0;
    for (at::Tensor& tensor : own) {
        const std::size_t size = static_cast<std::size_t>(tensor.numel()) * tensor.element_size();
        if (size == 0) continue;
        at::Tensor sum = over(buffer.data() + at, tensor);
        bool isFirst = true;
        for (std::int32_t member = 0; member < size_; ++member) {
            if (!isReal(member)) continue;
            const auto found = given.byMember.find(member);
            if (member != rank_ && (found == given.byMember.end() || found->second.size() != buffer.size()))
                throw std::runtime_error("rank " + std::to_string(members_[static_cast<std::size_t>(member)]) + " gave another number of bytes than was expected");
            const at::Tensor next = member == rank_ ? tensor : over(found->second.data() + at, tensor);
            if (isFirst) sum.copy_(next);
            else accumulate(sum, next, reduction);
            isFirst = false;
        }
        const std::string told = completeReduction(sum, reduction, realMembers_, size_, rules_.contents);
        if (!told.empty() && !std::exchange(overflowTold_, true)) remark(told);
        tensor.copy_(sum);
        at += size;
    }
}

LiveGroup::Works LiveGroup::reduced(CallKind kind, Tensors tensors, Reduction reduction, std::int32_t root, c10d::OpType type) {
    LiveCall asked = described(kind, tensors);
    asked.reduction = reduction;
    asked.peer = root;
    const bool takes = root == LiveCall::nobody || root == rank_;
    return call(asked, type, {{root == LiveCall::nobody ? WireSection::all : root, tensors}}, tensors, [this, tensors, reduction, takes](const Given& given) mutable {
        if (takes) combine(tensors, given, reduction);
    });
}

LiveGroup::Works LiveGroup::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
    only(tensors, "all_reduce");
    return reduced(CallKind::all_reduce, tensors, reductionOf(options.reduceOp), LiveCall::nobody, c10d::OpType::ALLREDUCE);
}

LiveGroup::Works LiveGroup::allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) {
    return reduced(CallKind::all_reduce, tensors, reductionOf(options.reduceOp), LiveCall::nobody, c10d::OpType::ALLREDUCE_COALESCED);
}

LiveGroup::Works LiveGroup::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
    only(tensors, "reduce");
    return reduced(CallKind::reduce, tensors, reductionOf(options.reduceOp), static_cast<std::int32_t>(options.rootRank), c10d::OpType::REDUCE);
}

LiveGroup::Works LiveGroup::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
    const auto root = static_cast<std::int32_t>(options.rootRank);
    LiveCall asked = described(CallKind::broadcast, {only(tensors, "broadcast")});
    asked.peer = root;
    std::vector<Outgoing> outgoing;
    if (root == rank_) outgoing.push_back({WireSection::all, tensors});
    const std::uint64_t stream = streamOf(calls_, root);
    return call(asked, c10d::OpType::BROADCAST, outgoing, tensors, [this, tensors, root, stream](const Given& given) {
        if (root == rank_) return;
        if (isReal(root)) spread(given.byMember.at(root), tensors);
        else receiveAsVirtual(tensors.front(), rules_, stream);
    });
}

LiveGroup::Works LiveGroup::gathered(std::vector<Tensors> byMember, Tensors own, std::int32_t root, c10d::OpType type) {
    LiveCall asked = described(root == LiveCall::nobody ? CallKind::all_gather : CallKind::gather, own, size_);
    asked.peer = root;
    Tensors outputs;
    for (const Tensors& tensors : byMember) outputs.insert(outputs.end(), tensors.begin(), tensors.end());
    const std::uint64_t serial = calls_;
    return call(asked, type, {{root == LiveCall::nobody ? WireSection::all : root, own}}, outputs, [this, byMember, own, serial](const Given& given) {
        for (std::size_t member = 0; member < byMember.size(); ++member) {
            const auto place = static_cast<std::int32_t>(member);
            if (place != rank_ && isReal(place)) {
                spread(given.byMember.at(place), byMember[member]);
                continue;
            }
            for (std::size_t i = 0; i < byMember[member].size(); ++i) {
                at::Tensor target = byMember[member][i];
                if (place == rank_) target.copy_(own[i].view(target.sizes()));
                else fillAsVirtual(target, &own[i], rules_, streamOf(serial, place));
            }
        }
    });
}

LiveGroup::Works LiveGroup::allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions&) {
    only(inputs, "all_gather");
    if (outputs.size() != 1 || outputs.front().size() != members_.size()) throw std::runtime_error("all_gather: a list of as many tensors as the group has ranks is needed");
    std::vector<Tensors> byMember;
    for (const at::Tensor& tensor : outputs.front()) byMember.push_back({tensor});
    return gathered(byMember, inputs, LiveCall::nobody, c10d::OpType::ALLGATHER);
}

LiveGroup::Works LiveGroup::_allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions&) {
    std::vector<Tensors> byMember;
    for (const at::Tensor& chunk : chunksOf(output, members_.size())) byMember.push_back({chunk});
    return gathered(byMember, {input.view({-1})}, LiveCall::nobody, c10d::OpType::_ALLGATHER_BASE);
}

LiveGroup::Works LiveGroup::allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions&) {
    if (outputs.size() != members_.size()) throw std::runtime_error("all_gather_coalesced: as many lists as the group has ranks are needed");
    return gathered(outputs, inputs, LiveCall::nobody, c10d::OpType::ALLGATHER_COALESCED);
}

LiveGroup::Works LiveGroup::gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& options) {
    only(inputs, "gather");
    std::vector<Tensors> byMember;
    if (options.rootRank == rank_)
        for (const at::Tensor& tensor : outputs.at(0)) byMember.push_back({tensor});
    return gathered(byMember, inputs, static_cast<std::int32_t>(options.rootRank), c10d::OpType::GATHER);
}

LiveGroup::Works LiveGroup::scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& options) {
    const auto root = static_cast<std::int32_t>(options.rootRank);
    LiveCall asked = described(CallKind::scatter, {only(outputs, "scatter")}, size_);
    asked.peer = root;
    std::vector<Outgoing> outgoing;
    at::Tensor own;
    if (root == rank_) {
        if (inputs.size() != 1 || inputs.front().size() != members_.size()) throw std::runtime_error("scatter: the root gives a tensor for each rank of the group");
        for (std::size_t member = 0; member < members_.size(); ++member) outgoing.push_back({static_cast<std::int32_t>(member), {inputs.front()[member]}});
        own = inputs.front()[static_cast<std::size_t>(rank_)];
    }
    const std::uint64_t serial = calls_;
    return call(asked, c10d::OpType::SCATTER, outgoing, outputs, [this, outputs, own, root, serial](const Given& given) {
        at::Tensor target = outputs.front();
        if (root == rank_) target.copy_(own);
        else if (isReal(root)) spread(given.byMember.at(root), outputs);
        else fillAsVirtual(target, nullptr, rules_, streamOf(serial, root));
    });
}

LiveGroup::Works LiveGroup::scatterReduced(at::Tensor output, std::vector<Tensors> byMember, Reduction reduction, c10d::OpType type) {
    LiveCall asked = described(CallKind::reduce_scatter, {output}, size_);
    asked.reduction = reduction;
    std::vector<Outgoing> outgoing;
    for (std::size_t member = 0; member < byMember.size(); ++member) outgoing.push_back({static_cast<std::int32_t>(member), byMember[member]});
    const at::Tensor own = byMember[static_cast<std::size_t>(rank_)].front();
    return call(asked, type, outgoing, {output}, [this, output, own, reduction](const Given& given) mutable {
        output.copy_(own.view(output.sizes()));
        Tensors sums{output};
        combine(sums, given, reduction);
    });
}

LiveGroup::Works LiveGroup::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ReduceScatterOptions& options) {
    if (inputs.size() != 1 || inputs.front().size() != members_.size()) throw std::runtime_error("reduce_scatter: a tensor for each rank of the group is needed");
    std::vector<Tensors> byMember;
    for (const at::Tensor& tensor : inputs.front()) byMember.push_back({tensor});
    return scatterReduced(only(outputs, "reduce_scatter"), byMember, reductionOf(options.reduceOp), c10d::OpType::REDUCE_SCATTER);
}

LiveGroup::Works LiveGroup::_reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) {
    std::vector<Tensors> byMember;
    for (const at::Tensor& chunk : chunksOf(input, members_.size())) byMember.push_back({chunk});
    return scatterReduced(output, byMember, reductionOf(options.reduceOp), c10d::OpType::_REDUCE_SCATTER_BASE);
}

LiveGroup::Works LiveGroup::exchanged(std::vector<at::Tensor> outputs, std::vector<at::Tensor> inputs, c10d::OpType type) {
    if (outputs.size() != members_.size() || inputs.size() != members_.size()) throw std::runtime_error("all_to_all: a tensor for each rank of the group is needed");
    LiveCall asked = described(CallKind::all_to_all, inputs);
    asked.elements = 0; // ranks may send different numbers
    std::vector<Outgoing> outgoing;
    for (std::size_t member = 0; member < inputs.size(); ++member) outgoing.push_back({static_cast<std::int32_t>(member), {inputs[member]}});
    const std::uint64_t serial = calls_;
    return call(asked, type, outgoing, outputs, [this, outputs, inputs, serial](const Given& given) {
        for (std::size_t member = 0; member < outputs.size(); ++member) {
            const auto place = static_cast<std::int32_t>(member);
            at::Tensor target = outputs[member];
            if (place == rank_) target.copy_(inputs[member].view(target.sizes()));
            else if (isReal(place)) spread(given.byMember.at(place), {target});
            else fillAsVirtual(target, &inputs[member], rules_, streamOf(serial, place));
        }
    });
}

LiveGroup::Works LiveGroup::alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<std::int64_t>& outputSplits, std::vector<std::int64_t>& inputSplits, const c10d::AllToAllOptions&) {
    const auto parts = [&](const at::Tensor& tensor, const std::vector<std::int64_t>& splits) {
        if (splits.empty()) return chunksOf(tensor, members_.size());
        std::vector<at::Tensor> cut;
        std::int64_t begin = 0;
        for (const std::int64_t rows : splits) {
            cut.push_back(tensor.narrow(0, begin, rows));
            begin += rows;
        }
        return cut;
    };
    return exchanged(parts(output, outputSplits), parts(input, inputSplits), c10d::OpType::ALLTOALL_BASE);
}

LiveGroup::Works LiveGroup::alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions&) { return exchanged(outputs, inputs, c10d::OpType::ALLTOALL); }

LiveGroup::Works LiveGroup::send(Tensors& tensors, int to, int tag) {
    LiveCall asked = described(CallKind::send, {only(tensors, "send")});
    asked.peer = to;
    asked.tag = tag;
    return call(asked, c10d::OpType::SEND, {{to, tensors}}, tensors, nullptr);
}

LiveGroup::Works LiveGroup::received(Tensors& tensors, std::int32_t from, int tag, c10d::OpType type) {
    LiveCall asked = described(CallKind::receive, {only(tensors, "recv")});
    asked.peer = from;
    asked.tag = tag;
    const std::uint64_t stream = streamOf(calls_, from);
    return call(asked, type, {}, tensors, [this, tensors, stream](const Given& given) {
        if (given.byMember.empty()) fillAsVirtual(tensors.front(), nullptr, rules_, stream);
        else spread(given.byMember.begin()->second, tensors);
    });
}

LiveGroup::Works LiveGroup::recv(Tensors& tensors, int from, int tag) { return received(tensors, from, tag, c10d::OpType::RECV); }
LiveGroup::Works LiveGroup::recvAnysource(Tensors& tensors, int tag) { return received(tensors, LiveCall::nobody, tag, c10d::OpType::RECVANYSOURCE); }

LiveGroup::Works LiveGroup::barrier(const c10d::BarrierOptions&) { return call(described(CallKind::barrier, {}), c10d::OpType::BARRIER, {}, {}, nullptr); }

void LiveGroup::monitoredBarrier(const c10d::BarrierOptions& options, bool) { barrier(options)->wait(); }

} // namespace orrery::live
