// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// How a document writes a value that a table of words names.
enum class WordForm : std::uint8_t {
    text, ///< the word alone: "full"
    key,  ///< the word as the key of an object that says more: {"every": 2}
};

template <class Enum> struct Word {
    Enum value;
    std::string_view word;
    WordForm form = WordForm::text;
};
template <class Enum> Word(Enum, std::string_view) -> Word<Enum>;
template <class Enum> Word(Enum, std::string_view, WordForm) -> Word<Enum>;

/// The words of an enum: `static constexpr std::array table` of `Word<Enum>`, one a value, in the order in which lists show them.
/// Specialised once for every enum that a document spells. Schema, readers, forms and messages all ask this table, through the
/// functions below.
template <class Enum> struct WordsOf;

/// Whether every value from 0 to the last one stands in the table once, and no word twice.
template <class Enum> consteval bool hasEveryWordOnce() {
    const auto& table = WordsOf<Enum>::table;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table[i].word.empty() || static_cast<std::size_t>(table[i].value) >= table.size()) return false;
        for (std::size_t j = 0; j < i; ++j)
            if (table[i].value == table[j].value || table[i].word == table[j].word) return false;
    }
    return true;
}

template <class Enum> constexpr std::string_view wordOf(Enum value) {
    static_assert(hasEveryWordOnce<Enum>());
    for (const auto& entry : WordsOf<Enum>::table)
        if (entry.value == value) return entry.word;
    return {};
}

/// The value that a word stands for, whatever its form; nothing for any other text.
template <class Enum> constexpr std::optional<Enum> fromWord(std::string_view word) {
    static_assert(hasEveryWordOnce<Enum>());
    for (const auto& entry : WordsOf<Enum>::table)
        if (entry.word == word) return entry.value;
    return std::nullopt;
}

/// The value that a document means by a text; nothing where the word stands for a key.
template <class Enum> constexpr std::optional<Enum> fromText(std::string_view text) {
    static_assert(hasEveryWordOnce<Enum>());
    for (const auto& entry : WordsOf<Enum>::table)
        if (entry.word == text && entry.form == WordForm::text) return entry.value;
    return std::nullopt;
}

/// The words that a document may write as texts, in the table's order.
template <class Enum> std::vector<std::string> textWords() {
    std::vector<std::string> words;
    for (const auto& entry : WordsOf<Enum>::table)
        if (entry.form == WordForm::text) words.emplace_back(entry.word);
    return words;
}

} // namespace orrery
