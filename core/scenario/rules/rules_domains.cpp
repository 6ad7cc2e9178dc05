// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/rank_domains.hpp"
#include "core/scenario/rank_groups.hpp"
#include "core/scenario/rules/rules.hpp"

#include <algorithm>
#include <numeric>

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

} // namespace orrery
