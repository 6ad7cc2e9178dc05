// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/served_pools.hpp"

#include "core/base/json_edits.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace orrery {
namespace {

constexpr std::int64_t usualHost = 8; ///< accelerators; pools of fewer share out smaller hosts

/// A whole number that a draft states; 1 where it doesn't.
std::int64_t countAt(const Json& document, const std::string& pointer) { return static_cast<std::int64_t>(numberAt(document, pointer).value_or(1)); }

std::int64_t acceleratorsOf(const ServedPool& pool) {
    return countAt(pool.draft.document, "/cluster/nodes") * countAt(pool.draft.document, "/cluster/accelerators_per_node") * pool.copies;
}

std::int64_t acceleratorsOfInstance(const Json& document) {
    std::int64_t product = 1;
    for (const char* degree : {"/parallelism/tensor", "/parallelism/pipeline", "/parallelism/context", "/parallelism/attention_data"}) product *= countAt(document, degree);
    return product;
}

Json poolOf(const ServedPool& pool, std::int64_t host) {
    const Json& document = pool.draft.document;
    const std::int64_t accelerators = acceleratorsOf(pool);
    Json result{{"instances", std::max<std::int64_t>(1, accelerators / acceleratorsOfInstance(document))}, {"hosts", accelerators / host}};
    if (document.contains("parallelism")) {
        result["parallelism"] = document["parallelism"];
        result["parallelism"].erase("data"); // instances say it
    }
    if (const Json& workload = document.at("workload"); workload.contains("engine")) result["engine"] = workload["engine"];
    return result;
}

} // namespace

ServedRole roleOf(const Launch& launch) {
    for (const GivenOption& option : launch.options.all()) {
        const std::string value = option.value();
        if (option.name == "disaggregation-mode") return value == "prefill" ? ServedRole::prefill : value == "decode" ? ServedRole::decode
                                                                                                                      : ServedRole::whole;
        if (option.name == "is-prefill-worker") return ServedRole::prefill;
        if (option.name == "is-decode-worker") return ServedRole::decode;
        if (option.name != "kv-transfer-config") continue;
        if (value.find("kv_producer") != std::string::npos) return ServedRole::prefill;
        if (value.find("kv_consumer") != std::string::npos) return ServedRole::decode;
    }
    return ServedRole::whole;
}

void takeRoleOptions(OptionList& options) {
    for (GivenOption& option : options.all())
        if (option.name.rfind("disaggregation-", 0) == 0 || option.name == "is-prefill-worker" || option.name == "is-decode-worker" || option.name == "kv-transfer-config" || option.name == "connector") option.used = true;
}

bool isFurtherNode(const Launch& launch) {
    for (const GivenOption& option : launch.options.all()) {
        if (option.name != "node-rank" || option.values.empty()) continue;
        const auto rank = wholeNumber(option.values.front());
        if (rank && *rank > 0) return true;
    }
    return false;
}

void multiplyHosts(ScenarioDraft& draft, std::int64_t copies) {
    constexpr std::int64_t mostHosts = 100'000'000;
    const std::int64_t hosts = countAt(draft.document, "/cluster/nodes");
    if (copies < 2 || hasErrors(draft.problems) || !draft.has("/cluster/nodes")) return;
    if (copies > mostHosts / hosts) {
        draft.fail(1, "too-many-ranks", "The text asks for more copies than any cluster holds.", "Check its replicas.");
        return;
    }
    draft.set("/cluster/nodes", hosts * copies);
    draft.noteAssumed("/parallelism/data", "The text runs the server " + std::to_string(copies) + " times: as many instances were taken.");
}

bool sameInstances(const ServedPool& a, const ServedPool& b) {
    const auto of = [](const ServedPool& pool, const char* pointer) {
        const Json::json_pointer at(pointer);
        return pool.draft.document.contains(at) ? pool.draft.document.at(at) : Json();
    };
    for (const char* pointer : {"/parallelism", "/workload/engine", "/model", "/cluster"})
        if (of(a, pointer) != of(b, pointer)) return false;
    return true;
}

void joinPools(ScenarioDraft& draft, const ServedPool& prefill, const ServedPool& decode) {
    for (const ServedPool* pool : {&prefill, &decode})
        for (const Problem& problem : pool->draft.problems) {
            const bool said = std::any_of(draft.problems.begin(), draft.problems.end(), [&](const Problem& one) { return one.code == problem.code && one.message == problem.message && one.pointer == problem.pointer; });
            if (!said) draft.problems.push_back(problem);
        }
    if (hasErrors(draft.problems)) return;
    draft.document = prefill.draft.document;
    const std::int64_t stated = std::gcd(prefill.perHost, decode.perHost);
    const std::int64_t host = std::gcd(std::gcd(acceleratorsOf(prefill), acceleratorsOf(decode)), stated > 0 ? stated : usualHost);
    draft.set("/cluster/accelerators_per_node", host);
    draft.set("/cluster/nodes", (acceleratorsOf(prefill) + acceleratorsOf(decode)) / host);
    draft.document.erase("parallelism");
    draft.document["workload"].erase("engine");
    draft.set("/workload/engine/disaggregation/prefill", poolOf(prefill, host));
    draft.set("/workload/engine/disaggregation/decode", poolOf(decode, host));
}

} // namespace orrery
