// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/hybrid_question.hpp"

#include "core/base/json.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/document/schema_shapes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace orrery {
namespace {

std::optional<std::int64_t> rankNumber(const std::string& text) {
    std::int64_t rank = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), rank);
    return wrong == std::errc() && end == text.data() + text.size() && rank >= 0 ? std::optional(rank) : std::nullopt;
}

/// A part that may be missing; `otherwise` outlives what is done with it.
const Json& partOf(const Json& hybrid, const char* key, const Json& otherwise) { return hybrid.contains(key) ? hybrid.at(key) : otherwise; }

std::int64_t countOf(const Json& object, const char* key, std::int64_t otherwise) {
    constexpr std::int64_t most = 1 << 20; // of each; a product of three stays a number
    if (!object.is_object() || !object.contains(key) || !object.at(key).is_number_integer()) return otherwise;
    return std::clamp<std::int64_t>(object.at(key).get<std::int64_t>(), 0, most);
}

/// How many accelerators a cluster has, drawn or in its short form.
std::int64_t acceleratorsOf(const Json& cluster) {
    if (!cluster.is_object()) return 0;
    if (!cluster.contains("topology")) return countOf(cluster, "accelerators_per_node", 0) * countOf(cluster, "nodes", 0);
    const Json& topology = cluster.at("topology");
    if (!topology.is_object() || !topology.contains("nodes") || !topology.at("nodes").is_array()) return 0;
    std::int64_t sum = 0;
    for (const Json& node : topology.at("nodes"))
        if (node.is_object() && node.value("kind", Json()) == "host") sum += countOf(node, "count", 0) * countOf(node, "replicas", 1);
    return sum;
}

/// The job's size where a cluster says it; records of fewer ranks are then extended to it.
void readWorld(const Json& document, HybridQuestion& question, Problems& problems) {
    constexpr std::int64_t mostRanks = 1 << 20;
    if (!document.contains("cluster")) return;
    question.world = acceleratorsOf(document.at("cluster"));
    if (*question.world >= 1 && *question.world <= mostRanks) return;
    problems.push_back(error("out-of-range", "/cluster", "The cluster has " + std::to_string(*question.world) + " accelerators; from 1 to " + std::to_string(mostRanks) + " ranks can be replayed.").mend("Give accelerators_per_node and nodes, or draw hosts."));
}

} // namespace

std::optional<HybridQuestion> readHybrid(const Json& document, Problems& problems) {
    const std::string at = "/hybrid";
    if (!document.is_object() || !document.contains("hybrid")) {
        problems.push_back(error("missing-key", "", "The scenario has no \"hybrid\".").mend("Write \"hybrid\": {\"ranks\": {\"0\": \"rank0.json.gz\"}}."));
        return std::nullopt;
    }
    const Json& hybrid = document.at("hybrid");
    const std::size_t before = problems.size();
    checkShape(hybrid, schema::hybridShape(), at, problems);
    if (problems.size() != before) return std::nullopt;

    const Json noEntries = Json::object(), noItems = Json::array();
    HybridQuestion question;
    for (const auto& [key, file] : partOf(hybrid, "ranks", noEntries).items()) {
        if (const auto rank = rankNumber(key)) question.recorded[*rank] = file.get<std::string>();
        else problems.push_back(error("wrong-type", below(at + "/ranks", key), "\"" + key + "\" is no rank.").mend("Write a whole number from 0, in quotes."));
    }
    for (const auto& [name, source] : partOf(hybrid, "classes", noEntries).items()) {
        if (source.is_string()) question.classes[name] = source.get<std::string>();
        else question.classes[name] = source.get<std::int64_t>();
        if (source.is_number() && !question.recorded.contains(source.get<std::int64_t>()))
            problems.push_back(error("unknown-rank", below(at + "/classes", name), "Rank " + source.dump() + " was not recorded.").mend("Name a rank of \"ranks\", or a trace file."));
    }
    for (const Json& delay : partOf(hybrid, "delays", noItems))
        question.whatIfs.delays.push_back({delay.at("rank").get<std::int64_t>(), delay.value("before_collective", std::size_t{0}), std::llround(delay.at("us").get<double>() * 1e3)});
    for (const Json& stop : partOf(hybrid, "stops", noItems)) question.whatIfs.stops.push_back({stop.at("rank").get<std::int64_t>(), stop.value("before_collective", std::size_t{0})});
    for (const Json& rule : partOf(hybrid, "scale_kernels", noItems)) question.scaled.push_back({rule.at("match").get<std::string>(), rule.at("factor").get<double>()});
    if (hybrid.contains("communication"))
        if (auto rules = readCommunicationRules(hybrid.at("communication"), "", at + "/communication", problems)) question.communication = std::move(*rules);
    if (hybrid.contains("vram_bytes")) question.vram = std::llround(hybrid.at("vram_bytes").get<double>());
    question.prune = hybrid.value("prune", true);
    readWorld(document, question, problems);
    if (question.recorded.empty() && question.classes.empty())
        problems.push_back(error("missing-key", at + "/ranks", "No rank was recorded.").mend("Name a trace file for a rank: {\"0\": \"rank0.json.gz\"}."));
    if (problems.size() != before) return std::nullopt;
    return question;
}

} // namespace orrery
