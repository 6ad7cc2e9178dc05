// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain_beside.hpp"

#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/results/derivation/pointer_place.hpp"

#include <utility>

namespace orrery {
namespace {

constexpr const char* sharedRun = "the job's own program on the cluster's links, which all that is sent shares max-min fairly";

Quantity besideLink(const SharedLink& link) {
    return derived(link.from + " → " + link.to, link.bandwidth / units::gigabyte, "GB/s", link.count == 1 ? "crossed by both" : counted(link.count, "link") + " of this rate, crossed by both", {}, "the drawn network");
}

Quantity besideIteration(const BesideReport& job) {
    Quantity why = derived("iteration_time_s of " + job.name, job.iterationTime, "s", "mean of the iterations that began while the others ran",
                           {derived("alone", job.aloneIterationTime, "s", "the same iteration with all links to itself", {}, sharedRun),
                            derived("the longest", job.longestIterationTime, "s", "largest of these iterations", {}, sharedRun),
                            derived("iterations", job.iterations, "1", "that began while the others ran", {}, sharedRun)},
                           sharedRun);
    for (const SharedLink& link : job.shared) why.inputs.push_back(besideLink(link));
    return why;
}

} // namespace

std::optional<Quantity> explainBeside(const std::vector<BesideReport>& jobs, const std::vector<std::string>& tokens) {
    if (tokens.size() < 2) return std::nullopt;
    const auto place = placeIn(tokens[0], jobs.size());
    if (!place) return std::nullopt;
    const BesideReport& job = jobs[*place];
    const std::string& name = tokens[1];
    const Quantity iteration = besideIteration(job);
    if (name == "shared_links" && tokens.size() == 4) {
        const auto at = placeIn(tokens[2], job.shared.size());
        if (!at) return std::nullopt;
        const SharedLink& link = job.shared[*at];
        if (tokens[3] == "bandwidth_gb_s") return besideLink(link);
        if (tokens[3] == "count") return derived("count of " + link.from + " → " + link.to, link.count, "1", "links between the two that both cross", {}, "the drawn network");
        return std::nullopt;
    }
    if (tokens.size() != 2) return std::nullopt;
    if (name == "iteration_time_s") return iteration;
    if (name == "alone_iteration_time_s" || name == "longest_iteration_time_s" || name == "iterations") {
        Quantity input = iteration.inputs[name == "alone_iteration_time_s" ? 0 : name == "longest_iteration_time_s" ? 1
                                                                                                                    : 2];
        input.name = name + " of " + job.name;
        return input;
    }
    const double rate = job.tokensPerIteration / job.iterationTime;
    const Quantity tokensOf = derived("tokens of an iteration", job.tokensPerIteration, "1", "of its global batch", {}, job.scenario);
    const Quantity whole = derived("tokens_per_s", rate, "1/s", "tokens of an iteration/iteration time", {tokensOf, iteration});
    if (name == "tokens_per_s") return whole;
    if (name == "tokens_per_s_per_accelerator") return derived(name, rate / job.accelerators, "1/s", "tokens per s/accelerators", {whole, derived("accelerators", job.accelerators, "1", "of the hosts named", {}, "/beside")});
    return std::nullopt;
}

} // namespace orrery
