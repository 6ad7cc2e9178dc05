// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// The key-value store of a job's ranks, as torch.distributed.Store describes it; who waits for a key is told by whoever sets it.
class LiveStoreRoom {
public:
    /// Somebody who waits for a key.
    struct Waiting {
        int client = 0;
        std::uint64_t request = 0;
        std::string key;
    };

    /// Gives those who waited for the key.
    std::vector<Waiting> set(const std::string& key, std::string value);
    std::optional<std::string> get(const std::string& key) const;
    void wait(Waiting waiting) { waiting_.push_back(std::move(waiting)); }
    /// The sum; a key that is not there, or no number, counts as 0. Those who waited for the key are added to `woken`.
    std::int64_t add(const std::string& key, std::int64_t value, std::vector<Waiting>& woken);
    /// The value after `desired` took the place of `expected`, or did not. An empty `expected` sets a key that is not there.
    std::string swap(const std::string& key, const std::string& expected, const std::string& desired, std::vector<Waiting>& woken);
    bool erase(const std::string& key) { return values_.erase(key) > 0; }
    std::size_t count() const { return values_.size(); }
    const std::vector<Waiting>& waiting() const { return waiting_; }
    void forget(int client);

private:
    std::map<std::string, std::string> values_;
    std::vector<Waiting> waiting_;
};

} // namespace orrery
