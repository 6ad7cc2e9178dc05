// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mpi/mpi_table.hpp"

#include <mpi.h>

#include <list>
#include <memory>
#include <string>

namespace {

constexpr int tag = 46;

struct Sent {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
};

/// Messages that MPI may still read.
std::list<Sent>& onTheirWay() {
    static std::list<Sent> sent;
    return sent;
}

void forgetSent() {
    for (auto sent = onTheirWay().begin(); sent != onTheirWay().end();) {
        int isDone = 0;
        MPI_Test(&sent->request, &isDone, MPI_STATUS_IGNORE);
        sent = isDone ? onTheirWay().erase(sent) : std::next(sent);
    }
}

bool start(int* rank, int* count) {
    int level = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return false;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // what a process that is gone was sent, others do
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, count);
    return true;
}

void send(int to, const char* bytes, std::size_t size) {
    forgetSent();
    Sent& sent = onTheirWay().emplace_back();
    sent.bytes.assign(bytes, size);
    MPI_Isend(sent.bytes.data(), static_cast<int>(size), MPI_BYTE, to, tag, MPI_COMM_WORLD, &sent.request);
}

bool waiting(int* from, std::size_t* size) {
    forgetSent();
    int isThere = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &isThere, &status) != MPI_SUCCESS || !isThere) return false;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    *from = status.MPI_SOURCE;
    *size = static_cast<std::size_t>(count);
    return true;
}

void take(int from, char* bytes, std::size_t size) { MPI_Recv(bytes, static_cast<int>(size), MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

void finish() {
    for (Sent& sent : onTheirWay()) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
    onTheirWay().clear();
    MPI_Finalize();
}

} // namespace

extern "C" const OrreryMpi* orreryMpi() {
    static const OrreryMpi table{orreryMpiVersion, start, send, waiting, take, finish};
    return &table;
}
