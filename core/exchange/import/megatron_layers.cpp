// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/megatron_layers.hpp"

#include "core/base/text.hpp"
#include "core/exchange/import/megatron_parts.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

struct KnownTokenizer {
    std::string_view part; ///< of the tokenizer's type or model, in small letters
    std::int64_t rows;
};

/// Rows of well-known tokenizers; the first that matches.
constexpr KnownTokenizer knownTokenizers[] = {
    {"llama-3", 128256},
    {"llama3", 128256},
    {"llama-2", 32000},
    {"llama2", 32000},
    {"mixtral", 32000},
    {"mistral", 32000},
    {"qwen2", 151936},
    {"qwen3", 151936},
    {"deepseek-v3", 129280},
    {"deepseek-v2", 102400},
    {"deepseekv2", 102400},
    {"deepseekv3", 129280},
    {"gptsentencepiecetokenizer", 32000},
    {"gpt2bpetokenizer", 50257},
};

std::string smallLetters(std::string text) {
    text = lowered(std::move(text));
    return text;
}

/// The tokenizer's own number of rows.
std::int64_t tokenizerRows(ScenarioDraft& draft, OptionList& options, const std::string& names, bool gpt2Files) {
    if (const auto given = draft.number(options, "vocab-size")) {
        const bool addsEnd = names.find("nulltokenizer") != std::string::npos; // its end-of-document token comes on top
        return *given + (addsEnd ? 1 : 0);
    }
    for (const KnownTokenizer& known : knownTokenizers) {
        if (names.find(known.part) == std::string::npos) continue;
        draft.noteAssumed("/model/config/vocab_size", std::to_string(known.rows) + " tokens were taken from the tokenizer's name.",
                          "Set vocab_size if yours has another number.");
        return known.rows;
    }
    const bool gpt2 = gpt2Files || names.empty();
    const std::int64_t rows = gpt2 ? 50257 : 32000;
    draft.noteAssumed("/model/config/vocab_size",
                      std::to_string(rows) + " tokens were taken" + (gpt2 ? ", as GPT-2's vocabulary has" : "; the tokenizer is not known here") + ".",
                      "Set vocab_size if yours has another number.");
    return rows;
}

} // namespace

std::int64_t megatronVocabulary(ScenarioDraft& draft, OptionList& options, std::int64_t tensor) {
    std::string names;
    for (const char* name : {"tokenizer-model", "tokenizer-name-or-path", "tokenizer-type"})
        if (const GivenOption* option = options.take(name)) names += smallLetters(option->value()) + " ";
    const bool vocabularyFile = options.take("vocab-file") != nullptr;
    const bool mergeFile = options.take("merge-file") != nullptr;
    const auto padded = draft.number(options, "padded-vocab-size");
    const auto paddedTo = draft.number(options, "pad-vocab-size-to"); // BigScience's fork
    const std::int64_t divisor = draft.number(options, "make-vocab-size-divisible-by").value_or(128);
    if (padded || paddedTo) {
        options.take("vocab-size");
        return padded ? *padded : *paddedTo;
    }
    const std::int64_t rows = tokenizerRows(draft, options, names, vocabularyFile || mergeFile);
    const std::int64_t multiple = divisor * tensor;
    return (rows + multiple - 1) / multiple * multiple;
}

namespace {

constexpr std::size_t mostLetters = 200'000; ///< of a layout written out; a repeat count may ask for any number
constexpr std::int64_t mostMarkedLayers = 100'000;

/// Letters of megatron/core/models/hybrid/hybrid_layer_allocation.py.
struct LayerLetter {
    char letter;
    std::string_view kind;
};
constexpr LayerLetter otherLetters[] = {
    {'M', "Mamba layers"},
    {'G', "linear attention (gated delta nets)"},
    {'D', "sparse attention with an indexer"},
    {'C', "sparse attention over compressed keys"},
    {'H', "sparse attention over heavily compressed keys"},
};

/// "Mamba layers (M) and sparse attention with an indexer (D)"; empty where every letter can be simulated.
std::string otherKinds(const std::string& pattern) {
    std::vector<std::string> kinds;
    for (const char letter : pattern) {
        if (std::string_view("*+-E|/").find(letter) != std::string_view::npos) continue;
        std::string kind = std::string("layers that are not known (") + letter + ")";
        for (const LayerLetter& one : otherLetters)
            if (one.letter == letter) kind = std::string(one.kind) + " (" + letter + ")";
        if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
    std::string text;
    for (std::size_t i = 0; i < kinds.size(); ++i) text += (i == 0 ? "" : i + 1 == kinds.size() ? " and "
                                                                                                : ", ") +
                                                           kinds[i];
    return text;
}

constexpr const char* plainModels = "Choose a model of attention and MLP or expert layers alone.";

std::string unquoted(std::string text) {
    const auto isQuote = [](char c) { return c == '"' || c == '\''; };
    text.erase(std::remove_if(text.begin(), text.end(), isQuote), text.end());
    return text;
}

/// The pairs of a pattern without other letters; nothing where attention and what follows it don't alternate.
std::optional<HybridLayers> pairsOf(const std::string& pattern) {
    HybridLayers result;
    const std::string main = pattern.substr(0, pattern.find('/'));
    result.nextTokenModules = std::count(pattern.begin(), pattern.end(), '/');
    result.latent = main.find('+') != std::string::npos;
    if (result.latent && main.find('*') != std::string::npos) return std::nullopt; // two kinds of attention
    bool behindAttention = false;
    std::int64_t ofStage = 0;
    for (const char letter : main) {
        if (letter == '|') {
            if (behindAttention) return std::nullopt; // a stage ends within a layer
            result.layersOfStage.push_back(std::exchange(ofStage, 0));
            continue;
        }
        const bool attention = letter == '*' || letter == '+';
        if (attention == behindAttention) return std::nullopt;
        behindAttention = attention;
        if (attention) continue;
        result.experts.push_back(letter == 'E');
        ++ofStage;
    }
    if (behindAttention || result.experts.empty()) return std::nullopt;
    if (!result.layersOfStage.empty()) result.layersOfStage.push_back(ofStage);
    return result;
}

/// `x*3` and `(xy)*3` written out, innermost parentheses first, as Megatron's regular expressions do.
bool writeOut(std::string& text) {
    for (const bool grouped : {true, false}) {
        for (std::size_t star = text.find('*'); star != std::string::npos;) {
            std::size_t end = star + 1;
            while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
            const auto times = wholeNumber(text.substr(star + 1, end - star - 1));
            const bool isGroup = star > 0 && text[star - 1] == ')';
            if (!times || *times < 0 || star == 0) return false;
            if (isGroup != grouped) {
                star = text.find('*', star + 1);
                continue;
            }
            const std::size_t open = isGroup ? text.rfind('(', star) : star - 1;
            if (open == std::string::npos) return false;
            const std::string unit = isGroup ? text.substr(open + 1, star - open - 2) : text.substr(star - 1, 1);
            if (*times > static_cast<std::int64_t>(mostLetters) || unit.size() * static_cast<std::size_t>(*times) > mostLetters) return false;
            std::string units;
            for (std::int64_t i = 0; i < *times; ++i) units += unit;
            text = text.substr(0, open) + units + text.substr(end);
            if (text.size() > mostLetters) return false;
            star = text.find('*');
        }
    }
    return true;
}

std::optional<ChunkLayers> fromLetters(std::string text) {
    text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ',' || c == ' '; }), text.end());
    if (!writeOut(text)) return std::nullopt;
    ChunkLayers result{{0}, false};
    bool predicts = false;
    for (const char letter : text) {
        if (letter == '|') {
            result.predictsInside = result.predictsInside || predicts;
            result.layers.push_back(0);
        } else if (letter == 't') {
            ++result.layers.back();
        } else if (letter == 'm') {
            predicts = true;
        } else if (letter != 'E' && letter != 'L') {
            return std::nullopt;
        }
    }
    return result;
}

/// [['embedding', 'decoder'], ['decoder'] * 4, ['decoder', 'loss']], or words without quotes.
std::optional<ChunkLayers> fromLists(const std::string& text) {
    ChunkLayers result;
    int depth = 0;
    std::int64_t inChunk = 0, ofUnit = 0;
    std::string word;
    bool predicts = false;
    const auto endWord = [&] {
        if (word == "decoder") ++ofUnit;
        const bool known = word.empty() || word == "decoder" || word == "embedding" || word == "loss" || word == "mtp";
        predicts = predicts || word == "mtp";
        word.clear();
        return known;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (std::isalpha(static_cast<unsigned char>(c))) {
            word += c;
            continue;
        }
        if (!endWord()) return std::nullopt;
        if (c == '[' && ++depth > 2) return std::nullopt;
        if (c == ']') {
            if (--depth < 0) return std::nullopt;
            if (depth == 0) break;
            std::size_t end = i + 1;
            while (end < text.size() && (text[end] == ' ' || text[end] == '*')) ++end;
            std::size_t digits = end;
            while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits]))) ++digits;
            const auto times = digits > end ? wholeNumber(text.substr(end, digits - end)) : std::optional<std::int64_t>(1);
            if (!times || *times > static_cast<std::int64_t>(mostLetters)) return std::nullopt;
            inChunk += std::exchange(ofUnit, 0) * *times;
            i = std::max(i, digits > end ? digits - 1 : i);
            const std::size_t next = text.find_first_not_of(' ', i + 1);
            if (next != std::string::npos && text[next] == '+') continue; // [..]*2 + [..]: one chunk
            result.predictsInside = result.predictsInside || (predicts && next != std::string::npos && text[next] == ',');
            result.layers.push_back(std::exchange(inChunk, 0));
            if (result.layers.size() > mostLetters) return std::nullopt;
        }
    }
    if (depth != 0 || result.layers.empty()) return std::nullopt;
    return result;
}

} // namespace

std::optional<HybridLayers> takeHybridLayers(ScenarioDraft& draft, OptionList& options) {
    std::string pattern;
    int line = 0;
    for (const char* name : {"hybrid-override-pattern", "hybrid-layer-pattern"}) {
        const GivenOption* option = options.take(name);
        if (!option || option->values.empty()) continue;
        pattern = unquoted(option->value());
        line = option->line;
    }
    options.take("is-hybrid-model");
    for (const char* name : {"hybrid-attention-ratio", "hybrid-mlp-ratio"}) {
        const GivenOption* option = options.take(name);
        if (!option || !pattern.empty()) continue;
        draft.fail(option->line, "unsupported-layer", "The model has Mamba layers: " + option->written + " says which share of its layers are others. That can't be simulated yet.", plainModels);
        return std::nullopt;
    }
    if (pattern.empty()) return std::nullopt;
    const std::string others = otherKinds(pattern);
    if (!others.empty()) {
        draft.fail(line, "unsupported-layer", "The model has " + others + " by its pattern " + pattern.substr(0, 60) + (pattern.size() > 60 ? "…" : "") + ". That can't be simulated yet.", plainModels);
        return std::nullopt;
    }
    auto layers = pairsOf(pattern);
    if (!layers)
        draft.fail(line, "unsupported-layer", "In the pattern " + pattern.substr(0, 60) + " attention (*) and what follows it (- or E) do not alternate. Layers of one of them alone can't be simulated yet.", plainModels);
    return layers;
}

std::optional<ChunkLayers> layersOfLayout(const std::string& text) {
    const std::string plain = unquoted(text);
    const std::size_t first = plain.find_first_not_of(' ');
    if (first == std::string::npos || plain.size() > mostLetters) return std::nullopt;
    return plain[first] == '[' ? fromLists(plain.substr(first)) : fromLetters(plain);
}

std::optional<std::vector<bool>> layersMarked(const std::string& text, std::int64_t layers) {
    if (layers > mostMarkedLayers) return std::nullopt;
    std::vector<bool> marked;
    const std::string pattern = unquoted(text);
    std::size_t group = std::string::npos; // where the entries of an open parenthesis begin
    // "*n" behind a list or a parenthesis: how often the entries from `from` on stand.
    const auto repeat = [&](std::size_t& i, std::size_t from) {
        if (i >= pattern.size() || pattern[i] != '*') return true;
        std::size_t end = ++i;
        while (end < pattern.size() && std::isdigit(static_cast<unsigned char>(pattern[end]))) ++end;
        const auto times = wholeNumber(pattern.substr(i, end - i));
        i = end;
        if (!times || *times < 0 || *times > layers) return false;
        const std::vector<bool> unit(marked.begin() + static_cast<std::ptrdiff_t>(from), marked.end());
        if (static_cast<std::int64_t>(unit.size()) * *times > layers) return false;
        marked.resize(from);
        for (std::int64_t t = 0; t < *times; ++t) marked.insert(marked.end(), unit.begin(), unit.end());
        return true;
    };
    for (std::size_t i = 0; i < pattern.size();) {
        const char c = pattern[i++];
        if (c == '(') {
            group = marked.size();
        } else if (c == ')') {
            if (group == std::string::npos || !repeat(i, std::exchange(group, std::string::npos))) return std::nullopt;
        } else if (c == '[') {
            const std::size_t from = marked.size();
            for (; i < pattern.size() && pattern[i] != ']'; ++i) {
                if (pattern[i] == '0' || pattern[i] == '1') marked.push_back(pattern[i] == '1');
                else if (pattern[i] != ',' && pattern[i] != ' ') return std::nullopt;
            }
            if (i >= pattern.size()) return std::nullopt;
            if (!repeat(++i, from)) return std::nullopt;
        } else if (c != '+' && c != ' ') {
            return std::nullopt;
        }
        if (static_cast<std::int64_t>(marked.size()) > layers) return std::nullopt;
    }
    if (static_cast<std::int64_t>(marked.size()) != layers) return std::nullopt;
    return marked;
}

} // namespace orrery
