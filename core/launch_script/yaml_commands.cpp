// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/launch_script/yaml_commands.hpp"

#include <algorithm>
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

    void walk(const YAML::Node& node, std::int64_t replicas, int depth) {
        if (depth > deepestNode || ++nodes_ > mostNodes) return;
        if (node.IsSequence())
            for (const YAML::Node& element : node) walk(element, replicas, depth + 1);
        if (!node.IsMap()) return;
        if (const YAML::Node given = node["replicas"]; given && given.IsScalar()) replicas = std::max<std::int64_t>(1, given.as<std::int64_t>(1));
        takeContainer(node, replicas);
        for (const auto& entry : node) walk(entry.second, replicas, depth + 1);
    }

private:
    static std::vector<LinedText> wordsOf(const YAML::Node& list) {
        std::vector<LinedText> words;
        for (const YAML::Node& element : list)
            if (element.IsScalar()) words.emplace_back(element.Scalar(), element.Mark().line + 1);
        return words;
    }

    void takeContainer(const YAML::Node& map, std::int64_t replicas) {
        const YAML::Node command = map["command"], args = map["args"];
        std::vector<LinedText> words;
        bool asText = false;
        for (const YAML::Node& part : {command, args}) {
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
        // The vLLM image starts its server; what stands in the file are its arguments.
        if (const YAML::Node image = map["image"]; image && image.IsScalar() && words.front().text().rfind("--", 0) == 0) {
            const std::string name = baseName(image.Scalar());
            words.insert(words.begin(), LinedText(name.substr(0, name.find(':')), image.Mark().line + 1));
        }
        const bool isShell = words.size() >= 2 && (words[0].text().ends_with("sh") || words[1].text() == "-c");
        if (asText || isShell) readAsScript(words, isShell, replicas);
        else add(std::move(words), replicas);
    }

    void readAsScript(const std::vector<LinedText>& words, bool isShell, std::int64_t replicas) {
        LinedText script;
        for (const LinedText& word : words) {
            const std::string& text = word.text();
            if (isShell && (text.ends_with("sh") || (text.size() > 1 && text[0] == '-' && text.size() < 5 && text.find('c') != std::string::npos))) continue;
            if (!script.empty()) script.append(' ', word.line());
            script.append(word);
        }
        const ShellScript read = readShellScript(script, fileName_, {}, {});
        for (const ShellCommand& command : read.commands) commands_.push_back({command, replicas});
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
};

} // namespace

std::vector<YamlCommand> readYamlCommands(const std::string& text, const std::string& fileName) {
    std::vector<YamlCommand> commands;
    try {
        CommandCollector collector(fileName, commands);
        for (const YAML::Node& document : YAML::LoadAll(text)) collector.walk(document, 1, 0);
    } catch (const YAML::Exception&) {
        commands.clear(); // readYamlOptions says what is wrong with it
    }
    return commands;
}

} // namespace orrery
