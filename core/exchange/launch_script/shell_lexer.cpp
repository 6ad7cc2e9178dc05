// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/shell_lexer.hpp"

#include <cctype>
#include <cstddef>
#include <string_view>

namespace orrery {
namespace {

constexpr int deepestQuoting = 100; ///< of quotes and brackets inside each other; deeper ones are plain text

bool blank(char c) { return c == ' ' || c == '\t'; }
bool metacharacter(char c) { return blank(c) || c == '\n' || std::string_view(";&|<>()").find(c) != std::string_view::npos; }

std::size_t pieceEnd(const LinedText& text, std::size_t from, int depth);

/// After the `close` that matches an `open` before `from`; quotes inside are skipped whole.
std::size_t bracketEnd(const LinedText& text, std::size_t from, char open, char close, int depth) {
    int nesting = 1;
    for (std::size_t i = from; i < text.size();) {
        const char c = text[i];
        if (c == '\\') {
            i += 2;
            continue;
        }
        if (c == open) ++nesting;
        if (c == close && --nesting == 0) return i + 1;
        i = c == '\'' || c == '"' || c == '`' || c == '$' ? pieceEnd(text, i, depth + 1) : i + 1;
    }
    return text.size();
}

std::size_t pieceEnd(const LinedText& text, std::size_t from, int depth) {
    if (depth > deepestQuoting) return from + 1;
    const char c = text.at(from);
    if (c == '\'') {
        const std::size_t end = text.text().find('\'', from + 1);
        return end == std::string::npos ? text.size() : end + 1;
    }
    if (c == '"' || c == '`') {
        for (std::size_t i = from + 1; i < text.size();) {
            if (text[i] == '\\') i += 2;
            else if (text[i] == c) return i + 1;
            else i = c == '"' && (text[i] == '$' || text[i] == '`') ? pieceEnd(text, i, depth + 1) : i + 1;
        }
        return text.size();
    }
    if (c == '$' && text.at(from + 1) == '(') return bracketEnd(text, from + 2, '(', ')', depth);
    if (c == '$' && text.at(from + 1) == '{') return bracketEnd(text, from + 2, '{', '}', depth);
    return from + 1;
}

class Lexer {
public:
    explicit Lexer(const LinedText& script) : text_(script) {}

    std::vector<ShellToken> tokens() {
        while (at_ < text_.size()) next();
        return std::move(tokens_);
    }

private:
    void next() {
        if (skipBlank()) return;
        const char c = text_[at_];
        if (c == '#') {
            while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        } else if (c == '\n') {
            push(ShellToken::Kind::newline);
            ++at_;
            readHereDocuments();
        } else if (metacharacter(c) && placeholderEnd() == 0) {
            readOperator();
        } else {
            readWord();
        }
    }

    /// Blanks and continued lines.
    bool skipBlank() {
        if (blank(text_[at_])) {
            ++at_;
            return true;
        }
        const std::size_t end = continuation();
        if (end > at_) at_ = end;
        return end != 0;
    }

    /// The position after a continued line's end, or 0: a backslash, perhaps blanks, a line end or the end of the text.
    std::size_t continuation() const {
        if (text_[at_] != '\\') return 0;
        std::size_t i = at_ + 1;
        while (blank(text_.at(i))) ++i;
        if (i < text_.size() && text_[i] != '\n') return 0;
        return i < text_.size() ? i + 1 : i;
    }

    /// The position after `<host_ip>`, as documents write what the reader has to fill in; 0 when a redirection stands there.
    std::size_t placeholderEnd() const {
        if (text_.at(at_) != '<' || !std::isalpha(static_cast<unsigned char>(text_.at(at_ + 1)))) return 0;
        std::size_t i = at_ + 1;
        while (std::isalnum(static_cast<unsigned char>(text_.at(i))) || std::string_view("_-./:").find(text_.at(i)) != std::string_view::npos) {
            if (text_.at(i) == '\0') return 0;
            ++i;
        }
        return text_.at(i) == '>' && text_.at(i + 1) != '>' && text_.at(i + 1) != '&' ? i + 1 : 0;
    }

    ShellToken& push(ShellToken::Kind kind) {
        ShellToken token;
        token.kind = kind;
        token.line = text_.lineAt(at_);
        tokens_.push_back(std::move(token));
        return tokens_.back();
    }

    void readOperator() {
        static constexpr std::string_view known[] = {"<<<", "<<-", "&>>", "&&", "||", ";;", "<<", ">>", ">&", "<&", "&>", "|&"};
        std::string op(1, text_[at_]);
        for (const std::string_view candidate : known) {
            if (std::string_view(text_.text()).substr(at_, candidate.size()) != candidate) continue;
            op = candidate;
            break;
        }
        push(ShellToken::Kind::op).op = op;
        at_ += op.size();
        if (op == "<<" || op == "<<-") readDelimiter();
    }

    LinedText rawWord() {
        LinedText word;
        while (at_ < text_.size() && (!metacharacter(text_[at_]) || placeholderEnd() != 0)) {
            if (const std::size_t beyond = placeholderEnd(); beyond != 0) {
                word.append(text_.part(at_, beyond));
                at_ = beyond;
                continue;
            }
            if (text_[at_] == '\\') {
                const std::size_t end = continuation();
                if (end != 0) {
                    at_ = end;
                    continue; // the word goes on in the next line
                }
                word.append(text_.part(at_, at_ + 2));
                at_ += 2;
                continue;
            }
            const std::size_t end = endOfShellPiece(text_, at_);
            word.append(text_.part(at_, end));
            at_ = end;
        }
        return word;
    }

    void readWord() {
        const std::size_t begin = at_;
        LinedText word = rawWord();
        const bool descriptor = word.text().find_first_not_of("0123456789") == std::string::npos;
        if (descriptor && (text_.at(at_) == '<' || text_.at(at_) == '>')) return; // the 2 of "2>"
        const std::string& name = word.text();
        if (text_.at(at_) == '(' && name.size() > 1 && name.back() == '=' && isAssignmentName(name)) {
            ++at_;
            std::vector<LinedText> elements = arrayElements();
            ShellToken& token = push(ShellToken::Kind::array);
            token.line = text_.lineAt(begin);
            token.append = name[name.size() - 2] == '+';
            token.word = word.part(0, name.size() - (token.append ? 2 : 1));
            token.elements = std::move(elements);
            return;
        }
        ShellToken& token = push(ShellToken::Kind::word);
        token.line = text_.lineAt(begin);
        token.word = std::move(word);
    }

    static bool isAssignmentName(const std::string& word) {
        for (std::size_t i = 0; i + 1 < word.size(); ++i) {
            const auto c = static_cast<unsigned char>(word[i]);
            if (!std::isalnum(c) && c != '_' && !(c == '+' && i + 2 == word.size())) return false;
        }
        return !std::isdigit(static_cast<unsigned char>(word.front()));
    }

    std::vector<LinedText> arrayElements() {
        std::vector<LinedText> elements;
        while (at_ < text_.size() && text_[at_] != ')') {
            if (text_[at_] == '\n') {
                ++at_;
            } else if (text_[at_] == '#') {
                while (at_ < text_.size() && text_[at_] != '\n') ++at_;
            } else if (!skipBlank()) {
                const bool odd = metacharacter(text_[at_]); // not what a shell's array holds; kept as a word
                elements.push_back(odd ? text_.part(at_, at_ + 1) : rawWord());
                if (odd) ++at_;
            }
        }
        if (at_ < text_.size()) ++at_;
        return elements;
    }

    void readDelimiter() {
        const std::size_t owner = tokens_.size() - 1;
        while (blank(text_.at(at_))) ++at_;
        const LinedText raw = rawWord();
        std::string delimiter;
        for (char c : raw.text())
            if (c != '"' && c != '\'' && c != '\\') delimiter += c;
        tokens_[owner].hereDocumentQuoted = delimiter.size() != raw.size();
        waiting_.push_back({owner, delimiter});
    }

    void readHereDocuments() {
        for (const Waiting& document : waiting_) {
            LinedText& body = tokens_[document.owner].hereDocument;
            const bool tabs = tokens_[document.owner].op == "<<-";
            while (at_ < text_.size()) {
                const std::size_t found = text_.text().find('\n', at_);
                const std::size_t end = found == std::string::npos ? text_.size() : found + 1;
                const std::size_t last = found == std::string::npos ? end : end - 1;
                std::size_t begin = at_;
                while (tabs && begin < last && text_[begin] == '\t') ++begin;
                at_ = end;
                if (text_.text().compare(begin, last - begin, document.delimiter) == 0) break;
                body.append(text_.part(begin, end));
            }
        }
        waiting_.clear();
    }

    struct Waiting {
        std::size_t owner; ///< its token
        std::string delimiter;
    };

    const LinedText& text_;
    std::size_t at_ = 0;
    std::vector<ShellToken> tokens_;
    std::vector<Waiting> waiting_;
};

} // namespace

std::size_t endOfShellPiece(const LinedText& text, std::size_t from) { return pieceEnd(text, from, 0); }

std::vector<ShellToken> shellTokens(const LinedText& script) { return Lexer(script).tokens(); }

} // namespace orrery
