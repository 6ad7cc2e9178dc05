// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traced_job/decoder_shapes.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace orrery {
namespace {

std::int64_t whole(double value) { return static_cast<std::int64_t>(value); }

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// An attention of the forward: sequences, heads, tokens, keys, width of a head.
struct Attention {
    std::int64_t batch = 0, heads = 0, kvHeads = 0, tokens = 0, keys = 0, width = 0;
    bool operator==(const Attention&) const = default;
};

std::optional<Attention> attentionOf(const TracedOperator& op) {
    const std::vector<RecordedArgument>& inputs = op.node.inputs;
    if (inputs.size() < 2 || inputs[0].tensors.size() != 1 || inputs[1].tensors.size() != 1) return std::nullopt;
    const std::vector<std::int64_t>&q = inputs[0].tensors[0].shape, &k = inputs[1].tensors[0].shape;
    if (q.size() != 4 || k.size() != 4) return std::nullopt;
    const bool headsFirst = contains(op.node.name, "scaled_dot_product"); // below it [batch, tokens, heads, width]
    const std::size_t heads = headsFirst ? 1 : 2, tokens = headsFirst ? 2 : 1;
    return Attention{q[0], q[heads], k[heads], q[tokens], k[tokens], q[3]};
}

/// A product of the forward: rows, width of what comes in and goes out.
struct Product {
    std::int64_t in = 0, out = 0;
    bool bias = false;
    auto operator<=>(const Product&) const = default;
};

/// The forward's parts by shape, with how often each ran.
struct Forward {
    std::map<Product, std::int64_t> products;
    std::vector<std::pair<Attention, std::int64_t>> attentions;
    std::vector<std::tuple<std::int64_t, std::int64_t, std::vector<std::int64_t>, std::int64_t>> lookups; ///< rows, width, indices, count

    std::int64_t count(std::int64_t in, std::int64_t out) const {
        std::int64_t sum = 0;
        for (const auto& [product, times] : products)
            if (product.in == in && product.out == out) sum += times;
        return sum;
    }
    bool biased(std::int64_t in, std::int64_t out) const {
        const auto found = products.find({in, out, true});
        return found != products.end();
    }
};

bool hasBias(const TracedOperator& op) {
    const std::string name = plainOperatorName(op.node.name);
    return name == "aten::addmm" || (name == "aten::linear" && op.node.inputs.size() > 2 && !op.node.inputs[2].tensors.empty());
}

void addLookup(Forward& forward, const TracedOperator& op) {
    const std::vector<RecordedArgument>& inputs = op.node.inputs;
    if (inputs.size() < 2 || inputs[0].tensors.size() != 1 || inputs[1].tensors.size() != 1 || inputs[0].tensors[0].shape.size() != 2) return;
    const std::int64_t rows = inputs[0].tensors[0].shape[0], width = inputs[0].tensors[0].shape[1];
    for (auto& [knownRows, knownWidth, indices, count] : forward.lookups)
        if (knownRows == rows && knownWidth == width && indices == inputs[1].tensors[0].shape) {
            ++count;
            return;
        }
    forward.lookups.emplace_back(rows, width, inputs[1].tensors[0].shape, 1);
}

Forward forwardOf(const TracedCalls& calls) {
    Forward forward;
    for (const TracedOperator& op : calls.operators()) {
        if (op.phase != TracedPhase::forward) continue;
        if (op.facts.what == OperatorClass::attention) {
            const auto attention = attentionOf(op);
            if (!attention) continue;
            const auto known = std::find_if(forward.attentions.begin(), forward.attentions.end(), [&](const auto& one) { return one.first == *attention; });
            if (known != forward.attentions.end()) ++known->second;
            else forward.attentions.emplace_back(*attention, 1);
        } else if (op.facts.what == OperatorClass::product && op.mapped.op.shape.batch == 1) {
            ++forward.products[{whole(op.mapped.op.shape.k), whole(op.mapped.op.shape.n), hasBias(op)}];
        } else if (op.facts.what == OperatorClass::lookup) {
            addLookup(forward, op);
        }
    }
    return forward;
}

/// The MLP: a width that comes out of the hidden one and goes back into it, once a layer.
bool findMlp(const Forward& forward, std::int64_t layerRuns, DecoderShapes& shapes) {
    for (const auto& [product, times] : forward.products) {
        if (product.out != shapes.hidden || product.in == shapes.hidden || product.in == shapes.heads * shapes.headDim || times != layerRuns) continue;
        const std::int64_t ffn = product.in;
        const std::int64_t up = forward.count(shapes.hidden, ffn), both = forward.count(shapes.hidden, 2 * ffn);
        if (up != 2 * layerRuns && both != layerRuns && up != layerRuns) continue;
        shapes.ffn = ffn;
        shapes.gatedMlp = up == 2 * layerRuns || both == layerRuns;
        shapes.mlpBias = product.bias;
        return true;
    }
    return false; // one as wide as the model or its attention is counted with other products: which is which is not proven
}

void findWords(const KinetoTrace& trace, const TracedCalls& calls, DecoderShapes& shapes) {
    for (const std::string& name : trace.names) {
        for (const char* activation : {"silu", "gelu", "relu"})
            if (shapes.activation.empty() && (name == std::string("aten::") + activation || name == std::string("aten::") + activation + "_")) shapes.activation = activation;
        if (name == "aten::layer_norm" || name == "aten::native_layer_norm") shapes.layerNorm = true;
        if (name.starts_with("Optimizer.step") || name.starts_with("aten::_fused_adam")) shapes.optimizer = contains(name, "SGD") ? "sgd" : contains(name, "dam") ? "adam"
                                                                                                                                                                  : shapes.optimizer;
    }
    for (const TracedOperator& op : calls.operators()) {
        shapes.training = shapes.training || op.phase == TracedPhase::backward;
        shapes.recomputed = shapes.recomputed || (op.phase == TracedPhase::recompute && op.facts.what == OperatorClass::attention);
    }
}

/// The numbers of the widest product; what is kept of mixed records is that of most work.
std::string formatOf(const TracedCalls& calls) {
    std::map<std::string, double> work;
    for (const TracedOperator& op : calls.operators()) {
        if (op.facts.what != OperatorClass::product || op.phase != TracedPhase::forward) continue;
        for (const RecordedArgument& argument : op.node.inputs)
            if (!argument.tensors.empty() && argument.tensors.front().shape.size() > 1) {
                const RecordedTensor& tensor = argument.tensors.front();
                work[tensor.float8 ? "fp8" : tensor.elementBytes == 2 ? "16"
                                                                      : "32"] += op.mapped.op.flops;
                break;
            }
    }
    const auto most = std::max_element(work.begin(), work.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == work.end() ? "" : most->first;
}

DecoderProof unproven(std::string missing) { return {std::nullopt, std::move(missing)}; }

} // namespace

DecoderProof decoderShapes(const KinetoTrace& trace, const TracedCalls& calls) {
    if (trace.shapes.empty()) return unproven("it has no shapes of operators (record_shapes was off)");
    const Forward forward = forwardOf(calls);
    if (forward.attentions.empty()) return unproven("no operator is an attention whose shapes are known");

    DecoderShapes shapes;
    const Attention& first = forward.attentions.front().first;
    shapes.heads = first.heads;
    shapes.kvHeads = first.kvHeads;
    shapes.headDim = first.width;
    std::int64_t attended = 0, decoded = 0;
    for (const auto& [attention, count] : forward.attentions) {
        if (attention.heads != first.heads || attention.width != first.width) return unproven("its attentions have heads of different numbers or widths");
        const bool decode = attention.tokens == 1 && attention.keys > 1;
        (decode ? decoded : attended) += count;
        if (decode) continue;
        if (shapes.tokens != 0 && (shapes.tokens != attention.tokens || shapes.batch != attention.batch)) return unproven("its forwards have different numbers of sequences or tokens");
        shapes.batch = attention.batch;
        shapes.tokens = attention.tokens;
    }
    if (attended == 0) return unproven("it has decode steps alone: the prompt was not recorded");

    if (forward.lookups.empty()) return unproven("no operator looks up tokens in an embedding");
    auto tokens = forward.lookups.front();
    std::int64_t lookups = 0;
    for (const auto& lookup : forward.lookups)
        if (std::get<0>(lookup) > std::get<0>(tokens)) tokens = lookup;
    shapes.vocabulary = std::get<0>(tokens);
    shapes.hidden = std::get<1>(tokens);
    for (const auto& [rows, width, indices, count] : forward.lookups) {
        if (width != shapes.hidden) return unproven("its embeddings have different widths");
        if (rows == shapes.vocabulary) lookups += count;
        else shapes.positions = rows;
    }
    const std::int64_t runs = attended + decoded;
    if (lookups == 0 || runs % lookups != 0) return unproven("its " + std::to_string(runs) + " attentions are not equally many for each of " + std::to_string(lookups) + " look-ups of tokens");
    shapes.layers = runs / lookups;
    shapes.forwards = attended / shapes.layers;
    shapes.decodes = decoded / shapes.layers;
    if (shapes.forwards * shapes.layers != attended || shapes.kvHeads < 1) return unproven("its attentions are not equally many for each forward");

    const std::int64_t attentionWidth = shapes.heads * shapes.headDim, keys = shapes.kvHeads * shapes.headDim;
    const std::int64_t fused = forward.count(shapes.hidden, attentionWidth + 2 * keys);
    const std::int64_t apart = forward.count(shapes.hidden, attentionWidth);
    if (fused < runs && apart < runs) return unproven("no product makes the queries: from " + std::to_string(shapes.hidden) + " to " + std::to_string(attentionWidth) + " or to " + std::to_string(attentionWidth + 2 * keys));
    shapes.queryBias = fused >= runs ? forward.biased(shapes.hidden, attentionWidth + 2 * keys) : forward.biased(shapes.hidden, attentionWidth);
    const bool plainOutput = forward.products.contains({attentionWidth, shapes.hidden, false});
    shapes.outputBias = forward.biased(attentionWidth, shapes.hidden) && (attentionWidth != shapes.hidden || fused >= runs || !plainOutput);
    if (!findMlp(forward, runs, shapes)) return unproven("no two products are an MLP: into a width and back, once a layer");
    shapes.format = formatOf(calls);
    findWords(trace, calls, shapes);
    return {shapes, ""};
}

BoxedJson decoderConfig(const DecoderShapes& shapes, std::int64_t tensor, std::int64_t pipeline, std::vector<std::string>& assumed) {
    Json config = {{"vocab_size", shapes.vocabulary * tensor}};
    const std::string layersAre = pipeline > 1 ? "All stages have as many layers as this one." : "";
    if (!layersAre.empty()) assumed.push_back(layersAre);
    assumed.emplace_back("The output matrix is one of its own (tie_word_embeddings): shapes do not tell.");
    config["tie_word_embeddings"] = false;
    if (shapes.positions > 0) { // GPT-2: learned positions, layer norm, biases everywhere
        config.update({{"model_type", "gpt2"}, {"n_embd", shapes.hidden}, {"n_layer", shapes.layers * pipeline}, {"n_head", shapes.heads * tensor}, {"n_inner", shapes.ffn * tensor}, {"n_positions", shapes.positions}});
        assumed.emplace_back("No dropout, which has no shape of its own.");
        config.update({{"resid_pdrop", 0.0}, {"attn_pdrop", 0.0}, {"embd_pdrop", 0.0}});
        return config;
    }
    config.update({{"hidden_size", shapes.hidden}, {"num_hidden_layers", shapes.layers * pipeline}, {"num_attention_heads", shapes.heads * tensor}, {"num_key_value_heads", shapes.kvHeads * tensor}, {"intermediate_size", shapes.ffn * tensor}});
    if (!shapes.gatedMlp) {
        config["model_type"] = "gpt_neox";
        config.erase("num_key_value_heads");
        assumed.emplace_back("Positions are rotary, as in GPT-NeoX: there is no table of them.");
        return config;
    }
    if (shapes.queryBias && !shapes.outputBias && shapes.heads * tensor * shapes.headDim == shapes.hidden) {
        config["model_type"] = "qwen2";
        assumed.emplace_back("The model is of Qwen2's kind: RMS norms, rotary positions, a gated MLP, biases at queries, keys and values alone.");
    } else {
        config.update({{"model_type", "llama"}, {"head_dim", shapes.headDim}, {"attention_bias", shapes.queryBias}, {"mlp_bias", shapes.mlpBias}});
        assumed.emplace_back("The model is of Llama's kind: RMS norms, rotary positions, a gated MLP.");
    }
    return config;
}

} // namespace orrery
