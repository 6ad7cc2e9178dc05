// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// A scenario as one line that can be pasted into a chat: "orrery:" and the base64url (RFC 4648, without padding) of its JSON, compressed by
/// zlib (RFC 1950).
std::string shareTextOf(const Json& document);

/// Whether a text begins as such a line does.
bool isShareText(std::string_view text);

/// No scenario is larger, written out. A longer one is refused while it unpacks, so that a few bytes can't fill the memory.
inline constexpr std::size_t mostSharedBytes = std::size_t{16} << 20;

/// The document in such a line; spaces and line ends in it are skipped, which chats put there. Nothing, with a problem that says what is wrong
/// with it.
std::optional<Json> documentFromShareText(std::string_view text, Problems& problems, std::size_t most = mostSharedBytes);

} // namespace orrery
