// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/router.hpp"

#include <algorithm>
#include <unordered_map>

namespace orrery {

namespace {

std::size_t leastLoaded(const std::vector<int>& loads) { return static_cast<std::size_t>(std::min_element(loads.begin(), loads.end()) - loads.begin()); }

class RoundRobin : public RequestRouter {
public:
    std::size_t choose(const Request&, const std::vector<int>& loads) override { return next_++ % loads.size(); }

private:
    std::size_t next_ = 0;
};

class LeastLoaded : public RequestRouter {
public:
    std::size_t choose(const Request&, const std::vector<int>& loads) override { return leastLoaded(loads); }
};

class PrefixAware : public RequestRouter {
public:
    explicit PrefixAware(std::size_t instances) : sent_(instances) {}

    std::size_t choose(const Request& request, const std::vector<int>& loads) override {
        const std::size_t chosen = chosenFor(request, loads);
        for (const std::uint64_t hash : request.hashes) sent_[chosen].emplace(hash, true);
        return chosen;
    }

private:
    std::size_t chosenFor(const Request& request, const std::vector<int>& loads) const {
        const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
        const std::size_t lightest = leastLoaded(loads);
        if (*most - *least > 32 && *most > 1.5 * *least) return lightest;
        std::size_t best = lightest, longest = 0;
        for (std::size_t i = 0; i < sent_.size(); ++i) {
            const std::size_t length = lengthAt(i, request);
            if (length > longest || (length == longest && length > 0 && loads[i] < loads[best])) {
                best = i;
                longest = length;
            }
        }
        return 2 * longest >= request.hashes.size() ? best : lightest;
    }
    /// Blocks at the beginning of the prompt that the instance was sent. Hashes are chained: who has one has all before it.
    std::size_t lengthAt(std::size_t instance, const Request& request) const {
        const auto end = std::partition_point(request.hashes.begin(), request.hashes.end(), [&](std::uint64_t hash) { return sent_[instance].contains(hash); });
        return static_cast<std::size_t>(end - request.hashes.begin());
    }

    std::vector<std::unordered_map<std::uint64_t, bool>> sent_; ///< looked up, never gone through
};

} // namespace

std::unique_ptr<RequestRouter> makeRequestRouter(RouterKind kind, std::size_t instances) {
    switch (kind) {
    case RouterKind::round_robin: return std::make_unique<RoundRobin>();
    case RouterKind::least_loaded: return std::make_unique<LeastLoaded>();
    case RouterKind::prefix_aware: return std::make_unique<PrefixAware>(instances);
    }
    return std::make_unique<RoundRobin>();
}

} // namespace orrery
