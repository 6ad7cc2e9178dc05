// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

/// What a stage does in one step of a pipeline schedule: a pass through a chunk of the model, or one side of handing its result on.
enum class PassKind : std::uint8_t {
    forward,
    backward,        ///< gradients of the input and of the weights at once
    backward_input,  ///< the part the chunk before waits for (Qi et al. 2023 write B)
    backward_weight, ///< the rest, which nothing on another stage waits for (Qi et al. write W)
    send_activations,
    receive_activations,
    send_gradients,
    receive_gradients,
};

/// One step of a stage. Whose list it stands in says on which stage it runs.
struct PipelineStep {
    PassKind kind = PassKind::forward;
    /// The forward or backward runs overlapped with the step after it (DualPipe's F&B): both start together and end together.
    bool withNext = false;
    std::int16_t chunk = 0;      ///< of the model, from 0; of a communication step: the chunk that made what is handed on
    std::int32_t microBatch = 0; ///< from 0

    friend bool operator==(const PipelineStep&, const PipelineStep&) = default;
};

constexpr bool isCommunication(PassKind kind) { return kind >= PassKind::send_activations; }
constexpr bool isSend(PassKind kind) { return kind == PassKind::send_activations || kind == PassKind::send_gradients; }

/// "backward of the input of micro-batch 3, chunk 1", for messages about schedules.
std::string toText(const PipelineStep& step);
/// The same within a sentence: "the backward of …", "sending the …".
std::string withArticle(const PipelineStep& step);

/// In which order the stages of a pipeline run their passes. What each one is and needs stands in schedule_traits.hpp, its steps come
/// from generators.hpp.
enum class PipelineOrder : std::uint8_t { gpipe,
                                          one_f_one_b,
                                          interleaved,
                                          zb_h1,
                                          zb_v,
                                          v_half,
                                          v_min,
                                          dual_pipe };

/// How the model's chunks lie on the stages.
enum class PlacementKind : std::uint8_t {
    loop,    ///< chunk c on stage c mod p (Narayanan et al. 2021; one chunk a stage is the plain pipeline)
    vee,     ///< two chunks a stage, down and back up: c on stage c, then on stage 2p − 1 − c (Qi et al. 2023, ZB-V; V-Half, V-Min)
    two_way, ///< the model twice, once from either end (DualPipe): c on stage c for the first half of the micro-batches, on p − 1 − c for
             ///< the rest
};

struct Placement {
    PlacementKind kind = PlacementKind::loop;
    int stages = 1;
    int chunksPerStage = 1; ///< held by a stage: 2 for `vee` and `two_way`
    int microBatches = 1;   ///< of one iteration

    /// Chunks a micro-batch passes on its way forward.
    int modelChunks() const { return kind == PlacementKind::two_way ? stages : stages * chunksPerStage; }

    /// Where `chunk` of `microBatch` runs; both in range.
    int stageOf(int chunk, int microBatch) const {
        if (kind == PlacementKind::loop) return chunk % stages;
        if (kind == PlacementKind::vee) return chunk < stages ? chunk : 2 * stages - 1 - chunk;
        return entersLast(microBatch) ? stages - 1 - chunk : chunk;
    }

    /// Which of the chunks its stage holds this is, from 0.
    int slotOf(int chunk, int microBatch) const {
        return kind == PlacementKind::two_way ? static_cast<int>(entersLast(microBatch)) : chunk / stages;
    }

    /// Two-way: the micro-batch enters at the last stage. The first half of the numbers enter at stage 0.
    bool entersLast(int microBatch) const { return kind == PlacementKind::two_way && microBatch >= microBatches / 2; }

    /// The activations one micro-batch leaves in a chunk, as a part of those it leaves in a stage of the plain p-stage pipeline.
    double chunkShare() const { return static_cast<double>(stages) / modelChunks(); }

    friend bool operator==(const Placement&, const Placement&) = default;
};

/// What every stage of a pipeline does in one iteration, in the order of its compute stream.
struct PipelineSchedule {
    Placement placement;
    std::vector<std::vector<PipelineStep>> stages;
    /// The most activations each stage may hold at once, counted in micro-batches of one chunk from the forward to the end of the
    /// (weight part of the) backward. The schedule's promise, from its closed form; the checker holds the steps against it.
    std::vector<int> mostInFlight;
};

} // namespace orrery
