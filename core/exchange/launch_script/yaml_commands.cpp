// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/yaml_commands.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <yaml-cpp/yaml.h>

namespace orrery {
namespace {

// Aliases may hold themselves: a manifest is some dozens of levels and some thousands of nodes at most.
constexpr int deepestNode = 40;
constexpr std::size_t mostNodes = 50'000;

class CommandCollector {
public:
    CommandCollector(const std::string& fileName, std::vector<YamlCommand>& commands) : fileName_(fileName), commands_(commands) {}

    void walk(const YAML::Node& node, std::int64_t replicas, std::string role, int depth) {
        if (depth > deepestNode || ++nodes_ > mostNodes) return;
        if (node.IsSequence())
            for (const YAML::Node& element : node) walk(element, replicas, role, depth + 1);
        if (!node.IsMap()) return;
        if (const YAML::Node given = node["replicas"]; given && given.IsScalar()) replicas = std::max<std::int64_t>(1, given.as<std::int64_t>(1));
        for (const char* key : {"subComponentType", "type"})
            if (const YAML::Node given = node[key]; given && given.IsScalar() && (given.Scalar() == "prefill" || given.Scalar() == "decode")) role = given.Scalar();
        if (const YAML::Node group = node["leaderWorkerTemplate"]; group && group.IsMap())
            if (const YAML::Node size = group["size"]; size && size.IsScalar()) groupSize_ = size.Scalar();
        const std::size_t before = commands_.size();
        takeContainer(node, replicas);
        for (std::size_t i = before; i < commands_.size(); ++i) commands_[i].role = role;
        for (const auto& entry : node) walk(entry.second, replicas, role, depth + 1);
    }

private:
    static std::vector<LinedText> wordsOf(const YAML::Node& list) {
        std::vector<LinedText> words;
        for (const YAML::Node& element : list)
            if (element.IsScalar()) words.emplace_back(element.Scalar(), element.Mark().line + 1);
        return words;
    }

    void takeContainer(const YAML::Node& map, std::int64_t replicas) {
        const YAML::Node entry = map["entrypoint"], command = map["command"], args = map["args"];
        std::vector<LinedText> words;
        bool asText = false;
        for (const YAML::Node& part : {entry, command, args}) {
            if (!part) continue;
            if (part.IsSequence()) {
                const std::vector<LinedText> more = wordsOf(part);
                words.insert(words.end(), more.begin(), more.end());
            } else if (part.IsScalar()) {
                words.emplace_back(part.Scalar(), part.Mark().line + 1);
                asText = true;
            }
        }
        if (words.empty()) return;
        if (const YAML::Node deploy = map["deploy"]; deploy && deploy.IsMap())
            if (const YAML::Node copies = deploy["replicas"]; copies && copies.IsScalar()) replicas = std::max<std::int64_t>(1, copies.as<std::int64_t>(1));
        std::map<std::string, std::string> variables = environmentOf(map);
        if (!groupSize_.empty()) variables.emplace("LWS_GROUP_SIZE", groupSize_);
        // The vLLM image starts its server; what stands in the file are its arguments.
        if (const YAML::Node image = map["image"]; image && image.IsScalar() && words.front().text().rfind("--", 0) == 0) {
            const std::string name = baseName(image.Scalar());
            words.insert(words.begin(), LinedText(name.substr(0, name.find(':')), image.Mark().line + 1));
        }
        const bool isShell = words.size() >= 2 && (words[0].text().ends_with("sh") || words[1].text() == "-c");
        if (asText || isShell) {
            readAsScript(words, isShell, replicas, variables);
            return;
        }
        for (LinedText& word : words) word = LinedText(withVariables(word.text(), variables), word.line());
        add(std::move(words), replicas);
    }

    /// `env: [{name, value}]` of a container, `environment:` of a compose file as a mapping or as "NAME=value".
    static std::map<std::string, std::string> environmentOf(const YAML::Node& map) {
        std::map<std::string, std::string> variables;
        for (const char* key : {"env", "environment"}) {
            const YAML::Node given = map[key];
            if (!given) continue;
            for (const auto& entry : given) {
                if (given.IsMap() && entry.first.IsScalar() && entry.second.IsScalar()) {
                    variables[entry.first.Scalar()] = entry.second.Scalar();
                } else if (given.IsSequence() && entry.IsScalar()) {
                    const std::string& text = entry.Scalar();
                    const std::size_t equals = text.find('=');
                    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
                } else if (given.IsSequence() && entry.IsMap()) {
                    const YAML::Node name = entry["name"], value = entry["value"];
                    if (name && value && name.IsScalar() && value.IsScalar()) variables[name.Scalar()] = value.Scalar();
                }
            }
        }
        return variables;
    }

    /// `$(NAME)` and `${NAME}` as Kubernetes and compose fill them in, `${NAME:-value}` with its default; what has no value stays.
    static std::string withVariables(const std::string& text, const std::map<std::string, std::string>& variables) {
        std::string result;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const char open = i + 1 < text.size() ? text[i + 1] : '\0';
            const std::size_t end = text[i] == '$' && (open == '(' || open == '{') ? text.find(open == '(' ? ')' : '}', i) : std::string::npos;
            if (end == std::string::npos) {
                result += text[i];
                continue;
            }
            const std::string inside = text.substr(i + 2, end - i - 2);
            const std::size_t usual = inside.find(":-");
            const auto found = variables.find(inside.substr(0, usual));
            if (found != variables.end()) result += found->second;
            else if (usual != std::string::npos) result += inside.substr(usual + 2);
            else result += text.substr(i, end - i + 1);
            i = end;
        }
        return result;
    }

    void readAsScript(const std::vector<LinedText>& words, bool isShell, std::int64_t replicas, const std::map<std::string, std::string>& variables) {
        LinedText script;
        for (const LinedText& word : words) {
            const std::string& text = word.text();
            if (isShell && (text.ends_with("sh") || (text.size() > 1 && text[0] == '-' && text.size() < 5 && text.find('c') != std::string::npos))) continue;
            if (!script.empty()) script.append(' ', word.line());
            script.append(LinedText(withVariables(text, variables), word.line()));
        }
        const ShellScript read = readShellScript(script, fileName_, variables, {});
        for (const ShellCommand& command : read.commands) commands_.push_back({command, replicas, {}});
    }

    void add(std::vector<LinedText> words, std::int64_t replicas) {
        YamlCommand found;
        found.command.words = std::move(words);
        found.replicas = replicas;
        commands_.push_back(std::move(found));
    }

    const std::string& fileName_;
    std::vector<YamlCommand>& commands_;
    std::size_t nodes_ = 0;
    std::string groupSize_; ///< pods of a LeaderWorkerSet's group, which its controller tells them
};

} // namespace

std::vector<YamlCommand> readYamlCommands(const std::string& text, const std::string& fileName) {
    std::vector<YamlCommand> commands;
    try {
        CommandCollector collector(fileName, commands);
        for (const YAML::Node& document : YAML::LoadAll(text)) collector.walk(document, 1, {}, 0);
    } catch (const YAML::Exception&) {
        commands.clear(); // readYamlOptions says what is wrong with it
    }
    return commands;
}

std::map<std::string, LinedText> readYamlFiles(const std::string& text) {
    std::map<std::string, LinedText> files;
    if (text.find("ConfigMap") == std::string::npos) return files;
    try {
        for (const YAML::Node& document : YAML::LoadAll(text)) {
            if (!document.IsMap()) continue;
            const YAML::Node& map = document;
            const YAML::Node kind = map["kind"], data = map["data"];
            if (!kind || !kind.IsScalar() || kind.Scalar() != "ConfigMap" || !data || !data.IsMap()) continue;
            for (const auto& entry : data)
                if (entry.first.IsScalar() && entry.second.IsScalar()) files[entry.first.Scalar()] = LinedText(entry.second.Scalar(), entry.second.Mark().line + 1);
        }
    } catch (const YAML::Exception&) {
        files.clear();
    }
    return files;
}

} // namespace orrery
