// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explore/processes.hpp"

#include "app/cli/common/kept_answer.hpp"
#include "app/common/exit_status.hpp"
#include "app/mpi/mpi_table.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace orrery {
namespace {

/// How many processes a launcher started, by what it says in the environment: Open MPI, MPICH and its kin, Slurm.
int launchedProcesses() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
        if (const char* count = std::getenv(name)) return std::atoi(count);
    return 1;
}

Problem cannotSpread(const std::string& code, const std::string& message, const std::string& mend) {
    Problem problem;
    problem.code = code;
    problem.message = message;
    problem.mend = mend;
    return problem;
}

const OrreryMpi* loadedModule(std::string& error) {
    std::error_code ignored;
    const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const std::filesystem::path& folder : {here, here.parent_path() / "lib" / "orrery"}) {
        const std::filesystem::path file = folder / "orrery-mpi.so";
        if (!std::filesystem::exists(file, ignored)) continue;
        // Open MPI loads parts of itself, which look for its symbols among everybody's.
        void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
        void* const entry = module ? dlsym(module, "orreryMpi") : nullptr;
        if (!entry) {
            const char* const why = dlerror();
            error = why ? why : file.string() + " is not the module";
            return nullptr;
        }
        const OrreryMpi* const table = reinterpret_cast<decltype(&orreryMpi)>(entry)();
        if (table->version == orreryMpiVersion) return table;
        error = file.string() + " belongs to another version of orrery-cli";
        return nullptr;
    }
    error = "this orrery-cli was built without MPI";
    return nullptr;
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv).
std::uint64_t hashOf(std::string_view bytes, std::uint64_t hash = 0xcbf29ce484222325) {
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

} // namespace

std::unique_ptr<Processes> Processes::join(Problems& problems) {
    const int launched = launchedProcesses();
    if (launched < 2 || KeptAnswer::ofThisThread()) return nullptr; // who asks for an answer is one process
    std::string error;
    const OrreryMpi* const mpi = loadedModule(error);
    if (!mpi) {
        problems.push_back(cannotSpread("no-mpi", std::to_string(launched) + " processes were started, but they can't share the work (" + error + "): each would do all of it.",
                                        "Install the packages libopenmpi-dev and openmpi-bin and build again, or start one process."));
        return nullptr;
    }
    int rank = 0, count = 1;
    if (mpi->start(&rank, &count) && count > 1) return std::unique_ptr<Processes>(new Processes(*mpi, rank, count));
    problems.push_back(cannotSpread("launcher-without-mpi", std::to_string(launched) + " processes were started, but the launcher did not join them to one MPI run: each would do all of the work.",
                                    "Start them with Open MPI's own mpirun; with srun, add --mpi=pmix."));
    return nullptr;
}

Processes::~Processes() {
    if (rank_ == 0)
        for (int other = 1; other < count_; ++other) send(other, "E");
    if (!hasLost_) {
        mpi_.finish();
        return;
    }
    // Leaving in order would wait for who is gone. What was found is printed already.
    std::cout.flush();
    std::fflush(nullptr);
    _exit(exit_done);
}

bool Processes::isFirst() {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (const char* rank = std::getenv(name)) return std::atoi(rank) == 0;
    return true;
}

void Processes::send(int to, const std::string& text) const { mpi_.send(to, text.data(), text.size()); }

std::optional<Processes::Message> Processes::next() const {
    Message message;
    std::size_t size = 0;
    if (!mpi_.waiting(&message.from, &size)) return std::nullopt;
    message.text.resize(size);
    mpi_.take(message.from, message.text.data(), size);
    return message;
}

std::string fingerprintOf(const std::string& question) {
    std::uint64_t hash = hashOf(question);
    std::ifstream program("/proc/self/exe", std::ios::binary); // the core, with the catalogue in it
    std::string part(std::size_t{1} << 20, '\0');
    while (program.read(part.data(), static_cast<std::streamsize>(part.size())), program.gcount() > 0) hash = hashOf(std::string_view(part).substr(0, static_cast<std::size_t>(program.gcount())), hash);
    return std::to_string(hash);
}

} // namespace orrery
