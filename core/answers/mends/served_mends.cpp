// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/mends/served_mends.hpp"
#include "core/answers/mends/mends.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/parallel.hpp"
#include "core/scenario/edits.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

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

namespace {

constexpr std::size_t servedMendsShown = 3;
constexpr std::size_t mostRequestsTried = 1000; ///< so that a try takes a moment
constexpr std::size_t mostPairsTried = 60;

struct ServedTrial {
    std::vector<std::size_t> parts; ///< of the candidates
    TriedMend mend;
    double cost = 0; ///< s: of a request, of a static batch its sequences' share, so that the largest batch is the best of those that fit
    bool fits = false;
    std::int64_t rejected = 0;
};

/// The first requests stand for all. False: there are no more.
bool shorten(Scenario& scenario) {
    auto* serving = std::get_if<ServingWorkload>(&scenario.workload);
    if (!serving) return false;
    if (auto* law = std::get_if<RequestLaw>(&serving->requests)) {
        if (static_cast<std::size_t>(law->count) <= mostRequestsTried) return false;
        law->count = static_cast<int>(mostRequestsTried);
        return true;
    }
    auto& log = std::get<RequestLog>(serving->requests);
    if (log.list->requests.size() <= mostRequestsTried) return false;
    RequestList fewer = *log.list;
    fewer.requests.resize(mostRequestsTried);
    log.list = std::make_shared<const RequestList>(std::move(fewer));
    return true;
}

class ServedMendSearch {
public:
    ServedMendSearch(const Json& document, const Result& failed, const Catalog& catalog, const FileReader& readFile, const RunControl& control)
        : document_(document), catalog_(catalog), readFile_(readFile), control_(control), candidates_(servedMendCandidates(document, failed.scenario)) {}

    std::vector<TriedMend> run() {
        std::vector<ServedTrial> round;
        for (std::size_t i = 0; i < candidates_.size(); ++i) round.push_back({{i}, {}, 0, false, 0});
        tryAll(round, 0);
        if (fitting_.size() < servedMendsShown) {
            round = pairs();
            tryAll(round, 1);
        }
        if (control_.stop.stop_requested()) return {};
        std::stable_sort(fitting_.begin(), fitting_.end(), [](const ServedTrial& a, const ServedTrial& b) {
            return std::tuple(a.rejected, a.cost, a.mend.edits.size()) < std::tuple(b.rejected, b.cost, b.mend.edits.size());
        });
        std::vector<TriedMend> shown;
        std::vector<MendKind> kinds; // three steps of one kind say little more than the best of them
        for (ServedTrial& trial : fitting_) {
            const MendKind kind = candidates_[trial.parts.front()].kind;
            if (shown.size() == servedMendsShown) break;
            if (trial.parts.size() == 1 && std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
            kinds.push_back(kind);
            shown.push_back(std::move(trial.mend));
        }
        if (control_.progress) control_.progress(1);
        return shown;
    }

private:
    /// Two changes of different kinds, neither of which does alone.
    std::vector<ServedTrial> pairs() const {
        std::vector<ServedTrial> found;
        const auto fitsAlone = [&](std::size_t part) { return std::any_of(fitting_.begin(), fitting_.end(), [&](const ServedTrial& trial) { return trial.parts.front() == part; }); };
        for (std::size_t a = 0; a < candidates_.size(); ++a)
            for (std::size_t b = a + 1; b < candidates_.size(); ++b)
                if (candidates_[a].kind != candidates_[b].kind && !fitsAlone(a) && !fitsAlone(b) && found.size() < mostPairsTried) found.push_back({{a, b}, {}, 0, false, 0});
        return found;
    }

    void tryAll(std::vector<ServedTrial>& trials, int round) {
        forEachIndex(trials.size(), control_.threads, [&](std::size_t index) {
            if (!control_.stop.stop_requested()) tryOne(trials[index]);
        });
        for (ServedTrial& trial : trials)
            if (trial.fits) fitting_.push_back(std::move(trial));
        if (control_.progress) control_.progress(0.5 * (round + 1));
    }

    /// What can't be read or run is not offered, whatever stands in its way: the others still are.
    void tryOne(ServedTrial& trial) const {
        for (const std::size_t part : trial.parts) {
            trial.mend.text += (trial.mend.text.empty() ? "" : " and ") + candidates_[part].text;
            for (const ScenarioEdit& edit : candidates_[part].edits) {
                const bool known = std::any_of(trial.mend.edits.begin(), trial.mend.edits.end(), [&](const ScenarioEdit& other) { return other.pointer == edit.pointer; });
                if (!known) trial.mend.edits.push_back(edit);
            }
        }
        try {
            std::optional<Scenario> scenario = readScenario(edited(document_, trial.mend.edits), catalog_, readFile_).scenario;
            if (!scenario) return;
            trial.mend.simulated = !shorten(*scenario);
            RunControl control;
            control.stop = control_.stop;
            const Outcome outcome = simulate(*scenario, control);
            if (!outcome.result || !outcome.result->fits) return;
            trial.mend.peakBytes = outcome.result->memory.peakBytes;
            if (const InferenceMetrics* batch = outcome.result->inference()) {
                trial.mend.iterationTime = batch->requestLatency;
                trial.cost = batch->requestLatency / std::get<InferenceWorkload>(scenario->workload).batchSize;
                trial.fits = true;
            } else if (const ServingReport* report = outcome.result->serving(); report && report->served.completed > 0) {
                trial.mend.iterationTime = trial.cost = report->served.e2e.mean;
                trial.rejected = report->served.rejected;
                trial.fits = true;
            }
        } catch (const std::exception&) {
            trial.fits = false;
        }
    }

    const Json& document_;
    const Catalog& catalog_;
    const FileReader& readFile_;
    const RunControl& control_;
    std::vector<MendCandidate> candidates_;
    std::vector<ServedTrial> fitting_;
};

} // namespace

std::vector<TriedMend> tryServedMends(const Json& document, const Result& failed, const Catalog& catalog, const FileReader& readFile, const RunControl& control) {
    return ServedMendSearch(document, failed, catalog, readFile, control).run();
}

} // namespace orrery
