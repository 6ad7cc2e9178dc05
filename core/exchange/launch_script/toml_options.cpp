// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/toml_options.hpp"

#include <sstream>
#include <stdexcept>
#include <utility>

// toml++ 3.3 takes some mistakes for impossible ("[{name]" for one): it asserts, and without assertions goes on as if
// they were none. Here its assertions are errors to catch, in every kind of build.
namespace orrery {

[[noreturn]] static void refuseToml() { throw std::logic_error("a bracket, a key or a value is not where it must be"); }

} // namespace orrery
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : orrery::refuseToml())
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

namespace orrery {
namespace {

std::string textOf(const toml::node& node) {
    if (const auto* list = node.as_array()) { // a list within a list, as Python would print it
        std::string text = "[";
        for (const toml::node& element : *list) text += (text.size() > 1 ? ", " : "") + textOf(element);
        return text + "]";
    }
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

/// toml++ calls itself once for each part of a dotted key; thousands of them would take the whole stack.
bool hasEndlessKeys(const std::string& text) {
    constexpr int mostDots = 100; ///< of one line
    int dots = 0;
    for (char c : text) {
        dots = c == '\n' ? 0 : dots + (c == '.' ? 1 : 0);
        if (dots > mostDots) return true;
    }
    return false;
}

} // namespace

std::optional<OptionList> readTomlOptions(const std::string& text, const std::string& fileName, Problems& problems) {
    Problem problem;
    problem.code = "no-toml";
    problem.file = fileName;
    problem.mend = "Correct it there.";
    try {
        if (hasEndlessKeys(text)) refuseToml();
        OptionList options;
        collect(toml::parse(text, std::string_view(fileName)), "", fileName, options);
        return options;
    } catch (const toml::parse_error& mistake) {
        problem.line = static_cast<int>(mistake.source().begin.line);
        problem.column = static_cast<int>(mistake.source().begin.column);
        problem.message = "The configuration is not TOML: " + std::string(mistake.description()) + ".";
    } catch (const std::logic_error& mistake) {
        problem.message = "The configuration is not TOML: " + std::string(mistake.what()) + ".";
    }
    problems.push_back(std::move(problem));
    return std::nullopt;
}

} // namespace orrery
