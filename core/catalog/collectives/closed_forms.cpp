// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/collectives/closed_forms.hpp"

#include "core/base/expect.hpp"

#include <algorithm>

namespace orrery {
namespace {

bool nothingToSend(const GroupShape& group, double bytes) { return group.ranks < 2 || !(bytes > 0); }

int ceilLog2(int n) {
    ORRERY_EXPECT(n >= 1, n);
    int result = 0;
    for (int reach = 1; reach < n; reach *= 2) ++result;
    return result;
}

/// Passes of a ring that an operation takes: an all-reduce is a reduce-scatter and an all-gather.
int passes(CollectiveKind kind) { return kind == CollectiveKind::all_reduce ? 2 : 1; }

bool reducesOrGathers(CollectiveKind kind) {
    return kind == CollectiveKind::all_reduce || kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter;
}

/// What the busiest node of a double binary tree sends in an all-reduce over `nodes`, in units of the bytes.
double treeShare(int nodes) { return std::min(2.0, nodes / 2.0); }

} // namespace

double transferTime(const ClosedForm& form, double upBandwidth, double outBandwidth) {
    const double ownBytes = std::max(form.upBytes, form.throughBytes);
    const double up = ownBytes > 0 ? ownBytes / upBandwidth : 0;
    const double out = form.outBytes > 0 ? form.outBytes / outBandwidth : 0;
    return form.levelsInTurn ? up + out : std::max(up, out);
}

double stepTime(const ClosedForm& form, double upStep, double outStep) {
    return form.upSteps * upStep + form.outSteps * outStep;
}

std::optional<ClosedForm> ringForm(CollectiveKind kind, const GroupShape& group, double bytes) {
    if (!reducesOrGathers(kind) && kind != CollectiveKind::broadcast) return std::nullopt;
    ClosedForm form;
    if (nothingToSend(group, bytes)) return form;
    const double n = group.ranks;
    const int hops = group.ranks - 1;
    const int crossing = group.domains > 1 ? std::min(group.domains, hops) : 0;
    form.upBytes = kind == CollectiveKind::broadcast ? bytes : passes(kind) * (n - 1) / n * bytes;
    if (group.domains > 1) form.outBytes = form.upBytes / group.membersPerDomain;
    form.outSteps = passes(kind) * crossing;
    form.upSteps = passes(kind) * (hops - crossing);
    return form;
}

std::optional<ClosedForm> treeForm(CollectiveKind kind, const GroupShape& group, double bytes) {
    const bool reduce = kind == CollectiveKind::all_reduce;
    if (!reduce && kind != CollectiveKind::broadcast) return std::nullopt;
    ClosedForm form;
    if (nothingToSend(group, bytes)) return form;
    const int ways = reduce ? 2 : 1;
    if (group.domains == 1) {
        form.upBytes = reduce ? treeShare(group.ranks) * bytes : bytes;
        form.upSteps = ways * ceilLog2(group.ranks);
        return form;
    }
    const double g = group.membersPerDomain;
    form.upBytes = ways * (g - 1) / g * bytes;
    form.throughBytes = (reduce ? treeShare(group.domains) : 1) * bytes;
    form.outBytes = form.throughBytes / g;
    form.upSteps = ways * (group.membersPerDomain - 1);
    form.outSteps = ways * ceilLog2(group.domains);
    return form;
}

std::optional<ClosedForm> hierarchicalForm(CollectiveKind kind, const GroupShape& group, double bytes) {
    if (!reducesOrGathers(kind)) return std::nullopt;
    ClosedForm form;
    if (nothingToSend(group, bytes)) return form;
    const double g = group.membersPerDomain;
    const double domains = group.domains;
    form.upBytes = passes(kind) * (g - 1) / g * bytes;
    form.outBytes = passes(kind) * (domains - 1) / domains * bytes / g;
    form.upSteps = passes(kind) * (group.membersPerDomain - 1);
    form.outSteps = passes(kind) * (group.domains - 1);
    form.levelsInTurn = true;
    return form;
}

std::optional<ClosedForm> inSwitchForm(CollectiveKind kind, const GroupShape& group, double bytes) {
    if (!reducesOrGathers(kind)) return std::nullopt;
    const bool reduce = kind == CollectiveKind::all_reduce;
    if (!reduce && group.domains > 1) return std::nullopt;
    ClosedForm form;
    if (nothingToSend(group, bytes)) return form;
    const double g = group.membersPerDomain;
    form.upBytes = reduce ? (g + 1) / g * bytes : bytes;
    form.upSteps = passes(kind);
    if (group.domains > 1) {
        form.outBytes = treeShare(group.domains) * bytes / g;
        form.outSteps = 2 * ceilLog2(group.domains);
    }
    return form;
}

std::optional<ClosedForm> pairwiseForm(CollectiveKind kind, const GroupShape& group, double bytes) {
    if (kind != CollectiveKind::all_to_all && kind != CollectiveKind::send_receive) return std::nullopt;
    ClosedForm form;
    if (nothingToSend(group, bytes)) return form;
    const bool several = group.domains > 1;
    if (kind == CollectiveKind::send_receive) {
        form.upBytes = bytes;
        if (several) form.outBytes = bytes;
    } else {
        const double n = group.ranks;
        const double near = several ? group.membersPerDomain : n;
        form.upBytes = (near - 1) / n * bytes;
        form.outBytes = (n - near) / n * bytes;
    }
    (several ? form.outSteps : form.upSteps) = 1;
    return form;
}

} // namespace orrery
