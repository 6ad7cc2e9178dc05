// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"
#include "core/records/traces/communication_rules.hpp"
#include "core/records/traces/kineto_reader.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

class Catalog;

/// What the user says of a recorded job where its record doesn't.
struct TracedJobOptions {
    std::string fileName;                                          ///< of the record, for problems and the scenario's name
    std::string accelerator;                                       ///< catalogue id; empty: by the record's device
    std::string model;                                             ///< catalogue id; empty: as the record proves it
    std::optional<std::int64_t> rank, world, perNode;              ///< ranks of the job, accelerators of one machine
    std::optional<std::int64_t> tensor, pipeline, context, expert; ///< how the job is cut
    std::optional<std::int64_t> sequenceLength, microBatchSize, microBatches;
    bool graph = false;                              ///< the recorded graph even where the model is proven
    std::map<std::int64_t, std::string> recorded;    ///< ranks whose files go into `hybrid`; none: no hybrid
    std::optional<CommunicationRules> communication; ///< what sorted the kernels, for `hybrid`; nothing: the shipped rules
};

/// A statement of the scenario, and where it comes from.
struct TracedFinding {
    enum class Source : std::uint8_t { record, ///< proven by it
                                       user,
                                       assumed };
    std::string pointer; ///< into the scenario
    BoxedJson value;
    Source source = Source::record;
    std::string why; ///< a sentence
};

/// A recorded job as a scenario.
///
/// Problems: errors when there is no scenario, "not-recorded" with the option that says it; warnings for what a scenario can't have.
struct TracedJob {
    BoxedJson scenario; ///< null: there is none. Not yet read: its numbers may break a rule
    std::vector<TracedFinding> findings;
    bool planned = false; ///< the model is proven or named; false: the recorded graph runs
    Problems problems;
};

/// Builds the scenario of a recorded job: machine, ranks and groups as the record says them, the model as its operators' shapes prove it. A record that proves
/// no model runs as the graph that was recorded. Ranks, world and groups are never guessed: what lacks is an error that names the option.
TracedJob tracedJob(const KinetoTrace& trace, const Catalog& catalog, const TracedJobOptions& options);

} // namespace orrery
