// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/shell_script.hpp"

#include "core/exchange/launch_script/launch.hpp"
#include "core/exchange/launch_script/shell_condition.hpp"
#include "core/exchange/launch_script/shell_expansion.hpp"
#include "core/exchange/launch_script/shell_lexer.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <memory>
#include <set>
#include <utility>

namespace orrery {
namespace {

constexpr int deepestCall = 30;   ///< functions, sourced files, bash -c inside each other
constexpr int deepestBlock = 100; ///< if, for, case inside each other
constexpr int mostStatements = 20'000;
constexpr std::size_t mostSourced = 4'000'000; ///< bytes of all files that a script reads, each as often as it is read

using Kind = ShellToken::Kind;
using Tokens = std::vector<ShellToken>;

bool isName(const std::string& text) {
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front()))) return false;
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// "NAME=" or "NAME+=" at the beginning of a word: where the value begins, else 0.
std::size_t valueOfAssignment(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) return 0;
    const std::size_t name = word[equals - 1] == '+' ? equals - 1 : equals;
    return isName(word.substr(0, name)) ? equals + 1 : 0;
}

/// Commands whose arguments are assignments.
bool isDeclaration(const std::string& command) {
    static const std::set<std::string> known{"export", "declare", "local", "readonly", "typeset", "env"};
    return known.count(command) > 0;
}

/// What all parts of one reading share.
struct Reading {
    ShellScript script;
    ShellExpander expander{script.variables};
    std::map<std::string, std::shared_ptr<const Tokens>> functions;
    std::string fileName;
    FileReader readFile;
    int statements = 0;
    int calls = 0;
    std::size_t sourced = 0;            ///< bytes
    std::vector<std::string> beingRead; ///< files inside each other

    void note(int line, std::string code, std::string message, std::string mend) {
        Problem problem;
        problem.severity = Severity::note;
        problem.code = std::move(code);
        problem.file = fileName;
        problem.line = line;
        problem.message = std::move(message);
        problem.mend = std::move(mend);
        script.problems.push_back(std::move(problem));
    }
};

void runText(const LinedText& text, Reading& reading, const std::vector<LinedText>& outer);

/// Runs through a list of tokens: a script, the body of a function, the text after bash -c.
class Runner {
public:
    Runner(std::shared_ptr<const Tokens> tokens, Reading& reading, const std::vector<LinedText>& outer)
        : tokens_(std::move(tokens)), reading_(reading), outer_(outer) {}

    void run() {
        while (at_ < tokens_->size()) {
            const std::size_t before = at_;
            list(true, {}, 0);
            if (at_ == before) ++at_; // a stray "fi" or ")"
        }
    }

private:
    using Words = std::initializer_list<const char*>;

    const ShellToken* token() const { return at_ < tokens_->size() ? &(*tokens_)[at_] : nullptr; }
    bool atWord(const char* text) const { return token() && token()->kind == Kind::word && token()->word.text() == text; }
    bool atOp(const char* text) const { return token() && token()->kind == Kind::op && token()->op == text; }
    bool atSeparator() const { return token() && (token()->kind == Kind::newline || atOp(";") || atOp("&")); }
    bool atAny(Words words) const {
        return std::any_of(words.begin(), words.end(), [this](const char* word) { return atWord(word) || atOp(word); });
    }
    void skipSeparators() {
        while (atSeparator()) ++at_;
    }

    /// Statements up to one of `ends`, or to the end of an enclosing block; gives whether the last one succeeded.
    bool list(bool execute, Words ends, int depth) {
        bool succeeded = true;
        while (token()) {
            skipSeparators();
            if (!token() || atAny(ends) || atAny({")", ";;", "fi", "done", "esac", "}"})) break;
            if (++reading_.statements > mostStatements || depth > deepestBlock) {
                at_ = tokens_->size();
                break;
            }
            succeeded = chain(execute, depth);
        }
        return succeeded;
    }

    /// Statements joined by && and ||.
    bool chain(bool execute, int depth) {
        bool succeeded = pipeline(execute, depth);
        while (atOp("&&") || atOp("||")) {
            const bool wanted = atOp("&&") == succeeded;
            ++at_;
            skipSeparators();
            const bool result = pipeline(execute && wanted, depth);
            if (wanted) succeeded = result;
        }
        return succeeded;
    }

    bool pipeline(bool execute, int depth) {
        const bool negated = atWord("!");
        if (negated) ++at_;
        bool succeeded = statement(execute, depth);
        while (atOp("|") || atOp("|&")) {
            ++at_;
            skipSeparators();
            statement(execute, depth); // `… | tee log` does not undo what came before
        }
        return succeeded != negated;
    }

    bool statement(bool execute, int depth) {
        const std::size_t before = at_;
        bool succeeded = true;
        if (atWord("if")) conditional(execute, depth);
        else if (atWord("for") || atWord("select")) repeated(execute, depth);
        else if (atWord("while") || atWord("until")) guarded(execute, depth);
        else if (atWord("case")) choice(execute, depth);
        else if (atWord("function") || definesFunction()) define(execute, depth);
        else if (atWord("{") || atOp("(")) group(execute, depth);
        else if (atWord("[[") || atWord("[") || atWord("test")) succeeded = test(execute);
        else succeeded = simple(execute);
        if (at_ == before && token()) ++at_;
        return succeeded;
    }

    bool definesFunction() const {
        const auto op = [this](std::size_t i, const char* text) {
            return i < tokens_->size() && (*tokens_)[i].kind == Kind::op && (*tokens_)[i].op == text;
        };
        return token() && token()->kind == Kind::word && op(at_ + 1, "(") && op(at_ + 2, ")");
    }

    void conditional(bool execute, int depth) {
        bool taken = false;
        do {
            ++at_; // if, elif
            const bool holds = list(execute && !taken, {"then"}, depth + 1);
            if (atWord("then")) ++at_;
            list(execute && !taken && holds, {"elif", "else", "fi"}, depth + 1);
            taken = taken || holds;
        } while (atWord("elif"));
        if (atWord("else")) {
            ++at_;
            list(execute && !taken, {"fi"}, depth + 1);
        }
        if (atWord("fi")) ++at_;
    }

    void repeated(bool execute, int depth) {
        const int line = token()->line;
        ++at_;
        std::string name;
        std::vector<LinedText> values;
        if (token() && token()->kind == Kind::word) name = token()->word.text();
        while (token() && !atWord("do")) {
            if (execute && atWord("in")) {
                while (++at_, token() && token()->kind == Kind::word && !atWord("do"))
                    for (LinedText& field : reading_.expander.fields(token()->word)) values.push_back(std::move(field));
                continue;
            }
            ++at_;
        }
        if (execute && isName(name) && !values.empty()) {
            if (values.size() > 1)
                reading_.note(line, "loop-read-once", "The loop over " + name + " was read once, with " + values.front().text() + ".",
                              "Give " + name + " the value you mean.");
            reading_.script.variables.set(name, values.front());
        }
        body(execute, depth);
    }

    void guarded(bool execute, int depth) {
        ++at_;
        list(execute, {"do"}, depth + 1);
        body(execute, depth);
    }

    void body(bool execute, int depth) {
        if (atWord("do")) ++at_;
        list(execute, {"done"}, depth + 1);
        if (atWord("done")) ++at_;
    }

    void choice(bool execute, int depth) {
        ++at_;
        std::string subject;
        if (token() && token()->kind == Kind::word) {
            if (execute) subject = reading_.expander.tested(token()->word);
            ++at_;
        }
        skipSeparators();
        if (atWord("in")) ++at_;
        bool taken = false;
        while (token()) {
            while (atSeparator() || atOp(";;")) ++at_;
            if (!token() || atWord("esac")) break;
            bool matches = false;
            while (token() && !atOp(")") && token()->kind != Kind::newline) {
                if (token()->kind == Kind::word && execute && !taken)
                    matches = matches || matchesShellPattern(subject, reading_.expander.tested(token()->word));
                ++at_;
            }
            if (atOp(")")) ++at_;
            list(execute && matches && !taken, {";;", "esac"}, depth + 1);
            taken = taken || matches;
            if (token() && !atOp(";;") && !atWord("esac")) ++at_; // a stray end of another block
        }
        if (atWord("esac")) ++at_;
    }

    void define(bool execute, int depth) {
        if (atWord("function")) ++at_;
        if (!token()) return;
        const std::string name = token()->word.text();
        ++at_;
        while (atOp("(") || atOp(")") || (token() && token()->kind == Kind::newline)) ++at_;
        const std::size_t begin = at_;
        if (!token() || depth > deepestBlock) return;
        statement(false, depth + 1);
        if (execute)
            reading_.functions[name] = std::make_shared<const Tokens>(tokens_->begin() + static_cast<std::ptrdiff_t>(begin),
                                                                      tokens_->begin() + static_cast<std::ptrdiff_t>(at_));
    }

    void group(bool execute, int depth) {
        ++at_;
        list(execute, {"}"}, depth + 1);
        if (atWord("}") || atOp(")")) ++at_;
    }

    bool test(bool execute) {
        const std::string opening = token()->word.text();
        const int line = token()->line;
        const char* closing = opening == "[[" ? "]]" : opening == "[" ? "]"
                                                                      : nullptr;
        ++at_;
        Tokens inside;
        while (token() && token()->kind != Kind::newline) {
            if (closing && atWord(closing)) break;
            const bool inDouble = opening == "[[";
            if (!inDouble && token()->kind == Kind::op) break;
            if (atOp(";")) break;
            inside.push_back(*token());
            ++at_;
        }
        if (closing && atWord(closing)) ++at_;
        if (!execute) return false;
        reading_.expander.forget();
        const bool holds = shellTest(inside, reading_.expander);
        if (reading_.expander.unknown())
            reading_.note(line, "condition-unknown", "This condition depends on a command that was not run; its output was taken as empty.",
                          "Write the value into the script if the run depends on it.");
        return holds;
    }

    struct Redirection {
        std::string target;
        LinedText hereDocument;
        bool hasHereDocument = false;
        bool writes = false;
    };

    bool simple(bool execute) {
        std::vector<const ShellToken*> parts;
        Redirection redirection;
        while (token() && token()->kind != Kind::newline) {
            if (token()->kind == Kind::op) {
                if (std::string("<>&").find(token()->op[0]) == std::string::npos || atOp("&") || atOp("&&")) break;
                redirect(redirection, execute);
                continue;
            }
            parts.push_back(token());
            ++at_;
        }
        if (execute) runSimple(parts, redirection);
        return true;
    }

    void redirect(Redirection& redirection, bool execute) {
        const ShellToken& op = *token();
        ++at_;
        if (op.op == "<<" || op.op == "<<-") {
            redirection.hasHereDocument = true;
            if (execute) redirection.hereDocument = op.hereDocumentQuoted ? op.hereDocument : reading_.expander.hereDocument(op.hereDocument);
            return;
        }
        if (!token() || token()->kind != Kind::word) return;
        if (execute && (op.op == ">" || op.op == ">>")) {
            redirection.writes = true;
            redirection.target = reading_.expander.text(token()->word).text();
        }
        ++at_;
    }

    /// One NAME=value or NAME+=value.
    void assign(const LinedText& word, std::size_t valueAt) {
        const bool append = word[valueAt - 2] == '+';
        const std::string name = word.text().substr(0, valueAt - (append ? 2 : 1));
        LinedText value = reading_.expander.text(word.part(valueAt, word.size()));
        if (append) reading_.script.variables.append(name, value);
        else reading_.script.variables.set(name, std::move(value));
    }

    void assignArray(const ShellToken& token) {
        ShellVariables::Elements elements;
        for (const LinedText& element : token.elements)
            for (LinedText& field : reading_.expander.fields(element)) elements.push_back(std::move(field));
        if (token.append) reading_.script.variables.appendArray(token.word.text(), std::move(elements));
        else reading_.script.variables.setArray(token.word.text(), std::move(elements));
    }

    void runSimple(const std::vector<const ShellToken*>& parts, const Redirection& redirection) {
        std::vector<const ShellToken*> assignments;
        ShellCommand command;
        bool declares = false;
        for (const ShellToken* part : parts) {
            if (part->kind == Kind::array) {
                assignArray(*part);
                continue;
            }
            const std::string& text = part->word.text();
            const std::size_t valueAt = valueOfAssignment(text);
            if (valueAt > 0 && (command.words.empty() || declares)) {
                assignments.push_back(part);
                continue;
            }
            for (LinedText& field : reading_.expander.fields(part->word)) command.words.push_back(std::move(field));
            declares = !command.words.empty() && isDeclaration(command.words.front().text());
        }
        const bool persists = command.words.empty() || (declares && command.words.front().text() != "env");
        for (const ShellToken* part : assignments) {
            const std::size_t valueAt = valueOfAssignment(part->word.text());
            if (persists) {
                assign(part->word, valueAt);
            } else {
                command.environment[part->word.text().substr(0, part->word.text().find('='))] =
                    reading_.expander.text(part->word.part(valueAt, part->word.size()));
            }
        }
        if (!command.words.empty() && !(declares && persists)) runCommand(std::move(command), redirection);
    }

    void runCommand(ShellCommand command, const Redirection& redirection) {
        const std::string program = baseName(command.words.front().text());
        if (redirection.writes && !redirection.target.empty()) {
            if (redirection.hasHereDocument) reading_.script.files[redirection.target] = redirection.hereDocument;
            else if (program == "echo") reading_.script.files[redirection.target] = joined(command.words, 1);
        }
        if (program == "echo" || program == "printf") return;
        const bool runsText = program == "sbatch" || program == "bash" || program == "sh";
        if (redirection.hasHereDocument && runsText && !redirection.writes) {
            setSlurmVariables(redirection.hereDocument, reading_.script.variables); // sbatch <<EOF
            nested(redirection.hereDocument, outer_);
            return;
        }
        const auto function = reading_.functions.find(command.words.front().text());
        if (function != reading_.functions.end()) {
            call(function->second, command);
        } else if (program == "source" || program == ".") {
            source(command);
        } else if (program == "eval") {
            nested(joined(command.words, 1), outer_);
        } else if (!runShell(command)) {
            command.outer = outer_;
            reading_.script.commands.push_back(std::move(command));
        }
    }

    /// `srun … bash -c "…"`: the text is a script of its own.
    bool runShell(const ShellCommand& command) {
        for (std::size_t i = 0; i + 2 < command.words.size(); ++i) {
            const std::string shell = baseName(command.words[i].text());
            if (shell != "bash" && shell != "sh" && shell != "zsh") continue;
            const auto isOption = [&](std::size_t at) { return at < command.words.size() && command.words[at].size() > 1 && command.words[at][0] == '-' && command.words[at][1] != '-'; };
            std::size_t last = i + 1; // bash -x -c TEXT
            while (isOption(last) && command.words[last].text().back() != 'c') ++last;
            if (!isOption(last) || last + 1 >= command.words.size()) continue;
            std::vector<LinedText> around = outer_;
            around.insert(around.end(), command.words.begin(), command.words.begin() + static_cast<std::ptrdiff_t>(i));
            nested(command.words[last + 1], around);
            return true;
        }
        return false;
    }

    void call(const std::shared_ptr<const Tokens>& body, const ShellCommand& command) {
        if (reading_.calls >= deepestCall) return;
        ++reading_.calls;
        for (std::size_t i = 1; i < command.words.size(); ++i) reading_.script.variables.set(std::to_string(i), command.words[i]);
        Runner(body, reading_, outer_).run();
        --reading_.calls;
    }

    void nested(const LinedText& text, const std::vector<LinedText>& outer) {
        if (reading_.calls >= deepestCall) return;
        ++reading_.calls;
        runText(text, reading_, outer);
        --reading_.calls;
    }

    void source(const ShellCommand& command) {
        if (command.words.size() < 2) return;
        const std::string& path = command.words[1].text();
        const auto notRead = [&](const std::string& why) {
            reading_.note(command.words[1].line(), "file-not-read", "The script reads " + path + ", which was not read: " + why + ".",
                          "If options come from there, put it beside the script.");
        };
        if (reading_.sourced > mostSourced) return; // noted once, at the end
        if (std::find(reading_.beingRead.begin(), reading_.beingRead.end(), path) != reading_.beingRead.end()) return notRead("it reads itself");
        std::string error = "files cannot be read here";
        const auto text = reading_.readFile && reading_.calls < deepestCall ? reading_.readFile(path, error) : std::nullopt;
        if (!text) return notRead(error);
        reading_.sourced += text->size();
        if (reading_.sourced > mostSourced) return notRead("no launch script is that long");
        // Its lines are its own; what it defines is placed where it was read.
        LinedText lined(*text, command.words[1].line());
        reading_.beingRead.push_back(path);
        nested(lined, outer_);
        reading_.beingRead.pop_back();
    }

    static LinedText joined(const std::vector<LinedText>& words, std::size_t from) {
        LinedText text;
        for (std::size_t i = from; i < words.size(); ++i) {
            if (i > from) text.append(' ', words[i].line());
            text.append(words[i]);
        }
        return text;
    }

    std::shared_ptr<const Tokens> tokens_;
    Reading& reading_;
    const std::vector<LinedText>& outer_;
    std::size_t at_ = 0;
};

void runText(const LinedText& text, Reading& reading, const std::vector<LinedText>& outer) {
    Runner(std::make_shared<const Tokens>(shellTokens(text)), reading, outer).run();
}

} // namespace

std::string baseName(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

ShellScript readShellScript(const LinedText& text, const std::string& fileName, const std::map<std::string, std::string>& given,
                            const FileReader& readFile) {
    Reading reading;
    reading.fileName = fileName;
    reading.readFile = readFile;
    setSlurmVariables(text, reading.script.variables);
    for (const auto& [name, value] : given) reading.script.variables.set(name, LinedText(value, 0));
    runText(text, reading, {});
    if (reading.statements > mostStatements || reading.expander.exhausted()) {
        reading.note(1, "script-cut-off", "The script is longer than what is read of one; its end was left out.",
                     "Paste the command that starts the training alone.");
    }
    return std::move(reading.script);
}

} // namespace orrery
