// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace orrery {

/// Marks the upper halves of the calling thread's vector registers as unused, where the processor has such (AVX). A thread begins with what its
/// parent has in use, and drawing leaves them in use: then each change between instructions that write them and instructions that don't, several in
/// every logarithm, waits for some dozens of cycles, and a simulation takes up to four times as long. Changes no value that a program reads.
void releaseVectorRegisters();

/// Calls `work(index)` for every index below `count`, several at a time; each writes to a place of its own, so that the outcome does
/// not depend on the number of threads. The exception of the lowest index that threw is thrown on, in the calling thread. Where the system
/// has no more threads to give, those there are do all of it.
template <typename Work>
void forEachIndex(std::size_t count, int threads, Work work) {
    std::atomic<std::size_t> next{0};
    std::mutex guard;
    std::exception_ptr failure;
    std::size_t failedAt = count;
    const auto run = [&] {
        for (std::size_t index = next++; index < count; index = next++) {
            try {
                work(index);
            } catch (...) {
                const std::lock_guard lock(guard);
                if (index < failedAt) {
                    failedAt = index;
                    failure = std::current_exception();
                }
            }
        }
    };
    {
        std::vector<std::jthread> helpers;
        try {
            for (int i = 1; i < threads && static_cast<std::size_t>(i) < count; ++i) helpers.emplace_back(run);
        } catch (const std::exception&) { // no thread, or no memory for its place in the list
        }
        run();
    }
    if (failure) std::rethrow_exception(failure);
}

} // namespace orrery
