// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/coordinator/live_store_room.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace orrery {

std::vector<LiveStoreRoom::Waiting> LiveStoreRoom::set(const std::string& key, std::string value) {
    values_[key] = std::move(value);
    std::vector<Waiting> woken;
    const auto others = std::stable_partition(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return one.key != key; });
    woken.assign(std::make_move_iterator(others), std::make_move_iterator(waiting_.end()));
    waiting_.erase(others, waiting_.end());
    return woken;
}

std::optional<std::string> LiveStoreRoom::get(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return std::nullopt;
    return found->second;
}

std::int64_t LiveStoreRoom::add(const std::string& key, std::int64_t value, std::vector<Waiting>& woken) {
    std::int64_t sum = 0;
    if (const auto found = values_.find(key); found != values_.end()) std::from_chars(found->second.data(), found->second.data() + found->second.size(), sum);
    sum += value;
    woken = set(key, std::to_string(sum));
    return sum;
}

std::string LiveStoreRoom::swap(const std::string& key, const std::string& expected, const std::string& desired, std::vector<Waiting>& woken) {
    const std::optional<std::string> now = get(key);
    if (now ? *now == expected : expected.empty()) {
        woken = set(key, desired);
        return desired;
    }
    return now.value_or(expected);
}

void LiveStoreRoom::forget(int client) {
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return one.client == client; }), waiting_.end());
}

} // namespace orrery
