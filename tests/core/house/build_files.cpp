// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/house/build_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace orrery::test {
namespace {

struct Word {
    std::string text;
    int line = 0;
};

struct Command {
    std::string name;
    std::vector<Word> words;
};

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Commands of a CMakeLists.txt: names, and words between the parentheses. Comments are left out.
std::vector<Command> commandsOf(const std::string& text) {
    std::vector<Command> commands;
    std::string word;
    int line = 1, depth = 0;
    bool inQuotes = false;
    const auto endWord = [&] {
        if (!word.empty() && depth > 0) commands.back().words.push_back({word, line});
        if (depth > 0) word.clear();
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (inQuotes) {
            if (c == '"') inQuotes = false;
            else word += c == '\\' && at + 1 < text.size() ? text[++at] : c;
        } else if (c == '"') {
            inQuotes = true;
        } else if (c == '#') {
            endWord();
            while (at + 1 < text.size() && text[at + 1] != '\n') ++at;
        } else if (c == '(') {
            if (depth++ == 0) {
                commands.push_back({word, {}});
                word.clear();
            } else {
                endWord();
            }
        } else if (c == ')') {
            endWord();
            --depth;
        } else if (isSpace(c)) {
            endWord();
        } else {
            word += c;
        }
        if (c == '\n') ++line;
    }
    return commands;
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Words of a command after its first, by the keyword before them.
std::map<std::string, std::vector<Word>> byKeyword(const Command& command, std::initializer_list<std::string_view> keywords) {
    std::map<std::string, std::vector<Word>> lists;
    std::string keyword;
    for (std::size_t i = 1; i < command.words.size(); ++i)
        if (isOneOf(command.words[i].text, keywords)) keyword = command.words[i].text;
        else lists[keyword].push_back(command.words[i]);
    return lists;
}

class TargetReader {
public:
    explicit TargetReader(const SourceTree& tree) : tree_(tree) {}

    void readFolder(const std::string& folder) {
        const auto file = tree_.find(folder.empty() ? "CMakeLists.txt" : folder + "/CMakeLists.txt");
        if (file == tree_.end()) return;
        int functions = 0;
        for (const Command& command : commandsOf(file->second)) {
            if (isOneOf(command.name, {"function", "macro"})) ++functions;
            if (isOneOf(command.name, {"endfunction", "endmacro"})) --functions;
            if (functions == 0 && !command.words.empty()) readCommand(folder, command);
        }
    }

    std::vector<BuildTarget> targets;

private:
    void readCommand(const std::string& folder, const Command& command) {
        const std::string& first = command.words.front().text;
        if (command.name == "add_subdirectory") {
            readFolder(folder.empty() ? first : folder + "/" + first);
        } else if (command.name == "orrery_core_module") {
            readModule(folder, "orrery_core_" + first, byKeyword(command, {"SOURCES", "USES"}), "orrery_core_");
        } else if (command.name == "orrery_widget_module") {
            readModule(folder, "orrery_widgets_" + first, byKeyword(command, {"SOURCES", "USES", "CORE", "LINKS"}), "orrery_widgets_");
        } else if (command.name == "orrery_desktop_room") {
            readModule(folder, "orrery_desktop_" + first, byKeyword(command, {"SOURCES", "USES", "LINKS"}), "orrery_desktop_");
        } else if (command.name == "orrery_embed_files") {
            targets.push_back({first, folder, {"resources.cpp"}, {}}); // generated; resources.hpp is its interface
        } else if (isOneOf(command.name, {"add_library", "add_executable"})) {
            BuildTarget target{first, folder, {}, {}};
            for (const auto& [kind, words] : byKeyword(command, {"STATIC", "INTERFACE"})) addSources(target, words);
            targets.push_back(std::move(target));
        } else if (command.name == "target_link_libraries") {
            const auto found = std::find_if(targets.begin(), targets.end(), [&](const BuildTarget& target) { return target.name == first; });
            if (found == targets.end() || found->folder != folder) return;
            for (const auto& [keyword, words] : byKeyword(command, {"PUBLIC", "PRIVATE", "INTERFACE"})) addUses(*found, words, "");
        }
    }

    void readModule(const std::string& folder, const std::string& name, std::map<std::string, std::vector<Word>> lists, const std::string& prefix) {
        BuildTarget target{name, folder, {}, {}};
        addSources(target, lists["SOURCES"]);
        addUses(target, lists["USES"], prefix);
        addUses(target, lists["CORE"], "orrery_core_");
        addUses(target, lists["LINKS"], "");
        targets.push_back(std::move(target));
    }

    static void addSources(BuildTarget& target, const std::vector<Word>& words) {
        for (const Word& word : words) target.sources.push_back(word.text);
    }

    static void addUses(BuildTarget& target, const std::vector<Word>& words, const std::string& prefix) {
        for (const Word& word : words) target.uses.push_back({prefix + word.text, word.line});
    }

    const SourceTree& tree_;
};

} // namespace

std::string folderOf(std::string_view path) {
    const auto slash = path.rfind('/');
    return std::string(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash));
}

SourceTree readSourceTree(const std::string& root, const std::vector<std::string>& folders) {
    namespace fs = std::filesystem;
    SourceTree tree;
    const auto read = [&](const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        tree[fs::relative(path, root).generic_string()] = std::string(std::istreambuf_iterator<char>(file), {});
    };
    read(fs::path(root) / "CMakeLists.txt");
    for (const std::string& folder : folders)
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / folder)) {
            const std::string extension = entry.path().extension().string();
            if (entry.is_regular_file() && (isOneOf(extension, {".cpp", ".hpp"}) || entry.path().filename() == "CMakeLists.txt")) read(entry.path());
        }
    return tree;
}

std::vector<BuildTarget> readTargets(const SourceTree& tree) {
    TargetReader reader(tree);
    reader.readFolder("");
    return std::move(reader.targets);
}

} // namespace orrery::test
