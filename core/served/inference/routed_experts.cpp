// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/routed_experts.hpp"
#include "core/engine/order_statistics.hpp"
#include "core/operators/kernel_times.hpp"
#include "core/training/cost/cost_terms.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace orrery {

const ExchangeLibrary* expertExchange(const EngineModel& engine) {
    const Parallelism& plan = engine.parallelism;
    const int ranks = plan.tensor * plan.attentionData;
    if (!engine.model.experts || plan.attentionData < 2 || plan.expert != ranks) return nullptr;
    if (!engine.network.domainSpansHosts || engine.network.domainSize < ranks) return nullptr;
    return engine.network.library.exchange(engine.profile.experts.library);
}

ExchangeTimes exchangeTimes(const EngineModel& engine, const EngineFormats& formats, const ExchangeLibrary& library, double tokens) {
    const Parallelism& plan = engine.parallelism;
    const Experts& experts = *engine.model.experts;
    const Routing routing{static_cast<int>(expertSlots(engine)), // each copy as likely as another
                          static_cast<int>(experts.perToken), static_cast<int>(experts.groups), static_cast<int>(experts.groupsPerToken)};
    const ExchangeForm form = exchangeForm(routing, plan.expert, 1);
    const double own = tokens / plan.tensor; // ranks of a group send a share each
    const double rate = upShareOf(library, form, engine.network.upBandwidth) * engine.network.upBandwidth;
    const auto oneWay = [&](double element) { return library.start + own * form.up * double(engine.model.expertWidth()) * element / rate; };
    constexpr double sixteenBit = 2;
    return {oneWay(formats.sentBytes()), oneWay(sixteenBit)};
}

namespace {

struct ExpertShape {
    double ranks = 1, tensor = 1; ///< that share out experts, and each one's matrices
    double slots = 1;             ///< for experts, over all ranks; more than experts hold copies
    double local = 1;             ///< experts of a rank
    double hit = 1;               ///< of them, those that a token visits; mean over ranks
    double mostHit = 1;           ///< of the rank that all others wait for
    double rows = 0;              ///< of a rank
    double width = 0;             ///< of an expert on a rank
    double matrices = 3;

    ExpertShape(const EngineModel& engine, double tokens) {
        const Experts& e = *engine.model.experts;
        const Parallelism& plan = engine.parallelism;
        ranks = plan.expert;
        tensor = std::max(1.0, double(plan.tensor * plan.attentionData) / ranks);
        slots = expertSlots(engine);
        local = slots / ranks;
        // Copies are given out evenly, and a token that chooses an expert goes to one of its copies, each as likely as another.
        const double fewest = std::floor(slots / double(e.count)), more = slots - fewest * double(e.count);
        const double shareOfMore = more * (fewest + 1) / slots; // of slots, those of experts with one copy more
        const auto chanceOf = [&](double copies) {
            const double visits = double(e.perToken) / double(e.count) / copies;
            return -std::expm1(tokens * std::log1p(-std::min(visits, 1 - 1e-9)));
        };
        const double usual = chanceOf(fewest), shared = more > 0 ? chanceOf(fewest + 1) : usual;
        const auto ofSlots = [&](double usualValue, double sharedValue) { return (1 - shareOfMore) * usualValue + shareOfMore * sharedValue; };
        hit = std::max(std::min(1.0, tokens), local * ofSlots(usual, shared));
        // Tokens choose freely, so ranks differ in how many of their experts are chosen, and a layer ends with the last of them.
        const double deviation = std::sqrt(local * ofSlots(usual * (1 - usual), shared * (1 - shared)));
        const double mostChosen = std::min(local, tokens * std::min(double(e.perToken), local));
        mostHit = std::min(std::max(hit, mostChosen), hit + (plan.expert > 1 ? blomLargestNormal(plan.expert) : 0) * deviation);
        rows = tokens * double(e.perToken) / ranks;
        width = double(e.ffn) / tensor;
        matrices = engine.model.gatedMlp ? 3 : 2;
    }
};

/// What the host launches for a layer's experts where it launches kernel by kernel: choice of experts, their order (2), rows brought into it,
/// two products with the activation between, and the sum (vLLM's fused_moe and TensorRT-LLM's cutlass kernels alike, from memory).
constexpr int launchesOfExperts = 8;

MatrixFormat formatOf(const EngineFormats& formats) { return formats.product; }

/// A product of each expert that is hit; `up`: to its width, else from it.
Operator expertProduct(const EngineModel& engine, const EngineFormats& formats, const ExpertShape& shape, bool up) {
    const double hidden = double(engine.model.expertWidth()), width = shape.width * (up ? shape.matrices - 1 : 1);
    Operator op;
    op.name = up ? "moe.gate_up" : "moe.down";
    op.kind = OperatorKind::grouped_gemm;
    op.format = formatOf(formats);
    op.storage = formats.storage;
    op.shape = {std::max(1.0, shape.rows / shape.hit), up ? width : hidden, up ? hidden : width, shape.hit};
    op.flops = 2 * shape.rows * hidden * width;
    op.bytesRead = shape.hit * hidden * width * formats.expertWeightBytes() + shape.rows * op.shape.k * op.operandBytes;
    op.bytesWritten = shape.rows * op.shape.n * op.operandBytes;
    return op;
}

KernelCall expertCall(const EngineModel& engine, const EngineFormats& formats, const ExpertShape& shape, double tokens) {
    const Experts& e = *engine.model.experts;
    KernelCall call;
    call.kind = KernelKind::moe;
    call.format = formats.experts;
    call.sizes = {std::ceil(tokens), double(engine.model.expertWidth()), double(e.ffn), double(e.perToken), shape.slots, shape.tensor, shape.ranks, engine.model.gatedMlp ? 1.0 : 0.0, engine.expertExponent};
    return call;
}

/// The table's kernels that do this work for whole numbers of tokens; an engine takes the fastest that its accelerator has.
std::optional<KernelTime> fastestKernel(const EngineModel& engine, const EngineFormats& formats, const ExpertShape& shape, double tokens) {
    const KernelCall call = expertCall(engine, formats, shape, tokens);
    std::optional<KernelTime> best = engine.cost.kernelTimes->time(call);
    const auto consider = [&](const KernelCall& other) {
        const auto time = engine.cost.kernelTimes->time(other);
        if (time && (!best || (time->beyond <= best->beyond && time->seconds < best->seconds))) best = time;
    };
    if (call.format == KernelFormat::nvfp4) {
        KernelCall lowLatency = call;
        lowLatency.variant |= alternativeBit;
        consider(lowLatency);
    }
    if (call.format == KernelFormat::w4a16_mxfp4) {
        KernelCall narrow = call; // activations in 8 bit too
        narrow.format = KernelFormat::w4a8_mxfp4_mxfp8;
        consider(narrow);
    }
    return best;
}

/// The same for any number of tokens.
std::optional<KernelTime> dealtKernel(const EngineModel& engine, const EngineFormats& formats, const ExpertShape& shape, double tokens) {
    const double below = std::max(1.0, std::floor(tokens)), share = tokens - below;
    auto time = fastestKernel(engine, formats, shape, below);
    if (!time || share <= 0) return time;
    const auto above = fastestKernel(engine, formats, shape, below + 1);
    if (above) time->seconds += share * (above->seconds - time->seconds);
    return time;
}

/// The tables' balanced tokens go round all experts before any gets a second one, so few tokens stream the matrices of more experts than tokens
/// that choose freely do. What the experts without a token would have taken is the difference between two calls that give each expert one row.
std::optional<KernelTime> chosenKernel(const EngineModel& engine, const EngineFormats& formats, const ExpertShape& shape, double tokens) {
    if (!engine.cost.kernelTimes) return std::nullopt;
    auto time = fastestKernel(engine, formats, shape, tokens);
    if (!time || engine.expertExponent > 0) return time;
    const Experts& e = *engine.model.experts;
    const double ofEachExpert = shape.slots / double(e.perToken); // tokens that visit each once
    const double dealt = std::min(tokens, ofEachExpert), chosen = std::min(ofEachExpert, shape.mostHit * shape.ranks / double(e.perToken));
    constexpr double noticed = 1e-3; // tokens
    if (std::abs(dealt - chosen) < noticed) return time;
    const auto all = dealtKernel(engine, formats, shape, dealt), some = dealtKernel(engine, formats, shape, chosen);
    if (all && some) time->seconds += some->seconds - all->seconds;
    return time;
}

/// What the tables' kernels for experts whose weights alone are narrow do beside the products, more than those in 16 bit do: TensorRT-LLM's on
/// Hopper take 73 us for a token that meets one expert of gpt-oss, where 16 bit takes 40 with four times the bytes. Nothing in such a format asks
/// for it: rows stay as they are.
double besideExperts(const EngineModel& engine, const EngineFormats& formats) {
    if (formats.storage == WeightStorage::as_multiplied || !engine.profile.serving.leanRouting) return 0;
    EngineFormats wide = formats;
    wide.experts = KernelFormat::bf16;
    ExpertShape alone(engine, 1); // of a rank that holds one expert
    alone.slots = alone.ranks = double(engine.model.experts->count);
    alone.tensor = 1;
    const auto narrowTime = fastestKernel(engine, formats, alone, 1), wideTime = fastestKernel(engine, wide, alone, 1);
    if (!narrowTime || !wideTime) return 0;
    constexpr double wideElement = 2;
    const double weights = alone.matrices * double(engine.model.expertWidth()) * double(engine.model.experts->ffn) / engine.cost.memoryBandwidth;
    return std::max(0.0, (narrowTime->seconds - weights * formats.expertWeightBytes()) - (wideTime->seconds - weights * wideElement));
}

/// What 8-bit experts' kernels of the engine take for each expert's worth of matrices on a rank, chosen or not: slices of all experts cost what
/// as many bytes of whole ones do.
double ofAllExperts(const EngineModel& engine, const EngineFormats& formats, const ExpertShape& shape) {
    return isEightBit(formats.product) ? shape.local / shape.tensor * engine.profile.serving.narrowExpert : 0;
}

double peakOf(const CostModel& cost, MatrixFormat format) { return productRate(cost, format).peak; }

} // namespace

double expertSlots(const EngineModel& engine) { return engine.expertSlots > 0 ? engine.expertSlots : double(engine.model.experts->count); }

double copiesOfExperts(const EngineModel& engine) { return engine.model.experts ? expertSlots(engine) / double(engine.model.experts->count) : 1; }

double hitWeightBytes(const EngineModel& engine, const EngineFormats& formats, double tokens) {
    const ExpertShape shape(engine, tokens);
    return shape.hit * shape.matrices * double(engine.model.expertWidth()) * shape.width * formats.expertWeightBytes();
}

Operator routedExperts(const EngineModel& engine, const EngineFormats& formats, double tokens) {
    const ExpertShape shape(engine, tokens);
    Operator op = expertProduct(engine, formats, shape, true);
    const Operator down = expertProduct(engine, formats, shape, false);
    op.name = routedExpertsName;
    op.kernels = launchesOfExperts;
    op.flops += down.flops;
    op.bytesRead += down.bytesRead;
    op.bytesWritten += down.bytesWritten;
    return op;
}

TimedOperator timedExperts(const EngineModel& engine, const EngineFormats& formats, double tokens) {
    const ExpertShape shape(engine, tokens);
    const CostModel& cost = engine.cost;
    TimedOperator timed;
    timed.op = routedExperts(engine, formats, tokens);
    const double floor = hitWeightBytes(engine, formats, tokens) / cost.memoryBandwidth;
    if (const auto known = chosenKernel(engine, formats, shape, tokens)) {
        const ProductRate rate = productRate(cost, formatOf(formats));
        const double reached = timed.op.flops / rate.peak / known->seconds;
        const double bound = std::min(1.0, reached / rate.ofPeak), lasting = lastingShare(cost, rate.sustained, expertCall(engine, formats, shape, tokens));
        timed.time = std::max(floor, known->seconds * (1 + (1 / lasting - 1) * bound) - besideExperts(engine, formats)) + ofAllExperts(engine, formats, shape);
        timed.source = known->source;
        timed.bound = reached > 0.5 * rate.ofPeak ? Bound::compute : Bound::memory;
        return timed;
    }
    const Operator up = expertProduct(engine, formats, shape, true), down = expertProduct(engine, formats, shape, false);
    Operator moved; // rows brought into the experts' order, activated, and summed
    moved.kind = OperatorKind::permute;
    moved.kernels = 4;
    moved.bytesRead = shape.rows * (2 * double(engine.model.expertWidth()) + shape.matrices * shape.width) * 2;
    moved.bytesWritten = shape.rows * (double(engine.model.expertWidth()) + shape.width) * 2 + tokens * double(engine.model.expertWidth()) * 2;
    const OperatorTime first = operatorTime(cost, up);
    timed.time = std::max(floor, first.time + operatorTime(cost, down).time + operatorTime(cost, moved).time) + ofAllExperts(engine, formats, shape);
    timed.bound = timed.op.flops / peakOf(cost, formatOf(formats)) > floor ? Bound::compute : Bound::memory;
    timed.source = first.source;
    return timed;
}

} // namespace orrery
