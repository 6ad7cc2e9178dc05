// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Text whose every character remembers the line it was written on, through variables, quotes and expansions, so that
/// an option can be named with its line wherever its words come from.
class LinedText {
public:
    LinedText() = default;
    LinedText(std::string_view text, int line) { append(text, line); }

    /// A whole file: lines counted from 1.
    static LinedText ofFile(std::string_view text);

    void append(char character, int line) {
        text_ += character;
        lines_.push_back(line);
    }
    void append(std::string_view text, int line) {
        text_ += text;
        lines_.insert(lines_.end(), text.size(), line);
    }
    void append(const LinedText& other) {
        text_ += other.text_;
        lines_.insert(lines_.end(), other.lines_.begin(), other.lines_.end());
    }

    const std::string& text() const { return text_; }
    std::size_t size() const { return text_.size(); }
    bool empty() const { return text_.empty(); }
    char operator[](std::size_t i) const { return text_[i]; }
    /// The character at `i`, or 0 beyond the end.
    char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
    int lineAt(std::size_t i) const { return lines_.empty() ? 0 : lines_[i < lines_.size() ? i : lines_.size() - 1]; }
    int line() const { return lineAt(0); }
    LinedText part(std::size_t from, std::size_t to) const;

private:
    std::string text_;
    std::vector<int> lines_;
};

/// One option as given: `--num-layers 96`.
struct GivenOption {
    std::string name;    ///< without dashes in front, `_` written as `-`: "num-layers", "training.batch-size"
    std::string written; ///< as the user wrote it: "--num_layers"
    std::vector<std::string> values;
    std::string file; ///< where it stands, when that is not the text itself
    int line = 0;
    bool used = false;
    bool isFlag = false; ///< taken as one: values behind it are not its own

    /// The values as one text.
    std::string value() const;
};

/// The options of a command line, of which a reader takes those it understands; the last of repeated ones counts.
/// What nobody took is left for a report, so that nothing is dropped in silence.
class OptionList {
public:
    OptionList() = default;
    /// `--name value…`, `--name=value`, `-N value`; words before the first option are strays.
    explicit OptionList(const std::vector<LinedText>& words);

    void add(GivenOption option);
    void add(const OptionList& more);

    bool has(const std::string& name) const;
    /// The last option of that name, all of them marked as used; nothing when it is not given.
    const GivenOption* take(const std::string& name);
    bool flag(const std::string& name);

    /// Takes the first word before any option when it is `expected`, or whatever it is.
    std::optional<std::string> takeStray(const std::string& expected = {});

    std::vector<GivenOption>& all() { return options_; }
    const std::vector<GivenOption>& all() const { return options_; }
    const std::vector<LinedText>& strays() const { return strays_; }

    static std::string normalised(const std::string& written);

private:
    std::vector<GivenOption> options_;
    std::vector<LinedText> strays_;
};

/// A whole number, thousands separated by `_` allowed, or 1e6; nothing when the text is anything else.
std::optional<std::int64_t> wholeNumber(const std::string& text);
std::optional<double> anyNumber(const std::string& text);

/// True of what a script leaves to its surroundings or to its reader: `$NAME`, `$(hostname)`, `<host_ip>`.
bool leftOpen(const std::string& value);

} // namespace orrery
