// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"
#include "core/order/schedule/pipeline_schedule.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

struct PipelineShape {
    int stages = 1;
    int microBatches = 1;
    int chunksPerStage = 1; ///< only an order that holds any number of chunks asks
};

struct ShapeRefusal {
    std::string reason; ///< one sentence with the numbers in it
    std::string mend;
};

/// How many chunks of the model a scenario gives a stage (`virtual_pipeline`), and what to say where it gives another number.
struct ChunkRule {
    int perStage = 1;              ///< 0: any number
    std::string_view why = {};     ///< why that many are filled in where the scenario gives none
    std::string_view because = {}; ///< what the schedule does that takes so many: "runs the model down …", after its title
    std::string_view problem = {}; ///< code of the problem of another number
};

/// Which stages and micro-batches a schedule can run.
enum class ShapeNeed : std::uint8_t {
    any,          ///< all
    whole_groups, ///< with several chunks a stage, micro-batches in whole groups of as many as there are stages
    both_ends,    ///< stages and micro-batches even, and at least two micro-batches a stage
};

/// Where a schedule leaves forwards next to backwards of other work, so that the all-to-alls of one can hide behind the products of the
/// other without anything waiting for it.
enum class PairRoom : std::uint8_t {
    none,
    single_stage,   ///< on one stage, one forward ahead; over several each pair would wait for the next stage's
    several_chunks, ///< with several chunks a stage: its passes are two stages apart
};

/// After a while a schedule repeats itself with every `period` micro-batches more: from `settledPerStage` micro-batches a stage and
/// `settledMore` on.
struct SteadyPart {
    int settledPerStage = 1;
    int settledMore = 2;
    int morePaired = 0; ///< further ones where passes are paired to hide expert traffic
    int period = 1;     ///< micro-batches; 0: as many as there are stages
};

/// What the bubble of equal stages without communication is, in the paper's letters: F, B a whole backward, w its weight part.
struct BubbleForm {
    std::string_view formula;
    std::string_view reference;
};

/// All that anyone outside core/order/schedule asks of a schedule but its steps. A new one is a row of `scheduleTraits`.
struct ScheduleTraits {
    PipelineOrder order;
    std::string_view word;        ///< in a scenario
    std::string_view title;       ///< in messages and forms, as its paper writes it
    std::string_view description; ///< one sentence, for the form

    bool splitsBackward = false; ///< some backwards in two parts: the input's gradient, which other stages wait for, and the weights'
    PlacementKind placement = PlacementKind::loop;
    ChunkRule chunks = {};
    PipelineOrder withOneChunk; ///< the order that it is with one chunk a stage
    ShapeNeed need = ShapeNeed::any;
    bool pairsPasses = false; ///< runs forwards together with backwards by itself
    PairRoom pairRoom = PairRoom::none;
    bool keepsAll = false; ///< every micro-batch's activations are in memory at once; the others are as full after a few as they ever get
    SteadyPart steady = {};
    /// Time that filling and draining the pipeline adds, over 1F1B's, by the closed forms of the bubbles (Narayanan et al. 2021; Qi et al.
    /// 2023 and 2024 with the weight part a third of forward and backward; DeepSeek-V3). An order of any number of chunks divides it by them.
    double fill = 1;
    BubbleForm bubble = {};

    /// How many times the stages together hold the model's weights.
    constexpr int weightCopies() const { return placement == PlacementKind::two_way ? 2 : 1; }
    /// The first and the last chunk lie on the same stage.
    constexpr bool endsMeet() const { return placement != PlacementKind::loop; }
    constexpr bool takesChunks(std::int64_t perStage) const { return chunks.perStage == 0 || chunks.perStage == perStage; }
};

namespace schedule_rows {

inline constexpr ChunkRule oneChunk{};
inline constexpr ChunkRule anyChunks{.perStage = 0};
constexpr ChunkRule veeChunks(std::string_view problem) {
    return {.perStage = 2, .why = "a V's way down and its way back", .because = "runs the model down the stages and back up", .problem = problem};
}
inline constexpr BubbleForm wholeBackwards{"(p − 1)/(v m + p − 1) of the span for equal stages", "Narayanan et al. 2021, §2.2"};

} // namespace schedule_rows

/// One row an order, in the order in which lists show them.
inline constexpr std::array scheduleTraits{
    ScheduleTraits{.order = PipelineOrder::gpipe,
                   .word = "gpipe",
                   .title = "GPipe",
                   .description = "All forwards, then all backwards: every micro-batch is in memory at once.",
                   .chunks = schedule_rows::oneChunk,
                   .withOneChunk = PipelineOrder::gpipe,
                   .keepsAll = true,
                   .bubble = schedule_rows::wholeBackwards},
    ScheduleTraits{.order = PipelineOrder::one_f_one_b,
                   .word = "1f1b",
                   .title = "1F1B",
                   .description = "One forward, one backward in turn.",
                   .chunks = schedule_rows::oneChunk,
                   .withOneChunk = PipelineOrder::one_f_one_b,
                   .pairRoom = PairRoom::single_stage,
                   .steady = {.morePaired = 2},
                   .bubble = schedule_rows::wholeBackwards},
    ScheduleTraits{.order = PipelineOrder::interleaved,
                   .word = "interleaved",
                   .title = "interleaved",
                   .description = "1F1B over several chunks per stage: a smaller bubble, more communication.",
                   .chunks = schedule_rows::anyChunks,
                   .withOneChunk = PipelineOrder::one_f_one_b,
                   .need = ShapeNeed::whole_groups,
                   .pairRoom = PairRoom::several_chunks,
                   .steady = {.settledPerStage = 2, .settledMore = 0, .period = 0},
                   .bubble = schedule_rows::wholeBackwards},
    ScheduleTraits{.order = PipelineOrder::zb_h1,
                   .word = "zb-h1",
                   .title = "ZB-H1",
                   .description = "Weight gradients fill the bubble, with no more memory than 1F1B.",
                   .splitsBackward = true,
                   .chunks = schedule_rows::oneChunk,
                   .withOneChunk = PipelineOrder::zb_h1,
                   .steady = {.settledPerStage = 2},
                   .fill = 1.0 / 3,
                   .bubble = {"(p − 1)(F + B − 2w) for equal stages", "Qi et al. 2023 (arXiv 2401.10241), §2.1"}},
    ScheduleTraits{.order = PipelineOrder::zb_v,
                   .word = "zb-v",
                   .title = "ZB-V",
                   .description = "Two chunks per stage, down the stages and back up: no bubble for equal parts.",
                   .splitsBackward = true,
                   .placement = PlacementKind::vee,
                   .chunks = schedule_rows::veeChunks("zb-v-chunks"),
                   .withOneChunk = PipelineOrder::zb_v,
                   .steady = {.settledPerStage = 2},
                   .fill = 0,
                   .bubble = {"none within a stage for equal F, B − w and w", "Qi et al. 2023 (arXiv 2401.10241), §6"}},
    ScheduleTraits{.order = PipelineOrder::v_half,
                   .word = "v-half",
                   .title = "V-Half",
                   .description = "ZB-V's stages with half of 1F1B's activations and about half of its bubble.",
                   .splitsBackward = true,
                   .placement = PlacementKind::vee,
                   .chunks = schedule_rows::veeChunks("vee-chunks"),
                   .withOneChunk = PipelineOrder::v_half,
                   .steady = {.settledPerStage = 3},
                   .fill = 1.0 / 2,
                   .bubble = {"about half of 1F1B's for equal F, B − w and w", "Qi et al. 2024 (arXiv 2405.15362), table 1"}},
    ScheduleTraits{.order = PipelineOrder::v_min,
                   .word = "v-min",
                   .title = "V-Min",
                   .description = "ZB-V's stages with a third of 1F1B's activations and about two thirds of its bubble.",
                   .splitsBackward = true,
                   .placement = PlacementKind::vee,
                   .chunks = schedule_rows::veeChunks("vee-chunks"),
                   .withOneChunk = PipelineOrder::v_min,
                   .steady = {.settledPerStage = 3},
                   .fill = 2.0 / 3,
                   .bubble = {"about two thirds of 1F1B's for equal F, B − w and w", "Qi et al. 2024 (arXiv 2405.15362), table 1"}},
    ScheduleTraits{.order = PipelineOrder::dual_pipe,
                   .word = "dualpipe",
                   .title = "DualPipe",
                   .description = "Micro-batches from both ends, forward beside backward; every stage holds two parts of the model.",
                   .splitsBackward = true,
                   .placement = PlacementKind::two_way,
                   .chunks = schedule_rows::oneChunk,
                   .withOneChunk = PipelineOrder::dual_pipe,
                   .need = ShapeNeed::both_ends,
                   .pairsPasses = true,
                   .steady = {.settledPerStage = 3, .settledMore = 0, .period = 2},
                   .fill = 1.0 / 6,
                   .bubble = {"(p/2 − 1)(F&B + B − 3w) for equal stages", "DeepSeek-V3 (arXiv 2412.19437), table 2"}},
};

template <> struct WordsOf<PipelineOrder> {
    static constexpr auto table = [] {
        std::array<Word<PipelineOrder>, scheduleTraits.size()> words{};
        for (std::size_t i = 0; i < words.size(); ++i) words[i] = {scheduleTraits[i].order, scheduleTraits[i].word};
        return words;
    }();
};

/// The row of an order.
constexpr const ScheduleTraits& traitsOf(PipelineOrder order) {
    static_assert(hasEveryWordOnce<PipelineOrder>());
    for (const ScheduleTraits& traits : scheduleTraits)
        if (traits.order == order) return traits;
    return scheduleTraits.front(); // no order is without a row
}

/// The schedule of a scenario that names none.
constexpr PipelineOrder usualOrder(std::int64_t chunksPerStage) { return chunksPerStage > 1 ? PipelineOrder::interleaved : PipelineOrder::one_f_one_b; }

/// Where the chunks of `order` lie. `shape` is one the order takes.
Placement placementOf(PipelineOrder order, const PipelineShape& shape);

/// Why the order's need forbids the shape, in a sentence with its numbers; nothing where it does not. Numbers are positive.
std::optional<ShapeRefusal> unmetNeed(const ScheduleTraits& traits, const PipelineShape& shape);

/// Multiples of so many micro-batches meet the order's need, whatever the chunks.
int microBatchStep(const ScheduleTraits& traits, int stages);

/// How long a schedule is played until it repeats itself, and with which period, micro-batches. `paired`: passes are paired to hide
/// expert traffic.
struct Repetition {
    int settled = 0;
    int period = 1;
};
Repetition repetitionOf(const ScheduleTraits& traits, int stages, bool paired);

} // namespace orrery
