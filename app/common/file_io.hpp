// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// What may be read. A pipe or a device that a user names on the command line is theirs to fill, without a silence of five seconds; a name that
/// stands in a document must be a regular file's: reading anything else may never end.
struct ReadRule {
    bool regularOnly = false;
    std::size_t most = std::size_t{256} << 20; ///< bytes; no scenario, script or table of cases is larger
};

/// Reads a whole file. Gives nothing, with `error` a sentence that names the file, when it is missing, is a
/// directory, may not be read, breaks off or is none that the rule allows.
std::optional<std::string> readTextFile(const std::string& path, std::string& error, const ReadRule& rule = {});

/// The same for callers who name the file themselves: `reason` is the system's words alone, "No such file or directory".
std::optional<std::string> tryReadFile(const std::string& path, std::string& reason, const ReadRule& rule = {});

/// Reads standard input to its end.
std::optional<std::string> readStandardInput(std::string& error, const ReadRule& rule = {});

/// Replaces the file's content in one step: readers see the old text or the new one, and a failure at any moment
/// (full disk, no permission) leaves the old file whole and no temporary file behind. A symbolic link keeps pointing
/// at its target, an existing file keeps its permissions; a device or a pipe is written to directly.
/// False, with `error` a sentence that names the file, on failure.
bool writeFileAtomically(const std::string& path, std::string_view text, std::string& error);

/// A write beyond the process's file size limit is then an error to report, like a full disk, not a signal that kills.
/// Call once at the start of a program.
void reportFileSizeLimitAsError();

} // namespace orrery
