// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/manual/manual.hpp"

#include "app/manual/figure_page.hpp"
#include "app/manual/key_pages.hpp"
#include "resources/resources.hpp"

#include <array>
#include <cctype>
#include <utility>

namespace orrery {
namespace {

/// Pages written by hand, in reading order.
constexpr std::array<const char*, 14> written{"index", "tour", "tour.zh", "plan", "serve", "compare", "records", "live", "machine", "teach", "report", "script", "panels", "assumptions"};

std::string titleOf(std::string_view text) { return std::string(text.substr(2, text.find('\n') - 2)); }

bool isWord(unsigned char letter) { return std::isalnum(letter) != 0 || letter >= 0x80; }

/// The pointer with "*" or "NAME" in place of the step that begins at `from`, wherever a pattern has one there.
bool speaksOfKey(std::string_view pattern, std::string_view pointer) {
    while (!pattern.empty() && !pointer.empty()) {
        pattern.remove_prefix(1);
        pointer.remove_prefix(1);
        const std::string_view wanted = pattern.substr(0, pattern.find('/')), is = pointer.substr(0, pointer.find('/'));
        if (wanted != "*" && wanted != "NAME" && wanted != is) return false;
        pattern.remove_prefix(wanted.size());
        pointer.remove_prefix(is.size());
    }
    return pattern.empty() && pointer.empty();
}

} // namespace

std::string slugOf(std::string_view heading) {
    std::string slug;
    for (const char letter : heading) {
        const auto byte = static_cast<unsigned char>(letter);
        if (byte < 0x80 && std::isalpha(byte) == 0 && slug.empty()) continue;
        if (isWord(byte) || letter == '_' || letter == '-' || letter == '.') slug += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
        else if (letter == ' ') slug += '-';
    }
    return slug;
}

std::vector<ManualPage> manualPages() {
    std::vector<ManualPage> pages;
    for (const char* name : written) {
        const std::string_view text = resourceText("manual/" + std::string(name) + ".md");
        pages.push_back({name, titleOf(text), std::string(text)});
    }
    for (ManualPage& page : keyPages()) pages.push_back(std::move(page));
    pages.push_back(figurePage());
    pages.push_back(constantPage());
    return pages;
}

std::optional<ManualPlace> placeOfKey(std::string_view pointer) {
    // A field of the form may stand for a key inside what has no keys of its own: the nearest one above is said.
    for (std::string_view at = pointer; !at.empty(); at = at.substr(0, at.rfind('/')))
        for (const KeyEntry& entry : keyEntries())
            if (speaksOfKey(entry.pointer, at)) return ManualPlace{keyPageOf(entry.pointer), entry.pointer};
    return std::nullopt;
}

std::optional<ManualPlace> placeOfFigure(std::string_view pointer) {
    for (const FigureEntry& entry : figureEntries())
        if (speaksOf(entry.pattern, pointer)) return ManualPlace{"figures", entry.pattern};
    return std::nullopt;
}

} // namespace orrery
