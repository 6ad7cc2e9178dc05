// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/mends/mend_candidates.hpp"
#include "core/base/json.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace orrery {
namespace {

constexpr const char* engineOfAll = "/workload/engine";
constexpr const char* servedPools[] = {"/workload/engine/disaggregation/prefill", "/workload/engine/disaggregation/decode"};

class ServedCandidates {
public:
    ServedCandidates(const Json& document, const Scenario& scenario)
        : document_(document), scenario_(scenario), plan_(scenario.parallelism), serving_(std::get_if<ServingWorkload>(&scenario.workload)),
          batch_(std::get_if<InferenceWorkload>(&scenario.workload)) {}

    std::vector<MendCandidate> run() {
        for (const int factor : {2, 4, 8}) degree(MendKind::tensor, "tensor", factor);
        for (const int factor : {2, 4}) degree(MendKind::pipeline, "pipeline", factor);
        weights();
        cache();
        if (batch_) sequences();
        if (serving_) engine();
        return std::move(list_);
    }

private:
    bool has(const std::string& pointer) const { return document_.contains(Json::json_pointer(pointer)); }
    void add(MendKind kind, std::string text, std::vector<ScenarioEdit> edits) { list_.push_back({kind, std::move(text), std::move(edits)}); }
    void set(const std::string& pointer, Json value) { list_.back().edits.push_back({pointer, std::move(value)}); }
    void without(const std::string& pointer) {
        if (has(pointer)) set(pointer, nullptr);
    }

    /// Changes every instance's degree; a pool that says its own gets more of its own.
    void degree(MendKind kind, const char* name, int factor) {
        const std::string key = std::string("/parallelism/") + name;
        const int now = kind == MendKind::tensor ? plan_.tensor : plan_.pipeline;
        add(kind, std::string(name) + " " + std::to_string(factor * now), {{key, factor * now}});
        without("/parallelism/data");
        if (kind == MendKind::pipeline) without("/parallelism/pipeline_layout");
        for (const char* pool : servedPools) {
            if (has(pool + key)) set(pool + key, factor * document_.at(Json::json_pointer(pool + key)).get<int>());
            if (kind == MendKind::pipeline) without(pool + std::string("/parallelism/pipeline_layout"));
            // The hosts then hold so many instances; where a pool names no hosts, its accelerators are shared out among fewer.
            const std::string instances = pool + std::string("/instances");
            if (!has(instances)) continue;
            const int fewer = document_.at(Json::json_pointer(instances)).get<int>() / factor;
            if (has(pool + std::string("/hosts"))) without(instances);
            else if (fewer >= 1) set(instances, fewer);
        }
    }

    void weights() {
        if (elementBytes(scenario_.precision()) < 2) return;
        for (const Precision narrower : {Precision::fp8, Precision::int8, Precision::int4})
            add(MendKind::weights, "weights in " + std::string(wordOf(narrower)), {{"/workload/precision", wordOf(narrower)}});
    }

    void cache() {
        const Precision now = batch_ ? batch_->cachePrecision : serving_->engine.cachePrecision;
        if (elementBytes(now) < 2) return;
        const std::string word(wordOf(Precision::fp8));
        add(MendKind::cache, "keys and values in " + word, {{batch_ ? "/workload/kv_cache_precision" : "/workload/engine/kv_cache_dtype", word}});
        for (const char* pool : servedPools) without(pool + std::string("/engine/kv_cache_dtype"));
    }

    void sequences() {
        for (int smaller = batch_->batchSize / 2; smaller >= 1; smaller /= 2) add(MendKind::sequences, "batch " + std::to_string(smaller), {{"/workload/batch_size", smaller}});
    }

    /// A step's own room shrinks with its tokens; whole prompts need them all, so the longest that is taken shrinks too where prompts are not split.
    void engine() {
        const EngineSettings& now = serving_->engine.settings;
        constexpr int leastTokens = 512;
        for (int tokens = now.maxBatchedTokens / 2; tokens >= leastTokens; tokens /= 2) {
            add(MendKind::sequences, "steps of " + std::to_string(tokens) + " tokens", {{engineKey("max_num_batched_tokens"), tokens}});
            ofPools("max_num_batched_tokens", tokens);
            if (now.maxSeqs > tokens) set(engineKey("max_num_seqs"), tokens);
            if (!now.chunkedPrefill && now.maxModelLength > tokens) {
                set(engineKey("max_model_len"), tokens);
                list_.back().text += " and requests no longer than that";
            }
        }
        constexpr double most = 0.95;
        if (!serving_->engine.freeMemoryShare && serving_->engine.memoryShare < most) {
            add(MendKind::memory_share, "95 % of the memory for the engine", {{engineKey("gpu_memory_utilization"), most}});
            ofPools("gpu_memory_utilization", most);
        }
    }

    static std::string engineKey(const char* key) { return std::string(engineOfAll) + "/" + key; }
    /// Pools that say their own.
    void ofPools(const char* key, const Json& value) {
        for (const char* pool : servedPools)
            if (const std::string at = pool + std::string("/engine/") + key; has(at)) set(at, value);
    }

    static double elementBytes(Precision precision) { return precision == Precision::bf16 || precision == Precision::fp16 ? 2 : 1; }

    const Json& document_;
    const Scenario& scenario_;
    const Parallelism& plan_;
    const ServingWorkload* serving_;
    const InferenceWorkload* batch_;
    std::vector<MendCandidate> list_;
};

} // namespace

std::vector<MendCandidate> servedMendCandidates(const Json& document, const Scenario& scenario) { return ServedCandidates(document, scenario).run(); }

} // namespace orrery
