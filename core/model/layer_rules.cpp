// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/layer_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {
namespace {

/// What each of a model's layers is, before equal ones are put together.
using LayerList = std::vector<LayerKind>;

inline LayerList sameLayers(const Architecture& a, const LayerKind& kind = {}) {
    return LayerList(static_cast<std::size_t>(a.layers), kind);
}

/// Puts experts into the layers for which `hasExperts(index)` holds.
template <class HasExperts> void placeExperts(LayerList& layers, HasExperts hasExperts) {
    for (std::size_t i = 0; i < layers.size(); ++i) layers[i].experts = hasExperts(static_cast<std::int64_t>(i));
}

/// Sets `kinds` and `kindByLayer`.
void setLayers(Architecture& a, const LayerList& layers) {
    a.kinds.clear();
    a.kindByLayer.clear();
    for (const LayerKind& layer : layers) {
        auto known = std::find(a.kinds.begin(), a.kinds.end(), layer);
        if (known == a.kinds.end()) known = a.kinds.insert(known, layer);
        a.kindByLayer.push_back(static_cast<std::uint32_t>(known - a.kinds.begin()));
    }
    if (a.kinds.size() == 1) a.kindByLayer.clear();
}

using Words = std::vector<std::string>;

void wrongLength(const ConfigReader& config, const std::string& field, std::size_t named, std::size_t layers) {
    config.fail("list-length", field,
                "The config's `" + field + "` names " + std::to_string(named) + " layers, but the model has " + std::to_string(layers) + ".",
                "Give one entry for each layer.");
}

/// One word a layer, from the config's list or text or from the row's rule where it has none.
class LayerWords {
public:
    LayerWords(const Json& rule, ConfigRules& rules, std::size_t layers) : rule_(rule), rules_(rules), layers_(layers) {}

    std::optional<Words> read() {
        if (rule_.contains("when") && !rules_.flag(rule_.at("when"))) return Words(layers_, rule_.at("plain").get<std::string>());
        if (rule_.contains("list"))
            for (const Json& key : rule_.at("list"))
                if (const Json* given = rules_.raw(key); given && !isPeriod(*given)) return listed(rules_.fieldOf(Json{{"key", key}}), *given);
        if (rule_.contains("places"))
            if (const Json* given = rules_.raw(rule_.at("places").at("key"))) return placed(*given);
        return generated();
    }
    const std::string& field() const { return field_; }

private:
    /// One number where a list may stand: each so many layers is another.
    bool isPeriod(const Json& given) const { return given.is_number() && rule_.contains("every"); }

    /// Words, letters of a text, or numbers.
    std::optional<Words> listed(std::string field, const Json& given) {
        field_ = std::move(field);
        Words words;
        if (given.is_string()) {
            for (const char letter : given.get_ref<const std::string&>()) words.emplace_back(1, letter);
        } else if (given.is_array()) {
            for (const Json& entry : given) {
                const bool number = entry.is_number_integer() && rule_.value("numbers", false);
                if (!entry.is_string() && !number) {
                    rules_.config().fail("wrong-type", field_ + "/" + std::to_string(words.size()), "The config's `" + field_ + "/" + std::to_string(words.size()) + "` is " + entry.dump() + ", not a text.",
                                         "Give a text.");
                    return std::nullopt;
                }
                words.push_back(number ? std::to_string(entry.get<std::int64_t>()) : entry.get<std::string>());
            }
        } else {
            rules_.config().fail("wrong-type", field_, "The config's `" + field_ + "` is " + given.dump() + ", not a list.", "Give a list.");
            return std::nullopt;
        }
        // Some lists name what comes behind the layers too: modules of multi-token prediction.
        if (rule_.value("longer", false) && words.size() > layers_) words.resize(layers_);
        if (words.size() == layers_) return words;
        wrongLength(rules_.config(), field_, words.size(), layers_);
        return std::nullopt;
    }

    /// A list of the layers that are of one word.
    Words placed(const Json& given) {
        const Json& rule = rule_.at("places");
        Words words(layers_, rule.at("off").get<std::string>());
        const std::int64_t first = rule.value("first", 0);
        for (const Json& entry : given) {
            if (!entry.is_number_integer()) continue;
            const std::int64_t layer = entry.get<std::int64_t>() - first;
            if (layer >= 0 && layer < static_cast<std::int64_t>(layers_)) words[static_cast<std::size_t>(layer)] = rule.at("on").get<std::string>();
        }
        return words;
    }

    Words generated() {
        if (!rule_.contains("every")) return Words(layers_, rule_.at("plain").get<std::string>());
        const std::int64_t every = rules_.number(rule_.at("every"), mostLayers);
        const std::int64_t at = rule_.contains("at") ? rules_.number(rule_.at("at"), mostLayers) : every - 1;
        const std::int64_t first = rule_.contains("first") ? rules_.number(rule_.at("first"), mostLayers) : 0;
        Words words;
        for (std::size_t i = 0; i < layers_; ++i) {
            const auto layer = static_cast<std::int64_t>(i);
            const bool on = layer < first || (every > 0 && layer % every == at);
            words.push_back(rule_.at(on ? "on" : "off").get<std::string>());
        }
        return words;
    }

    const Json& rule_;
    ConfigRules& rules_;
    std::size_t layers_;
    std::string field_ = "layer_types";
};

AttentionReach reachNamed(const std::string& name) {
    if (name == "window") return AttentionReach::window;
    if (name == "chunk") return AttentionReach::chunk;
    return name == "selected" ? AttentionReach::selected : AttentionReach::all;
}

MixerKind mixerNamed(const std::string& name) {
    if (name == "state") return MixerKind::state;
    if (name == "both") return MixerKind::both;
    return name == "none" ? MixerKind::none : MixerKind::attention;
}

/// What a word means; nothing, with a problem, where its window has no length.
std::optional<LayerKind> kindOf(const Json& meaning, ConfigRules& rules, const std::string& lengthField, std::int64_t span) {
    LayerKind kind;
    if (meaning.contains("mixer")) kind.mixer = mixerNamed(meaning.at("mixer").get<std::string>());
    if (meaning.contains("feed_forward")) kind.feedForward = meaning.at("feed_forward").get<bool>();
    if (meaning.contains("experts")) kind.experts = rules.flag(meaning.at("experts"));
    if (meaning.contains("rotary")) kind.rotary = rules.flag(meaning.at("rotary"));
    if (meaning.contains("indexer")) kind.indexer = rules.flag(meaning.at("indexer"));
    if (meaning.contains("key_is_value")) kind.keyIsValue = rules.flag(meaning.at("key_is_value"));
    if (meaning.contains("sinks")) kind.sinks = rules.flag(meaning.at("sinks"));
    if (meaning.contains("compression")) kind.compression = rules.number(meaning.at("compression"), mostPositions);
    if (meaning.contains("picked")) kind.picked = rules.number(meaning.at("picked"), mostPositions);
    if (meaning.contains("kv_heads")) kind.kvHeads = rules.number(meaning.at("kv_heads"), mostHeads);
    if (meaning.contains("head_dim")) kind.headDim = rules.number(meaning.at("head_dim"), mostWidth);
    if (meaning.contains("ffn")) kind.ffn = rules.number(meaning.at("ffn"), mostWidth);
    if (!meaning.contains("reach")) return kind;
    kind.reach = reachNamed(meaning.at("reach").get<std::string>());
    if (kind.reach == AttentionReach::all) return kind;
    if (span == 0) {
        rules.config().missing(lengthField.c_str());
        return std::nullopt;
    }
    kind.span = span;
    return kind;
}

/// Words that Hugging Face's `layer_types` has for attention.
const Json& usualWords() {
    static const Json words = Json::parse(R"({"full_attention": {}, "sliding_attention": {"reach": "window"}, "chunked_attention": {"reach": "chunk"}})");
    return words;
}

std::optional<LayerList> layersOf(const Json& rule, ConfigRules& rules, const Architecture& a) {
    const auto count = static_cast<std::size_t>(a.layers);
    LayerWords reader(rule, rules, count);
    const std::optional<Words> words = reader.read();
    if (!words) return std::nullopt;
    const Json& meanings = rule.contains("words") ? rule.at("words") : usualWords();
    const std::int64_t span = rule.contains("span") ? rules.number(rule.at("span"), mostPositions) : 0;
    const bool withoutLength = rule.contains("no_span") && span == 0 && !rules.config().has({"layer_types"}); // no window: all layers see everything
    LayerList layers;
    std::map<std::string, LayerKind> known;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string& word = withoutLength ? rule.at("no_span").get_ref<const std::string&>() : (*words)[i];
        auto kind = known.find(word);
        if (kind == known.end()) {
            const auto meaning = meanings.find(word);
            if (meaning == meanings.end()) {
                std::string list;
                for (const auto& [name, unused] : meanings.items()) list += (list.empty() ? "" : ", ") + name;
                rules.config().fail("unsupported-layer", reader.field() + "/" + std::to_string(i), "Layers of type `" + word + "` can't be simulated in a model of type `" + a.modelType + "`.",
                                    "Choose a model whose layers are of these types: " + list + ".");
                return std::nullopt;
            }
            const bool chunked = meaning->value("reach", "") == "chunk";
            const std::string field = rule.contains("span") && !rules.fieldOf(rule.at("span")).empty() ? rules.fieldOf(rule.at("span")) : chunked ? "attention_chunk_size"
                                                                                                                                                  : "sliding_window";
            const std::optional<LayerKind> read = kindOf(*meaning, rules, field, span);
            if (!read) return std::nullopt;
            kind = known.emplace(word, *read).first;
        }
        layers.push_back(kind->second);
    }
    return layers;
}

bool contains(const std::vector<std::int64_t>& list, std::int64_t layer) { return std::find(list.begin(), list.end(), layer) != list.end(); }

std::vector<std::int64_t> countsOf(const Json& keys, const ConfigRules& rules, std::int64_t most) {
    const ConfigRules::Place place = rules.placeOf(keys);
    return place.reader.counts(place.name, most).value_or(std::vector<std::int64_t>{});
}

/// Experts in all layers, in those that a list names, or in every so-many-th of a range.
void readExpertLayers(const Json& rule, ConfigRules& rules, LayerList& layers) {
    const auto count = static_cast<std::int64_t>(layers.size());
    if (rule.contains("words")) {
        const Json* listed = rules.raw(rule.at("words").at("key"));
        if (listed && listed->is_array() && listed->size() == layers.size()) {
            for (std::size_t i = 0; i < layers.size(); ++i) layers[i].experts = (*listed)[i] == rule.at("words").at("on");
            return;
        }
    }
    const Json* every = rule.contains("every") && rule.at("every").is_object() && rule.at("every").contains("key") ? rules.raw(rule.at("every").at("key")) : nullptr;
    if (every && every->is_array()) {
        const std::vector<std::int64_t> flags = countsOf(rule.at("every").at("key"), rules, 1);
        if (flags.size() != layers.size()) wrongLength(rules.config(), rules.fieldOf(rule.at("every")), flags.size(), layers.size());
        else placeExperts(layers, [&](std::int64_t i) { return flags[static_cast<std::size_t>(i)] == 1; });
        return;
    }
    if (rule.contains("listed"))
        if (rules.raw(rule.at("listed"))) {
            const std::vector<std::int64_t> listed = countsOf(rule.at("listed"), rules, mostLayers);
            placeExperts(layers, [&](std::int64_t i) { return contains(listed, i); });
            return;
        }
    const std::int64_t step = rule.contains("every") ? rules.number(rule.at("every"), mostLayers) : 1;
    const std::int64_t at = rule.contains("at") ? rules.number(rule.at("at"), mostLayers) : step - 1;
    const std::int64_t first = rule.contains("first") ? rules.number(rule.at("first"), mostLayers) : 0;
    // ERNIE writes −1 for the last layer.
    const Json* end = rule.contains("last") ? rules.raw(rule.at("last")) : nullptr;
    const std::int64_t last = end && end->is_number() && end->get<double>() >= 0 ? static_cast<std::int64_t>(std::min(end->get<double>(), double(count))) : count - 1;
    const std::vector<std::int64_t> dense = rule.contains("except") ? countsOf(rule.at("except"), rules, mostLayers) : std::vector<std::int64_t>{};
    placeExperts(layers, [&](std::int64_t i) { return i >= first && i <= last && step > 0 && i % step == at && !contains(dense, i); });
}

/// Rotary positions in every layer but each so-many-th, or where a list has a 1.
void readRotaryLayers(const Json& rule, ConfigRules& rules, LayerList& layers) {
    const std::int64_t every = rules.number(rule.at("none_every"), mostLayers);
    const ConfigRules::Place place = rules.placeOf(rule.at("flags"));
    const auto flags = place.reader.counts(place.name, 1);
    if (flags && !flags->empty() && flags->size() != layers.size())
        place.reader.fail("list-length", place.reader.nameOf(place.name), "The config's `" + std::string(place.reader.nameOf(place.name)) + "` doesn't name each of the model's layers once.",
                          "Give 0 or 1 for each layer.");
    for (std::size_t i = 0; i < layers.size(); ++i)
        layers[i].rotary = flags && flags->size() == layers.size() ? (*flags)[i] == 1 : every == 0 || (static_cast<std::int64_t>(i) + 1) % every != 0;
}

/// A list of each layer's query heads, where they differ.
void readHeadsOfLayers(const Json& key, const ConfigRules& rules, const Architecture& a, LayerList& layers) {
    if (!rules.raw(key)) return;
    const std::vector<std::int64_t> heads = countsOf(key, rules, mostHeads);
    if (heads.size() != layers.size()) return wrongLength(rules.config(), rules.fieldOf(Json{{"key", key}}), heads.size(), layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (heads[i] != a.heads && layers[i].attends()) layers[i].heads = heads[i];
}

/// The last layers meet an earlier one's keys and values, and may have an MLP of another width.
void readSharedCaches(const Json& rule, ConfigRules& rules, LayerList& layers) {
    const std::int64_t shared = rules.number(rule.at("last"), mostLayers), first = static_cast<std::int64_t>(layers.size()) - shared;
    if (shared == 0 || first <= 0) return;
    const std::int64_t ffn = rule.contains("ffn") ? rules.number(rule.at("ffn"), mostWidth) : 0;
    for (auto layer = layers.begin() + first; layer != layers.end(); ++layer) {
        layer->cacheShared = layer->attends();
        if (ffn > 0) layer->ffn = ffn;
    }
}

/// A searched model (Nemotron's Puzzle): each layer's own key-value heads and width, either part absent.
std::optional<LayerList> readBlocks(const Json& given, const Architecture& a) {
    LayerList layers;
    for (const Json& block : given) {
        const Json &attention = block.at("attention"), &mlp = block.at("ffn");
        LayerKind kind;
        kind.mixer = attention.value("no_op", false) ? MixerKind::none : MixerKind::attention;
        if (kind.attends()) kind.kvHeads = a.heads / std::max<std::int64_t>(1, attention.at("n_heads_in_group").get<std::int64_t>());
        kind.feedForward = !mlp.value("no_op", false);
        constexpr std::int64_t multiple = 256; // DeciLM rounds the width up to it
        if (kind.feedForward) kind.ffn = (static_cast<std::int64_t>(2 * mlp.at("ffn_mult").get<double>() * static_cast<double>(a.hidden) / 3) + multiple - 1) / multiple * multiple;
        if (attention.value("replace_with_linear", false) || mlp.value("replace_with_linear", false)) return std::nullopt;
        layers.push_back(kind);
    }
    return layers;
}

} // namespace

void readLayers(const Json& row, ConfigRules& rules, Architecture& a) {
    std::optional<LayerList> layers;
    if (row.contains("blocks")) {
        const Json* given = rules.raw(row.at("blocks"));
        const std::string field = row.at("blocks").get<std::string>();
        if (!given || !given->is_array()) return rules.config().missing(field.c_str());
        try {
            layers = readBlocks(*given, a);
        } catch (const Json::exception&) {
            layers.reset();
        }
        if (!layers || layers->size() != static_cast<std::size_t>(a.layers)) {
            rules.config().fail("unsupported-layer", field, "The config's `" + field + "` doesn't say for each layer how many query heads share a key head and how wide its MLP is.",
                                "Check the value against the model's config.json.");
            return;
        }
    } else {
        layers = row.contains("layers_are") ? layersOf(row.at("layers_are"), rules, a) : sameLayers(a);
    }
    if (!layers) return;
    if (a.experts) {
        if (row.contains("experts_in")) readExpertLayers(row.at("experts_in"), rules, *layers);
        else if (!row.value("experts_by_word", false)) placeExperts(*layers, [](std::int64_t) { return true; });
    }
    if (row.contains("rotary_in")) readRotaryLayers(row.at("rotary_in"), rules, *layers);
    if (row.contains("heads_each")) readHeadsOfLayers(row.at("heads_each"), rules, a, *layers);
    if (row.contains("cache_shared")) readSharedCaches(row.at("cache_shared"), rules, *layers);
    setLayers(a, *layers);
}

} // namespace orrery
