// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

/// What the module `orrery-mpi.so` offers to the program: messages between the processes of one MPI run, and nothing that knows what they say. The
/// program loads it only where a launcher started it, so that everybody else neither needs MPI nor waits for its libraries to load.
extern "C" {

struct OrreryMpi {
    int version; ///< of this table: `orreryMpiVersion`
    /// Joins the run. False where MPI can't start.
    bool (*start)(int* rank, int* count);
    /// Sends without waiting for the other to take it.
    void (*send)(int to, const char* bytes, std::size_t size);
    /// Whether a message waits, from whom and how long it is.
    bool (*waiting)(int* from, std::size_t* size);
    void (*take)(int from, char* bytes, std::size_t size);
    /// Leaves the run; waits for all others to do so.
    void (*finish)();
};

const OrreryMpi* orreryMpi();
}

inline constexpr int orreryMpiVersion = 1;
