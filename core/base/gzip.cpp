// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/gzip.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <zlib.h>

namespace orrery {

bool isGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::optional<std::string> inflateGzip(std::string_view bytes, std::string& reason, std::size_t most, std::string* before) {
    z_stream stream{};
    constexpr int gzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream, gzipOnly) != Z_OK) {
        reason = "no memory to unpack it";
        return std::nullopt;
    }
    std::string content;
    std::array<unsigned char, 1 << 16> block{};
    // zlib takes its input without const and never writes to it.
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    std::size_t left = bytes.size();
    int state = Z_OK;
    while (true) {
        if (stream.avail_in == 0 && left > 0) {
            stream.avail_in = static_cast<unsigned>(std::min<std::size_t>(left, 1U << 30));
            left -= stream.avail_in;
        }
        stream.next_out = block.data();
        stream.avail_out = static_cast<unsigned>(block.size());
        state = inflate(&stream, Z_NO_FLUSH);
        content.append(reinterpret_cast<const char*>(block.data()), block.size() - stream.avail_out);
        if (content.size() > most) break;
        if (state == Z_STREAM_END) {
            if (stream.avail_in == 0 && left == 0) break;
            if (inflateReset(&stream) != Z_OK) break;
            continue;
        }
        if (state != Z_OK) break;
    }
    inflateEnd(&stream);
    if (content.size() > most) reason = "it unpacks to more than " + std::to_string(most >> 20) + " MiB";
    else if (state == Z_BUF_ERROR) reason = "its gzip data breaks off after " + std::to_string(content.size()) + " unpacked bytes";
    else if (state != Z_STREAM_END) reason = "its gzip data is damaged after " + std::to_string(content.size()) + " unpacked bytes";
    else return content;
    if (before != nullptr && content.size() <= most) *before = std::move(content);
    return std::nullopt;
}

} // namespace orrery
