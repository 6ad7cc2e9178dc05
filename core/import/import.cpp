// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/import.hpp"

#include "core/base/json.hpp"
#include "core/import/import_parts.hpp"
#include "core/import/megatron_parts.hpp"
#include "core/import/toml_options.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace orrery {

namespace {

constexpr std::size_t mostCharacters = 4'000'000; ///< no launch script is longer

/// The first character that is neither blank nor in a comment.
char firstCharacter(const std::string& text) {
    bool comment = false;
    for (char c : text) {
        if (c == '\n') comment = false;
        else if (c == '#') comment = true;
        if (!comment && !std::isspace(static_cast<unsigned char>(c))) return c;
    }
    return '\0';
}

/// A configuration begins with `[section]`; a script's `[ … ]` and `[[ … ]]` have a blank or another bracket there.
bool looksLikeToml(const std::string& text, const std::string& fileName) {
    if (fileName.ends_with(".toml")) return true;
    if (firstCharacter(text) != '[') return false;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        const std::size_t at = line.find_first_not_of(" \t\r");
        if (at != std::string::npos && line[at] == '[') return at + 1 < line.size() && std::isalpha(static_cast<unsigned char>(line[at + 1]));
        begin = end + 1;
    }
    return false;
}

bool looksLikeVllm(const Launch& launch) {
    return baseName(launch.program) == "vllm" || launch.program.find("vllm.entrypoints") != std::string::npos;
}

enum class Kind { none,
                  megatron,
                  torchtitan,
                  trainer,
                  vllm };

Kind kindOf(const Launch& launch) {
    if (looksLikeVllm(launch)) return Kind::vllm;
    if (looksLikeTorchtitan(launch)) return Kind::torchtitan;
    if (looksLikeMegatron(launch)) return Kind::megatron;
    return looksLikeTrainer(launch) ? Kind::trainer : Kind::none;
}

void nothingRecognised(ScenarioDraft& draft) {
    draft.fail(1, "nothing-recognised", "No training command was found in this text.",
               "Give the command line or script that starts Megatron-LM (--num-layers …), torchtitan or DeepSpeed, a torchtitan .toml or a DeepSpeed .json.");
}

/// The sizes of a DeepSpeed configuration that stands alone, with the model that the import names.
void importDeepSpeedAlone(ScenarioDraft& draft, ImportInput& input, const std::string& text) {
    if (!mergeDeepSpeedText(draft, text, draft.fileName(), input.launch.options)) {
        nothingRecognised(draft);
        return;
    }
    if (input.launch.options.all().empty()) {
        nothingRecognised(draft);
        return;
    }
    importTrainer(draft, input);
}

/// The one command of a script that trains; others of its kind are named.
void importScript(ScenarioDraft& draft, const ShellScript& script, const ImportOptions& options, std::string& source) {
    std::vector<std::pair<Kind, Launch>> found;
    for (const ShellCommand& command : script.commands) {
        Launch launch = splitCommand(command);
        const Kind kind = kindOf(launch);
        if (kind != Kind::none) found.emplace_back(kind, std::move(launch));
        else if (!command.words.empty() && command.words.front().text().rfind("--", 0) == 0)
            draft.warn(command.words.front().line(), "option-not-understood", "The line that begins with " + command.words.front().text() + " belongs to no command and has no effect.",
                       "End the line before it with a backslash.");
    }
    if (found.empty()) {
        nothingRecognised(draft);
        return;
    }
    // Options of the most telling command: the one with most of them.
    const auto best = std::max_element(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second.options.all().size() < b.second.options.all().size(); });
    for (auto other = found.begin(); other != found.end(); ++other)
        if (other != best) draft.note(other->second.line, "command-not-read", "The text has another command here, which was not read; the one of line " + std::to_string(best->second.line) + " was.");
    ImportInput input{std::move(best->second), script, options};
    switch (best->first) {
    case Kind::megatron:
        source = input.launch.options.has("deepspeed") ? "Megatron-DeepSpeed" : "Megatron-LM";
        importMegatron(draft, input);
        break;
    case Kind::torchtitan:
        source = "torchtitan";
        importTorchtitan(draft, input, {}, {});
        break;
    case Kind::trainer:
        source = "DeepSpeed";
        importTrainer(draft, input);
        break;
    case Kind::vllm:
        source = "vLLM";
        draft.fail(input.launch.line, "not-supported-yet", "Serving with vLLM is not supported yet; it comes with inference and serving.", "Import a training command.");
        break;
    case Kind::none: break;
    }
}

/// Bytes that are no text would not survive as JSON; names end up in the document.
std::string printable(const std::string& text) {
    std::string result;
    for (char c : text)
        if (static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t') result += c;
    return result;
}

/// The document with its keys in the usual order, and what was said about it in its notes.
Json finished(const ScenarioDraft& draft, const std::string& source) {
    Json document{{"format", "orrery-scenario/1"}};
    std::string name = baseName(draft.fileName());
    document["name"] = source + (name.empty() ? "" : ": " + name);
    std::string notes = "Imported from a " + source + " command line or configuration.";
    for (const Problem& problem : draft.problems)
        if (problem.code != "option-ignored") notes += "\n" + toText(problem);
    document["notes"] = printable(notes);
    for (const char* key : {"model", "cluster", "workload", "parallelism", "execution", "economics"})
        if (draft.document.contains(key)) document[key] = draft.document[key];
    return document;
}

} // namespace

Import importCommandLine(const std::string& text, const ImportOptions& options) {
    ScenarioDraft draft(options.fileName.empty() ? "command line" : options.fileName);
    Import result;
    const ShellScript empty;
    if (text.size() > mostCharacters) {
        draft.fail(1, "too-long", "The text is longer than any launch script.", "Paste the command that starts the training.");
    } else if (options.fileName.ends_with(".json") || firstCharacter(text) == '{') {
        result.source = "DeepSpeed";
        ImportInput input{{}, empty, options};
        importDeepSpeedAlone(draft, input, text);
    } else if (looksLikeToml(text, options.fileName)) {
        result.source = "torchtitan";
        if (auto configuration = readTomlOptions(text, draft.fileName(), draft.problems)) {
            ImportInput input{{}, empty, options};
            importTorchtitan(draft, input, std::move(*configuration), text);
        }
    } else {
        const ShellScript script = readShellScript(LinedText::ofFile(text), draft.fileName(), options.variables, options.readFile);
        draft.problems = script.problems;
        importScript(draft, script, options, result.source);
    }
    if (!hasErrors(draft.problems)) result.scenario = finished(draft, result.source);
    result.problems = std::move(draft.problems);
    return result;
}

} // namespace orrery
