// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/recorded/tensor_lives.hpp"

#include <algorithm>
#include <set>

namespace orrery {

std::size_t TensorLives::begin(const RecordedTensor& tensor, bool before) {
    Life life;
    life.tensor = static_cast<TensorId>(workload_.graph.tensors.size());
    life.before = before;
    workload_.graph.tensors.push_back({tensor.storage, 0, TensorRole::whole});
    workload_.roles.push_back(RecordedTensorRole::inside);
    current_[tensor.storage] = lives_.size();
    lives_.push_back(std::move(life));
    return lives_.size() - 1;
}

std::size_t TensorLives::lifeOf(const RecordedTensor& tensor) {
    const auto known = current_.find(tensor.storage);
    return known != current_.end() ? known->second : begin(tensor, true);
}

void TensorLives::grow(std::size_t life, const RecordedTensor& tensor) {
    double& bytes = workload_.graph.tensors[static_cast<std::size_t>(lives_[life].tensor)].bytes;
    bytes = std::max({bytes, tensor.storageBytes, tensor.bytes()});
    lives_[life].elements = std::max(lives_[life].elements, tensor.elements());
}

namespace {

bool followed(const RecordedTensor& tensor) { return tensor.onDevice && !tensor.storage.empty(); }

std::set<std::string> storagesOf(const std::vector<RecordedArgument>& arguments) {
    std::set<std::string> storages;
    for (const RecordedArgument& argument : arguments)
        for (const RecordedTensor& tensor : argument.tensors)
            if (followed(tensor)) storages.insert(tensor.storage);
    return storages;
}

} // namespace

void TensorLives::allocate(const RecordedNode& node) {
    const std::set<std::string> given = storagesOf(node.inputs);
    for (const RecordedArgument& argument : node.outputs)
        for (const RecordedTensor& tensor : argument.tensors)
            if (followed(tensor) && !given.contains(tensor.storage)) grow(begin(tensor, false), tensor);
}

void TensorLives::addStep(const RecordedNode& node, bool inPlace, bool order, const std::vector<std::size_t>& weightInputs) {
    const auto step = static_cast<std::uint32_t>(workload_.steps.size()) - 1;
    Operator& op = workload_.graph.forward[step];
    std::vector<std::uint32_t>& after = workload_.steps[step].after;
    const std::set<std::string> given = storagesOf(node.inputs);
    std::set<std::size_t> reads, writes;
    for (std::size_t argument = 0; argument < node.inputs.size(); ++argument)
        for (const RecordedTensor& tensor : node.inputs[argument].tensors) {
            if (!followed(tensor)) continue;
            const std::size_t life = lifeOf(tensor);
            grow(life, tensor);
            if (std::find(weightInputs.begin(), weightInputs.end(), argument) != weightInputs.end()) lives_[life].weight = true;
            reads.insert(life);
            if (inPlace && argument == 0) writes.insert(life);
        }
    for (const RecordedArgument& argument : node.outputs)
        for (const RecordedTensor& tensor : argument.tensors) {
            if (!followed(tensor)) continue;
            const std::size_t life = given.contains(tensor.storage) ? lifeOf(tensor) : begin(tensor, false);
            grow(life, tensor);
            writes.insert(life);
        }
    const auto waitFor = [&](std::int64_t earlier) {
        if (order && earlier >= 0 && earlier != step) after.push_back(static_cast<std::uint32_t>(earlier));
    };
    for (const std::size_t life : reads) {
        op.inputs.push_back(lives_[life].tensor);
        waitFor(lives_[life].lastWriter);
        lives_[life].readers.push_back(step);
    }
    for (const std::size_t life : writes) {
        op.outputs.push_back(lives_[life].tensor);
        waitFor(lives_[life].lastWriter);
        for (const std::uint32_t reader : lives_[life].readers) waitFor(reader);
        lives_[life].lastWriter = step;
        lives_[life].readers.clear();
    }
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
}

void TensorLives::finish() {
    std::vector<const Operator*> first(workload_.graph.tensors.size(), nullptr);
    for (const Operator& op : workload_.graph.forward) {
        const auto touch = [&](TensorId id) {
            if (!first[static_cast<std::size_t>(id)]) first[static_cast<std::size_t>(id)] = &op;
        };
        for (const TensorId id : op.inputs) touch(id);
        for (const TensorId id : op.outputs) touch(id);
    }
    for (const Life& life : lives_) {
        if (!life.before) continue;
        const auto tensor = static_cast<std::size_t>(life.tensor);
        const Phase phase = first[tensor] ? first[tensor]->phase : Phase::forward;
        workload_.roles[tensor] = phase == Phase::optimizer  ? RecordedTensorRole::optimizer_states
                                  : phase == Phase::backward ? RecordedTensorRole::gradients
                                                             : RecordedTensorRole::weights;
        if (life.weight && phase == Phase::forward) workload_.parameters += life.elements;
    }
}

} // namespace orrery
