// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/model/recorded/recorded_workload.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/rules/rules.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr std::size_t kindsNamed = 50; ///< more names of unmapped nodes than anyone reads are summed up

/// What splits a model: the recorded operators are one rank's share already.
void refuseSplits(const Json& document, Problems& problems) {
    for (const char* key : {"tensor", "pipeline", "virtual_pipeline", "context", "expert", "expert_tensor"}) {
        const std::string pointer = std::string("/parallelism/") + key;
        const Json* value = valueAt(document, pointer);
        if (!value || !value->is_number() || value->get<double>() <= 1) continue;
        problems.push_back(error("fixed-by-graph", pointer,
                                 "A recorded graph can't be split anew (" + std::string(key) + " " + shown(*value) +
                                     "): its operators are one rank's share.")
                               .mend("Use 1; every accelerator then runs the graph as a data-parallel rank.")
                               .edit(pointer, 1));
    }
    for (const char* pointer : {"/parallelism/zero_stage", "/parallelism/shard_group", "/parallelism/pipeline_layout"}) {
        const Json* value = valueAt(document, pointer);
        if (!value || *value == Json(0)) continue;
        problems.push_back(error("fixed-by-graph", pointer,
                                 "A recorded graph has its communication and its layers in it; this can't change them.")
                               .mend("Leave it out.")
                               .edit(pointer, nullptr));
    }
}

void warnOfNoEffect(const Json& document, Problems& problems) {
    for (const char* pointer :
         {"/execution/recompute", "/execution/attention", "/execution/compile", "/execution/overlap", "/execution/passes",
          "/execution/stragglers", "/execution/jitter", "/execution/moe_dispatch", "/execution/moe_dispatcher", "/execution/fused_experts", "/execution/expert_load", "/execution/offload",
          "/workload/lora_rank", "/parallelism/sequence", "/parallelism/schedule"}) {
        const Json* value = valueAt(document, pointer);
        if (!value || value->is_null() || *value == Json(false) || *value == Json(wordOf(RecomputeKind::none)) ||
            (value->is_structured() && value->empty()))
            continue;
        problems.push_back(warning("no-effect", pointer, "A recorded graph runs as it was recorded; this changes nothing.")
                               .mend("Leave it out."));
    }
}

std::string share(double part, double whole) {
    const double percent = whole > 0 ? 100 * part / whole : 0;
    return percent > 0 && percent < 0.1
               ? "less than 0.1 %"
               : std::to_string(std::lround(percent * 10) / 10) + "." + std::to_string(std::lround(percent * 10) % 10) + " %";
}

void listUnmapped(const RecordedWorkload& workload, const std::string& pointer, Problems& problems) {
    const std::string fate = " Its recorded time is taken, nothing else.", dropped = " It takes no time.";
    const auto shares = [&](double count, double time) {
        std::string text = share(count, static_cast<double>(workload.nodes)) + " of all nodes";
        if (workload.recordedTime > 0) text += ", " + share(time, workload.recordedTime) + " of the recorded time";
        return text;
    };
    std::size_t rest = 0;
    double restTime = 0;
    for (std::size_t i = 0; i < workload.unmapped.size(); ++i) {
        const UnmappedNodes& kind = workload.unmapped[i];
        if (i >= kindsNamed) {
            rest += kind.count;
            restTime += kind.time;
            continue;
        }
        problems.push_back(
            warning("unmapped-node", pointer,
                    std::to_string(kind.count) + " × \"" + kind.name + "\" could not be mapped, the first at " + kind.place +
                        ": " + shares(static_cast<double>(kind.count), kind.time) + "." + (kind.time > 0 ? fate : dropped))
                .mend(kind.time > 0 ? "Nothing needs to be done where the recorded time will do."
                                    : "Give it a duration in the recording, or record the operators that it calls."));
    }
    if (rest == 0) return;
    problems.push_back(warning("unmapped-node", pointer,
                               std::to_string(rest) + " nodes of " + std::to_string(workload.unmapped.size() - kindsNamed) +
                                   " more names could not be mapped: " + shares(static_cast<double>(rest), restTime) + ".")
                           .mend("Record operators that PyTorch itself names."));
}

} // namespace

void checkRecordedRules(const Json& document, const RecordedWorkload& workload, const PlanNumbers& plan, Problems& problems) {
    refuseSplits(document, problems);
    warnOfNoEffect(document, problems);
    const std::string pointer = document.at("model").contains("graph") ? "/model/graph" : "/model/graph_file";
    listUnmapped(workload, pointer, problems);
    int group = 0;
    for (const RecordedStep& step : workload.steps) group = std::max(group, step.groupSize);
    if (group > 0 && group != plan.accelerators)
        problems.push_back(
            warning("other-group-size", pointer,
                    "Its collectives were recorded with up to " + std::to_string(group) + " ranks; here all " +
                        std::to_string(plan.accelerators) + " take part.")
                .mend("Draw a cluster of " + std::to_string(group) + " accelerators to compare with the recording."));
}

void assumeRecorded(const RecordedWorkload& workload, const std::string& pointer, FilledDocument& document) {
    document.assume(
        pointer, workload.format,
        std::to_string(workload.nodes) + " nodes give " + std::to_string(workload.steps.size()) +
            " steps of one rank's iteration; every accelerator runs them as a data-parallel rank, collectives over all of them");
    document.assume("/workload/global_batch_size", document.integer("/workload/global_batch_size"),
                    "the graph fixes the work; batch and sequence length only turn its time into tokens/s");
    if (workload.recordedTime > 0)
        document.assume(
            pointer, workload.recordedTime,
            "s of recorded time are taken as they are, whatever the accelerator; communication is timed on this cluster");
    if (workload.controlIgnored)
        document.assume(pointer, "data_deps", "its control dependencies are callers, which order nothing; only data dependencies do");
    document.assume(pointer, workload.parameters, "parameters: elements of the tensors that stand where operators take weights");
}

} // namespace orrery
