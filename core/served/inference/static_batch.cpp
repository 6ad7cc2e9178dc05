// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/static_batch.hpp"

#include "core/served/inference/engine_collectives.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// The batch as the stages take it, one part after the other.
class StaticSteps {
public:
    StaticSteps(const StepModel& model, const StaticBatch& batch)
        : model_(model), batch_(batch), parts_(std::clamp(model.engine().parallelism.pipeline, 1, batch.batch)), each_((batch.batch + parts_ - 1) / parts_) {}

    StepBatch prefill() const {
        StepBatch step;
        step.prefills.assign(static_cast<std::size_t>(each_), {batch_.input, 0});
        return step;
    }
    /// The step that makes the `length`th token.
    StepBatch decode(double length) const {
        StepBatch step;
        step.decodes = each_;
        step.decodeContext = length - 1;
        return step;
    }
    double firstToken(const StepParts& prompts) const { return prompts.total() + (parts_ > 1 ? (parts_ - 1) * model_.interval(prefill()) : 0); }
    double next(double length) const {
        const StepBatch step = decode(length);
        const double seconds = model_.seconds(step);
        return parts_ == 1 ? seconds : std::max(seconds, parts_ * model_.interval(step));
    }

private:
    const StepModel& model_;
    const StaticBatch& batch_;
    int parts_, each_;
};

/// Σ next(length) over whole lengths from `first` to `last`, of a function that is linear between lengths which grow by a quarter octave.
double sumOfSteps(const StaticSteps& steps, double first, double last) {
    const double ratio = std::exp2(0.25);
    double sum = 0, from = first, atFrom = steps.next(first);
    sum += atFrom;
    while (from < last) {
        const double to = std::min(last, std::max(from + 1, std::floor(from * ratio)));
        const double atTo = steps.next(to), count = to - from;
        sum += count * atFrom + (atTo - atFrom) * (count + 1) / 2;
        from = to;
        atFrom = atTo;
    }
    return sum;
}

} // namespace

StaticEstimate estimateStatic(const StepModel& model, const StaticBatch& batch) {
    const StaticSteps steps(model, batch);
    StaticEstimate result;
    result.prefill = model.parts(steps.prefill());
    result.ttft = result.latency = steps.firstToken(result.prefill);
    if (batch.output > 1) {
        const double first = batch.input + 1, last = double(batch.input) + batch.output - 1;
        const double decoding = sumOfSteps(steps, first, last);
        result.latency += decoding;
        result.tpot = decoding / (batch.output - 1);
        result.lastStep = model.parts(steps.decode(last));
    }
    result.outputRate = double(batch.batch) * batch.output / result.latency;
    const EngineModel& engine = model.engine();
    const int groups = engine.parallelism.attentionData;
    const int sequences = (batch.batch + groups - 1) / groups;
    const bool communicates = engine.parallelism.tensor * groups * engine.parallelism.context * engine.parallelism.pipeline > 1;
    for (const StepModel::StageHold& hold : model.stages()) {
        StaticMemory stage;
        stage.weights = hold.weights;
        stage.cache = double(sequences) * (hold.cacheOf(std::int64_t{batch.input} + batch.output) + hold.state);
        stage.activations = model.activationBytes(double(sequences) * batch.input, result.stages.size() + 1 == model.stages().size());
        stage.framework = engine.profile.frameworkBytes + (communicates ? engine.profile.communicatorBytes : 0);
        result.stages.push_back(stage);
    }
    result.memory = *std::max_element(result.stages.begin(), result.stages.end(), [](const StaticMemory& a, const StaticMemory& b) { return a.needed() < b.needed(); });
    result.fits = engine.memoryBytes <= 0 || result.memory.needed() <= engine.memoryBytes;
    return result;
}

double decodeFloor(const StepModel& step, int decodes, double lengths) {
    const EngineModel& engine = step.engine();
    double time = step.decodeBytes(decodes, lengths) / engine.cost.memoryBandwidth;
    if (engine.parallelism.tensor > 1) time += 2 * double(engine.model.layers) * collectiveLatency(engine, CollectiveKind::all_reduce, engine.parallelism.tensor, 1);
    return time;
}

} // namespace orrery
