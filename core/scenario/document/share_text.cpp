// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/share_text.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/json_parser.hpp"
#include "core/base/text.hpp"

#include <array>
#include <cctype>
#include <cstdint>
#include <zlib.h>

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

namespace {

constexpr std::string_view shareScheme = "orrery:";
constexpr std::string_view base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool isSpace(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

std::string base64Of(const std::string& bytes) {
    std::string text;
    text.reserve((bytes.size() * 4 + 2) / 3);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char byte : bytes) {
        bits = (bits << 8) | static_cast<unsigned char>(byte);
        for (count += 8; count >= 6; count -= 6) text += base64Letters[(bits >> (count - 6)) & 63];
    }
    if (count > 0) text += base64Letters[(bits << (6 - count)) & 63];
    return text;
}

/// Nothing, with `wrong` set to the first letter that no such text has.
std::optional<std::string> fromBase64(std::string_view text, char& wrong) {
    std::string bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char letter : text) {
        if (isSpace(letter) || letter == '=') continue;
        const std::size_t value = base64Letters.find(letter);
        if (value == std::string_view::npos) {
            wrong = letter;
            return std::nullopt;
        }
        bits = (bits << 6) | static_cast<std::uint32_t>(value);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>((bits >> count) & 255);
    }
    return bytes;
}

std::string deflated(const std::string& bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string packed(size, '\0');
    compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
    packed.resize(size);
    return packed;
}

std::optional<std::string> inflated(const std::string& bytes, std::size_t most, std::string& why) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) {
        why = "There is no memory to unpack the scenario text.";
        return std::nullopt;
    }
    std::string content;
    std::array<unsigned char, 1 << 14> block{};
    // zlib takes its input without const and never writes to it.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    int state = Z_OK;
    while (state == Z_OK && content.size() <= most) {
        stream.next_out = block.data();
        stream.avail_out = static_cast<uInt>(block.size());
        state = inflate(&stream, Z_NO_FLUSH);
        content.append(reinterpret_cast<const char*>(block.data()), block.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (content.size() > most) why = "The scenario text unpacks to more than " + std::to_string(most >> 20) + " MiB, which no scenario is.";
    else if (state == Z_BUF_ERROR) why = "The scenario text breaks off: its end is missing.";
    else if (state != Z_STREAM_END) why = "The scenario text is damaged: what is in it does not unpack.";
    else return content;
    return std::nullopt;
}

Problem badShareText(std::string message, std::string mend) {
    Problem problem;
    problem.code = "bad-scenario-text";
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

std::string_view withoutSpaceBefore(std::string_view text) {
    while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
    return text;
}

} // namespace

std::string shareTextOf(const Json& document) { return std::string(shareScheme) + base64Of(deflated(document.dump())); }

bool isShareText(std::string_view text) { return withoutSpaceBefore(text).starts_with(shareScheme); }

std::optional<Json> documentFromShareText(std::string_view text, Problems& problems, std::size_t most) {
    const std::string whole = "Copy the whole line again, from \"orrery:\" to its end.";
    const auto refuse = [&](std::string message, std::string mend) -> std::optional<Json> {
        problems.push_back(badShareText(std::move(message), std::move(mend)));
        return std::nullopt;
    };
    if (!isShareText(text)) return refuse("This is no scenario text: it does not begin with \"orrery:\".", whole);
    const std::string_view packed = withoutSpaceBefore(text).substr(shareScheme.size());
    // What is packed takes less than what it unpacks to, but for a few bytes.
    if (packed.size() / 2 > most) return refuse("The scenario text is longer than " + std::to_string(most >> 19) + " MiB, which no scenario's is.", "Send the scenario as a file.");
    char wrong = 0;
    const std::optional<std::string> bytes = fromBase64(packed, wrong);
    if (!bytes) {
        const bool printable = wrong > ' ' && wrong < '\x7f';
        return refuse("The scenario text has " + (printable ? inQuotes(std::string(1, wrong)) : std::string("a letter")) + " in it, which no such text has.", whole);
    }
    if (bytes->empty()) return refuse("The scenario text is empty after \"orrery:\".", whole);
    std::string why;
    const std::optional<std::string> content = inflated(*bytes, most, why);
    if (!content) return refuse(why, whole);
    std::optional<Json> document = parseJsonText(*content, "scenario text", problems);
    if (document && !document->is_object()) return refuse("The scenario text holds no scenario.", "Copy it with \"Copy as text\", from a scenario.");
    return document;
}

} // namespace orrery
