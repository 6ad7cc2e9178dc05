// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/router.hpp"

#include "core/base/mixed_bits.hpp"
#include "core/order/requests/random_stream.hpp"

#include <algorithm>
#include <unordered_map>

namespace orrery {
namespace {

bool isOpen(int load) { return load != RequestRouter::closed; }

/// The first of the open instances with the fewest requests.
std::size_t leastLoaded(const std::vector<int>& loads) {
    std::size_t best = loads.size();
    for (std::size_t i = 0; i < loads.size(); ++i)
        if (isOpen(loads[i]) && (best == loads.size() || loads[i] < loads[best])) best = i;
    return best;
}

class RoundRobin : public RequestRouter {
public:
    std::size_t choose(const Request&, int, const std::vector<int>& loads) override {
        std::size_t chosen = next_++ % loads.size();
        while (!isOpen(loads[chosen])) chosen = next_++ % loads.size();
        return chosen;
    }

private:
    std::size_t next_ = 0;
};

class LeastLoaded : public RequestRouter {
public:
    std::size_t choose(const Request&, int, const std::vector<int>& loads) override { return leastLoaded(loads); }
};

class PrefixAware : public RequestRouter {
public:
    explicit PrefixAware(std::size_t instances) : sent_(instances) {}

    std::size_t choose(const Request& request, int, const std::vector<int>& loads) override {
        const std::size_t chosen = chosenFor(request, loads);
        for (const std::uint64_t hash : request.hashes) sent_[chosen].emplace(hash, true);
        return chosen;
    }
    void forget(std::size_t instance) override { sent_[instance].clear(); }

private:
    std::size_t chosenFor(const Request& request, const std::vector<int>& loads) const {
        const std::size_t lightest = leastLoaded(loads);
        const int least = loads[lightest], most = *std::max_element(loads.begin(), loads.end());
        if (most - least > 32 && most > 1.5 * least) return lightest;
        std::size_t best = lightest, longest = 0;
        for (std::size_t i = 0; i < sent_.size(); ++i) {
            if (!isOpen(loads[i])) continue;
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

class SessionAffinity : public RequestRouter {
public:
    std::size_t choose(const Request&, int session, const std::vector<int>& loads) override {
        if (session < 0) return leastLoaded(loads);
        std::size_t best = loads.size();
        std::uint64_t highest = 0;
        for (std::size_t i = 0; i < loads.size(); ++i) {
            const std::uint64_t weight = mixedBits(mixedBits(static_cast<std::uint64_t>(session) + 1) + i);
            if (!isOpen(loads[i]) || (best < loads.size() && weight <= highest)) continue;
            best = i;
            highest = weight;
        }
        return best;
    }
};

class PowerOfTwo : public RequestRouter {
public:
    std::size_t choose(const Request&, int, const std::vector<int>& loads) override {
        open_.clear();
        for (std::size_t i = 0; i < loads.size(); ++i)
            if (isOpen(loads[i])) open_.push_back(i);
        if (open_.size() == 1) return open_.front();
        const std::size_t first = drawn(open_.size());
        std::size_t second = drawn(open_.size() - 1);
        if (second >= first) ++second; // two different ones
        return loads[open_[second]] < loads[open_[first]] ? open_[second] : open_[first];
    }

private:
    std::size_t drawn(std::size_t count) { return static_cast<std::size_t>(random_.bits() % count); }

    RandomStream random_{0, 4}; ///< requests' arrivals, inputs and outputs are drawn from streams 1 to 3
    std::vector<std::size_t> open_;
};

} // namespace

std::unique_ptr<RequestRouter> makeRequestRouter(RouterKind kind, std::size_t instances) {
    switch (kind) {
    case RouterKind::round_robin: return std::make_unique<RoundRobin>();
    case RouterKind::least_loaded: return std::make_unique<LeastLoaded>();
    case RouterKind::prefix_aware: return std::make_unique<PrefixAware>(instances);
    case RouterKind::session_affinity: return std::make_unique<SessionAffinity>();
    case RouterKind::power_of_two: return std::make_unique<PowerOfTwo>();
    }
    return std::make_unique<RoundRobin>();
}

} // namespace orrery
