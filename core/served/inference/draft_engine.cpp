// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/draft_engine.hpp"
#include "core/served/inference/step_model.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

Architecture oneLayer(const Architecture& target, LayerKind kind) {
    Architecture layer = target;
    layer.layers = 1;
    layer.nextTokenModules = 0;
    layer.kinds = {kind};
    layer.kindByLayer.clear();
    return layer;
}

/// A dense layer that attends as the target's last.
Architecture eagleLayer(const Architecture& target) {
    LayerKind kind = target.kindOf(target.layers - 1);
    kind.experts = false;
    Architecture layer = oneLayer(target, kind);
    if (target.experts && layer.ffn <= 0) layer.ffn = target.experts->ffn * target.experts->perToken;
    layer.experts.reset();
    return layer;
}

} // namespace

EngineDrafts draftsOf(const EngineModel& target, const EngineOptions& options) {
    EngineDrafts drafts;
    if (!options.drafts || options.settings.speculative.tokens <= 0) return drafts;
    const Drafting& drafting = *options.drafts;
    EngineModel engine = target;
    engine.drafts = {};
    engine.images = {}; // which drafting models don't see
    engine.parallelism.pipeline = 1;
    engine.parallelism.virtualPipeline = 1;
    engine.parallelism.layout.clear();
    switch (drafting.method) {
    case DraftMethod::ngram: return drafts;
    case DraftMethod::mtp: engine.model = oneLayer(target.model, target.model.nextTokenKind()); break;
    case DraftMethod::draft_model:
    case DraftMethod::eagle:
        engine.model = drafting.model ? *drafting.model : eagleLayer(target.model);
        engine.precision = target.precision == Precision::fp16 ? Precision::fp16 : Precision::bf16;
        engine.fp8Recipe.reset();
        engine.weightsAlone = false;
        engine.parallelism.expert = 1;
        engine.expertSlots = 0;
        break;
    }
    if (!engine.model.experts) engine.parallelism.expert = 1;
    drafts.readsHidden = drafting.method != DraftMethod::draft_model;
    drafts.tokens = options.settings.speculative.tokens;
    drafts.engine = std::make_shared<const EngineModel>(std::move(engine));
    return drafts;
}

} // namespace orrery

// What a drafting model adds to the steps of its target.

namespace orrery {
namespace {

constexpr double sixteenBit = 2; // bytes of an element

/// Elements of the product that joins the target's hidden states and a drafting model's embeddings.
double joiningElements(const Architecture& model) { return 2 * double(model.hidden) * double(model.hidden); }

} // namespace

/// A drafting model's weights and cache stand on the last stage. One that reads the target's hidden states joins each with an embedding in a
/// product of 2h × h, which every rank has whole (DeepSeek-V3, arXiv 2412.19437, section 2.2; EAGLE, arXiv 2401.15077, section 4.1).
void StepModel::addDrafts() {
    const EngineDrafts& drafts = engine_.drafts;
    if (!drafts.areMade()) return;
    const StepModel& draft = drafts_.emplace_back(*drafts.engine);
    StageHold& last = stages_.back();
    last.weights += draft.stages_.back().weights;
    if (drafts.readsHidden) last.weights += joiningElements(running_) * sixteenBit - draft.endWeights_;
    last.cache += draft.stages_.back().cache;
    last.state += draft.stages_.back().state;
}

/// s that joining hidden states and embeddings takes.
double StepModel::besideHidden(double tokens) const {
    if (!engine_.drafts.readsHidden) return 0;
    Operator op;
    op.kind = OperatorKind::gemm;
    op.shape = {tokens, double(running_.hidden), 2 * double(running_.hidden), 1};
    op.flops = 2 * tokens * joiningElements(running_);
    op.bytesRead = (joiningElements(running_) + tokens * 2 * double(running_.hidden)) * sixteenBit;
    op.bytesWritten = tokens * double(running_.hidden) * sixteenBit;
    return timeOf(op).time;
}

/// Drafts follow one on the other: the first pass takes all that the step computed into the drafting model's own cache, the others a token of
/// each request. The host plans once for all of them.
StepParts StepModel::draftParts(const StepBatch& batch) const {
    const StepModel& draft = drafts_.front();
    StepParts sum = draft.ownParts(batch);
    sum.gemm += besideHidden(batch.tokens());
    StepBatch next;
    next.decodes = batch.decodes + static_cast<int>(batch.prefills.size());
    double context = batch.decodeContext * batch.decodes;
    for (const StepBatch::Chunk& chunk : batch.prefills) context += chunk.context + chunk.tokens;
    next.decodeContext = next.decodes > 0 ? context / next.decodes : 0;
    const StepParts one = draft.ownParts(next);
    const double times = engine_.drafts.tokens - 1;
    sum.gemm += times * (one.gemm + besideHidden(next.decodes));
    sum.attention += times * one.attention;
    sum.other += times * one.other;
    sum.collectives += times * one.collectives;
    sum.pipeline += times * one.pipeline;
    sum.launch += times * one.launch;
    sum.host = 0;
    return sum;
}

StepParts StepModel::parts(const StepBatch& batch) const {
    StepParts all = ownParts(batch);
    if (drafts_.empty() || batch.isEmpty()) return all;
    const StepParts drafting = draftParts(batch);
    all.gemm += drafting.gemm;
    all.attention += drafting.attention;
    all.other += drafting.other;
    all.collectives += drafting.collectives;
    all.pipeline += drafting.pipeline;
    all.launch += drafting.launch;
    return all;
}

} // namespace orrery
