// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/launch_script/option_list.hpp"

#include <string>
#include <vector>

namespace orrery {

/// A word with its quotes and dollars still in it, an operator, the end of a line, or an array assignment.
struct ShellToken {
    enum class Kind { word,
                      op,
                      newline,
                      array };

    Kind kind = Kind::word;
    LinedText word; ///< of a word; of an array its name
    std::string op; ///< ";", "&&", "|", "(", ">", "<<" …
    int line = 0;
    std::vector<LinedText> elements; ///< of an array
    bool append = false;             ///< of an array: NAME+=( … )
    LinedText hereDocument;          ///< of "<<": the lines up to its delimiter
    bool hereDocumentQuoted = false; ///< of "<<": nothing in it is replaced
};

/// Splits a shell script into tokens. Lenient: quotes that are left open end with the text, and a continuation with
/// blanks after its backslash counts as one.
std::vector<ShellToken> shellTokens(const LinedText& script);

/// The position after the quoted or bracketed piece that begins at `from` (a quote, a backtick, `$(`, `${` or `$((`);
/// from + 1 for anything else.
std::size_t endOfShellPiece(const LinedText& text, std::size_t from);

} // namespace orrery
