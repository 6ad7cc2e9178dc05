// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/coordinator/real_ranks.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace orrery {

std::optional<WatchedProcess> startRank(const RankStart& start, std::string& error) {
    // All that the child needs is made before the fork: between it and exec nothing may allocate.
    std::vector<std::string> variables;
    for (char** own = environ; *own != nullptr; ++own) {
        const std::string variable = *own;
        const std::string name = variable.substr(0, variable.find('='));
        bool replaced = false;
        for (const auto& [key, value] : start.environment) replaced = replaced || key == name;
        if (!replaced) variables.push_back(variable);
    }
    for (const auto& [key, value] : start.environment) variables.emplace_back(key).append("=").append(value);
    std::vector<char*> arguments, environment;
    for (const std::string& word : start.command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    for (const std::string& variable : variables) environment.push_back(const_cast<char*>(variable.c_str()));
    environment.push_back(nullptr);

    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0) {
        error = std::string("no pipe can be made: ") + std::strerror(errno);
        return std::nullopt;
    }
    const pid_t parent = ::getpid(), child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(127);
        if (start.outputToError) ::dup2(STDERR_FILENO, STDOUT_FILENO);
        ::execvpe(arguments[0], arguments.data(), environment.data());
        const int reason = errno;
        (void)!::write(failure[1], &reason, sizeof(reason));
        ::_exit(127);
    }
    ::close(failure[1]);
    int reason = 0;
    const bool failed = child < 0 || ::read(failure[0], &reason, sizeof(reason)) == static_cast<ssize_t>(sizeof(reason));
    ::close(failure[0]);
    if (failed) {
        error = start.command.front() + " can't be run: " + std::strerror(child < 0 ? errno : reason);
        return std::nullopt;
    }
    return watchProcess(child);
}

WatchedProcess watchProcess(int pid) { return {pid, static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))}; }

ProcessState stateOf(int pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    ProcessState state;
    std::ifstream file(folder + "/stat");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto name = text.rfind(')'); // a name may hold anything
    if (name == std::string::npos || name + 2 >= text.size()) return state;
    state.letter = text[name + 2];
    // Each thread has a file whose first number is its ns on a CPU (Linux, Documentation/scheduler/sched-stats.rst).
    if (DIR* tasks = ::opendir((folder + "/task").c_str())) {
        while (const dirent* task = ::readdir(tasks)) {
            std::ifstream times(folder + "/task/" + task->d_name + "/schedstat");
            std::uint64_t ran = 0;
            if (times >> ran) state.cpuTime += ran;
        }
        ::closedir(tasks);
    }
    return state;
}

} // namespace orrery
