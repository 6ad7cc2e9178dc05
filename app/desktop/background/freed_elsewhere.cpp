// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/freed_elsewhere.hpp"

#include "app/desktop/background/background_thread.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace orrery {
namespace {

class Leftovers {
public:
    Leftovers() : thread_(backgroundThread([this](const std::stop_token& quit) { work(quit); })) {}
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
