// SPDX-License-Identifier: GPL-3.0-or-later
// Mixers that keep a state of constant size: one product from the hidden state, a short convolution, the scan, a gated norm, one product back.
// Where tokens come many at once the scan goes chunk by chunk (Yang et al. 2024, arXiv 2412.06464, section 3.3; Dao and Gu 2024, arXiv 2405.21060,
// section 6): products within a chunk, and one state a chunk carried on. A token that comes alone updates the state and reads it.
#include "core/model/graph_builder.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr double keptStateBytes = 4; ///< states are held in fp32
constexpr double updateFlops = 8;    ///< an element of the state: decay, what the key finds, what is written, what the query reads
constexpr double selectiveFlops = 9; ///< the same of Mamba-1, with the exponential of its own decay (arXiv 2312.00752, algorithm 2)

/// The kernel that libraries have for a part of the mixer; none of other rules than those three.
StateKernel kernelOf(const StateMixer& s, StateKernel::Part part, double sequences, double tokens) {
    StateKernel kernel;
    switch (s.rule) {
    case StateRule::gated_delta: kernel.family = StateKernel::Family::gated_delta; break;
    case StateRule::key_gated_delta: kernel.family = StateKernel::Family::key_gated_delta; break;
    case StateRule::mamba2: kernel.family = StateKernel::Family::mamba2; break;
    default: return kernel;
    }
    kernel.part = part;
    kernel.sequences = sequences;
    kernel.tokens = tokens;
    kernel.keyHeads = double(s.keyHeads);
    kernel.keyDim = double(s.keyDim);
    kernel.heads = double(s.heads);
    kernel.valueDim = double(s.valueDim);
    kernel.taps = double(s.kernel);
    return kernel;
}

/// Whether a step's convolution works on one group of sequences at a time, as its scan does. What Mamba-1's scan reads comes from products
/// between both.
bool convolvesByGroup(const Dimensions& d, const StateMixer& s) { return d.step && s.kernel > 0 && kernelOf(s, StateKernel::Part::convolution, 1, 1).part != StateKernel::Part::none; }

/// The short convolution over each channel by itself.
TensorId addConvolution(GraphBuilder& b, const StateMixer& s, std::string name, TensorId input, double tokens) {
    const TensorId convolved = b.tensor("convolved", tokens * s.convolved() * activationBytes, TensorRole::heads);
    Operator& op = b.add(std::move(name), OperatorKind::activation, TensorRole::heads, {input}, {convolved});
    op.flops = (2 * double(s.kernel) + activationFlops) * tokens * s.convolved();
    op.weights = s.convolved() * (double(s.kernel) + (s.convolutionBias ? 1 : 0));
    op.saved = {input};
    return convolved;
}

class StateScan {
public:
    StateScan(GraphBuilder& builder, const Dimensions& dimensions) : b(builder), d(dimensions), s(*dimensions.a.state) {}

    TensorId run(TensorId input) {
        const double width = s.valueWidth();
        const TensorId whole = tensor("state_output", d.tokens * width * activationBytes);
        if (!d.step) {
            many(input, whole, d.shape.sequences * d.shape.documents(), d.shape.length / d.shape.documents(), 0);
            return whole;
        }
        const bool alone = d.step->groups.size() == 1;
        for (const AttentionGroup& group : d.step->groups) {
            const double tokens = group.sequences * group.tokens;
            TensorId given = alone && input >= 0 ? input : tensor("group_state_input", tokens * channels() * activationBytes);
            if (convolvesByGroup(d, s)) given = convolve(given, group);
            const TensorId result = alone ? whole : tensor("group_state_output", tokens * width * activationBytes);
            if (group.mode == AttentionMode::decode) update(given, result, group.sequences, group.tokens);
            else many(given, result, group.sequences, group.tokens, group.context > 0 ? 1 : 0);
        }
        return whole;
    }

private:
    double heads() const { return double(s.heads); }
    double keyDim() const { return double(s.keyDim); }
    double valueDim() const { return double(s.valueDim); }
    double stateElements() const { return heads() * keyDim() * valueDim(); }
    double channels() const { return 2 * s.keyWidth() + s.valueWidth(); }
    TensorId tensor(const char* name, double bytes) { return b.tensor(name, bytes, TensorRole::heads); }

    TensorId product(const std::string& name, std::vector<TensorId> inputs, TensorId output, OperatorShape shape) {
        Operator& op = b.add(std::string(stateScanName) + "." + name, OperatorKind::batched_gemm, TensorRole::heads, std::move(inputs), {output});
        op.shape = shape;
        op.flops = 2 * shape.m * shape.n * shape.k * shape.batch;
        return output;
    }

    TensorId convolve(TensorId input, const AttentionGroup& group) {
        const std::size_t first = b.size();
        const TensorId convolved = addConvolution(b, s, std::string(stateScanName) + ".convolution", input, group.sequences * group.tokens);
        const auto part = group.mode == AttentionMode::decode ? StateKernel::Part::convolution_update : StateKernel::Part::convolution;
        b.joinKernel(first, kernelOf(s, part, group.sequences, group.tokens));
        return convolved;
    }

    /// Sequences of so many tokens; `carried`: 1 where each has a state already.
    void many(TensorId input, TensorId output, double sequences, double length, double carried) {
        if (s.rule == StateRule::mamba1) {
            selective(input, output, sequences, length, carried);
            return;
        }
        const double chunk = std::min(double(s.chunk), length), tokens = sequences * length, chunks = tokens / chunk, batch = chunks * heads();
        const bool delta = s.rule == StateRule::gated_delta || s.rule == StateRule::key_gated_delta || s.rule == StateRule::rwkv7;
        const std::size_t first = b.size();
        const auto squares = [&](const char* name) { return tensor(name, tokens * chunk * heads() * activationBytes); };
        const auto values = [&](const char* name, double width) { return tensor(name, tokens * heads() * width * activationBytes); };
        TensorId written = input;
        if (delta) {
            // What keys of a chunk find of each other is solved once (the UT transform), so that the chunk writes as one.
            const TensorId meetings = product("meetings", {input}, squares("key_meetings"), {chunk, chunk, keyDim(), batch});
            const TensorId solved = squares("solved_meetings");
            b.add(std::string(stateScanName) + ".solve", OperatorKind::activation, TensorRole::heads, {meetings}, {solved}).flops = tokens * chunk * chunk * heads() / 3;
            written = product("writes", {solved, input}, values("chunk_writes", keyDim() + valueDim()), {chunk, keyDim() + valueDim(), chunk, batch});
        }
        const TensorId own = product("states", {written, input}, states("chunk_states", chunks), {keyDim(), valueDim(), chunk, batch});
        const TensorId carry = states("carried_states", chunks), last = states("last_states", sequences);
        std::vector<TensorId> carriedIn{own};
        if (carried > 0) carriedIn.push_back(states("kept_states", sequences));
        Operator& passing = b.add(std::string(stateScanName) + ".carry", OperatorKind::activation, TensorRole::heads, std::move(carriedIn), {carry, last});
        passing.flops = 2 * chunks * stateElements();
        if (delta) written = product("found", {written, carry}, values("new_values", valueDim()), {chunk, valueDim(), keyDim(), batch});
        // Queries and keys are shared by the heads of a group where nothing but the decay differs (Mamba-2).
        const double scored = delta ? heads() : double(s.keyHeads);
        const TensorId scores = product("scores", {input}, tensor("state_scores", tokens * chunk * scored * activationBytes), {chunk, chunk, keyDim(), chunks * scored});
        const TensorId within = product("within", {scores, written}, values("within_chunks", valueDim()), {chunk, valueDim(), chunk, batch});
        product("across", {input, carry, within}, output, {chunk, valueDim(), keyDim(), batch});
        if (delta) countDeltaLaunches(first);
        b.joinKernel(first, kernelOf(s, StateKernel::Part::chunks, sequences, length));
    }

    /// What vLLM and SGLang launch about the scan, with flash-linear-attention's kernels: the split of what was projected, the product that
    /// decays come from, a copy for the convolution, gates, norms of keys and queries, sums of decays; what keys meet, its solution, what is
    /// written; states fetched, carried and stored; what comes out. 15 in all, six more than there are operators.
    void countDeltaLaunches(std::size_t first) {
        for (std::size_t i = first; i < b.size(); ++i) {
            Operator& op = b.at(i);
            const std::string_view name = std::string_view(op.name).substr(stateScanName.size() + 1);
            if (name == "meetings") op.kernels = 5;
            if (name == "carry") op.kernels = 3;
        }
    }

    TensorId states(const char* name, double count) { return tensor(name, count * stateElements() * keptStateBytes); }

    void selective(TensorId input, TensorId output, double sequences, double length, double carried) {
        std::vector<TensorId> read{input};
        if (carried > 0) read.push_back(states("kept_states", sequences));
        Operator& op = b.add(std::string(stateScanName) + ".selective", OperatorKind::activation, TensorRole::heads, std::move(read), {output, states("last_states", sequences)});
        op.flops = selectiveFlops * sequences * length * stateElements();
        op.saved = {input};
    }

    /// Each sequence's state once in and once out, however many tokens speculation brings.
    void update(TensorId input, TensorId output, double sequences, double tokens) {
        const std::size_t first = b.size();
        Operator& op = b.add(std::string(stateScanName) + ".update", OperatorKind::activation, TensorRole::heads, {input, states("kept_states", sequences)},
                             {output, states("new_states", sequences)});
        op.flops = (s.rule == StateRule::mamba1 ? selectiveFlops : updateFlops) * sequences * tokens * stateElements();
        b.joinKernel(first, kernelOf(s, StateKernel::Part::update, sequences, tokens));
    }

    GraphBuilder& b;
    const Dimensions& d;
    const StateMixer& s;
};

/// The convolution of all tokens, where it is not the groups' own.
TensorId addWholeConvolution(GraphBuilder& b, const Dimensions& d, const StateMixer& s, TensorId input) {
    if (s.kernel == 0 || convolvesByGroup(d, s)) return input;
    const std::size_t first = b.size();
    const TensorId convolved = addConvolution(b, s, "state.convolution", input, d.tokens);
    if (!d.step) b.joinKernel(first, kernelOf(s, StateKernel::Part::convolution, d.shape.sequences * d.shape.documents(), d.shape.length / d.shape.documents()));
    return convolved;
}

/// Decays and gates that come through a narrow product, each rank's whole, and one up from it.
TensorId addNarrowGates(GraphBuilder& b, const Dimensions& d, const StateMixer& s, TensorId input) {
    const double rank = double(s.keyDim), wide = s.keyWidth() + (s.gateRank > 0 ? s.valueWidth() : 0), narrow = rank + double(s.gateRank);
    const TensorId latent = b.tensor("gate_latent", d.tokens * narrow * activationBytes, TensorRole::replicated);
    b.gemm("state.gate_down", TensorRole::replicated, input, {latent}, {d.tokens, narrow, d.hidden}, false);
    const TensorId gates = b.tensor("state_gates", d.tokens * wide * activationBytes, TensorRole::heads);
    b.gemm("state.gate_up", TensorRole::column, latent, {gates}, {d.tokens, wide, rank}, false);
    return gates;
}

/// RWKV-7 mixes the token before into each of seven products' inputs, and decays, learning rates, the first layer's values and gates come through narrow
/// products. Gives the gates.
TensorId addShiftedGates(GraphBuilder& b, const Dimensions& d, const StateMixer& s, TensorId input) {
    const double keys = s.keyWidth(), values = s.valueWidth();
    const TensorId shifted = b.tensor("shifted_inputs", 6 * d.hiddenBytes(), TensorRole::replicated);
    Operator& shift = b.add("state.shift", OperatorKind::activation, TensorRole::replicated, {input}, {shifted});
    shift.flops = 6 * 3 * d.tokens * d.hidden;
    shift.replicatedWeights = 7 * d.hidden; // the MLP's too
    shift.saved = {input};
    TensorId gate = -1;
    const auto narrow = [&](const char* name, std::int64_t rank, double width, bool bias) {
        const TensorId latent = b.tensor(std::string(name) + "_latent", d.tokens * double(rank) * activationBytes, TensorRole::replicated);
        b.gemm(std::string("state.") + name + "_down", TensorRole::replicated, shifted, {latent}, {d.tokens, double(rank), d.hidden}, false);
        gate = b.tensor(name, d.tokens * width * activationBytes, TensorRole::heads);
        b.gemm(std::string("state.") + name + "_up", TensorRole::column, latent, {gate}, {d.tokens, width, double(rank)}, bias);
    };
    narrow("decay", s.decayRank, keys, true);
    narrow("rate", s.rateRank, keys, true);
    narrow("value_mix", s.valueRank, values, true);
    narrow("gate", s.gateRank, values, false);
    return gate;
}

/// Mamba-1's time step and both sides of its state come from what was convolved.
void addSelection(GraphBuilder& b, const Dimensions& d, const StateMixer& s, TensorId convolved) {
    const double width = s.valueWidth(), rank = double(s.gateRank), sides = 2 * double(s.keyDim);
    const TensorId selected = b.tensor("selection", d.tokens * (rank + sides) * activationBytes, TensorRole::replicated);
    b.gemm("state.selection", TensorRole::row, convolved, {selected}, {d.tokens, rank + sides, width}, false);
    TensorId from = selected;
    if (s.innerNorms) {
        from = b.tensor("normed_selection", d.tokens * (rank + sides) * activationBytes, TensorRole::replicated);
        b.norm("state.selection_norm", selected, from, d.tokens, rank + sides, false);
    }
    const TensorId steps = b.tensor("time_steps", d.tokens * width * activationBytes, TensorRole::heads);
    b.gemm("state.time_step", TensorRole::column, from, {steps}, {d.tokens, width, rank}, true);
}

/// Numbers of a head: its decay, the bias of its time step, what it passes on.
double headVectors(const StateMixer& s) {
    switch (s.rule) {
    case StateRule::rwkv7: return 3 * s.keyWidth(); // of keys as they are written and as they erase, and of what meets its own value at once
    case StateRule::gated_delta: return 2 * double(s.heads);
    case StateRule::key_gated_delta: return double(s.heads) + s.keyWidth();
    case StateRule::mamba2: return 3 * double(s.heads);
    case StateRule::mamba1: return s.valueWidth() * double(s.keyDim) + s.valueWidth();
    default: return 0;
    }
}

/// A norm of what heads give, times a gate from the hidden state; or the gate alone.
TensorId addGatedNorm(GraphBuilder& b, const Dimensions& d, const StateMixer& s, TensorId mixed, TensorId gate) {
    const bool norms = s.outputNorm && s.rule != StateRule::mamba1 && s.rule != StateRule::convolution;
    const bool ofHead = s.rule == StateRule::gated_delta || s.rule == StateRule::key_gated_delta;
    const TensorId normed = b.tensor("gated_state_output", d.tokens * s.valueWidth() * activationBytes, TensorRole::heads);
    Operator& op = b.add(norms ? "state.norm" : "state.gate", norms ? OperatorKind::norm : OperatorKind::activation, TensorRole::heads, {mixed, gate}, {normed});
    op.flops = ((norms ? normFlops : 0) + activationFlops) * d.tokens * s.valueWidth();
    op.saved = {mixed, gate};
    if (norms) (ofHead ? op.replicatedWeights : op.weights) = ofHead ? double(s.valueDim) : s.valueWidth();
    if (s.rule == StateRule::rwkv7) op.weights = 2 * s.valueWidth();
    return normed;
}

} // namespace

TensorId addStateScan(GraphBuilder& b, const Dimensions& d, TensorId input) {
    if (d.a.state->rule == StateRule::convolution) return input;
    return StateScan(b, d).run(input);
}

TensorId addStateMixer(GraphBuilder& b, const Dimensions& d, TensorId input) {
    const StateMixer& s = *d.a.state;
    const bool narrowGate = s.rule == StateRule::rwkv7 || (s.rule == StateRule::key_gated_delta && s.gateRank > 0);
    const double gateWidth = narrowGate ? 0 : s.valueWidth();
    const TensorId mixed = b.tensor("state_input", d.tokens * (s.projected() - gateWidth) * activationBytes, TensorRole::heads);
    std::vector<TensorId> made{mixed};
    TensorId gate = mixed;
    if (gateWidth > 0) made.push_back(gate = b.tensor("state_gate", d.tokens * s.valueWidth() * activationBytes, TensorRole::heads));
    Operator& projection = b.gemm("state.in", TensorRole::column, input, std::move(made), {d.tokens, s.projected(), d.hidden}, s.projectionBias);
    projection.weights += headVectors(s);
    if (s.rule == StateRule::key_gated_delta) {
        const TensorId gates = addNarrowGates(b, d, s, input);
        if (gateWidth == 0) gate = gates;
    }
    if (s.rule == StateRule::rwkv7) gate = addShiftedGates(b, d, s, input);
    const TensorId convolved = addWholeConvolution(b, d, s, mixed);
    if (s.rule == StateRule::mamba1) addSelection(b, d, s, convolved);
    const TensorId context = addGatedNorm(b, d, s, addStateScan(b, d, convolved), gate);
    const TensorId output = b.tensor("state_projected", d.hiddenBytes(), TensorRole::replicated);
    b.gemm("state.out", TensorRole::row, context, {output}, {d.tokens, d.hidden, s.valueWidth()}, s.projectionBias);
    return output;
}

} // namespace orrery
