// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/shell_condition.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace orrery {
namespace {

constexpr int deepestNesting = 50;

class Test {
public:
    Test(const std::vector<ShellToken>& tokens, ShellExpander& expander) : tokens_(tokens), expander_(expander) {}

    bool value() { return either(0); }

private:
    bool is(const char* text) const {
        if (at_ >= tokens_.size()) return false;
        const ShellToken& token = tokens_[at_];
        return (token.kind == ShellToken::Kind::op ? token.op : token.word.text()) == text;
    }
    bool take(const char* first, const char* second) {
        if (!is(first) && !is(second)) return false;
        ++at_;
        return true;
    }

    bool either(int depth) {
        bool value = both(depth);
        while (take("||", "-o")) {
            const bool other = both(depth);
            value = value || other;
        }
        return value;
    }

    bool both(int depth) {
        bool value = one(depth);
        while (take("&&", "-a")) {
            const bool other = one(depth);
            value = value && other;
        }
        return value;
    }

    bool one(int depth) {
        if (depth > deepestNesting || at_ >= tokens_.size()) return false;
        if (take("!", "!")) return !one(depth + 1);
        if (take("(", "\\(")) {
            const bool inner = either(depth + 1);
            take(")", "\\)");
            return inner;
        }
        const std::string first = tokens_[at_].word.text();
        if (first.size() == 2 && first[0] == '-' && at_ + 1 < tokens_.size() && std::string_view("zndefrsxhLpSwv").find(first[1]) != std::string_view::npos) {
            const std::string operand = expander_.tested(tokens_[at_ + 1].word);
            at_ += 2;
            if (first == "-z") return operand.empty();
            return !operand.empty(); // -n, and files that are taken to be there
        }
        return comparison();
    }

    bool comparison() {
        const std::string left = operand();
        if (at_ >= tokens_.size()) return !left.empty();
        const ShellToken& token = tokens_[at_];
        const std::string op = token.kind == ShellToken::Kind::op ? token.op : token.word.text();
        static constexpr std::string_view known[] = {"=", "==", "!=", "<", ">", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
        bool compares = false;
        for (const std::string_view candidate : known) compares = compares || candidate == op;
        if (!compares) return !left.empty();
        ++at_;
        const std::string right = operand();
        if (op == "=" || op == "==") return matchesShellPattern(left, right);
        if (op == "!=") return !matchesShellPattern(left, right);
        if (op == "<") return left < right;
        if (op == ">") return left > right;
        if (op == "=~") return left.find(right) != std::string::npos; // good for the plain words that scripts look for
        return numbers(left, op, right);
    }

    std::string operand() {
        if (at_ >= tokens_.size()) return {};
        const ShellToken& token = tokens_[at_++];
        return token.kind == ShellToken::Kind::op ? token.op : expander_.tested(token.word);
    }

    static bool numbers(const std::string& left, const std::string& op, const std::string& right) {
        const ShellVariables none;
        const auto a = shellArithmetic(left, none);
        const auto b = shellArithmetic(right, none);
        if (!a || !b) return false;
        if (op == "-eq") return *a == *b;
        if (op == "-ne") return *a != *b;
        if (op == "-lt") return *a < *b;
        if (op == "-le") return *a <= *b;
        return op == "-gt" ? *a > *b : *a >= *b;
    }

    const std::vector<ShellToken>& tokens_;
    ShellExpander& expander_;
    std::size_t at_ = 0;
};

} // namespace

bool shellTest(const std::vector<ShellToken>& tokens, ShellExpander& expander) { return Test(tokens, expander).value(); }

} // namespace orrery
