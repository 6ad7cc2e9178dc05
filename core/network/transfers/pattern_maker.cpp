// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/transfers/pattern_maker.hpp"

#include "core/base/expect.hpp"
#include "core/base/index.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

int treeSteps(int nodes) { return static_cast<int>(std::ceil(std::log2(nodes))); }

/// Parent in the in-order binary tree over 0 … n − 1 with root 0; -1 for the root. A node's height is its number of trailing zeros.
int treeParent(int node, int n) {
    if (node == 0) return -1;
    const int lowest = node & -node;
    const int above = (node ^ lowest) | (lowest << 1);
    return above < n ? above : node ^ lowest;
}

/// The node that `node` stands for in the second tree: mirrored, or shifted by one where mirroring would keep even places even.
int inSecondTree(int node, int n) { return n % 2 == 0 ? n - 1 - node : (node + n - 1) % n; }

/// The same where both trees hang from node 0, which keeps its place; odd places are leaves.
int inSecondTreeFromRoot(int node, int n) { return node == 0 ? 0 : n % 2 == 0 ? node % (n - 1) + 1
                                                                              : n - node; }

/// What the busiest port of the two trees carries each way, in units of S.
double busiestPort(int nodes) { return nodes <= 2 ? 1.0 : nodes == 3 ? 1.5
                                                                     : 2.0; }

} // namespace

PatternMaker::PatternMaker(Router& router)
    : router_(router), fabric_(router.fabric()), crossings_(fabric_.links().size(), 0) {}

TransferPattern PatternMaker::make(const std::vector<int>& ranks, const PatternRequest& request) {
    ORRERY_EXPECT(!ranks.empty());
    request_ = &request;
    ranks_ = ranks;
    layout_ = layoutOf(fabric_, ranks);
    pattern_ = {};
    pattern_.algorithm = wordOf(CollectiveWay::none);
    slowestUp_ = slowestOut_ = 0;
    if (ranks.size() < 2 || request.kind == CollectiveKind::none) return std::move(pattern_);
    pattern_.start = request.start;
    pattern_.upShare = request.upShare;
    pattern_.outShare = request.outShare;
    pattern_.upWire = std::max(request.upWire, request.upShare);
    pattern_.outWire = std::max(request.outWire, request.outShare);
    pattern_.algorithm = request.algorithm;
    const int n = layout_.ranks;
    const bool treeLike = request.kind == CollectiveKind::all_reduce || request.kind == CollectiveKind::broadcast;
    switch (request.kind) {
    case CollectiveKind::all_to_all: allToAll(); break;
    case CollectiveKind::send_receive: sendReceive(); break;
    default:
        if (request.algorithm == wordOf(CollectiveWay::tree) && treeLike) {
            tree(request.kind == CollectiveKind::all_reduce);
        } else if (request.algorithm == wordOf(CollectiveWay::hierarchical) && layout_.even && layout_.domainCount() > 1 &&
                   request.kind != CollectiveKind::broadcast) {
            hierarchical();
        } else if (request.algorithm == wordOf(CollectiveWay::nvls) && layout_.members > 1 && request.kind != CollectiveKind::broadcast &&
                   (layout_.domainCount() == 1 || request.kind == CollectiveKind::all_reduce)) {
            nvls();
        } else {
            pattern_.algorithm = wordOf(CollectiveWay::ring);
            if (request.kind == CollectiveKind::all_reduce) {
                pattern_.formula = "2(n - 1)/n S/W + 2(n - 1) a";
                ring(2.0 * (n - 1) / n, 2 * (n - 1), true);
            } else if (request.kind == CollectiveKind::broadcast) {
                pattern_.formula = "S/W + (n - 1) a";
                ring(1, n - 1, false);
            } else {
                pattern_.formula = "(n - 1)/n S/W + (n - 1) a";
                ring(double(n - 1) / n, n - 1, true);
            }
        }
    }
    return std::move(pattern_);
}

// --- collecting flows ----------------------------------------------------------------------------------------------------

void PatternMaker::addPort(FlowLink link, double flows) {
    if (crossings_[link] == 0) crossed_.push_back(link);
    crossings_[link] += flows;
}

void PatternMaker::addFlow(int from, int to, double flows) {
    const Way way = router_.way(from, to);
    if (!way.found) {
        if (pattern_.connected) {
            pattern_.cutFrom = from;
            pattern_.cutTo = to;
        }
        pattern_.connected = false;
        return;
    }
    for (const WayLink& part : way.links) addPort(part.link, flows * part.share);
    const bool inside = fabric_.hasScaleUp() && fabric_.seat(from).domain == fabric_.seat(to).domain;
    double& slowest = inside ? slowestUp_ : slowestOut_;
    slowest = std::max(slowest, way.latency);
    pattern_.hops = std::max(pattern_.hops, way.hops);
}

/// What the library can't drive of a link stays free for others: there the flows are capped.
PatternFlows PatternMaker::collected(double bytesPerByte, double cap) {
    PatternFlows flows;
    flows.bytesPerByte = bytesPerByte;
    flows.cap = cap;
    std::sort(crossed_.begin(), crossed_.end());
    flows.uses.reserve(crossed_.size());
    for (const FlowLink link : crossed_) {
        const bool up = fabric_.groups()[fabric_.links()[link].group].kind == LinkKind::scale_up;
        const double share = up ? pattern_.upShare : pattern_.outShare, wire = up ? pattern_.upWire : pattern_.outWire;
        if (share < wire) flows.cap = std::min(flows.cap, fabric_.links()[link].capacity * share / crossings_[link]);
        flows.uses.push_back({link, crossings_[link] / wire});
        crossings_[link] = 0;
    }
    crossed_.clear();
    return flows;
}

void PatternMaker::addPhase(double latency, std::vector<PatternFlows> flows) {
    pattern_.phases.push_back({request_->stepLatency ? latency : 0, std::move(flows)});
}

double PatternMaker::scaleUpCap(double flowsThroughOneRank) const {
    if (!fabric_.hasScaleUp()) return unlimitedRate;
    return fabric_.cluster().scaleUpBandwidth * pattern_.upShare / flowsThroughOneRank;
}

// --- rings ---------------------------------------------------------------------------------------------------------------

/// Where a channel enters and leaves each domain. It leaves on the rail on which it entered the next one: c to c − 1 and back
/// to c, so that after the last domain it is on c again; an odd number of domains takes c − 2 as well once.
std::vector<PatternMaker::Turn> PatternMaker::turns(int channel) const {
    const int domains = layout_.domainCount(), g = layout_.members;
    const auto rail = [&](int shift) { return ((channel + shift) % g + g) % g; };
    std::vector<Turn> turns;
    int entry = channel;
    for (int k = 0; k < domains; ++k) {
        int exit = k % 2 == 0 ? rail(-1) : rail(0);
        if (domains % 2 == 1 && g >= 3 && k >= domains - 3)
            exit = k == domains - 3 ? rail(-1) : k == domains - 2 ? rail(-2)
                                                                  : rail(0);
        turns.push_back({entry, exit});
        entry = exit;
    }
    return turns;
}

void PatternMaker::ring(double bytesPerByte, int steps, bool closed) {
    if (layout_.domainCount() == 1) {
        const std::vector<int>& members = layout_.domains.front();
        for (std::size_t i = 0; i + (closed ? 0 : 1) < members.size(); ++i) addFlow(members[i], members[(i + 1) % members.size()]);
        std::vector<PatternFlows> flows;
        flows.push_back(collected(bytesPerByte));
        addPhase(steps * slowestUp_, std::move(flows));
        return;
    }
    const int channels = layout_.members;
    const std::size_t domains = layout_.domains.size();
    for (int channel = 0; channel < channels; ++channel) {
        const std::vector<Turn> turn = turns(channel);
        for (std::size_t k = 0; k < domains; ++k) {
            const std::vector<int>& members = layout_.domains[k];
            const int size = static_cast<int>(members.size());
            // Round the domain the way that meets the exit last.
            const int direction = (turn[k].exit + 1) % size == turn[k].entry ? 1 : -1;
            int previous = turn[k].entry;
            for (int step = 1; step < size; ++step) {
                const int place = ((turn[k].entry + direction * step) % size + size) % size;
                if (place == turn[k].exit) continue;
                addFlow(members[at(previous)], members[at(place)]);
                previous = place;
            }
            if (previous != turn[k].exit) addFlow(members[at(previous)], members[at(turn[k].exit)]);
            if (k + 1 == domains && !closed) continue;
            const std::size_t next = (k + 1) % domains;
            addFlow(members[at(turn[k].exit)], layout_.domains[next][at(next == 0 ? channel : turn[k].exit)]);
        }
    }
    std::vector<PatternFlows> flows;
    flows.push_back(collected(bytesPerByte / channels, scaleUpCap(channels)));
    addPhase(steps * std::max(slowestUp_, slowestOut_), std::move(flows));
}

void PatternMaker::ringsInDomains(double bytesPerByte, int steps) {
    for (const std::vector<int>& members : layout_.domains)
        for (std::size_t i = 0; i < members.size(); ++i) addFlow(members[i], members[(i + 1) % members.size()]);
    std::vector<PatternFlows> flows;
    flows.push_back(collected(bytesPerByte));
    addPhase(steps * slowestUp_, std::move(flows));
}

void PatternMaker::ringsBetweenDomains(double bytesPerByte, int steps) {
    std::vector<PatternFlows> flows;
    for (int member = 0; member < layout_.members; ++member) {
        for (std::size_t k = 0; k < layout_.domains.size(); ++k)
            addFlow(layout_.domains[k][at(member)], layout_.domains[(k + 1) % layout_.domains.size()][at(member)]);
        flows.push_back(collected(bytesPerByte));
    }
    addPhase(steps * slowestOut_, std::move(flows));
}

void PatternMaker::hierarchical() {
    const int g = layout_.members, domains = layout_.domainCount();
    const double inside = double(g - 1) / g;
    const double between = double(domains - 1) / domains / g;
    const bool reduce = request_->kind != CollectiveKind::all_gather;
    const bool gather = request_->kind != CollectiveKind::reduce_scatter;
    const double rounds = reduce && gather ? 2 : 1;
    pattern_.formula = rounds == 2 ? "2(g - 1)/g S/W_up + 2(D - 1)/D S/g/W_out + 2(g - 1) a_up + 2(D - 1) a_out"
                                   : "(g - 1)/g S/W_up + (D - 1)/D S/g/W_out + (g - 1) a_up + (D - 1) a_out";
    if (reduce && g > 1) ringsInDomains(inside, g - 1);
    ringsBetweenDomains(rounds * between, static_cast<int>(rounds) * (domains - 1));
    if (gather && g > 1) ringsInDomains(inside, g - 1);
}

// --- trees ---------------------------------------------------------------------------------------------------------------

/// Both trees' flows between `nodes`, up and down, each of half the data.
void PatternMaker::addTrees(const std::vector<int>& nodes) {
    const int n = static_cast<int>(nodes.size());
    std::vector<int> second(nodes.size());
    for (int node = 0; node < n; ++node) second[at(inSecondTree(node, n))] = nodes[at(node)];
    for (const std::vector<int>* members : {&nodes, static_cast<const std::vector<int>*>(&second)})
        for (int node = 1; node < n; ++node) {
            const int parent = treeParent(node, n);
            addFlow((*members)[at(node)], (*members)[at(parent)]);
            addFlow((*members)[at(parent)], (*members)[at(node)]);
        }
}

/// Down only, both from the first node, which has all the data.
void PatternMaker::addTreesFromRoot(const std::vector<int>& nodes) {
    const int n = static_cast<int>(nodes.size());
    std::vector<int> second(nodes.size());
    for (int node = 0; node < n; ++node) second[at(inSecondTreeFromRoot(node, n))] = nodes[at(node)];
    for (const std::vector<int>* members : {&nodes, static_cast<const std::vector<int>*>(&second)})
        for (int node = 1; node < n; ++node) addFlow((*members)[at(treeParent(node, n))], (*members)[at(node)]);
}

void PatternMaker::tree(bool reduce) {
    const int domains = layout_.domainCount(), channels = domains == 1 ? 1 : layout_.members;
    const int ways = reduce ? 2 : 1;
    const int nodes = domains == 1 ? layout_.ranks : domains;
    const double busiest = reduce ? busiestPort(nodes) : 1;
    pattern_.formula = domains == 1 ? (reduce ? "f S/W + 2 ceil(log2 n) a" : "S/W + ceil(log2 n) a")
                                    : (reduce ? "max(f S/W, 2(g - 1)/g S/W_up) + 2(g - 1) a_up + 2 ceil(log2 D) a_out"
                                              : "S/W + (g - 1) a_up + ceil(log2 D) a_out");
    int longestChain = 0;
    for (int channel = 0; channel < channels; ++channel) {
        if (domains == 1) {
            if (reduce) addTrees(layout_.domains.front());
            else addTreesFromRoot(layout_.domains.front());
            continue;
        }
        std::vector<int> leaders;
        for (const std::vector<int>& members : layout_.domains) {
            leaders.push_back(members[at(channel)]);
            const int size = static_cast<int>(members.size());
            longestChain = std::max(longestChain, size - 1);
            for (int step = 0; step + 1 < size; ++step) {
                const int near = members[at((channel + step) % size)], far = members[at((channel + step + 1) % size)];
                if (reduce) addFlow(far, near, 2);
                addFlow(near, far, 2);
            }
        }
        if (reduce) addTrees(leaders);
        else addTreesFromRoot(leaders);
    }
    std::vector<PatternFlows> flows;
    flows.push_back(collected(0.5 / channels, domains == 1 ? unlimitedRate : scaleUpCap(2 * busiest * channels)));
    const double latency = domains == 1 ? ways * treeSteps(nodes) * slowestUp_
                                        : ways * (longestChain * slowestUp_ + treeSteps(nodes) * slowestOut_);
    addPhase(latency, std::move(flows));
}

// --- in the switch -------------------------------------------------------------------------------------------------------

void PatternMaker::nvls() {
    const int domains = layout_.domainCount();
    const bool reduceAndSpread = request_->kind == CollectiveKind::all_reduce;
    const double n = layout_.members;
    for (const int rank : ranks_) {
        addPort(fabric_.scaleUpOut(rank), 1);
        addPort(fabric_.scaleUpIn(rank), 1);
    }
    slowestUp_ = fabric_.cluster().scaleUpLatency;
    pattern_.hops = 2;
    std::vector<PatternFlows> flows;
    flows.push_back(collected(reduceAndSpread ? 1 + 1 / n : 1));
    double latency = (reduceAndSpread ? 2 : 1) * slowestUp_;
    pattern_.formula = reduceAndSpread ? "(1 + 1/n) S/W + 2 a" : "S/W + a";
    if (domains > 1) {
        pattern_.algorithm = wordOf(CollectiveWay::nvls_tree);
        pattern_.formula = "max((1 + 1/g) S/W_up, f S/(g W_out)) + 2 a_up + 2 ceil(log2 D) a_out";
        for (int channel = 0; channel < layout_.members; ++channel) {
            std::vector<int> leaders;
            for (const std::vector<int>& members : layout_.domains) leaders.push_back(members[at(channel)]);
            addTrees(leaders);
        }
        flows.push_back(collected(0.5 / layout_.members));
        latency += 2 * treeSteps(domains) * slowestOut_;
    }
    addPhase(latency, std::move(flows));
}

// --- from each to each ---------------------------------------------------------------------------------------------------

void PatternMaker::deduplicated() {
    const std::size_t domains = layout_.domains.size();
    const int g = layout_.members;
    pattern_.formula = domains == 1 ? "u S/W + a" : "max(u S/W_up, o S/W_out) + a";
    std::vector<PatternFlows> flows;
    for (const std::vector<int>& members : layout_.domains)
        for (const int from : members)
            for (const int to : members)
                if (from != to) addFlow(from, to);
    if (!crossed_.empty()) flows.push_back(collected(request_->upPerByte / (g - 1)));
    for (std::size_t a = 0; a < domains; ++a)
        for (std::size_t b = 0; b < domains; ++b)
            for (int place = 0; a != b && place < g; ++place) addFlow(layout_.domains[a][at(place)], layout_.domains[b][at(place)]);
    if (!crossed_.empty()) flows.push_back(collected(request_->outPerByte / double(domains - 1)));
    addPhase(std::max(slowestUp_, slowestOut_), std::move(flows));
}

void PatternMaker::allToAll() {
    if (request_->algorithm == wordOf(CollectiveWay::deduplicated) && layout_.even) return deduplicated();
    pattern_.algorithm = wordOf(CollectiveWay::pairwise);
    pattern_.formula = layout_.domainCount() == 1 ? "(n - 1)/n S/W + a" : "max((g - 1)/n S/W_up, (n - g)/n S/W_out) + a";
    const double part = 1.0 / layout_.ranks;
    std::vector<PatternFlows> flows;
    for (const std::vector<int>& members : layout_.domains)
        for (const int from : members)
            for (const int to : members)
                if (from != to) addFlow(from, to);
    if (!crossed_.empty()) flows.push_back(collected(part));
    for (std::size_t a = 0; a < layout_.domains.size(); ++a)
        for (std::size_t b = 0; b < layout_.domains.size(); ++b) {
            if (a == b) continue;
            for (const int from : layout_.domains[a])
                for (const int to : layout_.domains[b]) addFlow(from, to);
        }
    if (!crossed_.empty()) flows.push_back(collected(part));
    addPhase(std::max(slowestUp_, slowestOut_), std::move(flows));
}

void PatternMaker::sendReceive() {
    pattern_.algorithm = wordOf(CollectiveWay::direct);
    pattern_.formula = "S/W + a";
    const std::size_t sends = ranks_.size() == 2 ? 1 : ranks_.size();
    for (std::size_t i = 0; i < sends; ++i) addFlow(ranks_[i], ranks_[(i + 1) % ranks_.size()]);
    std::vector<PatternFlows> flows;
    flows.push_back(collected(1, layout_.domainCount() > 1 ? scaleUpCap(1) : unlimitedRate));
    addPhase(std::max(slowestUp_, slowestOut_), std::move(flows));
}

} // namespace orrery
