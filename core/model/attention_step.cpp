// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/graph_builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace orrery {
namespace {

/// Names of what works on one group; of the products about a core latent attention alone has them.
constexpr std::string_view coreName = "attention.core", keyValueUp = "attention.kv_up", keyAssembly = "attention.keys", queryAbsorption = "attention.q_absorb",
                           valueUp = "attention.value_up";

/// The cached keys that the last token reaches in a sequence of so many tokens.
double keysReached(const LayerKind& kind, double length) {
    const double span = double(kind.span);
    if (kind.reach == AttentionReach::all || span >= length) return length;
    if (kind.reach != AttentionReach::chunk) return span;
    return std::fmod(length - 1, span) + 1;
}

/// The first token of a chunk reaches farthest back.
double contextReached(const LayerKind& kind, double context) {
    const double span = double(kind.span);
    if (kind.reach == AttentionReach::all) return context;
    return kind.reach == AttentionReach::chunk ? std::fmod(context, span) : std::min(context, span - 1);
}

class StepCores {
public:
    StepCores(GraphBuilder& builder, const Dimensions& dimensions, const LayerKind& layerKind) : b(builder), d(dimensions), kind(layerKind) {}

    /// Without an input the groups stand alone: what they read is there, what all tokens share is somebody else's.
    TensorId run(TensorId input = -1) {
        context_ = b.tensor("context", d.tokens * d.heads * double(d.a.valueDim()) * activationBytes, TensorRole::heads);
        if (d.a.latent) latent(*d.a.latent, input);
        else grouped(input);
        return context_;
    }

private:
    double cached() const { return cacheElementBytes(d.step->cache); }
    static AttentionMode modeOf(const AttentionGroup& group) {
        return group.mode == AttentionMode::chunk && group.context <= 0 ? AttentionMode::prefill : group.mode;
    }

    /// A group's share of a tensor that has all the step's tokens; the tensor itself where there is no other group.
    TensorId shareOf(TensorId whole, const char* name, double bytes, TensorRole role) {
        return d.step->groups.size() == 1 ? whole : b.tensor(name, bytes, role);
    }

    void grouped(TensorId input) {
        const double width = double(d.a.headDim), keyWidth = double(d.a.kvHeads) * width, queryWidth = d.heads * width;
        const double ofValue = double(d.a.valueDim()), valueWidth = double(d.a.kvHeads) * ofValue;
        HeadTensors t{};
        if (input >= 0) {
            t = addHeads(b, d, kind, input);
            if (!kind.cacheShared) {
                const TensorId stored = b.tensor("stored_keys_and_values", d.tokens * (keyWidth + valueWidth) * cached(), TensorRole::kv_heads);
                b.add("attention.store", OperatorKind::permute, TensorRole::kv_heads, {t.key, t.value}, {stored});
            }
        } else {
            const auto given = [&](const char* name, double elements, TensorRole role) { return b.tensor(name, d.tokens * elements * activationBytes, role); };
            t = {given("query", queryWidth, TensorRole::heads), given("key", keyWidth, TensorRole::kv_heads), given("value", valueWidth, TensorRole::kv_heads)};
        }
        for (const AttentionGroup& group : d.step->groups) {
            const double tokens = group.sequences * group.tokens;
            Operator core = coreOf(group, width, ofValue);
            core.headsPerKey = std::max(1.0, d.heads / std::max(1.0, double(d.a.kvHeads)));
            const TensorId query = shareOf(t.query, "group_query", tokens * queryWidth * activationBytes, TensorRole::heads);
            if (core.attentionMode == AttentionMode::prefill) {
                const double bytes = tokens * activationBytes;
                core.inputs = {query, shareOf(t.key, "group_key", bytes * keyWidth, TensorRole::kv_heads), shareOf(t.value, "group_value", bytes * valueWidth, TensorRole::kv_heads)};
            } else {
                const double keys = group.sequences * core.shape.n;
                core.inputs = {query, b.tensor("cached_keys", keys * keyWidth * cached(), TensorRole::kv_heads), b.tensor("cached_values", keys * valueWidth * cached(), TensorRole::kv_heads)};
            }
            addCore(std::move(core), tokens);
        }
    }

    void latent(const LatentAttention& l, TensorId input) {
        const double rank = double(l.keyValueRank), rotary = double(l.rotaryDim);
        const double queryWidth = d.heads * double(d.a.headDim);
        const auto made = [&](const char* name, double elements, TensorRole role) { return b.tensor(name, d.tokens * elements * activationBytes, role); };
        TensorId query = -1, keyValue = -1, key = -1;
        if (input >= 0) {
            const TensorId plainQuery = addLatentQuery(b, d, l, input);
            const LatentTensors latents = addLatentKeyValue(b, d, l, input);
            keyValue = latents.keyValue;
            query = made("rotated_query", queryWidth, TensorRole::heads);
            key = made("rotated_key", rotary, TensorRole::replicated);
            b.add("attention.rotary", OperatorKind::rotary, TensorRole::heads, {plainQuery, latents.sharedKey}, {query, key}).flops =
                rotaryFlops * d.tokens * (d.heads + 1) * rotary;
            const TensorId stored = b.tensor("stored_latents", d.tokens * (rank + rotary) * cached(), TensorRole::replicated);
            b.add("attention.store", OperatorKind::permute, TensorRole::replicated, {keyValue, key}, {stored});
        } else {
            query = made("query", queryWidth, TensorRole::heads);
            keyValue = made("latents", rank, TensorRole::replicated);
            key = made("rotated_key", rotary, TensorRole::replicated);
        }
        for (const AttentionGroup& group : d.step->groups) {
            const double tokens = group.sequences * group.tokens;
            const TensorId share = shareOf(query, "group_query", tokens * queryWidth * activationBytes, TensorRole::heads);
            if (modeOf(group) == AttentionMode::decode) absorbed(l, group, share);
            else wide(l, group, share, keyValue, key);
        }
    }

    /// Keys and values of every head from the latents: a prompt's own, and of a chunk those in the cache again.
    void wide(const LatentAttention& l, const AttentionGroup& group, TensorId query, TensorId keyValue, TensorId sharedKey) {
        const double plain = d.heads * double(l.plainDim), value = d.heads * double(l.valueDim), rank = double(l.keyValueRank);
        Operator core = coreOf(group, double(d.a.headDim), double(l.valueDim));
        const bool fresh = core.attentionMode == AttentionMode::prefill;
        const double keys = group.sequences * (fresh ? group.tokens : core.shape.n);
        const double latentBytes = fresh ? activationBytes : cached();
        const TensorId latents = latentShare(fresh, keyValue, "group_latents", keys * rank * latentBytes);
        const TensorId shared = latentShare(fresh, sharedKey, "group_shared_key", keys * double(l.rotaryDim) * latentBytes);
        const TensorId plainKey = b.tensor("plain_key", keys * plain * activationBytes, TensorRole::heads);
        const TensorId values = b.tensor("value", keys * value * activationBytes, TensorRole::heads);
        Operator& up = b.gemm(std::string(keyValueUp), TensorRole::column, latents, {plainKey, values}, {keys, plain + value, rank}, false);
        if (upOwned_) up.weights = 0;
        upOwned_ = true;
        const TensorId key = b.tensor("key", keys * d.heads * double(d.a.headDim) * activationBytes, TensorRole::heads);
        b.add(std::string(keyAssembly), OperatorKind::permute, TensorRole::heads, {plainKey, shared}, {key});
        core.inputs = {query, key, values};
        addCore(std::move(core), group.sequences * group.tokens);
    }

    /// Queries in the latents' space meet the cached latents themselves, which all heads share and whose front are the values.
    void absorbed(const LatentAttention& l, const AttentionGroup& group, TensorId query) {
        const double rank = double(l.keyValueRank), width = rank + double(l.rotaryDim), tokens = group.sequences * group.tokens;
        const TensorId absorbedQuery = b.tensor("absorbed_query", tokens * d.heads * width * activationBytes, TensorRole::heads);
        perHead(queryAbsorption, query, absorbedQuery, {tokens, rank, double(l.plainDim), d.heads});
        Operator core = coreOf(group, width, rank);
        core.headsPerKey = d.heads;
        core.inputs = {absorbedQuery, b.tensor("cached_latents", group.sequences * core.shape.n * width * cached(), TensorRole::replicated)};
        const TensorId weighed = b.tensor("latent_context", tokens * d.heads * rank * activationBytes, TensorRole::heads);
        core.outputs = {weighed};
        push(std::move(core));
        perHead(valueUp, weighed, contextShare(tokens), {tokens, double(l.valueDim), rank, d.heads});
        upOwned_ = true;
    }

    void perHead(std::string_view name, TensorId input, TensorId output, OperatorShape shape) {
        Operator& op = b.add(std::string(name), OperatorKind::batched_gemm, TensorRole::heads, {input}, {output});
        op.shape = shape;
        op.flops = 2 * shape.m * shape.n * shape.k * shape.batch;
        if (!upOwned_) op.weights = shape.n * shape.k * shape.batch;
    }

    Operator coreOf(const AttentionGroup& group, double keyWidth, double valueWidth) const {
        Operator core;
        core.name = coreName;
        core.kind = OperatorKind::attention;
        core.role = TensorRole::heads;
        core.attentionMode = modeOf(group);
        core.cache = d.step->cache;
        core.sequences = group.sequences;
        core.valueWidth = valueWidth;
        const double length = group.context + group.tokens, batch = group.sequences * d.heads;
        double pairs = 0;
        switch (core.attentionMode) {
        case AttentionMode::prefill:
            core.shape = {group.tokens, countedPairs(kind, group.tokens) / group.tokens, keyWidth, batch};
            pairs = countedPairs(kind, group.tokens);
            break;
        case AttentionMode::chunk:
            core.shape = {group.tokens, contextReached(kind, group.context) + group.tokens, keyWidth, batch};
            pairs = countedPairs(kind, length) - countedPairs(kind, group.context);
            break;
        case AttentionMode::decode:
            core.shape = {group.tokens, keysReached(kind, length), keyWidth, batch};
            pairs = group.tokens * core.shape.n;
            break;
        }
        core.flops = 2 * batch * pairs * (keyWidth + valueWidth);
        return core;
    }

    TensorId contextShare(double tokens) {
        return shareOf(context_, "group_context", tokens * d.heads * double(d.a.valueDim()) * activationBytes, TensorRole::heads);
    }
    TensorId latentShare(bool fresh, TensorId whole, const char* name, double bytes) {
        return fresh ? shareOf(whole, name, bytes, TensorRole::replicated) : b.tensor(name, bytes, TensorRole::replicated);
    }

    void addCore(Operator core, double tokens) {
        core.outputs = {contextShare(tokens)};
        push(std::move(core));
    }
    void push(Operator op) {
        Operator& added = b.add({}, op.kind, op.role, {}, {});
        added = std::move(op);
    }

    GraphBuilder& b;
    const Dimensions& d;
    const LayerKind& kind;
    TensorId context_ = -1;
    bool upOwned_ = false; ///< some operator counts the matrix that leads up from the latent among its weights
};

} // namespace

double StepShape::tokens() const {
    double sum = 0;
    for (const AttentionGroup& group : groups) sum += group.sequences * group.tokens;
    return sum;
}

double StepShape::logits() const {
    double sum = 0;
    for (const AttentionGroup& group : groups) sum += group.sequences * (group.mode == AttentionMode::decode ? group.tokens : 1);
    return sum;
}

bool isOfGroup(const Operator& op) {
    constexpr std::array names{coreName, keyValueUp, keyAssembly, queryAbsorption, valueUp};
    return std::find(names.begin(), names.end(), op.name) != names.end() || op.name.starts_with(stateScanName) || op.name == indexerScoresName;
}

TensorId addStepAttention(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) { return StepCores(b, d, kind).run(input); }

Graph buildAttentionGroup(const Architecture& architecture, const LayerKind& kind, const AttentionGroup& group, CacheFormat cache) {
    const StepShape step{{group}, cache};
    const Architecture own = kind.ownSizes() ? architecture.ofKind(kind) : Architecture{};
    const Dimensions d(kind.ownSizes() ? own : architecture, {1, step.tokens()}, &step);
    GraphBuilder b("attention");
    if (kind.ownSizes()) b.setKeyHeads(double(own.kvHeads));
    if (kind.attends()) {
        if (kind.hasIndexer() && architecture.indexer) addIndexerScores(b, d, kind, -1);
        if (architecture.compressed) addCompressedCores(b, d, kind);
        else StepCores(b, d, kind).run();
    }
    if (kind.keepsState()) addStateScan(b, d, -1);
    return b.take();
}

double cacheBytesOfLayer(const Architecture& architecture, const LayerKind& kind, CacheFormat format, int ranks) {
    if (!kind.attends() || kind.cacheShared) return 0;
    const double bytes = cacheElementBytes(format);
    if (architecture.compressed) { // keys are values
        const double key = double(architecture.headDim) * bytes, index = kind.hasIndexer() ? indexedKeyBytes(*architecture.indexer) : 0;
        return key + (kind.compression > 0 ? (key + index) / double(kind.compression) : 0);
    }
    const double indexed = kind.reach == AttentionReach::selected && kind.indexer && architecture.indexer ? indexedKeyBytes(*architecture.indexer) : 0;
    if (architecture.latent) return double(architecture.latent->keyValueRank + architecture.latent->rotaryDim) * bytes + indexed;
    const double all = double(kind.kvHeads > 0 ? kind.kvHeads : architecture.kvHeads), heads = all / std::min(double(ranks), all);
    const double keys = double(kind.headDim > 0 ? kind.headDim : architecture.headDim), values = architecture.headValueDim > 0 ? double(architecture.headValueDim) : keys;
    return heads * (keys + values) * bytes + indexed;
}

double indexedKeyBytesOfLayer(const Architecture& architecture, const LayerKind& kind) {
    if (!kind.hasIndexer() || !architecture.indexer) return 0;
    return indexedKeyBytes(*architecture.indexer) / (kind.compression > 0 ? double(kind.compression) : 1);
}

double windowedBytesOfLayer(const Architecture& architecture, const LayerKind& kind, CacheFormat format, int ranks) {
    if (!kind.attends() || (kind.reach != AttentionReach::window && kind.reach != AttentionReach::chunk)) return 0;
    LayerKind window = kind;
    window.compression = window.picked = 0; // what stands for many tokens stays
    return cacheBytesOfLayer(architecture, window, format, ranks);
}

double cacheBytesPerToken(const Architecture& architecture, CacheFormat format, int ranks) {
    double bytes = 0;
    for (std::size_t kind = 0; kind < architecture.kinds.size(); ++kind) bytes += double(architecture.layersOf(kind)) * cacheBytesOfLayer(architecture, architecture.kinds[kind], format, ranks);
    return bytes;
}

double stateBytesOfLayer(const Architecture& architecture, const LayerKind& kind, int ranks) {
    if (architecture.compressed && kind.compression > 0) { // what waits to be laid together, in fp32: keys, and how much of each
        constexpr double waitingBytes = 2 * 4;
        const double overlap = kind.overlaps() ? 2 : 1, widths = double(architecture.headDim) + (kind.hasIndexer() ? double(architecture.indexer->dim) : 0);
        return waitingBytes * overlap * double(kind.compression) * overlap * widths;
    }
    if (!kind.keepsState() || !architecture.state) return 0;
    return architecture.state->keptBytes() / std::min(double(ranks), double(architecture.state->heads));
}

double stateBytesPerSequence(const Architecture& architecture, int ranks) {
    double bytes = 0;
    for (std::size_t kind = 0; kind < architecture.kinds.size(); ++kind) bytes += double(architecture.layersOf(kind)) * stateBytesOfLayer(architecture, architecture.kinds[kind], ranks);
    return bytes;
}

} // namespace orrery
