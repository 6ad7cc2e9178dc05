// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/collectives/expert_exchange.hpp"

#include "core/base/expect.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// C(all − taken, chosen)/C(all, chosen): the chance that `chosen` of `all` miss certain `taken`.
double missChance(int all, int taken, int chosen) {
    ORRERY_EXPECT(taken >= 0 && taken <= all && chosen >= 0, all, taken, chosen);
    if (all - taken < chosen) return 0;
    double chance = 1;
    for (int i = 0; i < chosen; ++i) chance *= double(all - taken - i) / (all - i);
    return chance;
}

/// C(n, k) as a double; 0 where there is none.
double choices(int n, int k) {
    if (k < 0 || n < 0 || k > n) return 0;
    double count = 1;
    for (int i = 0; i < std::min(k, n - k); ++i) count *= double(n - i) / (i + 1);
    return count;
}

} // namespace

double visitChance(const Routing& routing, int held) {
    const int groups = std::max(1, routing.groups), chosen = std::clamp(routing.groupsPerToken, 1, groups);
    const int each = routing.experts / groups, open = each * chosen;
    const int whole = std::min(groups, held / each), rest = whole < groups ? held - whole * each : 0;
    const int partly = rest > 0 ? 1 : 0; // a group of which only `rest` experts are held
    double miss = 0;
    for (int full = 0; full <= whole; ++full)
        for (int part = 0; part <= partly; ++part) {
            const double ways = choices(whole, full) * choices(groups - whole - partly, chosen - full - part);
            if (ways > 0) miss += ways / choices(groups, chosen) * missChance(open, full * each + part * rest, routing.perToken);
        }
    return std::clamp(1 - miss, 0.0, 1.0);
}

ExchangeForm exchangeForm(const Routing& routing, int ranks, int domains) {
    ORRERY_EXPECT(ranks >= 1 && domains >= 1 && domains <= ranks, ranks, domains);
    const int members = ranks / domains;
    const double rank = visitChance(routing, routing.experts / ranks), domain = visitChance(routing, routing.experts / domains);
    return {ranks * rank, double(domains) * (members - 1) * rank, (domains - 1) * domain};
}

double upShareOf(const ExchangeLibrary& library, const ExchangeForm& form, double bandwidth) {
    if (library.copyRate <= 0 || form.up <= 0) return library.upShare;
    const double perByte = form.ranks / library.copyRate + (library.tokenRate > 0 ? 1 / library.tokenRate : 0);
    return std::min(library.upShare, form.up / perByte / bandwidth);
}

} // namespace orrery
