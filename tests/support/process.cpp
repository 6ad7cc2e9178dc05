// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/process.hpp"

#include "tests/support/scratch_folder.hpp"

#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orrery {
namespace {

/// Sanitizers map terabytes of addresses; a limit on those would keep the program from starting.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

std::string contentOf(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void redirect(int descriptor, const std::string& path, int flags) {
    constexpr mode_t mode = 0666;
    const int file = ::open(path.c_str(), flags, mode);
    if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(126);
}

/// Root reads any file. After this the program that it becomes reads what the modes allow to the file's owner and no more. Root stays
/// the user, because another one might not be allowed to run a program that was built in root's home.
void giveUpOverridingModes() {
    if (::geteuid() != 0) return;
    for (const int capability : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH})
        if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) ::_exit(126);
}

[[noreturn]] void becomeProgram(const std::vector<std::string>& arguments, const ProcessOptions& options,
                                const ScratchFolder& folder) {
    redirect(STDIN_FILENO, folder.path("in"), O_RDONLY);
    redirect(STDOUT_FILENO, options.outputFile.empty() ? folder.path("out") : options.outputFile, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(STDERR_FILENO, folder.path("err"), O_WRONLY | O_CREAT | O_TRUNC);
    if (options.fileSizeLimit) {
        const rlimit limit{*options.fileSizeLimit, *options.fileSizeLimit};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(126);
    }
    if (options.memoryLimit && !sanitized) {
        const rlimit limit{*options.memoryLimit, *options.memoryLimit};
        if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(126);
    }
    if (options.secondsAtMost > 0) ::alarm(options.secondsAtMost);
    if (options.obeyModes) giveUpOverridingModes();
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
}

} // namespace

ProcessResult runProcess(const std::vector<std::string>& arguments, const ProcessOptions& options) {
    const ScratchFolder folder;
    std::ofstream(folder.path("in"), std::ios::binary) << options.input;
    const pid_t child = ::fork();
    if (child == 0) becomeProgram(arguments, options, folder);
    ProcessResult result;
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) return result;
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = contentOf(folder.path("out"));
    result.err = contentOf(folder.path("err"));
    return result;
}

} // namespace orrery
