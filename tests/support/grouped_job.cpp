// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/grouped_job.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace orrery::test {
namespace {

constexpr std::int64_t jobBegin = 5'000'000;

std::string kinetoTime(std::int64_t ns) {
    std::string fraction = std::to_string(ns % 1000);
    return std::to_string(ns / 1000) + "." + std::string(3 - fraction.size(), '0') + fraction;
}

} // namespace

std::size_t GroupedJob::numberOf(const Action& action, int rank) const {
    const auto& own = actions_[static_cast<std::size_t>(rank)];
    return static_cast<std::size_t>(std::count_if(own.begin(), own.end(), [&](const Action& other) { return other.kind == action.kind && other.members == action.members; }));
}

std::size_t GroupedJob::add(int rank, Action action) {
    if (action.kind != Kind::kernel) action.number = numberOf(action, rank);
    actions_[static_cast<std::size_t>(rank)].push_back(std::move(action));
    return actions_[static_cast<std::size_t>(rank)].size() - 1;
}

GroupedJob::GroupedJob(RandomSource& random, bool overlapping)
    : tensor_(static_cast<int>(random.between(std::size_t{1}, std::size_t{3}))), data_(static_cast<int>(random.between(std::size_t{1}, std::size_t{3}))), stages_(static_cast<int>(random.between(std::size_t{1}, std::size_t{3}))) {
    if (ranks() < 2) tensor_ = 2;
    const auto nanoseconds = [&](double low, double high) { return static_cast<std::int64_t>(random.logBetween(low, high)); };
    const int microBatches = static_cast<int>(random.between(std::size_t{1}, std::size_t{3}));
    // The time of a collective is the same for all who take part, that of a kernel each rank's own.
    std::vector<std::int64_t> transits;
    for (int i = 0; i < 64; ++i) transits.push_back(nanoseconds(5e3, 3e5));
    actions_.resize(static_cast<std::size_t>(ranks()));
    for (int stage = 0; stage < stages_; ++stage)
        for (int data = 0; data < data_; ++data)
            for (int tensor = 0; tensor < tensor_; ++tensor) {
                const int rank = rankAt(tensor, data, stage);
                std::vector<int> tensorGroup, dataGroup;
                for (int t = 0; t < tensor_; ++t) tensorGroup.push_back(rankAt(t, data, stage));
                for (int d = 0; d < data_; ++d) dataGroup.push_back(rankAt(tensor, d, stage));
                std::optional<std::size_t> last;
                std::vector<std::size_t> sums;
                std::size_t which = 0;
                const auto then = [&](Action action, bool others = false) {
                    if (last) action.waitsFor = {*last};
                    if (others) action.waitsFor.insert(action.waitsFor.end(), sums.begin(), sums.end());
                    action.gap = nanoseconds(10, 3e4);
                    if (action.kind != Kind::kernel) action.duration = transits[which++ % transits.size()];
                    else action.duration = nanoseconds(2e4, 2e6);
                    last = add(rank, std::move(action));
                };
                const auto compute = [&] {
                    then({.kind = Kind::kernel});
                    if (tensor_ > 1) then({.kind = Kind::collective, .stream = 1, .members = tensorGroup});
                    then({.kind = Kind::kernel});
                };
                const auto pass = [&](int from, int to) {
                    if (from >= 0 && from < stages_) then({.kind = Kind::receive, .stream = 2, .members = {rankAt(tensor, data, from), rank}});
                    compute();
                    if (to >= 0 && to < stages_) then({.kind = Kind::send, .stream = 2, .members = {rank, rankAt(tensor, data, to)}});
                };
                for (int i = 0; i < microBatches; ++i) pass(stage - 1, stage + 1);
                for (int i = 0; i < microBatches; ++i) {
                    pass(stage + 1, stage - 1);
                    if (!overlapping || data_ < 2) continue;
                    Action sum{.kind = Kind::collective, .stream = 3, .gap = nanoseconds(10, 1e3), .duration = transits[which++ % transits.size()], .waitsFor = {*last}, .members = dataGroup};
                    if (!sums.empty()) sum.waitsFor.push_back(sums.back());
                    sums.push_back(add(rank, std::move(sum)));
                }
                if (data_ > 1) then({.kind = Kind::collective, .stream = 3, .members = dataGroup}, true);
                then({.kind = Kind::kernel}, true);
            }
    // A send and its receive take the same time: the sender's.
    for (auto& own : actions_)
        for (Action& action : own)
            if (action.kind == Kind::receive)
                for (const Action& other : actions_[static_cast<std::size_t>(action.members.front())])
                    if (other.kind == Kind::send && other.members == action.members && other.number == action.number) action.duration = other.duration;
}

/// Round after round over all actions until nothing more can be said: slow, and as plain as can be.
std::vector<std::vector<GroupedJob::Run>> GroupedJob::played(const WhatIf& whatIf) const {
    std::vector<std::vector<Run>> runs;
    for (const auto& own : actions_) runs.emplace_back(own.size());
    // Which action a what-if is about is told by the run without it.
    std::optional<std::size_t> meant;
    if (whatIf.rank >= 0) {
        const std::vector<std::size_t> order = communication(whatIf.rank, played({}));
        if (whatIf.before < order.size()) meant = order[whatIf.before];
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t rank = 0; rank < actions_.size(); ++rank)
            for (std::size_t i = 0; i < actions_[rank].size(); ++i) {
                const Action& action = actions_[rank][i];
                Run& run = runs[rank][i];
                if (!run.start) {
                    std::int64_t ready = jobBegin;
                    bool known = true;
                    for (const std::size_t before : action.waitsFor) {
                        known = known && runs[rank][before].end;
                        if (known) ready = std::max(ready, *runs[rank][before].end);
                    }
                    const bool isMeant = meant && static_cast<int>(rank) == whatIf.rank && i == *meant;
                    if (!known || (isMeant && whatIf.stops)) continue;
                    run.start = ready + action.gap + (isMeant ? whatIf.delay : 0);
                    moved = true;
                }
                if (run.end) continue;
                if (action.kind == Kind::kernel) {
                    run.end = *run.start + std::llround(static_cast<double>(action.duration) * whatIf.kernels);
                    moved = true;
                    continue;
                }
                std::optional<std::int64_t> last = run.start;
                for (const int other : action.members)
                    for (std::size_t j = 0; j < actions_[static_cast<std::size_t>(other)].size(); ++j) {
                        const Action& same = actions_[static_cast<std::size_t>(other)][j];
                        const bool isCounterpart = action.kind == Kind::collective ? same.kind == action.kind : same.kind != action.kind && same.kind != Kind::kernel && same.kind != Kind::collective;
                        if (!isCounterpart || same.members != action.members || same.number != action.number || other == static_cast<int>(rank)) continue;
                        const auto& start = runs[static_cast<std::size_t>(other)][j].start;
                        if (!start) last.reset();
                        else if (last) last = std::max(*last, *start);
                    }
                if (!last) continue;
                run.end = *last + action.duration;
                moved = true;
            }
    }
    return runs;
}

std::vector<std::size_t> GroupedJob::communication(int rank, const std::vector<std::vector<Run>>& runs) const {
    std::vector<std::size_t> order;
    const auto at = static_cast<std::size_t>(rank);
    for (std::size_t i = 0; i < actions_[at].size(); ++i)
        if (actions_[at][i].kind != Kind::kernel) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return runs[at][a].start < runs[at][b].start; });
    return order;
}

std::string GroupedJob::record(int rank, const std::vector<std::vector<Run>>& runs, std::int64_t ahead) const {
    const auto at = static_cast<std::size_t>(rank);
    std::ostringstream out;
    out << R"({"distributedInfo":{"backend":"nccl","rank":)" << rank << R"(,"world_size":)" << ranks() << R"(},"traceEvents":[)";
    for (std::size_t i = 0; i < actions_[at].size(); ++i) {
        const Action& action = actions_[at][i];
        const std::int64_t start = runs[at][i].start.value_or(jobBegin), end = runs[at][i].end.value_or(start);
        const char* const name = action.kind == Kind::kernel ? "gemm" : action.kind == Kind::collective ? "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
                                                                                                        : "ncclDevKernel_SendRecv";
        out << (i == 0 ? "" : ",") << R"({"ph":"X","cat":"kernel","name":")" << name << R"(","pid":0,"tid":)" << action.stream << R"(,"ts":)" << kinetoTime(start + ahead) << R"(,"dur":)" << kinetoTime(end - start)
            << R"(,"args":{"device":0,"stream":)" << action.stream;
        if (action.kind == Kind::collective) {
            out << R"(,"Collective name":"allreduce","In msg nelems":1024,"dtype":"BFloat16","Process Group Name":"7","Process Group Ranks":"[)";
            for (std::size_t m = 0; m < action.members.size(); ++m) out << (m == 0 ? "" : ", ") << action.members[m];
            out << R"(]")";
        } else if (action.kind == Kind::send) {
            out << R"(,"Collective name":"send","In msg nelems":1024,"dtype":"BFloat16","Dst Rank":)" << action.members.back();
        } else if (action.kind == Kind::receive) {
            out << R"(,"Collective name":"recv","In msg nelems":1024,"dtype":"BFloat16","Src Rank":)" << action.members.front();
        }
        out << "}}";
    }
    out << "]}";
    return out.str();
}

} // namespace orrery::test
