// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/step_model.hpp"

#include "core/engine/order_statistics.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/served/inference/apart_experts.hpp"
#include "core/served/inference/engine_collectives.hpp"
#include "core/served/inference/held_cache.hpp"
#include "core/served/inference/routed_experts.hpp"
#include "core/training/cost/cost_terms.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

constexpr double contextsOfOctave = 4;
constexpr std::string_view attentionOutput = "attention.output"; ///< the product behind attention over the cache
constexpr double logitBytes = 2, fp32Bytes = 4;
constexpr double sampledSequences = 256; ///< vLLM's and TensorRT-LLM's usual limit of sequences in a step

/// A place in a grid: the point at or below, the one above, and how far between.
struct GridPlace {
    std::size_t below = 0, above = 0;
    double share = 0;
    double lower = 0, upper = 0;
};

/// Whole numbers up to `exact`, then 16 to an octave.
struct CountGrid {
    double exact;

    double at(std::size_t index) const {
        constexpr double ofOctave = 16;
        return double(index) <= exact ? double(index) : std::ceil(exact * std::exp2((double(index) - exact) / ofOctave));
    }
    GridPlace place(double count) const {
        constexpr double ofOctave = 16;
        GridPlace found;
        if (count <= exact) {
            found.lower = found.upper = std::ceil(count);
            found.below = found.above = static_cast<std::size_t>(found.lower);
            return found;
        }
        auto index = static_cast<std::size_t>(exact + std::floor(std::log2(count / exact) * ofOctave));
        while (at(index) > count) --index;
        while (at(index + 1) <= count) ++index;
        found = {index, index + 1, 0, at(index), at(index + 1)};
        found.share = (count - found.lower) / (found.upper - found.lower);
        if (found.share <= 0) found.above = found.below;
        return found;
    }
};
constexpr CountGrid tokenGrid{512}, sequenceGrid{16};

double contextAt(std::size_t index) { return std::ceil(std::exp2(double(index) / contextsOfOctave)); }

GridPlace contextPlace(double context) {
    context = std::max(1.0, context);
    auto index = static_cast<std::size_t>(std::floor(std::log2(context) * contextsOfOctave));
    while (index > 0 && contextAt(index) > context) --index;
    while (contextAt(index + 1) <= context) ++index;
    GridPlace place{index, index + 1, 0, contextAt(index), contextAt(index + 1)};
    place.share = (context - place.lower) / (place.upper - place.lower);
    if (place.share <= 0) place.above = place.below;
    return place;
}

/// Sizes that engines capture: 1, 2, 4 and multiples of 8 (from memory: vLLM, vllm/config.py: _get_graph_batch_size; TensorRT-LLM likewise).
double captured(double sequences) {
    if (sequences <= 2) return sequences;
    return sequences <= 4 ? 4 : 8 * std::ceil(sequences / 8);
}

double weightsOf(const Operator& op, const EngineFormats& formats) {
    const bool quantised = op.format != MatrixFormat::sixteen_bit || op.storage != WeightStorage::as_multiplied;
    const double element = op.name == routedExpertsName ? formats.expertWeightBytes() : quantised ? formats.productWeightBytes()
                                                                                                  : 2;
    return op.weights * element + op.replicatedWeights * 2;
}

/// Where a decode kernel does not serve the query heads of a key head together, each widens and multiplies every element of keys and values
/// outside the matrix units (PhysicsConstants::ungroupedCacheFlops).
double ungroupedTime(const EngineModel& engine, const Operator& op) {
    const std::vector<int>& grouped = engine.profile.serving.groupedHeads;
    if (op.attentionMode != AttentionMode::decode || op.kind != OperatorKind::attention || grouped.empty() || op.valueWidth < op.shape.k) return 0;
    const double heads = op.shape.batch / op.sequences;
    const auto group = static_cast<int>(std::lround(std::min(heads, op.headsPerKey)));
    if (std::find(grouped.begin(), grouped.end(), group) != grouped.end()) return 0;
    return engine.cost.constants.physics.ungroupedCacheFlops * op.shape.batch * op.shape.m * op.shape.n * (op.shape.k + op.valueWidth) / engine.cost.vectorPeak;
}

/// The tables' products in 8 and 4 bit were measured with a short kernel more beside them: the smallest take 9 to 11 us longer in fp8 (2 to 4
/// with block scales, 4 to 5 in nvfp4) than in 16 bit on every Hopper and Blackwell, and with so much taken away all formats stream weights
/// at the same rate (H200: 3.97 and 3.99 TB/s in fp8 and bf16). Where norms and activations write quantised operands (TensorRT-LLM) nothing
/// such runs; where scales are found at run time (vLLM) it does: decode steps of fp8 models by vLLM 0.6 and 0.11 have room for it. Checkpoints
/// in 4 bit bring their outer scale along, so that one kernel quantises, and that the graph has. A difference
/// too long for such a kernel is the product's own (block scales on Ada).
double besideProduct(const CostModel& cost, MatrixFormat format) {
    constexpr double m = 8, n = 256, k = 128;
    if (!cost.kernelTimes) return 0;
    Operator smallest;
    smallest.kind = OperatorKind::gemm;
    smallest.shape = {m, n, k, 1};
    smallest.flops = 2 * m * n * k;
    smallest.bytesRead = 2 * (m * k + k * n);
    smallest.bytesWritten = 2 * m * n;
    const double plain = operatorTime(cost, smallest).time;
    smallest.format = format;
    const double beside = operatorTime(cost, smallest).time - plain;
    return beside > 0 && beside < cost.constants.physics.longestBesideProduct ? beside : 0;
}

/// A kernel of the shared expert; the reduction behind it is the whole layer's.
bool isOfShared(const Operator& op) { return op.kind != OperatorKind::collective && op.name.starts_with("moe.shared"); }

/// Layers of each stage: the plan's, else as even as can be with the longer ones first.
std::vector<int> stageLayers(const Parallelism& plan, int layers) {
    if (plan.layout.size() == static_cast<std::size_t>(plan.pipeline)) return plan.layout;
    std::vector<int> counts(static_cast<std::size_t>(plan.pipeline), layers / plan.pipeline);
    for (int stage = 0; stage < layers % plan.pipeline; ++stage) ++counts[static_cast<std::size_t>(stage)];
    return counts;
}

} // namespace

/// What one attention group's ranks have of a step.
struct StepModel::Load {
    double tokens = 0, logits = 0;
    AttentionGroup fresh, continued;           ///< equal prompts that stand for those of the step; no sequences: none
    double freshParts = 1, continuedParts = 1; ///< as many as have the same pairs; no whole number
    AttentionGroup decodes;
};

StepModel::Sums& StepModel::Sums::operator+=(const Sums& more) {
    gemm += more.gemm;
    attention += more.attention;
    other += more.other;
    collectives += more.collectives;
    kernels += more.kernels;
    apart += more.apart;
    sends += more.sends;
    meetings += more.meetings;
    return *this;
}

StepModel::Sums StepModel::Sums::times(double count) const { return {gemm * count, attention * count, other * count, collectives * count, kernels * count, apart * count, sends * count, meetings * count}; }

StepModel::Sums StepModel::Sums::between(const Sums& a, const Sums& b, double share) {
    Sums sum = a.times(1 - share);
    sum += b.times(share);
    return sum;
}

StepModel::StepModel(const EngineModel& engine) : engine_(engine), formats_(engineFormats(engine.precision, engine.fp8Recipe, engine.cachePrecision, engine.weightsAlone)), running_(engine.model) {
    running_.attentionDropout = running_.hiddenDropout = 0;
    Architecture steps = running_;
    steps.nextTokenModules = 0; // drafts are made by an engine of their own
    const auto piecesOf = [&](double tokens) { return buildStepPieces(steps, {{{AttentionMode::decode, tokens, 1, 1}}, formats_.cache}); };
    ModelPieces one = piecesOf(1), two = piecesOf(2);
    std::vector<double> layerWeights, layerReads;
    const auto make = [&](Graph& ofOne, Graph& ofTwo, double count) {
        Graph first = rankGraph(std::move(ofOne), engine_, formats_);
        const Graph second = rankGraph(std::move(ofTwo), engine_, formats_);
        Piece piece;
        piece.count = count;
        double bytes = 0, routed = 0;
        for (const Operator& op : first.forward) {
            if (op.name == "moe.shared.down.reduce") sharesReduction_ = true;
            if (op.name != routedExpertsName) {
                bytes += weightsOf(op, formats_);
                continue;
            }
            piece.experts = true;
            Operator counted = op;
            counted.weights *= copiesOfExperts(engine_) / double(engine_.parallelism.tensor * engine_.parallelism.attentionData);
            if (engine_.experts) continue; // others hold them
            routed = weightsOf(counted, formats_);
            bytes += routed;
        }
        piece.operators = tokenOperators(std::move(first), second);
        layerWeights.push_back(bytes);
        layerReads.push_back(bytes - routed);
        return piece;
    };
    embedding_ = make(one.embedding, two.embedding, 1);
    head_ = make(one.head, two.head, 1);
    for (std::size_t kind = 0; kind < one.layers.size(); ++kind) layers_.push_back(make(one.layers[kind], two.layers[kind], double(running_.layersOf(kind))));
    for (const Piece& layer : layers_) apartLayers_ += layer.experts ? layer.count : 0;

    if (formats_.product != MatrixFormat::sixteen_bit) {
        const double beside = besideProduct(engine_.cost, formats_.product);
        if (engine_.profile.normsQuantise || formats_.product == MatrixFormat::nvfp4) besideProduct_ = beside;
        else if (beside > 0) besideLaunches_ = 1;
    }
    const int together = engine_.parallelism.tensor * engine_.parallelism.attentionData;
    if (together > 1) lastOf_ = blomLargestNormal(together);
    const std::vector<int> stages = stageLayers(engine_.parallelism, static_cast<int>(running_.layers));
    std::int64_t layer = 0;
    int most = 0;
    endWeights_ = layerWeights[0] + layerWeights[1];
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        StageHold hold;
        for (int i = 0; i < stages[stage]; ++i, ++layer) {
            const LayerKind& kind = running_.kindOf(layer);
            hold.weights += layerWeights[2 + running_.kindIndex(layer)];
            const double cache = cacheBytesOfLayer(running_, kind, formats_.cache, engine_.parallelism.tensor);
            hold.cache += cache;
            hold.state += stateBytesOfLayer(running_, kind, engine_.parallelism.tensor);
            if (const double windowed = windowedBytesOfLayer(running_, kind, formats_.cache, engine_.parallelism.tensor); windowed > 0)
                addWindowed(hold, {1, kind.span, kind.reach == AttentionReach::chunk}, windowed / engine_.parallelism.context);
        }
        hold.cache /= engine_.parallelism.context;
        cacheBytes_ = std::max(cacheBytes_, hold.cache);
        stateBytes_ = std::max(stateBytes_, hold.state);
        const bool last = stage + 1 == stages.size();
        if (stage == 0) hold.weights += layerWeights[0] + towerBytes();
        if (last) hold.weights += layerWeights[1];
        if (last && stage > 0 && running_.tiedEmbedding) hold.weights += layerWeights[0];
        stages_.push_back(std::move(hold));
        most = std::max(most, stages[stage]);
    }
    addDrafts();
    for (const StageHold& stage : stages_) weightBytes_ = std::max(weightBytes_, stage.weights);
    stageShare_ = double(most) / double(running_.layers);
    readWeights_ = layerReads[1] + (running_.tiedEmbedding ? layerReads[0] : 0);
    for (std::int64_t i = 0; i < running_.layers; ++i) readWeights_ += layerReads[2 + running_.kindIndex(i)];
}

StepModel::Load StepModel::loadOf(const StepBatch& batch) const {
    const Parallelism& plan = engine_.parallelism;
    Load load;
    struct PromptSums {
        double count = 0, tokens = 0, squares = 0, pairs = 0;
    } fresh, continued;
    for (const StepBatch::Chunk& chunk : batch.prefills) {
        PromptSums& m = chunk.context > 0 ? continued : fresh;
        const double tokens = chunk.tokens;
        m.count += 1;
        m.tokens += tokens;
        m.squares += tokens * tokens;
        m.pairs += tokens * chunk.context;
    }
    // Sequences are dealt out to attention groups; the fullest has as many as any.
    const auto ofFullest = [&](double count) { return std::ceil(count / plan.attentionData); };
    const auto groupOf = [&](const PromptSums& m, AttentionGroup& group, double& parts, AttentionMode mode) {
        group.sequences = 0;
        if (!(m.tokens > 0)) return;
        const double share = ofFullest(m.count) / m.count;
        const double equal = m.tokens * m.tokens / m.squares * share; // so many equal ones have the same tokens and the same squares
        group = {mode, std::max(1.0, std::floor(equal + 1e-9)), 0, m.pairs / m.tokens};
        parts = equal;
        group.tokens = m.tokens * share;
        load.tokens += m.tokens * share / plan.context;
        load.logits += m.count * share;
    };
    groupOf(fresh, load.fresh, load.freshParts, AttentionMode::prefill);
    groupOf(continued, load.continued, load.continuedParts, AttentionMode::chunk);
    load.decodes.sequences = 0;
    if (batch.decodes > 0) {
        const double each = 1 + double(batch.draftTokens) / batch.decodes;
        const double mean = (batch.decodeContext + each) / plan.context;
        load.decodes = {AttentionMode::decode, ofFullest(batch.decodes), each, std::max(0.0, mean - each)};
        load.tokens += load.decodes.sequences * each;
        load.logits += load.decodes.sequences * each;
    }
    return load;
}

/// Most layers' collectives are alike, and a library's choice takes longer to work out than the rest of a layer.
double StepModel::collectiveTime(CollectiveKind kind, int ranks, int stride, double bytes) const {
    const auto [at, added] = collectivesMemo_.try_emplace({kind, ranks, stride, bytes}, 0);
    if (added) at->second = engineCollective(engine_, kind, ranks, stride, bytes);
    return at->second;
}

OperatorTime StepModel::timeOf(const Operator& op) const {
    OperatorTime result;
    if (op.kind == OperatorKind::collective) {
        const Parallelism& plan = engine_.parallelism;
        const int ranks = op.group == RankGroup::expert ? plan.tensor * plan.attentionData : op.group == RankGroup::context ? plan.context
                                                                                                                            : plan.tensor;
        const int stride = op.group == RankGroup::context ? plan.tensor * plan.attentionData : 1;
        result.time = op.kernels * collectiveTime(op.collective, ranks, stride, op.messageBytes);
        result.bound = result.time > 2 * collectiveTime(op.collective, ranks, stride, smallestCollective) ? Bound::network : Bound::latency;
        result.source = engine_.network.library.measured ? Source::predicted : Source::roofline;
    } else if (op.kind == OperatorKind::batched_gemm) {
        // No table has them, and how a library cuts them takes longest to work out; lengths of the cache leave them as they are.
        const auto [at, added] = headProductsMemo_.try_emplace({op.shape.m, op.shape.n, op.shape.k, op.shape.batch});
        if (added) at->second = operatorTime(engine_.cost, op);
        return at->second;
    } else {
        const OperatorTime time = operatorTime(engine_.cost, op);
        result.time = time.time;
        result.bound = time.bound;
        result.source = time.source;
        if (op.kind == OperatorKind::gemm) {
            // Weights come from memory in every step; tables' loops find small ones in L2.
            const double operand = op.format == MatrixFormat::sixteen_bit && op.storage == WeightStorage::as_multiplied ? op.operandBytes : formats_.productWeightBytes();
            const double floor = op.shape.k * op.shape.n * operand / engine_.cost.memoryBandwidth;
            if (op.format != MatrixFormat::sixteen_bit) result.time -= besideProduct_;
            if (floor > result.time) {
                result.time = floor;
                result.bound = Bound::memory;
            }
        }
    }
    return result;
}

Operator StepModel::collectiveFor(const char* name, CollectiveKind kind, RankGroup ranks, double bytes) const {
    Operator op;
    op.name = name;
    op.kind = OperatorKind::collective;
    op.phase = Phase::communication;
    op.collective = kind;
    op.group = ranks;
    op.messageBytes = bytes;
    return op;
}

/// Where attention groups hold tokens of their own, tokens go to the ranks of their experts and back, or every rank gets all of them before
/// the experts and its own sums after.
std::vector<TimedOperator> StepModel::expertTraffic(double tokens) const {
    const double bytes = tokens * double(running_.hidden) * 2, all = bytes * engine_.parallelism.attentionData;
    const auto timed = [&](Operator op) {
        const OperatorTime time = timeOf(op);
        return TimedOperator{std::move(op), time.time, time.bound, time.source};
    };
    if (engine_.experts) {
        const auto send = [&](const char* name, double element) {
            return TimedOperator{collectiveFor(name, CollectiveKind::send_receive, RankGroup::expert, tokens * double(running_.expertWidth()) * element), apartSend(engine_, tokens, element), Bound::network, Source::predicted};
        };
        constexpr double sixteenBit = 2;
        return {send("moe.dispatch", formats_.sentBytes()), send("moe.combine", sixteenBit)};
    }
    if (const ExchangeLibrary* library = expertExchange(engine_)) {
        const ExchangeTimes times = exchangeTimes(engine_, formats_, *library, tokens);
        const auto way = [&](const char* name, double seconds) {
            return TimedOperator{collectiveFor(name, CollectiveKind::all_to_all, RankGroup::expert, bytes), seconds, seconds > 2 * library->start ? Bound::network : Bound::latency, Source::predicted};
        };
        return {way("moe.dispatch", times.dispatch), way("moe.combine", times.combine)};
    }
    if (engine_.parallelism.attentionData > 1)
        return {timed(collectiveFor("moe.dispatch", CollectiveKind::all_gather, RankGroup::expert, all)),
                timed(collectiveFor("moe.combine", CollectiveKind::reduce_scatter, RankGroup::expert, all))};
    if (engine_.parallelism.tensor > 1 && !sharesReduction_) return {timed(collectiveFor("moe.reduce", CollectiveKind::all_reduce, RankGroup::tensor, bytes))};
    return {};
}

/// What shows of each second of a shared expert's kernels. On a stream of their own they fill what the routed ones leave of the memory's and
/// the units' rate; together both take no less than their bounds do one after the other.
double StepModel::shownOfShared(const Piece& piece, double tokens, const TimedOperator& routed) const {
    if (tokens > engine_.profile.serving.sharedBeside) return 1;
    const auto bound = [&](const Operator& op) { return std::max((op.bytesRead + op.bytesWritten) / engine_.cost.memoryBandwidth, op.flops / productRate(engine_.cost, formats_.product).peak); };
    double alone = 0, bounds = bound(routed.op);
    Operator ofTokens;
    for (const TokenOperator& op : piece.operators) {
        if (!isOfShared(op.ofOne())) continue;
        op.writeAt(tokens, ofTokens);
        alone += timeOf(ofTokens).time;
        bounds += bound(ofTokens);
    }
    return alone > 0 ? std::clamp((std::max(alone, bounds) - routed.time) / alone, 0.0, 1.0) : 1;
}

template <typename Visit>
void StepModel::eachOfPiece(const Piece& piece, double tokens, Visit visit) const {
    TimedOperator routed;
    double shown = 1;
    if (piece.experts) {
        routed = timedExperts(engine_.experts ? *engine_.experts : engine_, formats_, tokens * engine_.parallelism.attentionData);
        if (!engine_.experts) shown = shownOfShared(piece, tokens, routed);
    }
    Operator ofTokens;
    for (const TokenOperator& op : piece.operators) {
        if (op.ofOne().name == routedExpertsName) {
            visit(routed.op, OperatorTime{routed.time, routed.bound, routed.source});
            for (const TimedOperator& sent : expertTraffic(tokens)) visit(sent.op, OperatorTime{sent.time, sent.bound, sent.source});
        } else {
            op.writeAt(tokens, ofTokens);
            OperatorTime time = timeOf(ofTokens);
            if (isOfShared(ofTokens)) time.time *= shown;
            visit(ofTokens, time);
        }
    }
}

template <typename Visit>
void StepModel::eachOfGroup(const AttentionGroup& group, Visit visit) const {
    struct Timed {
        std::vector<Operator> operators;
        std::vector<OperatorTime> times;
    };
    std::vector<Timed> known(layers_.size() > 1 ? layers_.size() : 0);
    const auto reachesAs = [&](const LayerKind& kind) { return [&kind](const LayerKind& other) { return other.mixesAs(kind); }; };
    for (std::size_t kind = 0; kind < layers_.size(); ++kind) {
        // What follows attention makes kinds differ that attend alike.
        Timed* timed = nullptr;
        if (!known.empty()) {
            const auto like = std::find_if(running_.kinds.begin(), running_.kinds.end(), reachesAs(running_.kinds[kind]));
            timed = &known[static_cast<std::size_t>(like - running_.kinds.begin())];
            for (std::size_t i = 0; i < timed->operators.size(); ++i) visit(timed->operators[i], timed->times[i], kind);
            if (!timed->operators.empty()) continue;
        }
        Graph graph = buildAttentionGroup(running_, running_.kinds[kind], group, formats_.cache);
        graph = precisionPass(std::move(graph), formats_.expertsAlone ? MatrixFormat::sixteen_bit : formats_.product);
        graph = weightStoragePass(std::move(graph), formats_.storage, formats_.expertsAlone);
        graph = removeIdentities(tensorPass(std::move(graph), running_, engine_.parallelism.tensor));
        settleTraffic(graph, {});
        for (const Operator& op : graph.forward) {
            OperatorTime result = timeOf(op);
            const double alone = ungroupedTime(engine_, op);
            if (alone > result.time) {
                result.time = alone;
                result.bound = Bound::compute;
            }
            if (timed) timed->times.push_back(result);
            visit(op, result, kind);
        }
        if (timed) timed->operators = std::move(graph.forward);
    }
}

StepModel::Sums StepModel::piece(const Piece& piece, double tokens) const {
    Sums sums;
    eachOfPiece(piece, tokens, [&](const Operator& op, const OperatorTime& timed) {
        if (engine_.experts && (op.name == routedExpertsName || op.collective == CollectiveKind::send_receive)) {
            (op.name == routedExpertsName ? sums.apart : sums.sends) += timed.time;
            return;
        }
        const bool product = op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm;
        (op.kind == OperatorKind::collective ? sums.collectives : product ? sums.gemm
                                                                          : sums.other) += timed.time;
        sums.kernels += op.kernels;
        if (op.kind == OperatorKind::gemm && op.format != MatrixFormat::sixteen_bit) sums.kernels += op.kernels * besideLaunches_;
        if (op.kind == OperatorKind::collective) sums.meetings += op.kernels * lastOf_;
    });
    return sums;
}

StepModel::Sums StepModel::allTokens(double tokens) const {
    Sums sums = piece(embedding_, tokens);
    for (const Piece& layer : layers_) sums += piece(layer, tokens).times(layer.count);
    return sums;
}

StepModel::Sums StepModel::ofTokens(double tokens) const {
    const GridPlace place = tokenGrid.place(tokens);
    const auto at = [&](std::size_t index, double size) { return tokensMemo_.at(index, [&] { return allTokens(size); }); };
    const Sums below = at(place.below, place.lower);
    return place.above == place.below ? below : Sums::between(below, at(place.above, place.upper), place.share);
}

std::vector<Operator> StepModel::headOperators(double logits) const {
    std::vector<Operator> operators;
    for (const TokenOperator& op : head_.operators) operators.push_back(op.at(logits));
    const double vocabulary = double(running_.vocabulary);
    if (engine_.parallelism.tensor > 1)
        operators.push_back(collectiveFor("head.gather", CollectiveKind::all_gather, RankGroup::tensor, logits * vocabulary * logitBytes));
    Operator sampling; // to fp32, largest or a draw
    sampling.name = "head.sampling";
    sampling.kind = OperatorKind::softmax;
    sampling.kernels = 2;
    sampling.flops = 6 * logits * vocabulary;
    sampling.bytesRead = logits * vocabulary * (logitBytes + fp32Bytes);
    sampling.bytesWritten = logits * vocabulary * fp32Bytes;
    operators.push_back(std::move(sampling));
    return operators;
}

StepModel::Sums StepModel::headOf(double logits) const {
    Sums sums;
    for (const Operator& op : headOperators(logits)) {
        const double time = timeOf(op).time;
        (op.kind == OperatorKind::collective ? sums.collectives : op.kind == OperatorKind::gemm ? sums.gemm
                                                                                                : sums.other) += time;
        sums.kernels += op.kernels;
        if (op.kind == OperatorKind::collective) sums.meetings += op.kernels * lastOf_;
    }
    return sums;
}

StepModel::Sums StepModel::ofLogits(double logits) const {
    const GridPlace place = tokenGrid.place(logits);
    const auto at = [&](std::size_t index, double size) { return logitsMemo_.at(index, [&] { return headOf(size); }); };
    const Sums below = at(place.below, place.lower);
    return place.above == place.below ? below : Sums::between(below, at(place.above, place.upper), place.share);
}

StepModel::Sums StepModel::group(const AttentionGroup& group) const {
    Sums sums;
    eachOfGroup(group, [&](const Operator& op, const OperatorTime& timed, std::size_t kind) {
        const double count = layers_[kind].count;
        sums.attention += count * timed.time;
        sums.kernels += count * op.kernels;
    });
    return sums;
}

StepModel::Sums StepModel::prompts(const Load& load) const {
    Sums sums;
    const double ranks = engine_.parallelism.context;
    const auto add = [&](AttentionGroup equal, double parts) {
        if (!(equal.sequences > 0)) return;
        const double tokens = equal.tokens, few = equal.sequences, many = few + 1;
        equal.tokens = tokens / few;
        Sums sum = group(equal);
        // The number of equal prompts lies between two whole numbers; pairs of tokens go with 1/n.
        if (parts > few + 1e-6) {
            const double share = (1 / few - 1 / parts) / (1 / few - 1 / many);
            equal.sequences = many;
            equal.tokens = tokens / many;
            sum = Sums::between(sum, group(equal), share);
        }
        sum.attention /= ranks;
        if (ranks > 1) // every rank gets the others' keys and values
            sum.collectives += double(running_.layers) * timeOf(collectiveFor("attention.gather", CollectiveKind::all_gather, RankGroup::context,
                                                                              tokens * cacheBytes_ * ranks / double(running_.layers) / stageShare_))
                                                             .time;
        sums += sum;
    };
    add(load.fresh, load.freshParts);
    add(load.continued, load.continuedParts);
    return sums;
}

StepModel::Sums StepModel::decodes(const Load& load) const {
    const AttentionGroup& group = load.decodes;
    const auto each = static_cast<int>(group.tokens);
    std::vector<Row>& rows = decodesMemo_[each];
    const GridPlace place = contextPlace(group.context + group.tokens), count = sequenceGrid.place(group.sequences);
    const auto at = [&](std::size_t sequencesIndex, double sequences, std::size_t index, double length) {
        if (rows.size() <= sequencesIndex) rows.resize(sequencesIndex + 1);
        return rows[sequencesIndex].at(index, [&] { return this->group({AttentionMode::decode, sequences, group.tokens, std::max(0.0, length - group.tokens)}); });
    };
    const auto over = [&](std::size_t index, double sequences) {
        const Sums below = at(index, sequences, place.below, place.lower);
        return place.above == place.below ? below : Sums::between(below, at(index, sequences, place.above, place.upper), place.share);
    };
    const Sums fewer = over(count.below, count.lower);
    Sums sums = count.above == count.below ? fewer : Sums::between(fewer, over(count.above, count.upper), count.share);
    if (engine_.parallelism.context > 1) // ranks join what each found in its part of the cache
        sums.collectives += double(running_.layers) * timeOf(collectiveFor("attention.join", CollectiveKind::all_reduce, RankGroup::context,
                                                                           group.sequences * group.tokens * double(running_.heads) / engine_.parallelism.tensor * double(running_.valueDim()) * 2))
                                                          .time;
    return sums;
}

StepParts StepModel::ownParts(const StepBatch& batch) const {
    if (engine_.experts && batch.prefills.empty()) return apartParts(batch);
    Sums sums;
    StepParts parts = partsInOne(batch, sums);
    parts.collectives += sums.apart + sums.sends; // nothing else is under way
    return parts;
}

/// Decodes whose routed experts lie on other accelerators: in as many micro-batches as take least, as engines are tuned to. What they leave the
/// attention's accelerators to wait for counts as collectives.
StepParts StepModel::apartParts(const StepBatch& batch) const {
    constexpr int mostMicroBatches = 4; // MegaScale-Infer: three for fast networks, four for slow ones
    Sums whole;
    StepParts best = partsInOne(batch, whole);
    best.collectives += whole.apart + whole.sends;
    for (int count = 2; count <= std::min(mostMicroBatches, batch.decodes); ++count) {
        StepBatch one = batch;
        one.decodes = (batch.decodes + count - 1) / count;
        one.draftTokens = (batch.draftTokens + count - 1) / count;
        Sums sums;
        const StepParts micro = partsInOne(one, sums);
        const ApartLayer layer{micro.device() / apartLayers_, sums.apart / apartLayers_, sums.sends / 2 / apartLayers_};
        StepParts parts = best;
        parts.gemm = micro.gemm * count;
        parts.attention = micro.attention * count;
        parts.other = micro.other * count;
        parts.collectives = micro.collectives * count + apartStepTime(layer, apartLayers_, count) - micro.device() * count;
        if (parts.total() < best.total()) best = parts;
    }
    return best;
}

/// Everything one after the other but routed experts that lie elsewhere: these are in `sums` alone.
StepParts StepModel::partsInOne(const StepBatch& batch, Sums& sums) const {
    Load load = loadOf(batch);
    StepParts result;
    if (!(load.tokens > 0)) return result;
    const ServingProfile& serving = engine_.profile.serving;
    const bool prompts = !batch.prefills.empty();
    const bool graph = engine_.cudaGraphs && load.tokens <= serving.largestGraph && (!prompts || serving.capturesPrompts);
    if (graph && !prompts) {
        // A captured size runs whole: its empty rows cost what rows cost.
        const double more = captured(load.decodes.sequences) - load.decodes.sequences;
        load.tokens += more * load.decodes.tokens;
    }
    sums = ofTokens(load.tokens);
    sums += ofLogits(load.logits);
    if (prompts) sums += this->prompts(load);
    if (const double images = imagesIn(batch); images > 0) sums += tower(images);
    if (load.decodes.sequences > 0) sums += decodes(load);
    const double stretch = prompts && !graph ? serving.promptStretch : serving.decodeStretch;
    result.gemm = sums.gemm * stretch;
    result.attention = sums.attention * stretch;
    result.other = sums.other * stretch;
    result.collectives = sums.collectives;
    const Parallelism& plan = engine_.parallelism;
    if (plan.pipeline > 1) {
        const int stride = plan.tensor * plan.attentionData * plan.context;
        result.pipeline = (plan.pipeline - 1) * engineCollective(engine_, CollectiveKind::send_receive, 2, stride, load.tokens * running_.passedWidth() * 2);
    }
    if (!graph) result.collectives += sums.meetings * serving.launchSpread;
    // Switching graphs off makes no launch cheaper, and inputs are copied before a step's first kernel as before a graph's.
    const double launches = sums.kernels * std::max(engine_.profile.hostLaunch, engine_.cudaGraphs ? 0 : serving.eagerLaunch);
    const double start = serving.graphLaunch * plan.pipeline;
    result.launch = graph ? start : std::max(start, launches - result.device());
    // Attention groups are processes of their own, each with its sequences.
    const double sequences = std::ceil(double(batch.decodes) / plan.attentionData) + std::ceil(double(batch.prefills.size()) / plan.attentionData);
    result.host = serving.stepHost + sequences * serving.sequenceHost;
    // One thread launches and schedules: without a graph what it launches leaves it that much less time to hide the rest in.
    if (engine_.asyncScheduling) result.host = std::max(0.0, result.host + (graph ? 0 : launches) - result.device() - result.launch);
    return result;
}

double StepModel::interval(const StepBatch& batch) const {
    const int stages = engine_.parallelism.pipeline;
    if (stages == 1) return parts(batch).total();
    const StepParts all = ownParts(batch);
    const double drafting = drafts_.empty() || batch.isEmpty() ? 0 : draftParts(batch).total(); // the last stage's
    const double head = ofLogits(loadOf(batch).logits).gemm;
    const double layers = all.gemm - head + all.attention + all.other + all.collectives;
    return std::max(layers * stageShare_ + head + all.pipeline / (stages - 1) + all.launch / stages + drafting, all.host);
}

std::vector<StepModel::Counted> StepModel::counted(const StepBatch& batch) const {
    const Load load = loadOf(batch);
    std::vector<Counted> result;
    if (!(load.tokens > 0)) return result;
    const bool decodesAlone = batch.prefills.empty();
    // Attention over the cache by kind of layer.
    std::vector<std::vector<Counted>> attention(layers_.size());
    for (AttentionGroup group : {load.fresh, load.continued, load.decodes}) {
        if (!(group.sequences > 0)) continue;
        const bool decode = group.mode == AttentionMode::decode;
        if (!decode) group.tokens /= group.sequences;
        eachOfGroup(group, [&](const Operator& op, OperatorTime timed, std::size_t kind) {
            if (!decode) timed.time /= engine_.parallelism.context;
            attention[kind].push_back({{op, timed.time, timed.bound, timed.source}, layers_[kind].count, decode, static_cast<int>(kind)});
        });
    }
    const auto addBeside = [&](const Operator& op, const OperatorTime& timed) { result.push_back({{op, timed.time, timed.bound, timed.source}, 1, decodesAlone, -1}); };
    for (TimedOperator& timed : towerOperators(imagesIn(batch))) result.push_back({std::move(timed), 1, false, -1});
    eachOfPiece(embedding_, load.tokens, addBeside);
    for (std::size_t kind = 0; kind < layers_.size(); ++kind) {
        std::vector<Counted>& core = attention[kind];
        const auto addCore = [&] {
            std::move(core.begin(), core.end(), std::back_inserter(result));
            core.clear();
        };
        eachOfPiece(layers_[kind], load.tokens, [&](const Operator& op, const OperatorTime& timed) {
            if (op.name == attentionOutput || op.name == "attention.unrotate") addCore();
            result.push_back({{op, timed.time, timed.bound, timed.source}, layers_[kind].count, decodesAlone, static_cast<int>(kind)});
        });
        addCore();
    }
    for (const Operator& op : headOperators(load.logits)) addBeside(op, timeOf(op));
    return result;
}

std::vector<TimedOperator> StepModel::operators(const StepBatch& batch) const {
    const std::vector<Counted> all = counted(batch);
    std::vector<TimedOperator> list;
    for (auto first = all.begin(); first != all.end();) {
        const auto last = std::find_if(first, all.end(), [&](const Counted& other) { return other.layerKind != first->layerKind; });
        for (int layer = 0; layer < static_cast<int>(first->count); ++layer)
            for (auto each = first; each != last; ++each) list.push_back(each->timed);
        first = last;
    }
    return list;
}

double StepModel::activationBytes(double tokens, bool lastStage) const {
    const double t = engine_.parallelism.tensor, hidden = double(running_.hidden), count = tokens / engine_.parallelism.context;
    double widest = 0;
    for (const Piece& layer : layers_)
        for (const TokenOperator& op : layer.operators) {
            const OperatorShape& shape = op.ofOne().shape;
            if (op.ofOne().kind == OperatorKind::gemm) widest = std::max(widest, shape.n + shape.k);
        }
    double bytes = count * (2 * hidden + widest) * 2;
    if (running_.experts) bytes += count * double(running_.experts->perToken) * (2 * hidden + 3 * double(running_.experts->ffn) / t) * 2;
    if (!lastStage) return bytes;
    if (!drafts_.empty()) bytes = std::max(bytes, drafts_.front().activationBytes(tokens, false)); // one runs after the other
    return bytes + std::min(count, sampledSequences) * double(running_.vocabulary) * (logitBytes + fp32Bytes);
}

namespace {

/// The share of a token's cache that every decode reads. Where an indexer picks keys, each decode reads all of the indexer's own and no more.
double alwaysRead(const Architecture& model, CacheFormat cache) {
    double held = 0, read = 0;
    for (std::size_t kind = 0; kind < model.kinds.size(); ++kind) {
        LayerKind least = model.kinds[kind];
        const double layers = double(model.layersOf(kind)), whole = cacheBytesOfLayer(model, least, cache);
        held += layers * whole;
        if (least.compression > 0) { // a window, and behind it what an indexer picks of its keys, or all
            const double behind = whole - windowedBytesOfLayer(model, least, cache);
            read += layers * (least.picked > 0 ? indexedKeyBytesOfLayer(model, least) : behind);
        } else if (model.compressed) continue;
        else if (least.reach != AttentionReach::selected) read += layers * whole;
        else if (least.indexer) {
            least.indexer = false;
            read += layers * (whole - cacheBytesOfLayer(model, least, cache));
        }
    }
    return held > 0 ? read / held : 1;
}

} // namespace

double StepModel::decodeBytes(int decodes, double lengths) const {
    const double share = 1.0 / engine_.parallelism.attentionData;
    const double read = running_.indexer ? alwaysRead(running_, formats_.cache) : 1;
    double bytes = readWeights_ + std::ceil(decodes * share) / std::max(1, decodes) * lengths * cacheBytes_ / stageShare_ * read;
    for (const Piece& layer : layers_)
        if (layer.experts && !engine_.experts) bytes += layer.count * hitWeightBytes(engine_, formats_, decodes);
    return bytes;
}

} // namespace orrery
