// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/import.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/exchange/import/bridge_launch.hpp"
#include "core/exchange/import/hidden_commands.hpp"
#include "core/exchange/import/import_parts.hpp"
#include "core/exchange/import/megatron_parts.hpp"
#include "core/exchange/import/scenario_draft.hpp"
#include "core/exchange/import/served_parts.hpp"
#include "core/exchange/import/served_pools.hpp"
#include "core/exchange/import/trainer_import.hpp"
#include "core/exchange/launch_script/python_calls.hpp"
#include "core/exchange/launch_script/toml_options.hpp"
#include "core/exchange/launch_script/yaml_commands.hpp"
#include "core/exchange/launch_script/yaml_engines.hpp"
#include "core/exchange/launch_script/yaml_options.hpp"

#include <algorithm>
#include <cctype>
#include <map>
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

/// A mapping begins with `key:` and a blank or the line's end behind it; no command does.
bool looksLikeYaml(const std::string& text, const std::string& fileName) {
    if (fileName.ends_with(".yaml") || fileName.ends_with(".yml")) return true;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        begin = end + 1;
        if (line.empty() || line[0] == '#' || line == "---" || line == "\r") continue;
        std::size_t at = 0;
        while (at < line.size() && (std::isalnum(static_cast<unsigned char>(line[at])) || line[at] == '_' || line[at] == '-')) ++at;
        const bool isKey = at > 0 && line[0] != '-' && at < line.size() && line[at] == ':';
        return isKey && (at + 1 == line.size() || line[at + 1] == ' ' || line[at + 1] == '\r');
    }
    return false;
}

enum class Kind { none,
                  megatron,
                  bridge,
                  torchtitan,
                  trainer,
                  vllm,
                  sglang,
                  trtllm,
                  load };

Kind kindOf(const Launch& launch) {
    if (looksLikeLoad(launch)) return Kind::load;
    if (looksLikeVllm(launch)) return Kind::vllm;
    if (looksLikeSglang(launch)) return Kind::sglang;
    if (looksLikeTrtllm(launch)) return Kind::trtllm;
    if (looksLikeBridge(launch)) return Kind::bridge;
    if (looksLikeTorchtitan(launch)) return Kind::torchtitan;
    if (looksLikeMegatron(launch)) return Kind::megatron;
    return looksLikeTrainer(launch) ? Kind::trainer : Kind::none;
}

bool isServer(Kind kind) { return kind == Kind::vllm || kind == Kind::sglang || kind == Kind::trtllm; }

/// Says what program the text is of, where it is one that no reader here knows, and the nearest way to a scenario.
void nothingRecognised(ScenarioDraft& draft, const std::string& text = {}) {
    if (const OtherLauncher* other = otherLauncherOf(text))
        return draft.fail(1, "unknown-launcher", std::string("The text is of ") + other->name + ", which can't be imported.", other->nearest);
    draft.fail(1, "nothing-recognised", "No command that trains or serves was found in this text.",
               "Give the command line or script that starts Megatron-LM (--num-layers …), Megatron-Bridge, torchtitan, DeepSpeed, vLLM, SGLang or TensorRT-LLM, a torchtitan .toml, a DeepSpeed .json, a server's .yaml, or one of Axolotl, LLaMA-Factory, NeMo, nanotron or Primus.");
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

/// What a benchmark in the same script sends: its options stand behind the server's own.
void addLoad(ImportInput& input, const Launch& load) {
    for (const GivenOption& option : load.options.all())
        if (option.name != "model" && !input.launch.options.has(option.name)) input.launch.options.add(option);
}

void importServer(ScenarioDraft& draft, ImportInput& input, Kind kind, std::string& source) {
    source = kind == Kind::sglang ? "SGLang" : kind == Kind::trtllm ? "TensorRT-LLM"
                                                                    : "vLLM";
    if (kind == Kind::sglang) importSglang(draft, input);
    else if (kind == Kind::trtllm) importTrtllm(draft, input);
    else importVllm(draft, input);
}

/// What `trtllm-serve disaggregated` reads: servers of both pools in one file.
bool importTrtllmServers(ScenarioDraft& draft, const OptionList& options, const ImportInput& input, std::string& source) {
    const auto poolOf = [&](const std::string& prefix) -> std::optional<ServedPool> {
        ServedPool pool{ScenarioDraft(draft.fileName()), 1};
        ImportInput own{{}, input.script, input.options};
        bool any = false;
        for (GivenOption option : options.all()) {
            const bool shared = option.name == "model" || option.name == "backend" || option.name == "free-gpu-memory-fraction";
            const bool inside = option.name.rfind(prefix, 0) == 0;
            if (inside) option.name.erase(0, prefix.size()), any = true;
            if (option.name == "num-instances" && inside && !option.values.empty()) pool.copies = std::clamp<std::int64_t>(wholeNumber(option.values.front()).value_or(1), 1, 1'000'000);
            else if ((inside || shared) && option.name != "urls") own.launch.options.add(std::move(option));
        }
        if (!any) return std::nullopt;
        own.launch.program = "trtllm-serve";
        own.launch.line = 1;
        importServer(pool.draft, own, Kind::trtllm, source);
        return pool;
    };
    const auto prefill = poolOf("context-servers."), decode = poolOf("generation-servers.");
    if (!prefill || !decode) return false;
    joinPools(draft, *prefill, *decode);
    return true;
}

/// A server's configuration that stands alone, with the model it names or the import does.
void importYamlAlone(ScenarioDraft& draft, ImportInput& input, const std::string& text, std::string& source) {
    const auto options = readYamlOptions(text, draft.fileName(), draft.problems);
    if (!options) return;
    if (importTrtllmServers(draft, *options, input, source)) return;
    const std::string program = servedProgramOf(*options);
    if (program.empty()) {
        if (!importTrainerYaml(draft, input, *options, source)) nothingRecognised(draft, text);
        return;
    }
    input.launch.options = *options;
    input.launch.line = 1;
    importServer(draft, input, program == "SGLang" ? Kind::sglang : program == "TensorRT-LLM" ? Kind::trtllm
                                                                                              : Kind::vllm,
                 source);
}

/// Megatron-Bridge's `model.hidden_size=8192` as the argument of Megatron-LM that it stands for.
void takeBridgeKeys(Launch& launch) {
    for (const LinedText& word : launch.options.strays()) {
        const std::size_t equals = word.text().find('=');
        auto option = equals == std::string::npos ? std::nullopt : bridgeOption(word.text().substr(0, equals), word.text().substr(equals + 1));
        if (!option || option->name.empty()) continue;
        option->line = word.line();
        launch.options.add(std::move(*option));
    }
}

/// A command of a text that trains, serves or sends requests.
struct FoundLaunch {
    Kind kind = Kind::none;
    Launch launch;
    std::int64_t copies = 1;
    std::int64_t perHost = 0; ///< accelerators of a host, where the text says so
};

/// All commands of one pool as one: those whose instances are like the first one's run beside it.
ServedPool importPool(ScenarioDraft& draft, const std::vector<const FoundLaunch*>& members, const ShellScript& script, const ImportOptions& options, std::string& source) {
    const auto import = [&](const FoundLaunch& one) {
        ServedPool pool{ScenarioDraft(draft.fileName()), one.copies, one.perHost};
        ImportInput input{one.launch, script, options};
        takeRoleOptions(input.launch.options);
        importServer(pool.draft, input, one.kind, source);
        return pool;
    };
    ServedPool pool = import(*members.front());
    for (std::size_t i = 1; i < members.size(); ++i) {
        if (isFurtherNode(members[i]->launch)) continue;
        const ServedPool more = import(*members[i]);
        if (sameInstances(pool, more)) pool.copies += more.copies;
        else draft.warn(members[i]->launch.line, "command-not-read", "The text has another command of that pool here, whose instances differ; all were taken as those of line " + std::to_string(members.front()->launch.line) + ".", "Give the pool instances of one kind.");
    }
    return pool;
}

/// Prefill and decode of one server, each by commands of its own.
bool importPools(ScenarioDraft& draft, const std::vector<FoundLaunch>& found, const ShellScript& script, const ImportOptions& options, std::string& source) {
    const auto of = [&](ServedRole role, Kind kind) {
        std::vector<const FoundLaunch*> members;
        for (const FoundLaunch& one : found)
            if (isServer(one.kind) && (kind == Kind::none || one.kind == kind) && roleOf(one.launch) == role) members.push_back(&one);
        return members;
    };
    const auto prefill = of(ServedRole::prefill, Kind::none);
    if (prefill.empty()) return false;
    auto decode = of(ServedRole::decode, prefill.front()->kind);
    // Dynamo marks its prefill workers alone: the other workers of the same program decode.
    if (decode.empty()) decode = of(ServedRole::whole, prefill.front()->kind);
    if (decode.empty()) return false;
    const ServedPool first = importPool(draft, prefill, script, options, source);
    joinPools(draft, first, importPool(draft, decode, script, options, source));
    return true;
}

/// A server of which the text starts prefill or decode alone.
void warnOfHalf(ScenarioDraft& draft, Launch& launch) {
    const ServedRole role = roleOf(launch);
    if (role == ServedRole::whole) return;
    takeRoleOptions(launch.options);
    draft.warn(launch.line, "half-of-a-server", std::string("The text starts the ") + (role == ServedRole::prefill ? "prefill" : "decode") + " half of a server in two alone; it was taken as a whole server of these instances.",
               "Put the command of the other half into the same text.");
}

/// Engines that a Python program makes, each as the command of its server.
std::vector<Launch> pythonLaunches(const std::string& text) {
    static const std::vector<std::string> names{"LLM", "EngineArgs", "AsyncEngineArgs", "Engine", "Runtime", "LLMConfig"};
    const bool ofSglang = text.find("sglang") != std::string::npos, ofTrtllm = text.find("tensorrt_llm") != std::string::npos;
    std::vector<Launch> launches;
    for (PythonCall& call : readPythonCalls(text, names)) {
        const std::string last = call.callee.substr(call.callee.rfind('.') == std::string::npos ? 0 : call.callee.rfind('.') + 1);
        const bool engine = last == "Engine" || last == "Runtime";
        if (engine && !ofSglang) continue;
        Launch launch;
        launch.program = engine ? "sglang" : ofTrtllm ? "trtllm-serve"
                                                      : "vllm";
        launch.line = call.line;
        for (GivenOption& option : call.options.all()) {
            // Ray Serve's LLMConfig holds the engine's arguments in a dictionary.
            for (const char* prefix : {"engine-kwargs.", "model-loading-config."})
                if (option.name.rfind(prefix, 0) == 0) option.name.erase(0, std::char_traits<char>::length(prefix));
            if (option.name == "model-source") option.name = "model";
        }
        launch.options = std::move(call.options);
        if (const auto model = launch.options.takeStray(); model && !launch.options.has("model")) {
            GivenOption option;
            option.name = option.written = "model";
            option.line = call.line;
            option.values.push_back(*model);
            launch.options.add(std::move(option));
        }
        launches.push_back(std::move(launch));
    }
    return launches;
}

/// The one command of a text that trains or serves, or the two of a server in two pools; others of its kind are named.
void importLaunches(ScenarioDraft& draft, std::vector<FoundLaunch> found, const ShellScript& script, const ImportOptions& options, std::string& source) {
    if (importPools(draft, found, script, options, source)) return;
    // Options of the most telling command: the one with most of them. What only sends requests tells of a server when there is no other.
    const auto tells = [](const FoundLaunch& one) { return std::pair(one.kind != Kind::load, one.launch.options.all().size()); };
    const auto best = std::max_element(found.begin(), found.end(), [&](const auto& a, const auto& b) { return tells(a) < tells(b); });
    const auto load = std::find_if(found.begin(), found.end(), [](const FoundLaunch& one) { return one.kind == Kind::load; });
    const bool serves = isServer(best->kind);
    for (auto other = found.begin(); other != found.end(); ++other)
        if (other != best && !(serves && other == load) && !isFurtherNode(other->launch)) draft.note(other->launch.line, "command-not-read", "The text has another command here, which was not read; the one of line " + std::to_string(best->launch.line) + " was.");
    const std::int64_t copies = best->copies;
    ImportInput input{std::move(best->launch), script, options};
    if (serves) warnOfHalf(draft, input.launch);
    if (serves && load != found.end()) addLoad(input, load->launch);
    switch (best->kind) {
    case Kind::megatron:
        source = input.launch.options.has("deepspeed") ? "Megatron-DeepSpeed" : "Megatron-LM";
        importMegatron(draft, input);
        break;
    case Kind::bridge:
        source = "Megatron-Bridge";
        importBridge(draft, input);
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
    case Kind::sglang:
    case Kind::trtllm: importServer(draft, input, best->kind, source); break;
    case Kind::load: importServer(draft, input, input.launch.program == "sglang.bench_serving" ? Kind::sglang : Kind::vllm, source); break;
    case Kind::none: break;
    }
    if (serves) multiplyHosts(draft, copies);
}

bool importPython(ScenarioDraft& draft, const std::string& text, const ImportOptions& options, std::string& source) {
    std::vector<FoundLaunch> found;
    for (Launch& launch : pythonLaunches(text)) {
        const Kind kind = kindOf(launch);
        if (kind != Kind::none) found.push_back({kind, std::move(launch)});
    }
    if (found.empty()) return false;
    importLaunches(draft, std::move(found), {}, options, source);
    return true;
}

/// Marks a launch as one half of a server, where what stands around it says so and its own options don't.
void markRole(Launch& launch, const std::string& role) {
    if (role.empty() || roleOf(launch) != ServedRole::whole) return;
    GivenOption mark;
    mark.name = role == "prefill" ? "is-prefill-worker" : "is-decode-worker";
    mark.written = "--" + mark.name;
    mark.line = launch.line;
    launch.options.add(std::move(mark));
}

void importScript(ScenarioDraft& draft, const std::string& text, const ShellScript& script, const ImportOptions& options, std::string& source) {
    std::vector<FoundLaunch> found;
    const std::map<std::string, std::string> proxied = rolesByPort(script);
    const auto take = [&](const ShellCommand& command) {
        Launch launch = splitCommand(command);
        if (!looksLikeBridge(launch)) takeBridgeKeys(launch);
        const Kind kind = kindOf(launch);
        if (isServer(kind)) {
            markRole(launch, roleInFile(launch, script, options));
            for (const GivenOption& option : launch.options.all())
                if (const auto role = option.name == "port" ? proxied.find(option.value()) : proxied.end(); role != proxied.end()) {
                    const std::string word = role->second; // the mark may move the options
                    markRole(launch, word);
                    break;
                }
        }
        if (kind == Kind::none) return false;
        found.push_back({kind, std::move(launch)});
        return true;
    };
    for (const ShellCommand& command : script.commands)
        if (!take(command) && !command.words.empty() && command.words.front().text().rfind("--", 0) == 0)
            draft.warn(command.words.front().line(), "option-not-understood", "The line that begins with " + command.words.front().text() + " belongs to no command and has no effect.",
                       "End the line before it with a backslash.");
    if (found.empty()) {
        for (const ShellCommand& command : hiddenCommands(text, script, draft.fileName(), options)) take(command);
        if (!found.empty()) draft.note(found.front().launch.line, "command-in-text", "The command stands in text that the script hands to another shell; it was read as that shell would.");
    }
    if (found.empty()) return nothingRecognised(draft, text);
    importLaunches(draft, std::move(found), script, options, source);
}

/// A manifest's containers and the engines that its keys describe, where any of them trains or serves.
bool importManifest(ScenarioDraft& draft, const std::string& text, const ImportOptions& options, std::string& source) {
    ShellScript script;
    script.files = readYamlFiles(text);
    std::vector<FoundLaunch> found;
    for (const YamlCommand& container : readYamlCommands(text, draft.fileName())) {
        Launch launch = splitCommand(container.command);
        const Kind kind = kindOf(launch);
        if (kind == Kind::none) continue;
        if (isServer(kind)) markRole(launch, roleInFile(launch, script, options)), markRole(launch, container.role);
        found.push_back({kind, std::move(launch), container.replicas});
    }
    for (YamlEngine& engine : readYamlEngines(text)) {
        Launch launch;
        launch.program = engine.program;
        launch.options = std::move(engine.options);
        launch.line = engine.line;
        markRole(launch, engine.role);
        const Kind kind = kindOf(launch);
        if (kind != Kind::none) found.push_back({kind, std::move(launch), engine.copies, engine.perHost});
    }
    if (found.empty()) return false;
    importLaunches(draft, std::move(found), script, options, source);
    return true;
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
    for (const char* key : {"model", "cluster", "workload", "parallelism", "execution", "hybrid", "beside", "economics", "reliability"})
        if (draft.document.contains(key)) document[key] = draft.document[key];
    return document;
}

} // namespace

Import importCommandLine(const std::string& text, const ImportOptions& options) {
    ScenarioDraft draft(options.fileName.empty() ? "command line" : options.fileName);
    Import result;
    const ShellScript empty;
    if (text.size() > mostCharacters) {
        draft.fail(1, "too-long", "The text is longer than any launch script.", "Paste the command that starts the training or the server.");
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
    } else if (looksLikeYaml(text, options.fileName)) {
        ImportInput input{{}, empty, options};
        if (!importManifest(draft, text, options, result.source)) importYamlAlone(draft, input, text, result.source);
    } else if (looksLikePython(text) && importPython(draft, text, options, result.source)) {
        // Its engines were read.
    } else {
        const ShellScript script = readShellScript(LinedText::ofFile(text), draft.fileName(), options.variables, options.readFile);
        draft.problems = script.problems;
        importScript(draft, text, script, options, result.source);
    }
    if (const auto said = commentEdits(text, draft.fileName(), draft.problems); !said.empty() && !hasErrors(draft.problems)) {
        const EditOutcome outcome = applyEdits(draft.document, said);
        if (outcome.error.empty()) draft.document = *outcome.document;
        else draft.warn(1, "option-not-understood", "What comments say of the scenario has no effect: " + outcome.error, "Correct their pointers.");
    }
    if (!hasErrors(draft.problems)) result.scenario = finished(draft, result.source);
    result.problems = std::move(draft.problems);
    return result;
}

} // namespace orrery
