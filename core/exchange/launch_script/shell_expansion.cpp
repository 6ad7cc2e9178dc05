// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/shell_expansion.hpp"
#include "core/exchange/launch_script/shell_lexer.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <string_view>

namespace orrery {
namespace {

constexpr int deepestBrackets = 50;

class Arithmetic {
public:
    Arithmetic(const std::string& text, const ShellVariables& variables) : text_(text), variables_(variables) {}

    std::optional<long long> value() {
        const auto result = choice(0);
        skip();
        return at_ == text_.size() ? result : std::nullopt;
    }

private:
    using Number = std::optional<long long>;

    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    char peek() {
        skip();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    /// Whether the text goes on with `op`, which is then behind.
    bool goesOn(std::string_view op) {
        skip();
        if (std::string_view(text_).substr(at_, op.size()) != op) return false;
        at_ += op.size();
        return true;
    }

    /// `a ? b : c`. All three have to be known: which one counts may not hide that another can't be read.
    Number choice(int depth) {
        const Number condition = either(depth);
        if (!condition || peek() != '?') return condition;
        ++at_;
        if (depth > deepestBrackets) return std::nullopt;
        const Number yes = choice(depth + 1);
        if (!yes || peek() != ':') return std::nullopt;
        ++at_;
        const Number no = choice(depth + 1);
        if (!no) return no;
        return *condition != 0 ? yes : no;
    }

    Number either(int depth) {
        Number left = both(depth);
        while (left && goesOn("||")) {
            const Number right = both(depth);
            left = right ? Number(*left != 0 || *right != 0) : right;
        }
        return left;
    }

    Number both(int depth) {
        Number left = comparison(depth);
        while (left && goesOn("&&")) {
            const Number right = comparison(depth);
            left = right ? Number(*left != 0 && *right != 0) : right;
        }
        return left;
    }

    Number comparison(int depth) {
        Number left = sum(depth);
        static constexpr std::string_view words[] = {"<=", ">=", "==", "!=", "<", ">"};
        while (left) {
            const auto* word = std::find_if(std::begin(words), std::end(words), [&](std::string_view one) { return goesOn(one); });
            if (word == std::end(words)) break;
            const Number right = sum(depth);
            if (!right) return right;
            const bool holds = *word == "<=" ? *left <= *right : *word == ">=" ? *left >= *right
                                                             : *word == "=="   ? *left == *right
                                                             : *word == "!="   ? *left != *right
                                                             : *word == "<"    ? *left < *right
                                                                               : *left > *right;
            left = holds ? 1 : 0;
        }
        return left;
    }

    Number sum(int depth) {
        Number left = product(depth);
        while (left && (peek() == '+' || peek() == '-')) {
            const char op = text_[at_++];
            const Number right = product(depth);
            long long result = 0;
            if (!right) return right;
            const bool overflow = op == '+' ? __builtin_add_overflow(*left, *right, &result) : __builtin_sub_overflow(*left, *right, &result);
            if (overflow) return std::nullopt;
            left = result;
        }
        return left;
    }

    Number product(int depth) {
        Number left = factor(depth);
        while (left && (peek() == '*' || peek() == '/' || peek() == '%')) {
            const char op = text_[at_++];
            const Number right = factor(depth);
            if (!right) return right;
            long long result = 0;
            if (op == '*') {
                if (__builtin_mul_overflow(*left, *right, &result)) return std::nullopt;
            } else {
                if (*right == 0 || *right == -1) return std::nullopt; // -1 overflows for the least number, and nobody divides by it
                result = op == '/' ? *left / *right : *left % *right;
            }
            left = result;
        }
        return left;
    }

    Number factor(int depth) {
        if (depth > deepestBrackets) return std::nullopt;
        const char c = peek();
        if (c == '(') {
            ++at_;
            const Number inner = choice(depth + 1);
            if (peek() != ')') return std::nullopt;
            ++at_;
            return inner;
        }
        if (c == '-') {
            ++at_;
            const Number value = factor(depth + 1);
            if (!value || __builtin_sub_overflow(0LL, *value, &negated_)) return std::nullopt;
            return negated_;
        }
        if (std::isdigit(static_cast<unsigned char>(c))) return digits(text_, at_);
        if (c == '$') {
            ++at_;
            if (peek() == '{') ++at_;
        }
        return variable();
    }

    static Number digits(const std::string& text, std::size_t& at) {
        long long value = 0;
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
        if (error != std::errc()) return std::nullopt;
        at = static_cast<std::size_t>(end - text.data());
        return value;
    }

    Number variable() {
        std::string name;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) name += text_[at_++];
        if (at_ < text_.size() && text_[at_] == '}') ++at_;
        const std::string value = variables_.text(name);
        std::size_t end = 0;
        const Number number = value.empty() ? std::nullopt : digits(value, end);
        return end == value.size() ? number : std::nullopt;
    }

    const std::string& text_;
    const ShellVariables& variables_;
    std::size_t at_ = 0;
    long long negated_ = 0;
};

} // namespace

std::optional<long long> shellArithmetic(const std::string& text, const ShellVariables& variables) {
    return Arithmetic(text, variables).value();
}

bool matchesShellPattern(const std::string& text, const std::string& pattern) {
    std::size_t t = 0, p = 0, star = std::string::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*'))) {
            ++t, ++p;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (star != std::string::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

namespace {

constexpr int deepestExpansion = 40;

bool nameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool whitespace(char c) { return c == ' ' || c == '\t' || c == '\n'; }

std::size_t endOfName(const std::string& text, std::size_t from) {
    if (from < text.size() && std::isdigit(static_cast<unsigned char>(text[from]))) return from + 1;
    while (from < text.size() && nameCharacter(text[from])) ++from;
    return from;
}

/// The text without the shortest or longest beginning (or end) that matches.
LinedText without(const LinedText& value, const std::string& pattern, bool front, bool longest) {
    const std::size_t size = value.size();
    for (std::size_t i = 0; i <= size; ++i) {
        const std::size_t length = longest ? size - i : i;
        const std::string piece = front ? value.text().substr(0, length) : value.text().substr(size - length);
        if (matchesShellPattern(piece, pattern)) return front ? value.part(length, size) : value.part(0, size - length);
    }
    return value;
}

} // namespace

/// Fields as they grow.
struct ShellExpander::Output {
    std::vector<LinedText> fields;
    bool open = false; ///< the last field still grows
    bool split = true; ///< whether unquoted values are split at blanks

    LinedText& field() {
        if (!open) fields.emplace_back();
        open = true;
        return fields.back();
    }
    void close() { open = false; }
};

std::vector<LinedText> ShellExpander::fields(const LinedText& word) {
    Output output;
    expand(word, output, false, false);
    return std::move(output.fields);
}

LinedText ShellExpander::text(const LinedText& word) {
    Output output;
    output.split = false;
    expand(word, output, false, false);
    LinedText joined;
    for (std::size_t i = 0; i < output.fields.size(); ++i) {
        if (i > 0) joined.append(' ', output.fields[i].line());
        joined.append(output.fields[i]);
    }
    return joined;
}

LinedText ShellExpander::hereDocument(const LinedText& body) {
    Output output;
    output.split = false;
    expand(body, output, true, true);
    return output.fields.empty() ? LinedText() : output.fields.front();
}

std::string ShellExpander::tested(const LinedText& word) {
    emptyUnset_ = true;
    const std::string value = text(word).text();
    emptyUnset_ = false;
    return value;
}

void ShellExpander::expand(const LinedText& word, Output& output, bool quoted, bool quotesArePlain) {
    for (std::size_t i = 0; i < word.size();) {
        const char c = word[i];
        if (c == '\\' && i + 1 < word.size()) {
            const char next = word[i + 1];
            const bool escapes = !quoted || next == '$' || next == '`' || next == '"' || next == '\\' || next == '\n';
            if (!escapes) output.field().append(c, word.lineAt(i));
            if (next != '\n') output.field().append(next, word.lineAt(i + 1));
            i += 2;
        } else if (c == '\'' && !quoted) {
            const std::size_t end = endOfShellPiece(word, i);
            const bool closed = end > i + 1 && word[end - 1] == '\'';
            output.field().append(word.part(i + 1, closed ? end - 1 : end));
            i = end;
        } else if (c == '"' && !quotesArePlain) {
            if (quoted) {
                ++i; // a quote inside ${…:-"…"}
                continue;
            }
            const std::size_t end = endOfShellPiece(word, i);
            const bool closed = end > i + 1 && word[end - 1] == '"';
            const LinedText inside = word.part(i + 1, closed ? end - 1 : end);
            if (inside.text() != "$@" && inside.text().find("[@]}") == std::string::npos) output.field(); // "" is a field
            expand(inside, output, true, false);
            i = end;
        } else if (c == '`' && word.at(i + 1) == '#') {
            i = endOfShellPiece(word, i); // a comment amid a command
        } else if (c == '`') {
            const std::size_t end = endOfShellPiece(word, i);
            unknown_ = true;
            if (!emptyUnset_) output.field().append(word.part(i, end));
            i = end;
        } else if (c == '$') {
            i = expandDollar(word, i, output, quoted);
        } else {
            output.field().append(c, word.lineAt(i));
            ++i;
        }
    }
}

std::size_t ShellExpander::expandDollar(const LinedText& word, std::size_t at, Output& output, bool quoted) {
    const char next = word.at(at + 1);
    if (next == '(' || next == '{') {
        const std::size_t end = endOfShellPiece(word, at);
        const LinedText written = word.part(at, end);
        if (depth_ >= deepestExpansion || exhausted()) {
            output.field().append(written);
            return end;
        }
        ++depth_;
        Value value;
        if (next == '{') {
            value = braced(word.part(at + 2, end - 1));
        } else if (word.at(at + 2) == '(' && end >= at + 5) {
            const std::string sum = text(word.part(at + 3, end - 2)).text();
            const auto number = shellArithmetic(sum, variables_);
            value.resolved = number.has_value();
            if (number) value.elements.emplace_back(std::to_string(*number), word.lineAt(at));
            else unknown_ = true;
        } else {
            // `$(expr 16 / $N)`: arithmetic as older scripts write it; what other commands print is not known.
            constexpr std::string_view command = "expr ";
            const std::string inside = text(word.part(at + 2, end - 1)).text();
            const auto number = inside.starts_with(command) ? shellArithmetic(inside.substr(command.size()), variables_) : std::nullopt;
            value.resolved = number.has_value();
            if (number) value.elements.emplace_back(std::to_string(*number), word.lineAt(at));
            else unknown_ = true;
        }
        --depth_;
        put(value, written, output, quoted);
        return end;
    }
    std::size_t end = endOfName(word.text(), at + 1);
    if (end == at + 1 && std::string("@*#?$!-").find(next) != std::string::npos && next != '\0') end = at + 2;
    if (end == at + 1) {
        output.field().append('$', word.lineAt(at));
        return end;
    }
    put(lookUp(word.text().substr(at + 1, end - at - 1), false), word.part(at, end), output, quoted);
    return end;
}

ShellExpander::Value ShellExpander::lookUp(const std::string& name, bool all) {
    const ShellVariables::Elements* found = variables_.find(name);
    Value value;
    value.resolved = found != nullptr;
    if (!found) return value;
    if (all) value.elements = *found;
    else value.elements.push_back(found->empty() ? LinedText() : found->front());
    return value;
}

/// What stands between `${` and `}`.
ShellExpander::Value ShellExpander::braced(const LinedText& inside) {
    const std::string& text = inside.text();
    const bool length = text.size() > 1 && text[0] == '#';
    const std::size_t begin = length || (!text.empty() && text[0] == '!') ? 1 : 0;
    std::size_t end = endOfName(text, begin);
    if (end == begin && end < text.size() && (text[end] == '@' || text[end] == '*')) ++end;
    const std::string name = text.substr(begin, end - begin);
    bool all = name == "@" || name == "*";
    std::optional<std::size_t> index;
    if (end < text.size() && text[end] == '[') {
        const std::size_t close = text.find(']', end);
        if (close == std::string::npos) return {{}, false};
        const std::string subscript = text.substr(end + 1, close - end - 1);
        all = subscript == "@" || subscript == "*";
        if (!all) {
            const auto number = shellArithmetic(subscript, variables_);
            if (!number || *number < 0) return {{}, false};
            index = static_cast<std::size_t>(*number);
        }
        end = close + 1;
    }
    Value value = lookUp(name, all || index);
    if (index && value.resolved) {
        value.resolved = *index < value.elements.size();
        if (value.resolved) value.elements = {value.elements[*index]};
        else value.elements.clear();
    }
    if (length) {
        const std::size_t count = all ? value.elements.size() : value.elements.empty() ? 0
                                                                                       : value.elements.front().size();
        if (value.resolved) value.elements = {LinedText(std::to_string(count), inside.line())};
        return value;
    }
    if (begin == 1) { // ${!NAME}: the variable that NAME names
        return value.resolved && !value.elements.empty() ? lookUp(value.elements.front().text(), false) : Value{{}, false};
    }
    if (end >= text.size()) return value;
    const bool isSet = value.resolved;
    return operated(name, std::move(value), isSet, inside.part(end, inside.size()));
}

ShellExpander::Value ShellExpander::operated(const std::string& name, Value value, bool isSet, const LinedText& rest) {
    const bool colon = rest.at(0) == ':';
    const char op = rest.at(colon ? 1 : 0);
    const LinedText operand = rest.part(colon ? 2 : 1, rest.size());
    const bool empty = value.elements.empty() || (value.elements.size() == 1 && value.elements.front().empty());
    const bool usable = isSet && !(colon && empty);
    if (op == '-' || op == '=' || op == '?') {
        if (usable) return value;
        if (op == '?') return {{}, false};
        const LinedText other = text(operand);
        if (op == '=') variables_.set(name, other);
        return {{other}, true};
    }
    if (op == '+') return usable ? Value{{text(operand)}, true} : Value{{}, true};
    if (!isSet) return value;
    for (LinedText& element : value.elements) {
        if (rest.at(0) == '#' || rest.at(0) == '%') {
            const bool longest = rest.at(1) == rest.at(0);
            const std::string pattern = tested(rest.part(longest ? 2 : 1, rest.size()));
            element = without(element, pattern, rest.at(0) == '#', longest);
        } else if (rest.at(0) == ',' || rest.at(0) == '^') {
            const bool every = rest.at(1) == rest.at(0);
            LinedText changed;
            for (std::size_t i = 0; i < element.size(); ++i) {
                const auto c = static_cast<unsigned char>(element[i]);
                const bool applies = every || i == 0;
                changed.append(static_cast<char>(!applies ? c : rest.at(0) == ',' ? std::tolower(c)
                                                                                  : std::toupper(c)),
                               element.lineAt(i));
            }
            element = std::move(changed);
        } else {
            return {{}, false}; // replacements and substrings: not needed by any launch script seen
        }
    }
    return value;
}

void ShellExpander::put(const Value& value, const LinedText& written, Output& output, bool quoted) {
    if (!value.resolved) {
        if (!emptyUnset_) output.field().append(written);
        return;
    }
    for (std::size_t e = 0; e < value.elements.size(); ++e) {
        const LinedText& element = value.elements[e];
        spent_ += element.size() + 1;
        if (exhausted()) {
            output.field().append(written);
            return;
        }
        if (e > 0) {
            if (output.split) output.close();
            else output.field().append(' ', element.line());
        }
        if (quoted || !output.split) {
            output.field().append(element);
            continue;
        }
        for (std::size_t i = 0; i < element.size(); ++i) {
            if (whitespace(element[i])) output.close();
            else output.field().append(element[i], element.lineAt(i));
        }
    }
}

} // namespace orrery
