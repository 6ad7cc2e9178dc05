#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace orrery {

/// Calls `work(index)` for every index below `count`, several at a time; each writes to a place of its own, so that the outcome does
/// not depend on the number of threads. The exception of the lowest index that threw is thrown on.
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
        for (int i = 1; i < threads; ++i) helpers.emplace_back(run);
        run();
    }
    if (failure) std::rethrow_exception(failure);
}

} // namespace orrery
