// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/rank_classes.hpp"

#include "core/base/text.hpp"
#include "core/scenario/scenario.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

namespace orrery {
namespace {

/// The plan's dimensions in the order in which ranks are numbered: stride of the pipeline, and the place within a stage.
class Numbering {
public:
    explicit Numbering(const Parallelism& plan) : plan_(plan) {
        // "tp-cp-ep-dp-pp": expert groups are cut from the others and have no numbers of their own.
        std::istringstream order(plan.order);
        for (std::string name; std::getline(order, name, '-');) {
            if (name == "pp") break;
            stride_ *= name == "tp" ? plan.tensor : name == "cp" ? plan.context
                                                : name == "dp"   ? plan.data
                                                                 : 1;
        }
    }
    int stageOf(int rank) const { return rank / stride_ % plan_.pipeline; }
    /// Place in the expert group: groups are neighbours within a stage.
    int expertPlaceOf(int rank) const {
        const int within = rank % stride_ + rank / (stride_ * plan_.pipeline) * stride_;
        return within / plan_.expertTensor % plan_.expert;
    }

private:
    const Parallelism& plan_;
    int stride_ = 1;
};

std::string shortNumber(double value) {
    std::ostringstream text;
    text << value;
    return text.str();
}

} // namespace

std::vector<RankClass> rankClasses(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    const Numbering numbering(plan);
    const bool uneven = plan.expert > 1 && scenario.execution.expertLoad != 1;
    std::map<int, double> slowdowns;
    for (const Straggler& straggler : scenario.execution.stragglers) slowdowns[straggler.rank] = std::max(slowdowns[straggler.rank], straggler.slowdown);

    std::map<std::tuple<int, double, int>, RankClass> classes;
    for (int rank = 0; rank < plan.ranks(); ++rank) {
        const auto slow = slowdowns.find(rank);
        const double slowdown = slow == slowdowns.end() ? 1 : slow->second;
        const int stage = numbering.stageOf(rank), place = uneven ? numbering.expertPlaceOf(rank) : 0;
        RankClass& here = classes[{stage, slowdown, place}];
        if (here.ranks.empty()) {
            here.name = "stage " + std::to_string(stage);
            if (slowdown != 1) here.name += ", " + shortNumber(slowdown) + " times as slow";
            if (uneven) here.name += ", experts " + std::to_string(place);
        }
        here.ranks.push_back(rank);
    }
    std::vector<RankClass> list;
    list.reserve(classes.size());
    for (auto& [key, one] : classes) list.push_back(std::move(one));
    std::sort(list.begin(), list.end(), [](const RankClass& a, const RankClass& b) { return a.ranks.front() < b.ranks.front(); });
    return list;
}

std::string profilerSnippet(const std::vector<RankClass>& classes) {
    std::string ranks;
    for (const RankClass& one : classes) ranks += (ranks.empty() ? "" : ", ") + std::to_string(one.ranks.front());
    return "import contextlib\n"
           "import torch.distributed as dist\n"
           "from torch.profiler import ProfilerActivity, profile, schedule\n"
           "\n"
           "RECORDED = {" +
           ranks + "}  # one rank of each class\n"
                   "\n"
                   "def recorder():\n"
                   "    rank = dist.get_rank()\n"
                   "    if rank not in RECORDED:\n"
                   "        return contextlib.nullcontext()\n"
                   "    return profile(\n"
                   "        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],\n"
                   "        schedule=schedule(skip_first=10, wait=0, warmup=2, active=1, repeat=1),\n"
                   "        record_shapes=True, profile_memory=True,\n"
                   "        on_trace_ready=lambda p: p.export_chrome_trace(f\"rank{rank}.json.gz\"))\n"
                   "\n"
                   "with recorder() as profiler:\n"
                   "    for batch in batches:\n"
                   "        train_step(batch)\n"
                   "        if profiler is not None:\n"
                   "            profiler.step()\n";
}

} // namespace orrery
