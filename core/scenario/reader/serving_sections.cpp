// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/serving_sections.hpp"
#include "core/order/serving/policy_traits.hpp"

#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/order/requests/read_requests.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/reader/model_reader.hpp"
#include "core/scenario/reader/serving_defaults.hpp"
#include "core/scenario/reader/serving_pools.hpp"
#include "core/scenario/serving_words.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace orrery {
namespace {

constexpr const char* requestsAt = "/workload/requests";

/// What `auto` means: weights of 16 bit give the cache their own format, others are computed with in bf16.
Precision cacheFormat(const std::string& given, Precision precision) {
    return fromText<Precision>(given).value_or(precision == Precision::fp16 ? Precision::fp16 : Precision::bf16);
}

ActivationScales scalesOf(const FilledDocument& document) { return document.word("/workload/activation_scales", ActivationScales::at_run_time); }

std::optional<SessionLaw> readSessions(const FilledDocument& document, const std::string& at, Problems& problems) {
    SessionLaw sessions;
    const auto lengths = [&](const char* key) -> std::optional<LengthLaw> {
        const Json* const given = document.find(at + "/" + key);
        return given ? readLengthLaw(*given, at + "/" + key, problems) : std::nullopt;
    };
    const auto turns = lengths("turns"), branchTurns = lengths("branch_turns");
    if (!turns) return std::nullopt;
    sessions.turns = *turns;
    if (branchTurns) sessions.branchTurns = *branchTurns;
    sessions.turnInput = lengths("turn_input_tokens");
    sessions.toolWait = document.number(at + "/tool_wait_s");
    sessions.branches = document.integer(at + "/branches");
    return sessions;
}

std::optional<RequestLaw> readLaw(const FilledDocument& document, Problems& problems) {
    const std::string at = requestsAt, arrival = at + "/arrival";
    RequestLaw law;
    law.count = document.integer(at + "/count");
    law.process = document.word(arrival + "/process", ArrivalProcess::poisson);
    law.ratePerSecond = document.number(arrival + "/rate_per_s", 1);
    law.shape = document.number(arrival + "/burstiness", 1);
    law.concurrency = document.integer(arrival + "/concurrency", 1);
    law.ramp = document.number(arrival + "/ramp_s");
    if (const Json* rates = document.find(arrival + "/curve/rates"))
        for (const Json& rate : *rates) law.curve.push_back(rate.get<double>());
    law.curvePeriod = document.number(arrival + "/curve/period_s", law.curvePeriod);
    law.sharedPrefix = document.integer(at + "/shared_prefix_tokens");
    law.seed = document.find(at + "/seed")->get<std::uint64_t>();
    const auto input = readLengthLaw(*document.find(at + "/input_tokens"), at + "/input_tokens", problems);
    const auto output = readLengthLaw(*document.find(at + "/output_tokens"), at + "/output_tokens", problems);
    if (!input || !output) return std::nullopt;
    law.input = *input;
    law.output = *output;
    if (document.has(at + "/sessions")) {
        law.sessions = readSessions(document, at + "/sessions", problems);
        if (!law.sessions || hasErrors(problems)) return std::nullopt;
    }
    return law;
}

std::optional<RequestLog> readLog(const FilledDocument& document, const FileReader& readFile, Problems& problems) {
    const std::string at = requestsAt, path = document.text(at + "/file");
    std::string reason = "files cannot be read here";
    const auto bytes = readFile ? readFile(path, reason) : std::nullopt;
    if (!bytes) {
        problems.push_back(error("file-unreadable", at + "/file", "Cannot read " + path + ": " + reason + ".").mend("Name a readable .jsonl file of requests, relative to the scenario."));
        return std::nullopt;
    }
    Problems found;
    std::optional<RequestList> list = readRequests(*bytes, path, document.integer(at + "/hash_block_size", 512), found);
    for (Problem& problem : found) problems.push_back(std::move(problem));
    if (!list) return std::nullopt;
    return RequestLog{path, std::make_shared<const RequestList>(std::move(*list))};
}

/// The draft model, written as an id or as the scenario's own model is.
std::optional<NamedModel> readDraft(const Json& given, const std::string& at, const Catalog& catalog, const FileReader& readFile, Problems& problems) {
    Json model = given.is_string() ? Json{{"preset", given}} : given;
    const FilledDocument alone(Json{{"model", std::move(model)}});
    Problems found;
    std::optional<NamedModel> draft = readModel(alone, catalog, readFile, found);
    if (!draft && found.empty())
        found.push_back(error("missing-key", "/model", "The draft model is neither a preset nor a configuration.").mend("Add \"preset\", an id of the catalogue."));
    for (Problem& problem : found) {
        const std::string below = problem.pointer.substr(std::min(problem.pointer.size(), std::string("/model").size()));
        const bool wholeText = given.is_string();
        problem.pointer = wholeText ? at : at + below;
        for (ScenarioEdit& edit : problem.edits) edit.pointer = wholeText ? at : at + edit.pointer.substr(std::string("/model").size());
        problems.push_back(std::move(problem));
    }
    return draft;
}

class EngineReader {
public:
    EngineReader(const FilledDocument& document, const Catalog& catalog, const FileReader& readFile, Problems& problems)
        : document_(document), catalog_(catalog), readFile_(readFile), problems_(problems), precision_(document.word("/workload/precision", Precision::bf16)) {}

    /// What `at` leaves out is as in `base`.
    EngineOptions read(const std::string& at, const EngineOptions& base) const {
        EngineOptions engine = base;
        const auto in = [&at](const char* key) { return at + "/" + key; };
        engine.settings.maxSeqs = document_.integer(in("max_num_seqs"), base.settings.maxSeqs);
        engine.settings.maxBatchedTokens = document_.integer(in("max_num_batched_tokens"), base.settings.maxBatchedTokens);
        engine.settings.maxModelLength = document_.integer(in("max_model_len"), base.settings.maxModelLength);
        engine.settings.chunkedPrefill = document_.boolean(in("enable_chunked_prefill"), base.settings.chunkedPrefill);
        engine.settings.prefixCaching = document_.boolean(in("enable_prefix_caching"), base.settings.prefixCaching);
        engine.settings.blockSize = document_.integer(in("block_size"), base.settings.blockSize);
        engine.expertSlots = document_.integer(in("expert_slots"), base.expertSlots);
        readMemoryShare(at, engine);
        if (document_.has(in("kv_cache_dtype"))) engine.cachePrecision = cacheFormat(document_.text(in("kv_cache_dtype")), precision_);
        engine.settings.policy = document_.word(in("scheduler_policy"), base.settings.policy);
        engine.settings.order = document_.word(in("scheduling_policy"), base.settings.order);
        engine.settings.receiveInterval = document_.integer(in("scheduler_recv_interval"), base.settings.receiveInterval);
        engine.settings.streamInterval = document_.integer(in("stream_interval"), base.settings.streamInterval);
        engine.settings.asyncScheduling = document_.boolean(in("async_scheduling"), base.settings.asyncScheduling);
        if (document_.has(in("kv_tiers"))) readTiers(in("kv_tiers"), engine);
        if (document_.has(in("speculative"))) readSpeculative(in("speculative"), engine);
        return engine;
    }

private:
    /// Of the device's memory, or of what the model leaves: where both are said, the second.
    void readMemoryShare(const std::string& at, EngineOptions& engine) const {
        const std::string ofAll = at + "/gpu_memory_utilization", ofFree = at + "/kv_cache_free_gpu_memory_fraction";
        if (document_.has(ofAll)) {
            engine.memoryShare = document_.number(ofAll);
            engine.freeMemoryShare.reset();
        }
        if (document_.has(ofFree)) engine.freeMemoryShare = document_.number(ofFree);
    }

    void readTiers(const std::string& at, EngineOptions& engine) const {
        engine.settings.tiers.clear();
        for (std::size_t i = 0; i < document_.find(at)->size(); ++i) {
            const std::string one = at + "/" + std::to_string(i);
            CacheTierSettings tier;
            tier.kind = document_.word(one + "/kind", CacheTierKind::host);
            tier.capacity = document_.number(one + "/capacity_gb") * units::gigabyte;
            tier.bandwidth = document_.number(one + "/bandwidth_gb_s", 0) * units::gigabyte;
            tier.writes = document_.word(one + "/policy", TierWrites::write_through);
            tier.prefetch = document_.boolean(one + "/prefetch", false);
            if (tier.kind != CacheTierKind::host && !document_.has(one + "/bandwidth_gb_s"))
                problems_.push_back(error("missing-key", one + "/bandwidth_gb_s", "Nobody knows how fast blocks come from this tier.").mend("Add \"bandwidth_gb_s\", what you measured."));
            if (!engine.settings.tiers.empty() && tier.kind <= engine.settings.tiers.back().kind) {
                problems_.push_back(error("tier-order", one + "/kind", "Tiers stand from near to far, at most one of a kind: host, disk, shared.").mend("Order them so, and leave out what is there twice."));
                continue;
            }
            engine.settings.tiers.push_back(tier);
        }
        if (!engine.settings.tiers.empty() && !engine.settings.prefixCaching)
            problems_.push_back(warning("no-effect", at, "Without a prefix cache nobody looks for blocks in tiers.").mend("Leave kv_tiers out, or set enable_prefix_caching."));
    }

    void readSpeculative(const std::string& at, EngineOptions& engine) const {
        Drafting drafts;
        drafts.method = document_.word(at + "/method", DraftMethod::ngram);
        engine.settings.speculative.tokens = document_.integer(at + "/tokens", usualDrafts(drafts.method));
        engine.settings.speculative.acceptance = document_.number(at + "/acceptance", usualAcceptance);
        const std::string modelAt = at + "/draft_model";
        const Json* model = document_.find(modelAt);
        const bool takesModel = drafts.method == DraftMethod::draft_model || drafts.method == DraftMethod::eagle;
        if (model && !takesModel) {
            problems_.push_back(warning("no-effect", modelAt, "Drafts of method " + std::string(wordOf(drafts.method)) + " come from no other model.").mend("Leave it out.").edit(modelAt, nullptr));
        } else if (model) {
            if (const auto draft = readDraft(*model, modelAt, catalog_, readFile_, problems_)) {
                drafts.name = draft->name;
                drafts.model = std::make_shared<const Architecture>(draft->architecture);
            }
        } else if (drafts.method == DraftMethod::draft_model) {
            problems_.push_back(error("missing-key", modelAt, "Drafts of method draft_model need the model that makes them.").mend("Add \"draft_model\", an id of the catalogue."));
        }
        engine.drafts = std::move(drafts);
    }

    const FilledDocument& document_;
    const Catalog& catalog_;
    const FileReader& readFile_;
    Problems& problems_;
    Precision precision_;
};

std::optional<double> limitAt(const FilledDocument& document, const char* pointer) {
    if (!document.has(pointer)) return std::nullopt;
    return document.number(pointer);
}

} // namespace

InferenceWorkload readInference(const FilledDocument& document, const Architecture& model) {
    InferenceWorkload workload;
    workload.batchSize = document.integer("/workload/batch_size");
    workload.images = readImages(document);
    workload.inputLength = document.integer("/workload/input_length") + imageTokens(model, workload.images);
    workload.outputLength = document.integer("/workload/output_length");
    workload.precision = document.word("/workload/precision", Precision::bf16);
    workload.cachePrecision = cacheFormat(document.text("/workload/kv_cache_precision"), workload.precision);
    workload.fp8Recipe = fromText<Fp8Recipe>(document.text("/workload/fp8_recipe"));
    workload.scales = scalesOf(document);
    return workload;
}

std::optional<RequestsSpec> readRequestsSpec(const FilledDocument& document, const FileReader& readFile, Problems& problems) {
    if (document.has(std::string(requestsAt) + "/file")) {
        if (auto log = readLog(document, readFile, problems)) return RequestsSpec(std::move(*log));
    } else if (const auto law = readLaw(document, problems)) {
        return RequestsSpec(*law);
    }
    return std::nullopt;
}

int longestPrompt(const RequestsSpec& requests) {
    if (const auto* law = std::get_if<RequestLaw>(&requests)) return longestInput(*law);
    int longest = 0;
    for (const Request& request : std::get<RequestLog>(requests).list->requests) longest = std::max(longest, request.input);
    return longest;
}

std::optional<ServingWorkload> readServing(const FilledDocument& document, RequestsSpec requests, std::optional<Disaggregation> split,
                                           const Catalog& catalog, const FileReader& readFile, Problems& problems) {
    Problems found;
    ServingWorkload workload;
    workload.precision = document.word("/workload/precision", Precision::bf16);
    workload.fp8Recipe = fromText<Fp8Recipe>(document.text("/workload/fp8_recipe"));
    workload.scales = scalesOf(document);
    workload.requests = std::move(requests);
    const EngineReader engines(document, catalog, readFile, found);
    const std::string engineAt = "/workload/engine";
    workload.engine = engines.read(engineAt, {});
    if (split) {
        split->firstToken = document.word(engineAt + "/disaggregation/first_token", FirstToken::prefill);
        split->eachPool([&](const char* key, ServingPool& pool) { pool.engine = engines.read(engineAt + "/disaggregation/" + key + "/engine", workload.engine); });
    }
    workload.disaggregation = std::move(split);
    workload.frontEnd = document.boolean(engineAt + "/front_end", true);
    workload.router = document.word("/workload/fleet/router", document.word(engineAt + "/router", RouterKind::round_robin));
    if (document.has("/workload/fleet")) workload.fleet = readFleet(document, static_cast<int>(document.integer("/parallelism/data", 1)), found);
    workload.slo = {limitAt(document, "/workload/slo/ttft_s"), limitAt(document, "/workload/slo/tpot_s"), limitAt(document, "/workload/slo/e2e_s")};
    const bool sound = !hasErrors(found);
    problems.insert(problems.end(), found.begin(), found.end());
    if (!sound) return std::nullopt;
    return workload;
}

} // namespace orrery
