// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/launch_script/option_list.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Variables of a script: one text each, or a list of them for an array.
class ShellVariables {
public:
    using Elements = std::vector<LinedText>;

    const Elements* find(const std::string& name) const {
        const auto found = values_.find(name);
        return found == values_.end() ? nullptr : &found->second;
    }
    bool has(const std::string& name) const { return find(name) != nullptr; }
    /// The text, of an array its first element; empty when unset.
    std::string text(const std::string& name) const {
        const Elements* found = find(name);
        return found && !found->empty() ? found->front().text() : std::string();
    }
    void set(const std::string& name, LinedText value) { values_[name] = {std::move(value)}; }
    void setArray(const std::string& name, Elements elements) { values_[name] = std::move(elements); }
    void append(const std::string& name, const LinedText& value) {
        Elements& elements = values_[name];
        if (elements.empty()) elements.emplace_back();
        elements.front().append(value);
    }
    void appendArray(const std::string& name, Elements elements) {
        Elements& all = values_[name];
        for (LinedText& element : elements) all.push_back(std::move(element));
    }

private:
    std::map<std::string, Elements> values_;
};

/// Replaces variables, defaults and arithmetic in words, as a shell does. What only a running machine could tell (an
/// unset variable, `$1`, `$(hostname)`) stays as it is written, so that whoever reads the option can say what is missing.
class ShellExpander {
public:
    explicit ShellExpander(ShellVariables& variables) : variables_(variables) {}

    /// The fields a word becomes: none for an empty unquoted variable, several for an array.
    std::vector<LinedText> fields(const LinedText& word);

    /// One text, unsplit: the value of an assignment, a here-document (whose quotes are plain characters).
    LinedText text(const LinedText& word);
    LinedText hereDocument(const LinedText& body);

    /// One text as a test sees it: what is unset is empty. `unknown()` says whether a command would have been run.
    std::string tested(const LinedText& word);
    bool unknown() const { return unknown_; }
    void forget() { unknown_ = false; }

    /// True when the limit of what expansions may amount to was reached; later ones stay unreplaced.
    bool exhausted() const { return spent_ > mostCharacters; }

private:
    static constexpr std::size_t mostCharacters = 16'000'000;

    struct Value {
        std::vector<LinedText> elements;
        bool resolved = true;
    };
    struct Output;

    void expand(const LinedText& word, Output& output, bool quoted, bool quotesArePlain);
    std::size_t expandDollar(const LinedText& word, std::size_t at, Output& output, bool quoted);
    Value braced(const LinedText& inside);
    Value lookUp(const std::string& name, bool all);
    Value operated(const std::string& name, Value value, bool isSet, const LinedText& rest);
    void put(const Value& value, const LinedText& written, Output& output, bool quoted);

    ShellVariables& variables_;
    std::size_t spent_ = 0;
    int depth_ = 0;
    bool emptyUnset_ = false;
    bool unknown_ = false;
};

/// The value of a shell's arithmetic (`$((…))` without the brackets): + - * / %, comparisons, && || ?: and brackets over whole numbers and
/// variables. Nothing when a variable has no whole number, or on overflow or division by zero.
std::optional<long long> shellArithmetic(const std::string& text, const ShellVariables& variables);

/// Whether a text matches a shell pattern of `*` and `?`.
bool matchesShellPattern(const std::string& text, const std::string& pattern);

} // namespace orrery
