// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/mends/mend_candidates.hpp"

#include "core/base/json.hpp"
#include "core/order/schedule/schedule_traits.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr const char* recomputeAt = "/execution/recompute";

class Candidates {
public:
    Candidates(const Json& document, const Scenario& scenario) : document_(document), scenario_(scenario), plan_(scenario.parallelism) {}

    std::vector<MendCandidate> run() {
        recompute();
        if (plan_.tensor > 1 && !plan_.sequence) add(MendKind::sequence, "sequence parallelism", {{"/parallelism/sequence", true}});
        microBatch();
        for (int stage = plan_.zeroStage + 1; stage <= 3 && plan_.replicas() > 1; ++stage)
            add(MendKind::zero, "ZeRO " + std::to_string(stage), {{"/parallelism/zero_stage", stage}});
        for (const int factor : {2, 4, 8}) degrees(factor);
        experts();
        schedule();
        if (scenario_.execution.attention == AttentionKind::unfused)
            add(MendKind::attention, "flash attention", {{"/execution/attention", "flash"}});
        offload();
        return std::move(list_);
    }

private:
    void add(MendKind kind, std::string text, std::vector<ScenarioEdit> edits) { list_.push_back({kind, std::move(text), std::move(edits)}); }

    /// Removes keys that the document has.
    void without(std::initializer_list<const char*> pointers) {
        for (const char* pointer : pointers)
            if (document_.contains(Json::json_pointer(pointer))) list_.back().edits.push_back({pointer, nullptr});
    }

    void recompute() {
        const Execution& execution = scenario_.execution;
        const auto every = [&](int n) { add(MendKind::recompute, n == 2 ? "every second layer recomputed" : "every layer recomputed", {{recomputeAt, Json{{"every", n}}}}); };
        switch (execution.recompute) {
        case RecomputeKind::none: add(MendKind::recompute, "recompute selective", {{recomputeAt, "selective"}}); [[fallthrough]];
        case RecomputeKind::selective:
        case RecomputeKind::modules: every(2); break;
        case RecomputeKind::every:
            if (execution.recomputeEvery > 2) every(2);
            break;
        case RecomputeKind::full:
        case RecomputeKind::automatic: return;
        }
        add(MendKind::recompute, "recompute full", {{recomputeAt, "full"}});
    }

    void microBatch() {
        const int now = scenario_.training().microBatch;
        for (int smaller = now / 2; smaller >= 1; smaller /= 2)
            if (now % smaller == 0) add(MendKind::micro_batch, "micro-batch " + std::to_string(smaller), {{"/workload/micro_batch_size", smaller}});
    }

    void degrees(int factor) {
        const auto more = [&](MendKind kind, const char* name, int now) {
            add(kind, std::string(name) + " " + std::to_string(factor * now), {{std::string("/parallelism/") + name, factor * now}});
        };
        more(MendKind::tensor, "tensor", plan_.tensor);
        without({"/parallelism/data"});
        more(MendKind::pipeline, "pipeline", plan_.pipeline);
        without({"/parallelism/data", "/parallelism/pipeline_layout"});
        more(MendKind::context, "context", plan_.context);
        without({"/parallelism/data"});
    }

    /// Up to an expert a rank: where experts are most of the parameters, that is what makes room, and their exchange costs the same.
    void experts() {
        if (!scenario_.model.experts) return;
        const std::int64_t most = std::min<std::int64_t>(scenario_.model.experts->count, plan_.ranks());
        for (std::int64_t degree = 2 * std::int64_t{plan_.expert}; degree <= most; degree *= 2)
            add(MendKind::expert, "expert " + std::to_string(degree), {{"/parallelism/expert", degree}});
    }

    void schedule() {
        const ScheduleKind usual = usualOrder(1);
        if (plan_.schedule == usual || plan_.pipeline == 1) return;
        const std::string word(wordOf(usual));
        add(MendKind::schedule, "schedule " + word, {{"/parallelism/schedule", word}});
        without({"/parallelism/virtual_pipeline", "/parallelism/pipeline_layout"});
    }

    void offload() {
        add(MendKind::offload_optimizer, "optimizer states in host memory", {{"/execution/offload/optimizer", 1}});
        for (const double share : {0.5, 1.0})
            add(MendKind::offload_activations, share < 1 ? "half of the activations in host memory" : "activations in host memory",
                {{"/execution/offload/activations", share}});
    }

    const Json& document_;
    const Scenario& scenario_;
    const Parallelism& plan_;
    std::vector<MendCandidate> list_;
};

} // namespace

std::vector<MendCandidate> mendCandidates(const Json& document, const Scenario& scenario) { return Candidates(document, scenario).run(); }

} // namespace orrery
