// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/file_io.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t readBlock = 1 << 16;
constexpr std::size_t mostOfDevice = std::size_t{16} << 20; ///< bytes: some devices never end

/// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int value() const { return value_; }
    bool valid() const { return value_ >= 0; }

    /// False when the system could not keep what was written.
    bool close() {
        if (value_ < 0) return true;
        const int descriptor = value_;
        value_ = -1;
        return ::close(descriptor) == 0;
    }

private:
    int value_;
};

std::string cannot(const char* what, const std::string& path, const std::string& reason) {
    return std::string("Cannot ") + what + " " + path + ": " + reason + ".";
}

bool writeAll(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// umask can only be read by setting it.
mode_t modeOfNewFile() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

bool writeDirectly(const std::string& path, std::string_view text, std::string& error) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.valid() || !writeAll(file.value(), text) || !file.close()) {
        error = cannot("write", path, std::strerror(errno));
        return false;
    }
    return true;
}

/// Where a symbolic link leads, also when nothing is there yet.
fs::path targetOf(const fs::path& path) {
    std::error_code ignored;
    fs::path target = path;
    for (int depth = 0; depth < 40 && fs::is_symlink(fs::symlink_status(target, ignored)); ++depth) {
        const fs::path next = fs::read_symlink(target, ignored);
        if (ignored) break;
        target = next.is_absolute() ? next : target.parent_path() / next;
    }
    return target;
}

void syncFolder(const fs::path& folder) {
    // The rename itself survives a power cut only once the folder is on disk; some file systems refuse, which is no failure.
    const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (handle.valid()) ::fsync(handle.value());
}

std::string tooLarge(std::size_t most) { return "it is larger than " + std::to_string(most >> 20) + " MiB"; }

/// What comes first from a pipe, once some program has it open for writing; nothing when none does in time. The pipe is open without
/// blocking and blocks from then on.
std::optional<std::string> beginOfPipe(int descriptor) {
    constexpr int tries = 100, betweenTries = 50; // ms
    for (int i = 0; i < tries; ++i) {
        pollfd asked{descriptor, POLLIN, 0};
        char byte = 0;
        const bool spoken = ::poll(&asked, 1, betweenTries) > 0; // it holds bytes, or a writer came and went
        const ssize_t count = spoken ? 0 : ::read(descriptor, &byte, 1);
        const bool silentWriter = count < 0 && errno == EAGAIN;
        if (!spoken && !silentWriter && count <= 0) continue;
        if (::fcntl(descriptor, F_SETFL, O_RDONLY) != 0) return std::nullopt;
        return std::string(count > 0 ? 1 : 0, byte);
    }
    return std::nullopt;
}

/// Reads to the end; `text` is what was read before. `mayFallSilent`: who writes may stop and never close, and is waited for only so long.
std::optional<std::string> readAll(int descriptor, std::size_t most, std::string& reason, std::string text = {}, bool mayFallSilent = false) {
    constexpr int longestSilence = 5'000; // ms
    std::vector<char> block(readBlock);
    while (true) {
        pollfd asked{descriptor, POLLIN, 0};
        if (mayFallSilent && ::poll(&asked, 1, longestSilence) == 0) {
            reason = "nothing has come from it for " + std::to_string(longestSilence / 1000) + " s, and its end has not either";
            return std::nullopt;
        }
        if (text.size() > most) {
            reason = tooLarge(most);
            return std::nullopt;
        }
        const ssize_t count = ::read(descriptor, block.data(), block.size());
        if (count == 0) return text;
        if (count < 0) {
            if (errno == EINTR) continue;
            reason = std::strerror(errno);
            return std::nullopt;
        }
        text.append(block.data(), static_cast<std::size_t>(count));
    }
}

/// Lets the system back a large buffer with large pages: touching it for the first time costs a fault a page.
void askForLargePages(const std::string& buffer) {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t largePage = std::size_t{2} << 20;
    void* begin = const_cast<char*>(buffer.data());
    std::size_t room = buffer.capacity();
    if (std::align(largePage, largePage, begin, room) != nullptr) ::madvise(begin, room / largePage * largePage, MADV_HUGEPAGE); // no harm where it is refused
#endif
}

/// What stands in the way of reading, in words; empty: nothing.
std::string obstacle(const struct stat& status, const ReadRule& rule) {
    if (S_ISDIR(status.st_mode)) return std::strerror(EISDIR);
    if (S_ISREG(status.st_mode)) return static_cast<unsigned long long>(status.st_size) > rule.most ? tooLarge(rule.most) : std::string();
    if (!rule.regularOnly) return "";
    if (S_ISFIFO(status.st_mode)) return "it is a pipe, not a regular file";
    return S_ISSOCK(status.st_mode) ? "it is a socket, not a regular file" : "it is a device, not a regular file";
}

} // namespace

std::optional<std::string> readTextFile(const std::string& path, std::string& error, const ReadRule& rule) {
    std::string reason;
    std::optional<std::string> text = tryReadFile(path, reason, rule);
    if (!text) error = cannot("read", path, reason);
    return text;
}

std::optional<std::string> tryReadFile(const std::string& path, std::string& reason, const ReadRule& rule) {
    // Opened so that it blocks, a pipe waits for ever for a program that writes to it.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat status {};
    if (!file.valid() || ::fstat(file.value(), &status) != 0) {
        reason = std::strerror(errno);
        return std::nullopt;
    }
    reason = obstacle(status, rule);
    if (!reason.empty()) return std::nullopt;
    if (!S_ISFIFO(status.st_mode)) {
        ::fcntl(file.value(), F_SETFL, O_RDONLY); // a terminal waits for what is typed
        std::string text;
        if (S_ISREG(status.st_mode)) text.reserve(static_cast<std::size_t>(status.st_size)); // large ones are copied no more than once
        askForLargePages(text);
        const bool device = S_ISCHR(status.st_mode) && ::isatty(file.value()) == 0;
        return readAll(file.value(), device ? std::min(rule.most, mostOfDevice) : rule.most, reason, std::move(text), device);
    }
    std::optional<std::string> begin = beginOfPipe(file.value());
    if (!begin) {
        reason = "it is a pipe, and no program writes to it";
        return std::nullopt;
    }
    return readAll(file.value(), rule.most, reason, std::move(*begin), true);
}

std::optional<std::string> readStandardInput(std::string& error, const ReadRule& rule) {
    // What comes through a pipe may take its time to be made; a person who forgot a file's name waits for ever.
    constexpr int patience = 2000; // ms
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (::poll(&input, 1, patience) == 0) std::cerr << "Waiting for standard input. Name a file instead of \"-\", or end the input with Ctrl+D.\n"
                                                    << std::flush;
    std::string reason;
    std::optional<std::string> text = readAll(STDIN_FILENO, rule.most, reason);
    if (!text) error = cannot("read", "standard input", reason);
    return text;
}

bool writeFileAtomically(const std::string& path, std::string_view text, std::string& error) {
    const fs::path target = targetOf(path);
    struct stat existing {};
    const bool exists = ::stat(target.c_str(), &existing) == 0;
    if (exists && S_ISDIR(existing.st_mode)) {
        error = cannot("write", path, std::strerror(EISDIR));
        return false;
    }
    if (exists && !S_ISREG(existing.st_mode)) return writeDirectly(path, text, error);

    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    std::string temporary = (folder / ("." + target.filename().string() + ".XXXXXX")).string();
    Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!file.valid()) {
        error = cannot("write", path, std::strerror(errno));
        return false;
    }
    const mode_t mode = exists ? existing.st_mode & 07777 : modeOfNewFile();
    const bool written = writeAll(file.value(), text) && ::fchmod(file.value(), mode) == 0 &&
                         ::fsync(file.value()) == 0 && file.close() &&
                         ::rename(temporary.c_str(), target.c_str()) == 0;
    if (!written) {
        error = cannot("write", path, std::strerror(errno));
        ::unlink(temporary.c_str());
        return false;
    }
    syncFolder(folder);
    return true;
}

void reportFileSizeLimitAsError() { std::signal(SIGXFSZ, SIG_IGN); }

} // namespace orrery
