// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/report_mark.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/scenario/document/share_text.hpp"

#include <cctype>

namespace orrery {
namespace {

constexpr const char* markFormat = "orrery-report/1";
constexpr std::string_view scheme = "orrery:";
constexpr std::size_t shortest = 40; ///< letters; nothing whole is shorter

bool isLetter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_'; }

std::optional<ReportMark> markFrom(const Json& document) {
    if (!document.is_object() || document.value("format", Json()) != Json(markFormat)) return std::nullopt;
    const Json scenario = document.value("scenario", Json()), figures = document.value("figures", Json()), version = document.value("version", Json());
    if (!scenario.is_object() || !figures.is_object()) return std::nullopt;
    ReportMark mark;
    mark.version = version.is_string() ? version.get<std::string>() : std::string();
    mark.scenario = scenario;
    for (const auto& [pointer, value] : figures.items())
        if (value.is_number()) mark.figures[pointer] = value.get<double>();
    return mark;
}

} // namespace

std::map<std::string, double> figuresOf(const Json& result) {
    std::map<std::string, double> figures;
    for (const auto& [key, value] : result.items())
        if (value.is_number() && key != "fits_probability") figures["/" + key] = value.get<double>(); // that one says how sure another is
    const Json* peak = valueAt(result, "/memory/peak_bytes");
    if (peak && peak->is_number()) figures["/memory/peak_bytes"] = peak->get<double>();
    return figures;
}

std::string markText(const ReportMark& mark) {
    Json figures = Json::object();
    for (const auto& [pointer, value] : mark.figures) figures[pointer] = value;
    return shareTextOf({{"format", markFormat}, {"version", mark.version}, {"figures", std::move(figures)}, {"scenario", *mark.scenario}});
}

std::optional<ReportMark> markIn(std::string_view bytes) {
    for (std::size_t at = bytes.find(scheme); at != std::string_view::npos; at = bytes.find(scheme, at + 1)) {
        std::size_t end = at + scheme.size();
        while (end < bytes.size() && isLetter(bytes[end])) ++end;
        if (end - at < shortest) continue;
        Problems ignored; // other words begin so
        const std::optional<Json> document = documentFromShareText(bytes.substr(at, end - at), ignored);
        if (!document) continue;
        if (std::optional<ReportMark> mark = markFrom(*document)) return mark;
    }
    return std::nullopt;
}

} // namespace orrery
