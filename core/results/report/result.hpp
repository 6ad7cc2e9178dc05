// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/base/provenance.hpp"
#include "core/engine/jitter_model.hpp"
#include "core/results/report/memory_report.hpp"
#include "core/results/report/network_report.hpp"
#include "core/results/report/rl_report.hpp"
#include "core/results/report/serving_report.hpp"
#include "core/results/report/timeline.hpp"
#include "core/results/report/uncertainty.hpp"
#include "core/scenario/scenario.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace orrery {

/// A link that a job beside and the scenario's own traffic both cross.
struct SharedLink {
    std::string from, to; ///< nodes, in the direction of the traffic
    double bandwidth = 0; ///< bytes/s in that direction
    int count = 1;        ///< such links
};

/// How a training job fared that ran beside, on links that it shared.
struct BesideReport {
    std::string scenario; ///< file, as the scenario names it
    std::string name;
    std::vector<std::string> hosts; ///< ids
    int accelerators = 0;
    int iterations = 0;              ///< that began while the others ran; each was run to its end
    double iterationTime = 0;        ///< s, mean over them
    double longestIterationTime = 0; ///< s
    double aloneIterationTime = 0;   ///< s, with all links to itself
    double tokensPerIteration = 0;
    std::vector<SharedLink> shared; ///< none: what it sends meets nothing of the scenario's own
};

/// What jitter makes of the iteration's time on so many ranks, s.
struct JitterPoint {
    int ranks = 0;
    double mean = 0, p5 = 0, p50 = 0, p95 = 0;
    double hosts = 0; ///< of the mean what hosts that differ cost, the slowest above all
};

/// Where the mean's seconds beyond an iteration without jitter come from; the parts sum to them.
struct JitterParts {
    double inLayers = 0;        ///< ranks of a tensor, context or expert group wait for the slowest at each collective
    double betweenStages = 0;   ///< stages of a pipeline for the slowest, micro-batch by micro-batch
    double betweenReplicas = 0; ///< pipelines for the slowest at the end of the iteration
    double hosts = 0;           ///< all for the slowest host
    double transfers = 0;       ///< exposed collectives and sends between replicas and stages
};

struct JitterReport {
    JitterMethod method = JitterMethod::analytic;
    std::uint64_t seed = 0;
    int draws = 0;      ///< of iterations behind mean and percentiles; 0: closed form
    double without = 0; ///< s of an iteration without jitter
    JitterPoint own;    ///< on the scenario's ranks
    JitterParts parts;
    int hostCount = 0;
    double slowestHost = 1; ///< expected factor of the slowest of all hosts
    /// Ascending by ranks, the scenario's own among them: the same work for each rank, with as many data-parallel ranks as that takes.
    std::vector<JitterPoint> curve;
};

/// A change to the plan that was tried and fits.
struct TriedMend {
    std::string text; ///< "recompute full", "tensor 8 and micro-batch 1"
    std::vector<ScenarioEdit> edits;
    double iterationTime = 0; ///< s, with the change; of a static batch its request, of served requests their mean from arrival to end
    double peakBytes = 0;
    bool simulated = false; ///< false: both by estimate (core/training/estimate), a few percent from what a simulation gives
};

struct OutOfMemory {
    int stage = 0;
    double neededBytes = 0;
    double capacityBytes = 0;
    std::vector<TriedMend> mends; ///< the cheapest first; filled in by `withTriedMends` (core/answers/mends/mends.hpp) alone
};

/// What is short where the peak is above the capacity: of the fullest stage.
std::optional<OutOfMemory> outOfMemoryOf(const MemoryReport& memory);

/// One row of the contract's `operations`: mean per accelerator and iteration, before overlap.
struct OperationRow {
    std::string kind;  ///< operator name, for example "mlp.gate_up"
    std::string phase; ///< contract's word
    double count = 0;
    double time = 0;
    double flops = 0;
    double bytes = 0;
    Bound bound = Bound::compute;
    Source source = Source::roofline;
    OperatorKind work = OperatorKind::gemm;
    RankGroup group = RankGroup::none; ///< of a collective or send: whom it joins
};

/// Wall clock of a stage by cause; the parts sum to the iteration time.
enum class TimePart : std::uint8_t {
    forward,
    backward,
    recompute,
    tensor_exposed,
    context_exposed,
    expert_exposed,
    pipeline_exposed,
    data_exposed,
    bubble,
    optimizer,
    overhead,
};
inline constexpr std::size_t timePartCount = 11;
std::string_view toString(TimePart part);
using TimeBreakdown = std::array<double, timePartCount>;

/// How a run fares that accelerators fail in. Times in s.
struct FailureReport {
    double goodput = 1;            ///< share of the time that becomes work
    double mtbf = 0;               ///< of the whole job
    double checkpointInterval = 0; ///< of work, as given or the best one
    double bestInterval = 0;
    double youngInterval = 0;       ///< Young's approximation of the best one
    double sparesLast = 0;          ///< mean time until a failure finds no spare, where nothing is repaired
    std::optional<double> failures; ///< mean number over the whole run; nothing: nobody says how long it is
};

/// A whole run. With failures its days, hours, cost and energy hold what they cost.
struct RunEstimate {
    std::optional<double> days; ///< nothing: nobody says how many tokens
    double acceleratorHours = 0;
    std::optional<double> cost;
    std::optional<double> energyKwh;
    std::optional<FailureReport> failures;
};

struct TrainingMetrics {
    double iterationTime = 0;
    double tokensPerSecond = 0;
    double tokensPerSecondPerAccelerator = 0;
    double modelTflopsPerAccelerator = 0;
    double mfu = 0;
    double hfu = 0;
    double mfuCausal = 0;
    /// FLOP of an iteration on all accelerators: the model's by `flopRule`, what runs again in backward, and of the model's what a causal mask leaves out.
    double modelFlops = 0, recomputedFlops = 0, maskedFlops = 0;
    std::string flopRule;
    double bubbleFraction = 0;             ///< mean over the stages of what they wait between first forward and last backward, over that span
    double bubbleTime = 0;                 ///< s, the same wait; the closing stage's own is a part of `breakdown`
    std::optional<double> bubbleOverIdeal; ///< of the schedule for equal stages; nothing where it has no closed form
    TimeBreakdown breakdown{};             ///< of the stage whose end closes the iteration
    std::vector<TimeBreakdown> stages;
    double interference = 0;                    ///< of the closing stage's parts, s by which its kernels took longer because communication ran beside them
    std::vector<double> stageInterference;      ///< the same by stage; empty where communication slows no kernel
    std::optional<double> costPerBillionTokens; ///< of accelerators alone, nothing fails; nothing: nobody says the price of an hour
    std::optional<RunEstimate> run;
};

/// Figures of one static batch; all instances are alike.
struct InferenceMetrics {
    double ttft = 0;                  ///< s, from the prompts to the first token of each
    double tpot = 0;                  ///< s, (latency − ttft)/(output length − 1); 0 for one token
    double requestLatency = 0;        ///< s
    double outputTokensPerSecond = 0; ///< of one instance: batch × output length / latency
    double outputTokensPerSecondPerAccelerator = 0;
    LeastTimes least;
};

/// What is told of a run, by what ran.
using Metrics = std::variant<TrainingMetrics, InferenceMetrics, ServingReport, RlReport>;
/// The contract's word: "training", "inference", "serving", "rl".
std::string_view kindOf(const Metrics& metrics);

/// A reason why an iteration, a first token or the tokens after it take as long as they do, for the "why this long?" panel; figure by figure,
/// largest first.
struct Cause {
    std::string part;     ///< which of the figure's parts: the key in the result document, "tensor_exposed"; empty: it lies across them
    double share = 0;     ///< of the figure; of the bubble, bubbleFraction
    std::string text;     ///< "bubble: 2 stages, 32 micro-batches"
    std::string tryLabel; ///< "5 chunks"; empty when there is nothing to try
    std::vector<ScenarioEdit> tryEdits;
    Quantity why;         ///< the formula behind the number
    std::string figure{}; ///< "Time to first token"; empty: the iteration
};

/// What a simulation delivers. Immutable; shared between threads by pointer-to-const.
struct Result {
    std::string name;
    std::vector<Assumption> assumed;
    Problems warnings;
    bool fits = true;
    std::optional<OutOfMemory> outOfMemory;
    MemoryReport memory;
    StoredActivations stored;
    std::vector<OperationRow> operations;
    double parameters = 0;
    double activeParameters = 0;
    Metrics metrics;
    std::optional<Uncertainty> uncertainty;             ///< where measured runs were at hand to say
    std::shared_ptr<const DifferenceJudge> differences; ///< how sure differences to other results are; null where no measured runs were at hand
    std::vector<Cause> causes;
    Timeline timeline;
    NetworkReport network;
    Scenario scenario;                  ///< what was simulated, with every default filled in
    std::vector<BesideReport> beside;   ///< jobs that shared the cluster's links
    std::optional<JitterReport> jitter; ///< where the scenario asks for it (Scenario::jitter)

    /// Figures of an iteration; null where something else ran.
    const TrainingMetrics* training() const { return std::get_if<TrainingMetrics>(&metrics); }
    TrainingMetrics* training() { return std::get_if<TrainingMetrics>(&metrics); }
    /// Figures of a static batch; null where something else ran.
    const InferenceMetrics* inference() const { return std::get_if<InferenceMetrics>(&metrics); }
    /// Figures of served requests; null where something else ran.
    const ServingReport* serving() const { return std::get_if<ServingReport>(&metrics); }
    /// Figures of training and serving in a loop; null where something else ran.
    const RlReport* rl() const { return std::get_if<RlReport>(&metrics); }
};

using ResultPtr = std::shared_ptr<const Result>;

/// The contract's result document; key order is fixed, so equal results are equal bytes.
Json toJson(const Result& result);

/// What a run gives: a result, or the problems that prevent one, or neither when it was stopped.
struct Outcome {
    ResultPtr result;
    Problems problems;
    bool cancelled = false;
};

} // namespace orrery
