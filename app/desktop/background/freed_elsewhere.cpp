// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/freed_elsewhere.hpp"

#include "app/desktop/background/background_task.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace orrery {
namespace {

/// Bytes of freed heap that the allocator keeps. It gives the rest back to the system in whichever thread happens to free the heap's last
/// block: 15 ms for some tens of MiB, in the window's thread as in any. The next result takes them again anyhow.
constexpr int keptHeap = 256 << 20;
/// Bytes from which a block is mapped by itself: where glibc's own rule ends. To set the other limit switches that rule off.
constexpr int mappedFrom = 32 << 20;

void keepFreedHeap() {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, mappedFrom);
    mallopt(M_TRIM_THRESHOLD, keptHeap);
#endif
}

class Leftovers {
public:
    Leftovers() : thread_(backgroundThread([this](const std::stop_token& quit) { work(quit); })) { keepFreedHeap(); }
    ~Leftovers() {
        thread_.request_stop();
        thread_.join();
    }
    Leftovers(const Leftovers&) = delete;
    Leftovers& operator=(const Leftovers&) = delete;

    void add(std::function<void()> letGo) {
        {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(std::move(letGo));
        }
        wake_.notify_one();
    }

private:
    void work(const std::stop_token& quit) {
        while (true) {
            std::vector<std::function<void()>> taken;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, quit, [this] { return !waiting_.empty(); });
                taken.swap(waiting_);
            }
            if (taken.empty()) return; // asked to stop, and nothing is left
            for (const std::function<void()>& letGo : taken) letGo();
        }
    }

    std::mutex mutex_; ///< guards `waiting_`
    std::condition_variable_any wake_;
    std::vector<std::function<void()>> waiting_;
    std::jthread thread_;
};

} // namespace

void letGoElsewhere(std::function<void()> letGo) {
    // What is let go of after the end of `main` finds no thread, and nobody waits for a picture.
    static std::atomic<bool> ended = false;
    struct Owner {
        Leftovers leftovers;
        ~Owner() { ended = true; }
    };
    if (ended) return letGo();
    static Owner owner;
    owner.leftovers.add(std::move(letGo));
}

} // namespace orrery
