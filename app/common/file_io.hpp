#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// Reads a whole file. Gives nothing, with `error` a sentence that names the file, when it is missing, is a
/// directory, may not be read or breaks off.
std::optional<std::string> readTextFile(const std::string& path, std::string& error);

/// The same for callers who name the file themselves: `reason` is the system's words alone, "No such file or directory".
std::optional<std::string> tryReadFile(const std::string& path, std::string& reason);

/// Reads standard input to its end.
std::optional<std::string> readStandardInput(std::string& error);

/// Replaces the file's content in one step: readers see the old text or the new one, and a failure at any moment
/// (full disk, no permission) leaves the old file whole and no temporary file behind. A symbolic link keeps pointing
/// at its target, an existing file keeps its permissions; a device or a pipe is written to directly.
/// False, with `error` a sentence that names the file, on failure.
bool writeFileAtomically(const std::string& path, std::string_view text, std::string& error);

/// A write beyond the process's file size limit is then an error to report, like a full disk, not a signal that kills.
/// Call once at the start of a program.
void reportFileSizeLimitAsError();

} // namespace orrery
