// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/traces/trace_figures.hpp"

#include "core/base/gzip.hpp"
#include "core/base/json.hpp"

#include <cctype>

namespace orrery {
namespace {

bool looksLikeJson(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (const char c : text)
        if (!std::isspace(static_cast<unsigned char>(c))) return c == '{' || c == '[';
    return false;
}

Problem noTrace(const std::string& fileName) {
    Problem problem;
    problem.code = "no-trace";
    problem.file = fileName;
    problem.message = "This file is no trace that is known here.";
    problem.mend = "Give JSON of PyTorch's profiler (Kineto), an execution trace of PyTorch or Chakra, or a pipeline that Primus recorded; plain or packed with gzip.";
    return problem;
}

} // namespace

std::optional<std::string> unpackedTrace(std::string_view bytes, const std::string& fileName, Problems& problems) {
    if (!isGzip(bytes)) return std::string(bytes);
    std::string reason;
    auto text = inflateGzip(bytes, reason);
    if (text) return text;
    Problem problem;
    problem.code = "broken-gzip";
    problem.file = fileName;
    problem.message = "The packed file can't be read: " + reason + ".";
    problem.mend = "Copy the file again, whole, or unpack it first.";
    problems.push_back(std::move(problem));
    return std::nullopt;
}

std::optional<Json> traceFigures(std::string_view bytes, const std::string& fileName, Problems& problems) {
    const auto text = unpackedTrace(bytes, fileName, problems);
    if (!text) return std::nullopt;
    if (!looksLikeJson(*text)) {
        auto figures = chakraMessageFigures(*text);
        if (!figures) problems.push_back(noTrace(fileName));
        return figures;
    }
    const auto read = readTraceText(*text, fileName, problems);
    if (!read) return std::nullopt;
    if (read->kineto) return kinetoFigures(*read->kineto);
    auto figures = documentFigures(Json::parse(*text, nullptr, false));
    if (!figures) problems.push_back(noTrace(fileName));
    return figures;
}

} // namespace orrery
