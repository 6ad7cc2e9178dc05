// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/verbs/verb_arguments.hpp"

#include "app/cli/common/kept_answer.hpp"
#include "app/common/exit_status.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/schema_shapes.hpp"
#include "core/scenario/document/share_text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace orrery {
namespace {

/// Shortens lists that nobody reads at a glance, and says at which pointers how many entries they had.
void shortenLists(Json& value, const std::string& pointer, Json& omitted) {
    constexpr std::size_t longest = 8;
    if (value.is_array() && value.size() > longest) {
        omitted[pointer] = value.size();
        value.erase(value.begin() + longest, value.end());
    }
    if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            std::string element = pointer;
            element.append("/").append(std::to_string(i));
            shortenLists(value[i], element, omitted);
        }
    } else if (value.is_object()) {
        for (auto& [key, member] : value.items())
            if (key != "parts") shortenLists(member, std::string(pointer).append("/").append(key), omitted); // parts sum to something
    }
}

/// Whether a command can read it without waiting for somebody to write it.
bool isReadable(const std::string& path) {
    std::error_code fault;
    return std::filesystem::is_regular_file(path, fault) || std::filesystem::is_directory(path, fault);
}

Problem noFile(const std::string& path, const std::string& pointer, const std::string& mend) {
    Problem problem;
    problem.code = "cannot-read-file";
    problem.pointer = pointer;
    problem.message = inQuotes(shortened(path, 300)) + " is no file.";
    problem.mend = mend;
    return problem;
}

} // namespace

Shape scenarioArgument() {
    Shape document = schema::object({});
    document.open = true;
    return schema::choice({std::move(document), schema::text()});
}

std::string VerbArguments::text(const char* key) const {
    const auto found = arguments_.find(key);
    return found != arguments_.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double VerbArguments::number(const char* key, double otherwise) const {
    const auto found = arguments_.find(key);
    return found != arguments_.end() && found->is_number() ? found->get<double>() : otherwise;
}

int VerbArguments::whole(const char* key, int otherwise) const { return static_cast<int>(std::lround(number(key, otherwise))); }

bool VerbArguments::flag(const char* key) const { return arguments_.value(key, Json(false)) == true; }

std::string VerbArguments::input(const char* key, Problems& problems) {
    const auto found = arguments_.find(key);
    if (found == arguments_.end()) return "";
    if (found->is_object()) {
        texts_.emplace_back(shareTextOf(*found), key);
        return texts_.back().first;
    }
    std::string path = text(key);
    if (isShareText(path)) {
        texts_.emplace_back(path, key);
        return path;
    }
    std::error_code fault;
    const std::string file = path.substr(0, std::filesystem::exists(path, fault) ? path.size() : path.rfind('#')); // FILE#VARIANT
    if (isReadable(file)) return path;
    problems.push_back(noFile(path, std::string("/") + key, "Give the document itself, or the path of a file on this machine."));
    return "";
}

std::vector<std::string> VerbArguments::files(const char* key, Problems& problems) const {
    std::vector<std::string> named;
    const Json list = arguments_.value(key, Json::array());
    for (std::size_t i = 0; i < list.size(); ++i) {
        named.push_back(list[i].get<std::string>());
        const std::size_t equals = named.back().find('='); // RANK=FILE
        if (isReadable(named.back()) || (equals != std::string::npos && isReadable(named.back().substr(equals + 1)))) continue;
        std::string pointer = "/";
        pointer.append(key).append("/").append(std::to_string(i));
        problems.push_back(noFile(named.back(), pointer, "Give the path of a file on this machine."));
    }
    return named;
}

std::string VerbArguments::plain(std::string text) const {
    for (const auto& [long_, key] : texts_)
        for (std::size_t at = text.find(long_); at != std::string::npos; at = text.find(long_, at + key.size())) text.replace(at, long_.size(), key);
    return text;
}

bool VerbArguments::isIn(const Json& value) const {
    if (value.is_string()) return std::any_of(texts_.begin(), texts_.end(), [&](const auto& one) { return value.get_ref<const std::string&>().find(one.first) != std::string::npos; });
    return value.is_structured() && std::any_of(value.begin(), value.end(), [&](const Json& member) { return isIn(member); });
}

void VerbArguments::makePlain(Json& value) const {
    if (value.is_string()) value = plain(value.get<std::string>());
    if (value.is_structured())
        for (Json& member : value) makePlain(member);
}

BoxedJson VerbArguments::plain(BoxedJson document) const {
    if (!isIn(*document)) return document;
    Json plainer = *document;
    makePlain(plainer);
    return plainer;
}

VerbAnswer problemsAnswer(const Problems& problems) { return {toErrorDocument(problems), "", true}; }

VerbAnswer printedBy(const VerbArguments& arguments, const std::function<int()>& command) {
    KeptAnswer kept;
    const int status = command();
    const std::string notes = arguments.plain(kept.messages.str());
    if (!kept.document) {
        Problem problem;
        problem.code = "internal-error";
        problem.message = "Orrery itself is at fault: the command gave no document" + (notes.empty() ? "." : ", but \"" + shortened(notes, 1000) + "\".");
        problem.mend = "Please report this with the arguments.";
        return problemsAnswer({std::move(problem)});
    }
    const bool isError = status != exit_done && status != exit_does_not_fit;
    return {arguments.plain(std::move(*kept.document)), isError ? std::string() : notes, isError};
}

VerbAnswer withDetail(VerbAnswer answer, const VerbArguments& arguments) {
    if (answer.isError || arguments.text("detail") == "full") return answer;
    Json document = *answer.document, omitted = Json::object();
    shortenLists(document, "", omitted);
    if (!omitted.empty()) document["shortened_lists"] = std::move(omitted);
    answer.document = std::move(document);
    return answer;
}

} // namespace orrery
