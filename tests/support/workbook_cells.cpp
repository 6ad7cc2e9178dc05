// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/workbook_cells.hpp"

#include <regex>

#include <zlib.h>

namespace orrery::test {
namespace {

std::size_t numberAt(const std::string& bytes, std::size_t place, int width) {
    std::size_t value = 0;
    for (int i = 0; i < width; ++i) value |= static_cast<std::size_t>(static_cast<unsigned char>(bytes.at(place + static_cast<std::size_t>(i)))) << (8 * i);
    return value;
}

std::string unpacked(std::string packed, std::size_t size) {
    std::string whole(size, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return {};
    stream.next_in = reinterpret_cast<unsigned char*>(packed.data());
    stream.avail_in = static_cast<unsigned>(packed.size());
    stream.next_out = reinterpret_cast<unsigned char*>(whole.data());
    stream.avail_out = static_cast<unsigned>(size);
    const int state = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return state == Z_STREAM_END ? whole : std::string();
}

std::string plainText(std::string text) {
    for (const auto& [escaped, letter] : {std::pair<const char*, const char*>{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}}) {
        const std::string from = escaped;
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) text.replace(at, from.size(), letter);
    }
    return text;
}

/// The first group of each match.
std::vector<std::string> eachOf(const std::string& text, const char* pattern) {
    const std::regex expression(pattern);
    std::vector<std::string> all;
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) all.push_back((*match)[1]);
    return all;
}

} // namespace

std::map<std::string, std::string> readZip(const std::string& bytes) {
    std::map<std::string, std::string> files;
    const std::size_t end = bytes.rfind("PK\x05\x06");
    if (end == std::string::npos) return files;
    std::size_t at = numberAt(bytes, end + 16, 4);
    for (std::size_t left = numberAt(bytes, end + 10, 2); left > 0; --left) {
        const std::size_t method = numberAt(bytes, at + 10, 2), packed = numberAt(bytes, at + 20, 4), size = numberAt(bytes, at + 24, 4), nameSize = numberAt(bytes, at + 28, 2);
        const std::size_t own = numberAt(bytes, at + 42, 4);
        const std::string name = bytes.substr(at + 46, nameSize);
        const std::size_t data = own + 30 + numberAt(bytes, own + 26, 2) + numberAt(bytes, own + 28, 2);
        files[name] = method == 0 ? bytes.substr(data, size) : unpacked(bytes.substr(data, packed), size);
        at += 46 + nameSize + numberAt(bytes, at + 30, 2) + numberAt(bytes, at + 32, 2);
    }
    return files;
}

std::vector<ReadSheet> readWorkbook(const std::string& bytes) {
    const std::map<std::string, std::string> files = readZip(bytes);
    const auto file = [&](const std::string& name) { return files.contains(name) ? files.at(name) : std::string(); };
    const std::vector<std::string> shared = eachOf(file("xl/sharedStrings.xml"), "<si><t[^>]*>([^<]*)</t></si>");
    std::vector<ReadSheet> sheets;
    for (const std::string& name : eachOf(file("xl/workbook.xml"), "<sheet name=\"([^\"]*)\"")) {
        ReadSheet sheet{plainText(name), {}};
        const std::string text = file("xl/worksheets/sheet" + std::to_string(sheets.size() + 1) + ".xml");
        const std::regex cell("<c r=\"([A-Z]+[0-9]+)\"(?: s=\"[0-9]+\")?(?: t=\"([a-z]+)\")?><v>([^<]*)</v></c>");
        for (std::sregex_iterator match(text.begin(), text.end(), cell), none; match != none; ++match) {
            const std::string kind = (*match)[2], value = (*match)[3];
            std::string& read = sheet.cells[(*match)[1]];
            if (kind == "s") read = '"' + plainText(shared.at(std::stoul(value))) + '"';
            else if (kind == "b") read = value == "1" ? "TRUE" : "FALSE";
            else read = value;
        }
        sheets.push_back(std::move(sheet));
    }
    return sheets;
}

} // namespace orrery::test
