// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

} // namespace orrery
