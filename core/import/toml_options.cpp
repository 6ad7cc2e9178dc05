#include "core/import/toml_options.hpp"

#include <sstream>
#include <utility>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace orrery {

namespace {

std::string textOf(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    if (const auto* number = node.as_integer()) return std::to_string(number->get());
    if (const auto* number = node.as_floating_point()) {
        std::ostringstream text;
        text.imbue(std::locale::classic());
        text << number->get();
        return text.str();
    }
    return {};
}

void collect(const toml::table& table, const std::string& prefix, const std::string& file, OptionList& options) {
    for (const auto& [key, node] : table) {
        const std::string path = prefix + std::string(key.str());
        if (const toml::table* inner = node.as_table()) {
            collect(*inner, path + ".", file, options);
            continue;
        }
        GivenOption option;
        option.written = path;
        option.name = OptionList::normalised(path);
        option.file = file;
        option.line = static_cast<int>(key.source().begin.line);
        if (const toml::array* list = node.as_array()) {
            for (const toml::node& element : *list) option.values.push_back(textOf(element));
        } else {
            option.values.push_back(textOf(node));
        }
        options.add(std::move(option));
    }
}

} // namespace

std::optional<OptionList> readTomlOptions(const std::string& text, const std::string& fileName, Problems& problems) {
    const toml::parse_result parsed = toml::parse(text, std::string_view(fileName));
    if (!parsed) {
        Problem problem;
        problem.code = "no-toml";
        problem.file = fileName;
        problem.line = static_cast<int>(parsed.error().source().begin.line);
        problem.column = static_cast<int>(parsed.error().source().begin.column);
        problem.message = "The configuration is not TOML: " + std::string(parsed.error().description()) + ".";
        problem.mend = "Correct it there.";
        problems.push_back(std::move(problem));
        return std::nullopt;
    }
    OptionList options;
    collect(parsed.table(), "", fileName, options);
    return options;
}

} // namespace orrery
