// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/python_calls.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

namespace orrery {
namespace {

constexpr int deepestValue = 40;              ///< brackets inside each other; programs have a handful
constexpr std::size_t mostArguments = 20'000; ///< of all calls; programs have dozens
constexpr std::size_t mostCalls = 1000;
constexpr std::size_t mostOfName = 500; ///< values of what a name stands for; names that stand for others double otherwise

bool startsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool inName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// A value as a program writes it.
struct PythonValue {
    enum class Kind { plain, ///< a text, a number, True
                      list,  ///< several of them
                      keyed, ///< a dictionary, or a call with names
                      unknown };
    Kind kind = Kind::unknown;
    std::string text; ///< plain; of an unknown one the name that stands there
    std::vector<PythonValue> elements;
    std::vector<std::pair<std::string, PythonValue>> members; ///< a member without a name is an argument by place
    int line = 0;
};

std::size_t countOf(const PythonValue& value) {
    std::size_t count = 1;
    for (const PythonValue& element : value.elements) count += countOf(element);
    for (const auto& member : value.members) count += countOf(member.second);
    return count;
}

class PythonReader {
public:
    PythonReader(std::string_view text, const std::vector<std::string>& names) : text_(text), names_(names) {}

    std::vector<PythonCall> read() {
        while (at_ < text_.size() && calls_.size() < mostCalls) {
            if (skipBlank()) continue;
            const char c = text_[at_];
            if (c == '"' || c == '\'') (void)quoted();
            else if (startsName(c)) readName();
            else ++at_;
        }
        return std::move(calls_);
    }

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    void next() {
        if (peek() == '\n') ++line_;
        ++at_;
    }

    /// Blanks, line ends and comments; whether there were any.
    bool skipBlank() {
        const std::size_t begin = at_;
        while (at_ < text_.size()) {
            if (std::isspace(static_cast<unsigned char>(peek())) || peek() == '\\') next();
            else if (peek() == '#')
                while (at_ < text_.size() && peek() != '\n') ++at_;
            else break;
        }
        return at_ > begin;
    }

    std::string quoted() {
        const char quote = peek();
        const bool tripled = peek(1) == quote && peek(2) == quote;
        for (int i = 0; i < (tripled ? 3 : 1); ++i) next();
        std::string value;
        while (at_ < text_.size()) {
            if (peek() == '\\') {
                next();
                if (at_ < text_.size()) value += peek(), next();
                continue;
            }
            if (peek() == quote && (!tripled || (peek(1) == quote && peek(2) == quote))) break;
            if (peek() == '\n' && !tripled) return value; // a quote that nobody closed
            value += peek();
            next();
        }
        for (int i = 0; i < (tripled ? 3 : 1) && at_ < text_.size(); ++i) next();
        return value;
    }

    std::string dottedName() {
        std::string name;
        while (inName(peek()) || (peek() == '.' && startsName(peek(1)))) name += text_[at_++];
        return name;
    }

    /// `NAME = 3` gives a name its value, `LLM(…)` is a call.
    void readName() {
        const int line = line_;
        const bool atLineBegin = at_ == 0 || text_[at_ - 1] == '\n' || text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t';
        const std::string name = dottedName();
        const std::string last = name.substr(name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1);
        skipSpaces();
        if (peek() == '(' && std::find(names_.begin(), names_.end(), last) != names_.end() && previousWord_ != "def" && previousWord_ != "class") {
            ++at_;
            PythonValue arguments;
            readMembers(arguments, ')', '=', 1);
            PythonCall call;
            call.callee = name;
            call.line = line;
            std::vector<LinedText> strays;
            for (const auto& [key, value] : arguments.members)
                if (key.empty() && value.kind == PythonValue::Kind::plain) strays.emplace_back(value.text, value.line);
            call.options = OptionList(strays);
            for (const auto& [key, value] : arguments.members)
                if (!key.empty()) addOption(key, value, call.options, 0);
            calls_.push_back(std::move(call));
        } else if (peek() == '=' && peek(1) != '=' && atLineBegin && name.find('.') == std::string::npos) {
            ++at_;
            skipSpaces();
            const std::size_t begin = at_;
            const int beginLine = line_;
            PythonValue value = readValue(1);
            if (value.kind != PythonValue::Kind::unknown && countOf(value) <= mostOfName) known_[name] = std::move(value);
            // The value may hold calls of its own.
            at_ = begin;
            line_ = beginLine;
        }
        previousWord_ = name;
    }

    void skipSpaces() {
        while (peek() == ' ' || peek() == '\t') ++at_;
    }

    /// Members up to `close`, their names before `mark`.
    void readMembers(PythonValue& value, char close, char mark, int depth) {
        while (at_ < text_.size()) {
            if (skipBlank()) continue;
            if (peek() == close) {
                ++at_;
                return;
            }
            if (peek() == ',') {
                ++at_;
                continue;
            }
            if (peek() == '*') { // **kwargs: what stands in it can't be known, but a plain dictionary can
                while (peek() == '*') ++at_;
                PythonValue spread = readValue(depth + 1);
                if (spread.kind == PythonValue::Kind::keyed)
                    for (auto& member : spread.members) value.members.push_back(std::move(member));
                continue;
            }
            const std::size_t before = at_;
            PythonValue first = readValue(depth + 1);
            skipBlank();
            if (peek() == mark && peek(1) != '=') {
                ++at_;
                skipBlank();
                const std::string name = first.text;
                value.members.emplace_back(name, readValue(depth + 1));
            } else {
                value.members.emplace_back(std::string(), std::move(first));
            }
            if (at_ == before) ++at_;
            if (++arguments_ > mostArguments) at_ = text_.size();
        }
    }

    /// One value; what follows it up to the next comma, as `or 4`, leaves it open.
    PythonValue readValue(int depth) {
        PythonValue value = readSimple(depth);
        std::size_t beyond = 0;
        while (at_ < text_.size()) {
            skipSpaces();
            const char c = peek();
            if (c == ',' || c == ')' || c == ']' || c == '}' || c == ':' || c == '=' || c == '#' || c == '\n' || c == '\r' || c == ';') break;
            ++beyond;
            const std::size_t before = at_;
            PythonValue more = readSimple(depth);
            if (value.kind == PythonValue::Kind::plain && more.kind == PythonValue::Kind::plain && text_[before] == '"') value.text += more.text, --beyond;
            if (at_ == before) ++at_;
        }
        if (beyond > 0) value = PythonValue{PythonValue::Kind::unknown, value.text, {}, {}, value.line};
        return value;
    }

    PythonValue readSimple(int depth) {
        PythonValue value;
        skipBlank();
        value.line = line_;
        if (depth > deepestValue) {
            at_ = text_.size();
            return value;
        }
        const char c = peek();
        if (c == '"' || c == '\'') {
            value.kind = PythonValue::Kind::plain;
            value.text = quoted();
        } else if (c == '{') {
            ++at_;
            value.kind = PythonValue::Kind::keyed;
            readMembers(value, '}', ':', depth);
        } else if (c == '[' || c == '(') {
            ++at_;
            value.kind = PythonValue::Kind::list;
            PythonValue members;
            readMembers(members, c == '[' ? ']' : ')', '\0', depth);
            for (auto& member : members.members) value.elements.push_back(std::move(member.second));
        } else if (startsName(c)) {
            const std::string name = dottedName();
            const bool isText = peek() == '"' || peek() == '\''; // f"…", r"…"
            skipSpaces();
            if (isText) {
                const std::string inside = quoted();
                const bool open = name.find('f') != std::string::npos && inside.find('{') != std::string::npos;
                value.kind = open ? PythonValue::Kind::unknown : PythonValue::Kind::plain;
                value.text = inside;
            } else if (peek() == '(') {
                ++at_;
                value.kind = PythonValue::Kind::keyed;
                readMembers(value, ')', '=', depth);
                const bool named = std::all_of(value.members.begin(), value.members.end(), [](const auto& member) { return !member.first.empty(); });
                if (!named) value = PythonValue{PythonValue::Kind::unknown, name, {}, {}, value.line};
            } else if (name == "True" || name == "False" || name == "None") {
                value.kind = PythonValue::Kind::plain;
                value.text = name;
            } else if (const auto found = known_.find(name); found != known_.end()) {
                const int line = value.line;
                value = found->second;
                value.line = line;
                arguments_ += countOf(value);
            } else {
                value.text = name;
            }
        } else {
            while (inName(peek()) || peek() == '.' || peek() == '-' || peek() == '+') value.text += text_[at_++];
            if (anyNumber(value.text)) value.kind = PythonValue::Kind::plain;
        }
        return value;
    }

    void addOption(const std::string& name, const PythonValue& value, OptionList& options, int depth) {
        if (value.kind == PythonValue::Kind::keyed && depth < deepestValue) {
            for (const auto& [key, member] : value.members)
                if (!key.empty()) addOption(name + "." + key, member, options, depth + 1);
            return;
        }
        if (value.kind == PythonValue::Kind::plain && value.text == "None") return; // as if it were not there
        GivenOption option;
        option.written = name;
        option.name = OptionList::normalised(name);
        option.line = value.line;
        for (const PythonValue& element : value.elements) option.values.push_back(element.text);
        if (value.kind == PythonValue::Kind::plain) option.values.push_back(value.text);
        if (value.kind == PythonValue::Kind::unknown) option.values.push_back("$" + (value.text.empty() ? name : value.text));
        options.add(std::move(option));
    }

    std::string_view text_;
    const std::vector<std::string>& names_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::size_t arguments_ = 0;
    std::string previousWord_;
    std::map<std::string, PythonValue> known_;
    std::vector<PythonCall> calls_;
};

} // namespace

std::vector<PythonCall> readPythonCalls(std::string_view text, const std::vector<std::string>& names) { return PythonReader(text, names).read(); }

bool looksLikePython(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        const bool imports = line.starts_with("import ") || (line.starts_with("from ") && line.find(" import ") != std::string_view::npos);
        if (imports) return true;
    }
    return false;
}

} // namespace orrery
