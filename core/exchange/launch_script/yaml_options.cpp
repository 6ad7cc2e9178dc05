// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/yaml_options.hpp"

#include <stdexcept>
#include <utility>
#include <yaml-cpp/yaml.h>

namespace orrery {
namespace {

// Aliases may hold themselves or double from line to line: a configuration has some dozens of keys, a few levels deep.
constexpr int deepestKeys = 16;
constexpr std::size_t mostValues = 20'000;

class YamlCollector {
public:
    YamlCollector(std::string file, OptionList& options) : file_(std::move(file)), options_(options) {}

    void collect(const YAML::Node& map, const std::string& prefix, int depth) {
        if (depth > deepestKeys) throw std::length_error("its keys are too deep");
        for (const auto& entry : map) {
            count();
            if (!entry.first.IsScalar()) throw std::invalid_argument("a key is not a word");
            const std::string path = prefix + entry.first.Scalar();
            if (entry.second.IsMap() && entry.second.size() > 0) {
                collect(entry.second, path + ".", depth + 1);
                continue;
            }
            GivenOption option;
            option.written = path;
            option.name = OptionList::normalised(path);
            option.file = file_;
            option.line = entry.first.Mark().line + 1;
            if (entry.second.IsSequence())
                for (const YAML::Node& element : entry.second) addValue(option, element);
            else addValue(option, entry.second);
            options_.add(std::move(option));
        }
    }

private:
    void addValue(GivenOption& option, const YAML::Node& node) {
        count();
        if (node.IsScalar()) option.values.push_back(node.Scalar());
        else option.values.push_back(node.IsNull() ? "null" : "{…}");
    }

    void count() {
        if (++values_ > mostValues) throw std::length_error("it has more values than any configuration");
    }

    std::string file_;
    OptionList& options_;
    std::size_t values_ = 0;
};

} // namespace

std::optional<OptionList> readYamlOptions(const std::string& text, const std::string& fileName, Problems& problems) {
    Problem problem;
    problem.code = "no-yaml";
    problem.file = fileName;
    problem.mend = "Correct it there.";
    problem.line = 1;
    try {
        const YAML::Node root = YAML::Load(text);
        if (!root.IsMap()) throw std::invalid_argument("it is no mapping of keys to values");
        OptionList options;
        YamlCollector(fileName, options).collect(root, "", 1);
        return options;
    } catch (const YAML::Exception& mistake) {
        problem.line = mistake.mark.line + 1;
        problem.column = mistake.mark.column + 1;
        problem.message = "The configuration is not YAML: " + mistake.msg + ".";
    } catch (const std::logic_error& mistake) {
        problem.message = "The configuration is not YAML that can be read: " + std::string(mistake.what()) + ".";
    }
    problems.push_back(std::move(problem));
    return std::nullopt;
}

} // namespace orrery
