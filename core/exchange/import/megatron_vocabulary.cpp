// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/megatron_parts.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

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
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
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

} // namespace orrery
