// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/coordinator/run_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace orrery {

RunFolder::~RunFolder() {
    if (listening_ >= 0) ::close(listening_);
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

bool RunFolder::open(std::string& error) {
    const char* temporary = std::getenv("TMPDIR");
    std::string name = std::string(temporary == nullptr || *temporary == 0 ? "/tmp" : temporary) + "/orrery-live-XXXXXX";
    const auto fail = [&](const std::string& what) {
        error = what + ": " + std::strerror(errno);
        return false;
    };
    if (::mkdtemp(name.data()) == nullptr) return fail("no folder for the run can be made at " + name); // for its owner alone
    path_ = name;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socketPath().size() >= sizeof(address.sun_path)) {
        error = "the path of the run's socket is too long: " + socketPath() + " (set TMPDIR to a shorter one)";
        return false;
    }
    std::memcpy(address.sun_path, socketPath().c_str(), socketPath().size() + 1);
    listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listening_ < 0 || ::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 || ::listen(listening_, SOMAXCONN) != 0) return fail("no socket can be made at " + socketPath());
    return true;
}

int RunFolder::accept() const {
    const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    return socket < 0 ? 0 : socket;
}

bool RunFolder::hasStack(int process) const { return std::filesystem::exists(path_ + "/" + std::to_string(process) + ".stack"); }

std::string RunFolder::stackOf(int process) const {
    std::ifstream file(path_ + "/" + std::to_string(process) + ".stack");
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace orrery
