// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/torchtitan_models.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace orrery {
namespace {

/// Sizes as in torchtitan/models/*/__init__.py; the catalogue's model of the same layers.
struct Flavor {
    const char* name;
    const char* flavor;
    const char* preset;
    std::int64_t layers;
};

constexpr Flavor flavors[] = {
    {"llama3", "1B", "llama-3.2-1b", 16},
    {"llama3", "3B", "llama-3.2-3b", 28},
    {"llama3", "8B", "llama-3.1-8b", 32},
    {"llama3", "70B", "llama-3.1-70b", 80},
    {"llama3", "405B", "llama-3.1-405b", 126},
    {"llama2", "7B", "llama-2-7b", 32},
    {"llama2", "13B", "llama-2-13b", 40},
    {"llama2", "70B", "llama-2-70b", 80},
    {"llama4", "17bx16e", "llama-4-scout-17b-16e", 48},
    {"llama4", "17bx128e", "llama-4-maverick-17b-128e", 48},
    {"qwen3", "0.6B", "qwen3-0.6b", 28},
    {"qwen3", "1.7B", "qwen3-1.7b", 28},
    {"qwen3", "4B", "qwen3-4b", 36},
    {"qwen3", "8B", "qwen3-8b", 36},
    {"qwen3", "14B", "qwen3-14b", 40},
    {"qwen3", "32B", "qwen3-32b", 64},
    {"qwen3", "30B-A3B", "qwen3-30b-a3b", 48},
    {"qwen3", "235B-A22B", "qwen3-235b-a22b", 94},
    {"deepseek-v3", "16B", "deepseek-v2-lite", 27},
    {"deepseek-v3", "236B", "deepseek-v2", 60},
    {"deepseek-v3", "671B", "deepseek-v3", 61},
    {"gpt-oss", "20b", "gpt-oss-20b", 24},
    {"gpt-oss", "120b", "gpt-oss-120b", 36},
};

/// What a function of torchtitan/models/*/config_registry.py sets beside its model (main of August 2026); 0: torchtitan's own default.
struct RegistryConfig {
    const char* name; ///< as `--config` and CONFIG name it
    const char* module;
    const char* flavor;
    std::int64_t sequences, length;
    std::int64_t tensor = 0, expert = 0;
    bool wholeLayers = false;       ///< FullAC; else SelectiveAC, operator by operator
    const char* compiled = nullptr; ///< parts that are compiled; none: nothing is
    bool interleaves = false;       ///< its pipeline's schedule is Interleaved1F1B, else 1F1B
};

constexpr RegistryConfig registry[] = {
    {"llama3_8b", "llama3", "8B", 1, 8192},
    {"llama3_70b", "llama3", "70B", 8, 8192, 8, 0, true},
    {"llama3_405b", "llama3", "405B", 2, 8192, 8, 0, true, "model"},
    {"qwen3_0_6b", "qwen3", "0.6B", 4, 4096},
    {"qwen3_1_7b", "qwen3", "1.7B", 4, 4096},
    {"qwen3_8b", "qwen3", "8B", 4, 4096},
    {"qwen3_14b", "qwen3", "14B", 4, 4096, 0, 0, true},
    {"qwen3_32b", "qwen3", "32B", 2, 4096, 0, 0, true},
    {"qwen3_30b_a3b", "qwen3", "30B-A3B", 2, 4096, 0, 0, true},
    {"qwen3_8b_math", "qwen3", "8B", 1, 2048},
    {"deepseek_v3_16b", "deepseek_v3", "16B", 4, 4096, 0, 8, false, "loss", true},
    {"deepseek_v3_671b", "deepseek_v3", "671B", 4, 4096, 0, 2, false, "loss", true},
    {"gpt_oss_20b", "gpt_oss", "20b", 1, 8192, 0, 0, true},
    {"gpt_oss_120b", "gpt_oss", "120b", 1, 8192, 0, 0, true},
};

/// The small model of the first steps: dim 256, 6 layers, 16 heads, feed-forward 2/3 × 4 × 256 rounded up to 256.
Json debugModel() {
    return Json{{"config",
                 {{"model_type", "llama"}, {"hidden_size", 256}, {"num_hidden_layers", 6}, {"num_attention_heads", 16}, {"num_key_value_heads", 16}, {"intermediate_size", 768}, {"vocab_size", 2048}, {"max_position_embeddings", 131072}, {"tie_word_embeddings", false}}}};
}

std::string simple(const std::string& text) {
    std::string result;
    for (char c : text) result += c == '_' ? '-' : lowered(c);
    return result;
}

} // namespace

std::optional<TorchtitanModel> torchtitanModel(const std::string& name, const std::string& flavor) {
    std::string family = simple(name);
    std::string size = simple(flavor);
    if (family.rfind("llama3", 0) == 0) family = "llama3";        // llama3_ft and other experiments
    for (const char* attention : {"-flex", "-varlen", "-sdpa"}) { // another kernel for the same layers
        const std::size_t at = size.find(attention);
        if (at != std::string::npos) size.erase(at);
    }
    if (size.rfind("debugmodel", 0) == 0 && (family == "llama3" || family == "llama2")) return TorchtitanModel{debugModel(), 6};
    for (const Flavor& known : flavors)
        if (family == known.name && size == simple(known.flavor)) return TorchtitanModel{Json{{"preset", known.preset}}, known.layers};
    return std::nullopt;
}

namespace {

/// Words before a configuration's name that say how it trains, and what they set.
struct ConfigPrefix {
    std::string_view word;
    TorchtitanSetting setting;
};
const ConfigPrefix configPrefixes[] = {{"graph_trainer_", {"compile.enable", "true"}}, {"sft_", {"", ""}}, {"rl_", {"", ""}}};

/// "fsdp2_cp4" behind a name: degrees, by the letters of torchtitan's own configurations.
struct DegreeWord {
    std::string_view letters;
    const char* option;
};
constexpr DegreeWord degreeWords[] = {{"fsdp", "parallelism.data-parallel-shard-degree"}, {"ddp", "parallelism.data-parallel-replicate-degree"}, {"tp", "parallelism.tensor-parallel-degree"}, {"pp", "parallelism.pipeline-parallel-degree"}, {"cp", "parallelism.context-parallel-degree"}, {"ep", "parallelism.expert-parallel-degree"}};

constexpr std::string_view numberFormats[] = {"mxfp8", "nvfp4", "float8"};

/// What the words behind a configuration's name set; those that set nothing here are named.
void readVariant(const std::string& variant, TorchtitanConfig& config) {
    for (std::size_t begin = 0; begin < variant.size();) {
        const std::size_t end = std::min(variant.find('_', begin), variant.size());
        const std::string word = variant.substr(begin, end - begin);
        begin = end + 1;
        if (word.empty()) continue;
        const std::size_t digit = word.find_first_of("0123456789");
        const auto* degree = std::find_if(std::begin(degreeWords), std::end(degreeWords), [&](const DegreeWord& one) { return digit != std::string::npos && word.substr(0, digit) == one.letters; });
        const bool isNumber = digit != std::string::npos && std::all_of(word.begin() + static_cast<std::ptrdiff_t>(digit), word.end(), [](unsigned char c) { return std::isdigit(c); });
        const auto* format = std::find(std::begin(numberFormats), std::end(numberFormats), word);
        if (degree != std::end(degreeWords) && isNumber) config.settings.push_back({degree->option, word.substr(digit)});
        else if (format != std::end(numberFormats)) config.settings.push_back({"model.converters", word == "mxfp8" ? "mx" : word});
        else if (word == "deepep" || word == "hybridep") config.settings.push_back({"parallelism.expert-parallel-comm-backend", word});
        else config.unread += (config.unread.empty() ? "" : "_") + word;
    }
}

/// "qwen3_235b_a22b": a model whose configuration is no row here; what else that sets stays unread.
TorchtitanConfig byFlavor(const std::string& config) {
    const auto underscored = [](std::string text) {
        for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) ? lowered(c) : '_';
        return text;
    };
    TorchtitanConfig result;
    std::size_t longest = 0;
    for (const Flavor& one : flavors) {
        const std::string word = underscored(std::string(one.name) + "_" + one.flavor);
        if (word.size() <= longest || (config != word && config.rfind(word + "_", 0) != 0)) continue;
        longest = word.size();
        result = {};
        result.settings.push_back({"model.name", underscored(one.name)});
        result.settings.push_back({"model.flavor", one.flavor});
        readVariant(config.substr(longest), result);
        result.unread = config;
    }
    return result;
}

} // namespace

TorchtitanConfig torchtitanConfig(const std::string& name) {
    TorchtitanConfig result;
    std::string config = name;
    for (const ConfigPrefix& prefix : configPrefixes) {
        if (config.rfind(prefix.word, 0) != 0) continue;
        config.erase(0, prefix.word.size());
        if (!prefix.setting.option.empty()) result.settings.push_back(prefix.setting);
    }
    const RegistryConfig* known = nullptr;
    for (const RegistryConfig& one : registry) // the longest beginning: qwen3_30b_a3b_mxfp8 is a variant of qwen3_30b_a3b
        if ((config == one.name || config.rfind(std::string(one.name) + "_", 0) == 0) && (!known || std::string_view(one.name).size() > std::string_view(known->name).size())) known = &one;
    if (!known) {
        constexpr std::string_view mark = "_debugmodel";
        const std::size_t debug = config.find(mark);
        if (debug == std::string::npos) return byFlavor(config);
        result.settings.push_back({"model.name", config.substr(0, debug)});
        result.settings.push_back({"model.flavor", "debugmodel"});
        readVariant(config.substr(debug + mark.size()), result);
        return result;
    }
    const auto set = [&](const char* option, std::string value) { result.settings.push_back({option, std::move(value)}); };
    set("model.name", known->module);
    set("model.flavor", known->flavor);
    set("training.local-batch-size", std::to_string(known->sequences));
    set("training.seq-len", std::to_string(known->length));
    set("activation-checkpoint.mode", known->wholeLayers ? "full" : "selective");
    set("activation-checkpoint.selective-ac-option", "op");
    if (known->tensor > 0) set("parallelism.tensor-parallel-degree", std::to_string(known->tensor));
    if (known->expert > 0) set("parallelism.expert-parallel-degree", std::to_string(known->expert));
    if (known->interleaves) set("parallelism.pipeline-parallel-schedule", "Interleaved1F1B");
    if (known->compiled) {
        set("compile.enable", "true");
        set("compile.components", known->compiled);
    }
    if (config.rfind("llama3_405b", 0) == 0) {
        set("model.converters", "float8");
        set("compile.enable-async-tensor-parallel", "true");
    }
    readVariant(config.substr(std::string_view(known->name).size()), result);
    return result;
}

std::optional<TorchtitanFlavor> torchtitanFlavorOf(const std::string& preset) {
    for (const Flavor& known : flavors)
        if (preset == known.preset) return TorchtitanFlavor{known.name, known.flavor};
    return std::nullopt;
}

std::vector<std::string> torchtitanModels() {
    std::vector<std::string> names;
    for (const Flavor& known : flavors) names.push_back(std::string(known.name) + " " + known.flavor);
    return names;
}

std::optional<std::vector<std::int64_t>> torchtitanParts(const std::string& text, std::int64_t layers) {
    std::vector<std::int64_t> parts;
    std::int64_t all = 0;
    int depth = 0;
    const bool listOfLists = text.find("[[") != std::string::npos || text.find("[ [") != std::string::npos;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '[' && ++depth == (listOfLists ? 2 : 1)) parts.push_back(0);
        if (text[i] == ']') --depth;
        if (text.compare(i, 7, "layers.") != 0 || parts.empty()) continue;
        ++parts.back();
        ++all;
    }
    return all == layers && all > 0 ? std::optional(parts) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> torchtitanLayout(std::int64_t layers, std::int64_t chunks, std::int64_t before, std::int64_t behind) {
    constexpr std::int64_t mostChunks = 100'000;
    if (layers < 1 || chunks < 2 || chunks > mostChunks || before > layers || behind > layers) return std::nullopt;
    const std::int64_t counted = layers + before + behind, each = counted / chunks, over = counted % chunks;
    if (before > each || behind > each) return std::nullopt;
    std::vector<std::int64_t> layout;
    for (std::int64_t i = 0; i < chunks; ++i) layout.push_back(each + (i < over ? 1 : 0) - (i == 0 ? before : 0) - (i + 1 == chunks ? behind : 0));
    const bool even = std::all_of(layout.begin(), layout.end(), [&](std::int64_t one) { return one == layout.front(); });
    return even ? std::nullopt : std::optional(layout);
}

} // namespace orrery
