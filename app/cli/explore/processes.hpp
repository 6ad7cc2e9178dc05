// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"

#include <memory>
#include <optional>
#include <string>

struct OrreryMpi; // app/mpi/mpi_table.hpp

namespace orrery {

/// The processes that a launcher (mpirun, srun) started to run one command together. The first leads and prints; the others do what it asks.
class Processes {
public:
    struct Message {
        int from = 0;
        std::string text;
    };

    /// Null where this process runs alone. An error: there are others, but no way to speak to them; each would do the whole work.
    static std::unique_ptr<Processes> join(Problems& problems);
    /// The leader tells the others that it is over; then all leave together.
    ~Processes();
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;

    /// Whether this process is the one that says what is wrong where they can't join.
    static bool isFirst();

    int rank() const { return rank_; }
    int count() const { return count_; }
    void send(int to, const std::string& text) const;
    /// The next message that has come.
    std::optional<Message> next() const;
    /// A process is gone for good: nobody waits for it in the end.
    void lose() { hasLost_ = true; }

private:
    Processes(const OrreryMpi& mpi, int rank, int count) : mpi_(mpi), rank_(rank), count_(count) {}

    const OrreryMpi& mpi_;
    int rank_, count_;
    bool hasLost_ = false;
};

/// A process whose fingerprint differs runs another program, with another catalogue, or has another question: its figures would be others.
std::string fingerprintOf(const std::string& question);

} // namespace orrery
