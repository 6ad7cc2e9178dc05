// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// Whether bytes begin as a gzip file does.
bool isGzip(std::string_view bytes);

/// The content of a gzip file (RFC 1952), of one or several members; nothing, with `reason` in words, when it is damaged, cut off or
/// larger than `most` bytes. What could be unpacked before the damage goes to `before`, if anybody wants it; nothing of a file that is too large.
std::optional<std::string> inflateGzip(std::string_view bytes, std::string& reason, std::size_t most = std::size_t{1} << 30, std::string* before = nullptr);

} // namespace orrery
