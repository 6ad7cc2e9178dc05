// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/collectives/closed_forms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

/// Each closed form against the sends it stands for, carried out message by message: what every rank holds is tracked, so
/// that a pattern that would not do the operation fails here, and the bytes through every port are counted.
namespace orrery {
namespace {

constexpr double total = 840; // bytes; divides by every count below

struct Layout {
    int domains = 1;
    int members = 1;
    int ranks() const { return domains * members; }
    int domain(int rank) const { return rank / members; }
    GroupShape shape() const { return {ranks(), domains, members}; }
};

const std::vector<Layout>& layouts() {
    static const std::vector<Layout> list{{1, 2}, {1, 3}, {1, 4}, {1, 8}, {2, 1}, {5, 1}, {2, 2}, {2, 8}, {3, 4}, {4, 8}, {7, 3}};
    return list;
}

/// Bytes that left and entered each rank's ports.
class Ports {
public:
    explicit Ports(const Layout& layout)
        : layout_(layout), up_(std::size_t(layout.ranks()) * 2), out_(std::size_t(layout.ranks()) * 2) {}

    /// Between domains over as many interfaces as `stripes`, of which one is the rank's own.
    void send(int from, int to, double bytes, double stripes = 1) {
        std::vector<double>& level = layout_.domain(from) == layout_.domain(to) ? up_ : out_;
        const double each = &level == &up_ ? bytes : bytes / stripes;
        level[std::size_t(from) * 2] += each;
        level[std::size_t(to) * 2 + 1] += each;
    }
    double busiestUp() const { return *std::max_element(up_.begin(), up_.end()); }
    double busiestOut() const { return *std::max_element(out_.begin(), out_.end()); }

private:
    Layout layout_;
    std::vector<double> up_;
    std::vector<double> out_;
};

/// What each rank holds of each block: the set of ranks whose contributions are added up in it.
using Holdings = std::vector<std::vector<std::set<int>>>;

Holdings ownInputs(int ranks, int blocks) {
    Holdings holdings(static_cast<std::size_t>(ranks), std::vector<std::set<int>>(static_cast<std::size_t>(blocks)));
    for (int rank = 0; rank < ranks; ++rank)
        for (auto& block : holdings[std::size_t(rank)]) block.insert(rank);
    return holdings;
}

/// One pass of a ring over `order`, of `parts[i]` = the blocks of which order[i] ends with the sum (reducing) or that it
/// starts with (gathering). Returns the steps taken.
int ringPass(const std::vector<int>& order, const std::vector<std::vector<int>>& parts, bool reducing, Holdings& holdings,
             Ports& ports, double blockBytes, double stripes) {
    const int n = int(order.size());
    for (int step = 0; step + 1 < n; ++step) {
        const Holdings before = holdings;
        for (int place = 0; place < n; ++place) {
            const int from = order[std::size_t(place)];
            const int to = order[std::size_t((place + 1) % n)];
            // A part travels n − 1 hops: to its owner when reducing, from it when gathering.
            const int part = reducing ? ((place - 1 - step) % n + n) % n : ((place - step) % n + n) % n;
            for (const int block : parts[std::size_t(part)]) {
                const std::set<int>& sent = before[std::size_t(from)][std::size_t(block)];
                std::set<int>& held = holdings[std::size_t(to)][std::size_t(block)];
                if (reducing) {
                    held.insert(sent.begin(), sent.end());
                } else {
                    held = sent;
                }
                ports.send(from, to, blockBytes, stripes);
            }
        }
    }
    return n - 1;
}

void expectAllSums(const Holdings& holdings) {
    const int n = int(holdings.size());
    for (const auto& blocks : holdings)
        for (const std::set<int>& block : blocks) EXPECT_EQ(int(block.size()), n);
}

std::vector<std::vector<int>> oneBlockEach(int n) {
    std::vector<std::vector<int>> parts(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) parts[std::size_t(i)] = {i};
    return parts;
}

void expectBytes(const ClosedForm& form, const Ports& ports, double scale = 1) {
    EXPECT_NEAR(form.upBytes, ports.busiestUp(), 1e-9 * total * scale);
    EXPECT_NEAR(form.outBytes, ports.busiestOut(), 1e-9 * total * scale);
}

/// Where every rank is alone in its domain no port inside is used; the closed form counts the way to the interface there.
bool someRankSendsOnlyInside(const Layout& layout) { return layout.domains == 1 || layout.members > 1; }

TEST(RingForm, EqualsTheSendsOfARing) {
    for (const Layout& layout : layouts()) {
        SCOPED_TRACE(::testing::Message() << layout.domains << " x " << layout.members);
        const int n = layout.ranks();
        std::vector<int> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        Holdings holdings = ownInputs(n, n);
        Ports half(layout);
        Ports whole(layout);
        const auto parts = oneBlockEach(n);
        Holdings scattered = holdings;
        const int steps = ringPass(order, parts, true, scattered, half, total / n, layout.members);
        for (int rank = 0; rank < n; ++rank)
            EXPECT_EQ(int(scattered[std::size_t(rank)][std::size_t(rank)].size()), n) << "block of rank " << rank;
        ringPass(order, parts, true, holdings, whole, total / n, layout.members);
        ringPass(order, parts, false, holdings, whole, total / n, layout.members);
        expectAllSums(holdings);

        const ClosedForm scatter = *ringForm(CollectiveKind::reduce_scatter, layout.shape(), total);
        const ClosedForm gather = *ringForm(CollectiveKind::all_gather, layout.shape(), total);
        const ClosedForm reduce = *ringForm(CollectiveKind::all_reduce, layout.shape(), total);
        EXPECT_NEAR(scatter.outBytes, half.busiestOut(), 1e-9 * total);
        EXPECT_NEAR(reduce.outBytes, whole.busiestOut(), 1e-9 * total);
        if (someRankSendsOnlyInside(layout)) {
            expectBytes(scatter, half);
            expectBytes(gather, half);
            expectBytes(reduce, whole);
        }
        EXPECT_EQ(scatter.upSteps + scatter.outSteps, steps);
        EXPECT_EQ(reduce.upSteps + reduce.outSteps, 2 * steps);
        EXPECT_EQ(scatter.outSteps, layout.domains == 1 ? 0 : std::min(layout.domains, steps));
    }
}

TEST(RingForm, IsBoundByTheSlowerOfPortAndAllInterfaces) {
    const GroupShape group{16, 2, 8};
    const ClosedForm form = *ringForm(CollectiveKind::all_reduce, group, 1e9);
    EXPECT_NEAR(transferTime(form, 450e9, 6.25e9), 2 * 15.0 / 16 * 1e9 / (8 * 6.25e9), 1e-12);
    EXPECT_NEAR(transferTime(form, 300e9, 50e9), 2 * 15.0 / 16 * 1e9 / 300e9, 1e-12);
    EXPECT_DOUBLE_EQ(stepTime(form, 1e-6, 5e-6), 26e-6 + 4 * 5e-6);
}

TEST(RingForm, BroadcastPassesEveryByteOnce) {
    const ClosedForm form = *ringForm(CollectiveKind::broadcast, {12, 3, 4}, total);
    EXPECT_DOUBLE_EQ(form.upBytes, total);
    EXPECT_DOUBLE_EQ(form.outBytes, total / 4);
    EXPECT_EQ(form.upSteps + form.outSteps, 11);
}

/// NCCL's binary tree over nodes 0 … n − 1 (src/graph/trees.cc): a node's parent is found by moving its lowest set bit up.
int parentOf(int node, int n) {
    if (node == 0) return -1;
    const int bit = node & -node;
    const int candidate = (node ^ bit) | (bit << 1);
    return candidate < n ? candidate : node ^ bit;
}

/// The node that plays `role` in the second tree: mirrored where n is even, shifted where it is odd.
int second(int role, int n) { return n % 2 == 0 ? n - 1 - role : (role + 1) % n; }

TEST(TreeForm, EqualsTheSendsOfTwoBinaryTrees) {
    for (int n = 2; n <= 64; ++n) {
        SCOPED_TRACE(n);
        std::vector<double> sent(static_cast<std::size_t>(n));
        std::vector<double> received(static_cast<std::size_t>(n));
        int deepest = 0;
        for (int tree = 0; tree < 2; ++tree) {
            for (int role = 1; role < n; ++role) {
                const int parentRole = parentOf(role, n);
                const int child = tree == 0 ? role : second(role, n);
                const int parent = tree == 0 ? parentRole : second(parentRole, n);
                // Half of the bytes up, to be added, and the sum down again.
                sent[std::size_t(child)] += total / 2;
                received[std::size_t(parent)] += total / 2;
                sent[std::size_t(parent)] += total / 2;
                received[std::size_t(child)] += total / 2;
                int depth = 0;
                for (int at = role; at != 0; at = parentOf(at, n)) ++depth;
                deepest = std::max(deepest, depth);
            }
        }
        const double busiest = *std::max_element(sent.begin(), sent.end());
        EXPECT_DOUBLE_EQ(busiest, *std::max_element(received.begin(), received.end()));
        const ClosedForm inside = *treeForm(CollectiveKind::all_reduce, {n, 1, n}, total);
        EXPECT_NEAR(inside.upBytes, busiest, 1e-9 * total);
        EXPECT_EQ(inside.upSteps, 2 * deepest);
        const ClosedForm between = *treeForm(CollectiveKind::all_reduce, {n * 4, n, 4}, total);
        EXPECT_NEAR(between.outBytes, busiest / 4, 1e-9 * total);
        EXPECT_EQ(between.outSteps, 2 * deepest);
        EXPECT_EQ(between.upSteps, 6);
    }
}

TEST(TreeForm, ChainsThatBeginEverywhereLoadEveryPortAlike) {
    for (const int members : {1, 2, 3, 8}) {
        const Layout layout{2, members};
        Ports ports(layout);
        // One channel a member: a chain from it through the domain, one share of the bytes up and down.
        for (int head = 0; head < members; ++head)
            for (int hop = 0; hop + 1 < members; ++hop) {
                const int nearer = (head + hop) % members;
                const int farther = (head + hop + 1) % members;
                ports.send(farther, nearer, total / members);
                ports.send(nearer, farther, total / members);
            }
        const ClosedForm form = *treeForm(CollectiveKind::all_reduce, layout.shape(), total);
        EXPECT_NEAR(form.upBytes, ports.busiestUp(), 1e-9 * total);
        EXPECT_EQ(form.upSteps, 2 * (members - 1));
    }
}

TEST(HierarchicalForm, EqualsItsThreePhases) {
    for (const Layout& layout : layouts()) {
        SCOPED_TRACE(::testing::Message() << layout.domains << " x " << layout.members);
        const int n = layout.ranks();
        const int g = layout.members;
        const int domains = layout.domains;
        // Blocks: for each member's place, one for each domain.
        const int blocks = g * domains;
        Holdings holdings = ownInputs(n, blocks);
        Ports ports(layout);
        std::vector<std::vector<int>> byPlace(static_cast<std::size_t>(g));
        for (int place = 0; place < g; ++place)
            for (int d = 0; d < domains; ++d) byPlace[std::size_t(place)].push_back(place * domains + d);
        const auto domainOrder = [&](int d) {
            std::vector<int> order;
            for (int place = 0; place < g; ++place) order.push_back(d * g + place);
            return order;
        };
        int upSteps = 0;
        int outSteps = 0;
        for (int d = 0; d < domains; ++d)
            upSteps = ringPass(domainOrder(d), byPlace, true, holdings, ports, total / blocks, 1);
        for (int place = 0; place < g; ++place) {
            std::vector<int> order;
            std::vector<std::vector<int>> parts;
            for (int d = 0; d < domains; ++d) {
                order.push_back(d * g + place);
                parts.push_back({place * domains + d});
            }
            outSteps = ringPass(order, parts, true, holdings, ports, total / blocks, 1);
            outSteps += ringPass(order, parts, false, holdings, ports, total / blocks, 1);
        }
        for (int d = 0; d < domains; ++d)
            ringPass(domainOrder(d), byPlace, false, holdings, ports, total / blocks, 1);
        expectAllSums(holdings);
        const ClosedForm form = *hierarchicalForm(CollectiveKind::all_reduce, layout.shape(), total);
        expectBytes(form, ports);
        EXPECT_EQ(form.upSteps, 2 * upSteps);
        EXPECT_EQ(form.outSteps, outSteps);
        EXPECT_TRUE(form.levelsInTurn);
        const ClosedForm gather = *hierarchicalForm(CollectiveKind::all_gather, layout.shape(), total);
        EXPECT_DOUBLE_EQ(2 * gather.upBytes, form.upBytes);
        EXPECT_DOUBLE_EQ(2 * gather.outBytes, form.outBytes);
    }
}

TEST(HierarchicalForm, AddsUpItsLevels) {
    const ClosedForm form = *hierarchicalForm(CollectiveKind::all_reduce, {32, 4, 8}, 1e9);
    EXPECT_NEAR(transferTime(form, 400e9, 50e9), 2 * 7.0 / 8 * 1e9 / 400e9 + 2 * 3.0 / 4 * 1e9 / 8 / 50e9, 1e-12);
}

TEST(InSwitchForm, EqualsWhatOwnersFetchAndSend) {
    for (const int n : {2, 3, 4, 8, 72}) {
        SCOPED_TRACE(n);
        std::vector<double> leaves(static_cast<std::size_t>(n));
        std::vector<double> enters(static_cast<std::size_t>(n));
        std::vector<double> fetched(static_cast<std::size_t>(n));
        for (int owner = 0; owner < n; ++owner) {
            for (int member = 0; member < n; ++member) {
                fetched[std::size_t(member)] += total / n; // the switch reads it to add
                enters[std::size_t(member)] += total / n;  // and delivers the sum
            }
            enters[std::size_t(owner)] += total / n; // the sum, added in the switch
            leaves[std::size_t(owner)] += total / n; // which it hands out again
        }
        for (int member = 0; member < n; ++member) leaves[std::size_t(member)] += fetched[std::size_t(member)];
        const ClosedForm form = *inSwitchForm(CollectiveKind::all_reduce, {n, 1, n}, total);
        EXPECT_NEAR(form.upBytes, *std::max_element(leaves.begin(), leaves.end()), 1e-9 * total);
        EXPECT_NEAR(form.upBytes, *std::max_element(enters.begin(), enters.end()), 1e-9 * total);
        const ClosedForm scatter = *inSwitchForm(CollectiveKind::reduce_scatter, {n, 1, n}, total);
        EXPECT_NEAR(scatter.upBytes, *std::max_element(fetched.begin(), fetched.end()), 1e-9 * total);
    }
    // Several domains: each owner exchanges its part over its own interface.
    EXPECT_DOUBLE_EQ(inSwitchForm(CollectiveKind::all_reduce, {16, 2, 8}, total)->outBytes, total / 8);
    EXPECT_DOUBLE_EQ(inSwitchForm(CollectiveKind::all_reduce, {64, 8, 8}, total)->outBytes, 2 * total / 8);
    EXPECT_FALSE(inSwitchForm(CollectiveKind::all_gather, {16, 2, 8}, total));
}

TEST(PairwiseForm, EqualsOneMessageFromEachToEach) {
    for (const Layout& layout : layouts()) {
        Ports ports(layout);
        const int n = layout.ranks();
        for (int from = 0; from < n; ++from)
            for (int to = 0; to < n; ++to)
                if (from != to) ports.send(from, to, total / n);
        expectBytes(*pairwiseForm(CollectiveKind::all_to_all, layout.shape(), total), ports);
    }
}

TEST(PairwiseForm, PairInTwoDomainsIsBoundByTheSlowerLink) {
    const ClosedForm near = *pairwiseForm(CollectiveKind::send_receive, {2, 1, 2}, 1e9);
    const ClosedForm far = *pairwiseForm(CollectiveKind::send_receive, {2, 2, 1}, 1e9);
    EXPECT_DOUBLE_EQ(transferTime(near, 400e9, 0), 1e9 / 400e9);
    EXPECT_DOUBLE_EQ(transferTime(far, 400e9, 50e9), 1e9 / 50e9);
    EXPECT_DOUBLE_EQ(transferTime(far, 40e9, 50e9), 1e9 / 40e9);
    EXPECT_DOUBLE_EQ(stepTime(near, 1, 10), 1);
    EXPECT_DOUBLE_EQ(stepTime(far, 1, 10), 10);
}

TEST(ClosedForms, DoOnlyWhatTheyCan) {
    const GroupShape group{8, 1, 8};
    EXPECT_FALSE(ringForm(CollectiveKind::all_to_all, group, total));
    EXPECT_FALSE(treeForm(CollectiveKind::all_gather, group, total));
    EXPECT_FALSE(hierarchicalForm(CollectiveKind::broadcast, group, total));
    EXPECT_FALSE(inSwitchForm(CollectiveKind::broadcast, group, total));
    EXPECT_FALSE(pairwiseForm(CollectiveKind::all_reduce, group, total));
}

TEST(ClosedForms, OneRankOrNothingToSendTakesNothing) {
    for (const ClosedForm& form : {*ringForm(CollectiveKind::all_reduce, {1, 1, 1}, total),
                                   *treeForm(CollectiveKind::all_reduce, {8, 1, 8}, 0),
                                   *pairwiseForm(CollectiveKind::all_to_all, {1, 1, 1}, total)}) {
        EXPECT_EQ(form.upBytes, 0);
        EXPECT_EQ(form.outBytes, 0);
        EXPECT_EQ(form.upSteps + form.outSteps, 0);
        EXPECT_EQ(transferTime(form, 1, 0), 0);
    }
}

} // namespace
} // namespace orrery
