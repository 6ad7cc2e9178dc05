// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// What a report carries beside its words, so that it can be opened and made again.
struct ReportMark {
    std::string version;                   ///< of the program that wrote it
    BoxedJson scenario;                    ///< whole
    std::map<std::string, double> figures; ///< by pointer into the result document, in its units
};

/// The figures that a result document has as numbers: those at its top, and the peak of memory.
std::map<std::string, double> figuresOf(const Json& result);

/// The mark as one line of letters, digits, '-' and '_' (shareTextOf): it can stand in HTML, Markdown and a PDF's metadata alike.
std::string markText(const ReportMark& mark);

/// The mark in the bytes of a report, wherever it stands; nothing where there is none.
std::optional<ReportMark> markIn(std::string_view bytes);

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
