// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/known_steps.hpp"

#include "core/served/inference/draft_engine.hpp"
#include "core/served/inference/scenario_engine.hpp"

#include <cmath>

namespace orrery {
namespace {

/// What tells drafting models apart: method, drafts of a step, and the model's size and depth beside its name.
std::string draftsKey(const EngineOptions& options) {
    if (!options.drafts) return {};
    std::string key = std::to_string(static_cast<int>(options.drafts->method)) + ":" + std::to_string(options.settings.speculative.tokens) + ":" + options.drafts->name;
    if (const auto& model = options.drafts->model) key += ":" + std::to_string(model->parameters()) + ":" + std::to_string(model->layers) + ":" + std::to_string(model->hidden);
    return key;
}

} // namespace

EngineModel servedEngine(const Scenario& scenario, const Parallelism& plan, const EngineOptions& options, const std::vector<int>& ranks) {
    EngineModel engine = engineOf(scenario, plan, options.cachePrecision, options.settings.asyncScheduling, ranks);
    if (plan.expert > 1) engine.expertSlots = options.expertSlots; // a rank has no use for a second copy
    engine.drafts = draftsOf(engine, options);
    return engine;
}

double KnownSteps::seconds(const StepBatch& batch) const {
    if (!keeps_ || !batch.prefills.empty() || batch.draftTokens > 0 || batch.decodes == 0) return model_.seconds(batch);
    const std::int64_t sum = std::llround(batch.decodeContext * batch.decodes);
    if (sum < 0 || static_cast<double>(sum) / batch.decodes != batch.decodeContext) return model_.seconds(batch);
    constexpr int bitsOfPage = 40;
    constexpr std::size_t mostPages = 16384; // 64 MiB
    const std::uint64_t key = static_cast<std::uint64_t>(batch.decodes) << bitsOfPage | static_cast<std::uint64_t>(sum / pageSize);
    if (!last_ || lastKey_ != key) {
        if (pages_.size() >= mostPages) pages_.clear();
        std::unique_ptr<Page>& page = pages_[key];
        if (!page) {
            page = std::make_unique<Page>();
            page->fill(-1);
        }
        last_ = page.get();
        lastKey_ = key;
    }
    double& known = (*last_)[static_cast<std::size_t>(sum % pageSize)];
    if (known < 0) known = model_.seconds(batch);
    return known;
}

std::shared_ptr<const KnownSteps> EngineShelf::engine(const Scenario& scenario, std::size_t hardware, const Parallelism& plan, const EngineOptions& options, const std::vector<int>& ranks) {
    const Plan key{hardware, plan.tensor, plan.pipeline, plan.context, static_cast<int>(plan.contextMethod), plan.expert, plan.expertTensor, plan.attentionData, options.expertSlots, plan.order, plan.layout, options.cachePrecision, options.settings.asyncScheduling, draftsKey(options)};
    std::shared_ptr<const KnownSteps>& place = byPlace_[{key, ranks}];
    if (place) return place;
    const EngineModel engine = servedEngine(scenario, plan, options, ranks);
    const EngineNetwork& network = engine.network;
    std::shared_ptr<const KnownSteps>& known = known_[{key, {network.domainSize, network.upBandwidth, network.addedUpLatency, network.outBandwidth, network.outLatency}}];
    if (!known) known = std::make_shared<const KnownSteps>(engine, true);
    return place = known;
}

} // namespace orrery
