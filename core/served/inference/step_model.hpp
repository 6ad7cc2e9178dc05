// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/timed_operator.hpp"
#include "core/order/serving/block_pool.hpp"
#include "core/served/inference/engine_formats.hpp"
#include "core/served/inference/engine_model.hpp"
#include "core/served/inference/rank_graphs.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace orrery {

/// The time of an engine's steps, of one instance.
///
/// A step's graph (core/model's, through the passes that training runs) is cut in two: what works on all its tokens, which depends on their
/// number alone, and attention by groups of alike sequences. Each operator is timed as in training (core/training/cost's operatorTime), a product
/// never faster than its weights come from memory; collectives by the library or the framework's own kernels.
///
/// - Tokens: exact up to 512; above, linear between the points of a grid of 16 to an octave.
/// - Decodes' attention: over their mean context, linear between 4 points to an octave; of their number exact up to 16, above likewise
///   linear between 16 to an octave.
/// - Prompts of different lengths run in one kernel: as so many equal ones as have the same tokens and the same pairs.
/// - A step of decodes alone runs in a CUDA graph where the engine has them: rounded up to a size that is captured (1, 2, 4, multiples of 8).
///   Without one the host launches kernel by kernel: a step takes no less than all its launches.
///
/// What is asked for is kept, so one model is not for several threads at once; copies are independent. Answers do not depend on what was
/// asked before.
class StepModel {
public:
    explicit StepModel(const EngineModel& engine);

    const EngineModel& engine() const { return engine_; }

    /// A step without work takes no time. Whoever drafts with a model pays its passes too: one over all that the step computes, as a drafting
    /// model keeps a cache of its own, then one a further draft.
    StepParts parts(const StepBatch& batch) const;
    double seconds(const StepBatch& batch) const { return parts(batch).total(); }
    /// With several stages: how soon another step of the same kind can follow; else `seconds`.
    double interval(const StepBatch& batch) const;
    /// A request's images through the vision tower, alone on the engine.
    double encodeSeconds() const;
    /// Every operator of the step with its count in the model, time of one. Exact, off every grid.
    struct Counted {
        TimedOperator timed;
        double count = 1;
        bool decode = false; ///< attention over the cache for next tokens; of what both share, true where the step has decodes alone
        int layerKind = -1;  ///< of `Architecture::kinds`; -1: beside the layers
    };
    std::vector<Counted> counted(const StepBatch& batch) const;
    /// The same as one list, an entry each time it runs: embedding, layer after layer, head; times without launches and host.
    std::vector<TimedOperator> operators(const StepBatch& batch) const;

    /// What a rank of a stage holds. A drafting model lies beside the last stage's layers.
    struct StageHold {
        double weights = 0; ///< bytes
        double cache = 0;   ///< bytes a token
        double state = 0;   ///< bytes a sequence, however long it is
        struct Windowed {
            CacheWindow window;
            double cache = 0; ///< bytes a token: of `cache`, what layers with this window have
        };
        std::vector<Windowed> windows;

        /// Bytes of keys and values of a sequence's first `tokens`: of layers with windows, those that the next token sees.
        double cacheOf(std::int64_t tokens) const;
    };
    const std::vector<StageHold>& stages() const { return stages_; }
    /// Bytes of the cache that a token takes on a rank that holds it, of the fullest stage. Each of `attentionData` groups holds the
    /// tokens of its own sequences.
    double kvBytesPerToken() const { return cacheBytes_; }
    /// What a sequence keeps there beside, however long it is: states and the last inputs of convolutions.
    double stateBytesPerSequence() const { return stateBytes_; }
    /// What the fullest rank holds.
    double weightBytes() const { return weightBytes_; }
    /// What a step with so many tokens needs beside weights and cache, at its fullest moment: the hidden state, a layer's widest products,
    /// and, on the last stage, logits of at most 256 sequences in fp32.
    double activationBytes(double tokens, bool lastStage = true) const;

    /// Least bytes that a rank reads in a step of so many decodes: weights (no input embedding unless it is the output's too, experts that
    /// are hit alone) and the cache.
    double decodeBytes(int decodes, double lengths) const;

private:
    struct Sums {
        double gemm = 0, attention = 0, other = 0, collectives = 0, kernels = 0;
        double apart = 0, sends = 0; ///< routed experts on other accelerators, and the way there and back
        double meetings = 0;         ///< collectives, each by how far the last of its ranks lies behind the mean, in standard deviations
        Sums& operator+=(const Sums& more);
        Sums times(double count) const;
        static Sums between(const Sums& a, const Sums& b, double share);
    };
    struct Piece {
        std::vector<TokenOperator> operators;
        double count = 1; ///< in the model
        bool experts = false;
    };
    struct Load; // a rank's share of a step
    /// Sums by place in a grid of which few are ever asked for.
    struct Row {
        std::vector<std::int32_t> places; ///< in `sums`, counted from 1; 0: not known
        std::vector<Sums> sums;

        template <typename Make>
        const Sums& at(std::size_t index, Make make) {
            if (places.size() <= index) places.resize(index + 1);
            if (places[index] == 0) {
                sums.push_back(make());
                places[index] = static_cast<std::int32_t>(sums.size());
            }
            return sums[static_cast<std::size_t>(places[index]) - 1];
        }
    };

    void addDrafts();
    StepParts ownParts(const StepBatch& batch) const;
    StepParts partsInOne(const StepBatch& batch, Sums& sums) const;
    StepParts apartParts(const StepBatch& batch) const;
    StepParts draftParts(const StepBatch& batch) const;
    double besideHidden(double tokens) const;
    Load loadOf(const StepBatch& batch) const;
    Sums piece(const Piece& piece, double tokens) const;
    Sums allTokens(double tokens) const;
    Sums ofTokens(double tokens) const;
    Sums ofLogits(double logits) const;
    Sums headOf(double logits) const;
    Sums group(const AttentionGroup& group) const;
    Sums prompts(const Load& load) const;
    Sums decodes(const Load& load) const;
    OperatorTime timeOf(const Operator& op) const;
    double imagesIn(const StepBatch& batch) const;
    Sums tower(double images) const;
    std::vector<TimedOperator> towerOperators(double images) const;
    double towerBytes() const;
    double collectiveTime(CollectiveKind kind, int ranks, int stride, double bytes) const;
    Operator collectiveFor(const char* name, CollectiveKind kind, RankGroup ranks, double bytes) const;
    std::vector<TimedOperator> expertTraffic(double tokens) const;
    double shownOfShared(const Piece& piece, double tokens, const TimedOperator& routed) const;
    std::vector<Operator> headOperators(double logits) const;
    template <typename Visit>
    void eachOfGroup(const AttentionGroup& group, Visit visit) const;
    template <typename Visit>
    void eachOfPiece(const Piece& piece, double tokens, Visit visit) const;

    EngineModel engine_;
    EngineFormats formats_;
    Architecture running_; ///< without dropout
    Piece embedding_, head_;
    std::vector<Piece> layers_;    ///< by kind
    double besideProduct_ = 0;     ///< s: what the tables' narrow products hold beside the product
    double apartLayers_ = 0;       ///< that have routed experts
    int besideLaunches_ = 0;       ///< that the host makes for what runs beside a narrow product
    double lastOf_ = 0;            ///< E of the largest of as many standard normal numbers as ranks work together
    bool sharesReduction_ = false; ///< a shared expert's all-reduce adds the routed experts up too
    double weightBytes_ = 0, cacheBytes_ = 0, readWeights_ = 0, stageShare_ = 1, endWeights_ = 0;
    std::vector<StageHold> stages_;
    std::vector<StepModel> drafts_; ///< none or one
    double stateBytes_ = 0;
    mutable Row tokensMemo_, logitsMemo_;
    mutable std::map<std::tuple<CollectiveKind, int, int, double>, double> collectivesMemo_; ///< s, by kind, ranks, stride and bytes
    mutable std::map<std::array<double, 4>, OperatorTime> headProductsMemo_;                 ///< by shape: latent attention's about its core
    mutable std::map<double, Sums> towerMemo_;                                               ///< by images
    mutable std::map<int, std::vector<Row>> decodesMemo_;                                    ///< by tokens of a decode, then decodes, then context
};

} // namespace orrery
