// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace orrery {

/// How a router chooses: `perToken` different experts out of `experts`, all equally likely; with groups first
/// `groupsPerToken` of `groups` equal ones, then experts of those alone (DeepSeek-V3, arXiv 2412.19437, section 2.1.2).
struct Routing {
    int experts = 1;
    int perToken = 1;
    int groups = 1;
    int groupsPerToken = 1;
};

/// The chance that a token visits at least one of `held` experts that stand next to each other from a group's beginning, or that
/// lie within one group: of n equal holders it visits n times that on average. Exact: one minus the sum, over how many of the
/// groups they reach into are chosen (hypergeometric), of C(E' − covered, k)/C(E', k) with E' experts in the chosen groups.
double visitChance(const Routing& routing, int held);

/// An exchange of tokens between n ranks in D domains of g = n/D with equal shares of the experts, every token sent once to
/// each rank that holds one of its experts; between domains once, to the rank of equal place, which passes it on inside. The way
/// back is the same, sums instead of copies. Averages per token that a rank has:
struct ExchangeForm {
    double ranks = 0; ///< that it goes to, its own among them: n visitChance(E/n)
    double up = 0;    ///< times that it leaves a port inside a domain: D (g − 1) visitChance(E/n)
    double out = 0;   ///< times that it leaves for another domain: (D − 1) visitChance(E/D)
};
ExchangeForm exchangeForm(const Routing& routing, int ranks, int domains);

/// How a library for exchanging tokens between experts drives its links; see `expert_exchange` in resources/catalog/collectives.json.
struct ExchangeLibrary {
    std::string id;       ///< "hybrid-ep"
    double start = 0;     ///< s before and after the data flows: layout of the exchange, copies in and out, launches
    double upShare = 1;   ///< of the data-sheet rate inside a domain
    double copyRate = 0;  ///< bytes/s at which its multiprocessors move a token's copies, one for each rank, own included; 0: no limit
    double tokenRate = 0; ///< bytes/s at which they besides move every token once, in or out
    double outShare = 0;  ///< of the network interface's rate; 0: it reaches no other domain
    std::string source;
};

/// Share of a link of `bandwidth` inside a domain that the library drives for an exchange: no more than what its multiprocessors feed.
double upShareOf(const ExchangeLibrary& library, const ExchangeForm& form, double bandwidth);

} // namespace orrery
