// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/draft_engine.hpp"

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
