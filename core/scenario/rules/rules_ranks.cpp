// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/rank_groups.hpp"
#include "core/scenario/rules/rules.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>

namespace orrery {
namespace {

/// "rack-0 and rack-1", "rack-0, rack-1 and 3 more".
std::string listedDomains(const std::vector<int>& which, const RankDomains& domains) {
    const auto name = [&](std::size_t i) { return domains.names[static_cast<std::size_t>(which[i])]; };
    if (which.size() == 2) return name(0) + " and " + name(1);
    return name(0) + ", " + name(1) + " and " + std::to_string(which.size() - 2) + " more";
}

void warnOfCrossing(const char* kind, const char* pointer, const char* work, const DomainCrossings& found, const RankDomains& domains,
                    Problems& problems) {
    const std::string many = found.crossing == found.groups ? "All " + std::to_string(found.groups) : std::to_string(found.crossing) + " of " + std::to_string(found.groups);
    const std::string subject = found.groups == 1 ? std::string("The ") + kind + " group reaches" : many + " " + kind + " groups reach";
    const std::string which = found.groups == 1 ? "ranks " : found.crossing == 1 ? "the ranks "
                                                                                 : "the first with ranks ";
    int common = 0;
    for (const int size : domains.sizes) common = std::gcd(common, size);
    problems.push_back(warning(std::string(kind) + "-across-domains", pointer,
                               subject + " over scale-up domains, " + which + describeRanks(found.first) + " over " +
                                   listedDomains(found.firstDomains, domains) + ": " + work + " waits for the slower network.")
                           .mend(common > 1 ? "It runs; groups whose ranks divide the " + std::to_string(common) + " accelerators of a domain stay inside and are usually faster."
                                            : "It runs; groups inside one domain are usually faster."));
}

} // namespace

bool expertsCrossDomains(const Parallelism& plan, const Cluster& cluster) {
    return plan.expert * plan.expertTensor > 1 && crossingsOf(expertGroups(plan), rankDomains(cluster)).crossing > 0;
}

void checkDomainRules(const Parallelism& plan, const Cluster& cluster, Problems& problems) {
    const bool experts = plan.expert * plan.expertTensor > 1;
    if (plan.tensor == 1 && plan.context == 1 && !experts) return;
    const RankDomains domains = rankDomains(cluster);
    if (domains.sizes.size() < 2) return;
    if (plan.tensor > 1) {
        const DomainCrossings found = crossingsOf(tensorGroups(plan), domains);
        if (found.crossing > 0) warnOfCrossing("tensor", "/parallelism/tensor", "every layer", found, domains, problems);
    }
    // Context and expert groups wider than a host's fabric are everyday plans; those that a rack could hold are not.
    const auto check = [&](const char* kind, const char* pointer, const char* work, const RankGroups& groups) {
        const DomainCrossings found = crossingsOf(groups, domains);
        if (found.crossing > 0 && (domains.wide || found.avoidable)) warnOfCrossing(kind, pointer, work, found, domains, problems);
    };
    if (plan.context > 1) check("context", "/parallelism/context", "attention", contextGroups(plan));
    if (experts) check("expert", "/parallelism/expert", "the exchange of tokens", expertGroups(plan));
}

namespace {

/// "tensor 8 × pipeline 16 = 128 ranks"; context only when it is used.
std::string product(const PlanNumbers& plan) {
    std::string text = "tensor " + std::to_string(plan.tensor);
    if (plan.context > 1) text += " × context " + std::to_string(plan.context);
    return text + " × pipeline " + std::to_string(plan.pipeline) + " = " + counted(plan.modelRanks(), "rank");
}

struct Culprit {
    const char* pointer;
    const char* name;
    std::int64_t PlanNumbers::*number;
};

/// The dimension to blame: the last one without which the others fit.
Culprit culpritOf(const PlanNumbers& plan) {
    const Culprit tensor{"/parallelism/tensor", "tensor", &PlanNumbers::tensor};
    const Culprit context{"/parallelism/context", "context", &PlanNumbers::context};
    const Culprit pipeline{"/parallelism/pipeline", "pipeline", &PlanNumbers::pipeline};
    for (const Culprit& candidate : {pipeline, context, tensor}) {
        PlanNumbers without = plan;
        without.*candidate.number = 1;
        if (plan.*candidate.number > 1 && ranksFit(without)) return candidate;
    }
    return plan.tensor >= plan.pipeline ? tensor : pipeline;
}

} // namespace

void checkRankOrder(const FilledDocument& document, Problems& problems) {
    const std::string at = "/parallelism/order";
    const std::string usual = "tp-cp-ep-dp-pp";
    const std::string order = document.text(at, usual);
    std::map<std::string, int> seen{{"tp", 0}, {"cp", 0}, {"ep", 0}, {"dp", 0}, {"pp", 0}};
    std::istringstream words(order);
    bool known = !order.empty() && order.back() != '-';
    for (std::string word; std::getline(words, word, '-');) {
        const auto dimension = seen.find(word);
        if (dimension == seen.end()) known = false;
        else ++dimension->second;
    }
    const bool once = std::all_of(seen.begin(), seen.end(), [](const auto& entry) {
        const bool optional = entry.first == "cp" || entry.first == "ep";
        return entry.second == 1 || (optional && entry.second == 0);
    });
    if (known && once) return;
    problems.push_back(error("unknown-order", at, "The order \"" + order + "\" does not name tp, cp, ep, dp and pp once each.")
                           .mend("Write \"" + usual + "\"; the first are neighbours.")
                           .edit(at, usual));
}

namespace {

/// HSDP's groups are cut from the ranks that hold the same weights.
void checkShardGroup(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    const char* at = "/parallelism/shard_group";
    const std::int64_t group = document.integer(at, 0), replicas = plan.data() * plan.context;
    if (group <= 0) return;
    if (document.integer("/parallelism/zero_stage") == 0) {
        problems.push_back(warning("no-effect", at, "A shard group shares out what ZeRO shards, and ZeRO stage 0 shards nothing.")
                               .mend("Leave it out, or use ZeRO stage 3.")
                               .edit(at, nullptr));
        return;
    }
    if (replicas % group == 0) return;
    std::int64_t mended = std::min(group, replicas);
    while (replicas % mended != 0) --mended;
    problems.push_back(error("shard-group-not-divisible", at,
                             "Shard groups of " + counted(group, "rank") + " do not divide the " + counted(replicas, "rank") +
                                 " that hold the same weights.")
                           .mend("Use " + std::to_string(mended) + ".")
                           .edit(at, mended));
}

} // namespace

void checkRankRules(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    checkRankOrder(document, problems);
    if (!ranksFit(plan)) {
        const Culprit culprit = culpritOf(plan);
        // Two problems at one field say less than one: the tensor rules have spoken already.
        if (culprit.number == &PlanNumbers::tensor && !(headsSplit(plan) && keyValueHeadsSplit(plan) && feedForwardSplits(plan))) return;
        const bool tooMany = plan.modelRanks() > plan.accelerators;
        const std::string cluster = counted(plan.accelerators, "accelerator");
        std::string words = product(plan);
        words.front() = 'T';
        Problem problem = tooMany ? error("too-many-ranks", culprit.pointer, words + ", but the cluster has " + cluster + ".")
                                  : error("ranks-not-divisible", culprit.pointer,
                                          "The " + cluster + " of the cluster do not split into groups of " + product(plan) + ".");
        problem.mend = "Make the product a divisor of " + std::to_string(plan.accelerators) + ".";
        if (const auto mended = nearestWorking(plan, culprit.number, plan.accelerators, ranksFit)) {
            problem.mend = std::string("Use ") + culprit.name + " " + std::to_string(*mended) + ".";
            problem.edits.push_back({culprit.pointer, *mended});
        }
        problems.push_back(std::move(problem));
        return;
    }
    checkShardGroup(plan, document, problems);
    const char* dataAt = "/parallelism/data";
    const Json* given = document.find(dataAt);
    if (given && given->get<std::int64_t>() != plan.data()) {
        problems.push_back(error("data-mismatch", dataAt,
                                 "data is " + std::to_string(given->get<std::int64_t>()) + ", but " + product(plan) + " on " +
                                     counted(plan.accelerators, "accelerator") + " make it " + std::to_string(plan.data()) + ".")
                               .mend("Use " + std::to_string(plan.data()) + ", or leave data out.")
                               .edit(dataAt, plan.data()));
    }
}

} // namespace orrery
