// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/requests/request.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace orrery {

enum class RouterKind { round_robin,
                        least_loaded,
                        prefix_aware,
                        session_affinity,
                        power_of_two };

/// Which instance gets a request.
class RequestRouter {
public:
    virtual ~RequestRouter() = default;
    /// `loads`: requests at each instance that have not ended; `closed` where the instance takes none now. At least one is open. `session`: a
    /// number that requests of one session share; −1: it belongs to none. Gives a place in `loads`.
    virtual std::size_t choose(const Request& request, int session, const std::vector<int>& loads) = 0;
    /// An instance begins anew: what it was sent is gone.
    virtual void forget(std::size_t /*instance*/) {}

    static constexpr int closed = -1;
};

/// `round_robin`: one after the other. `least_loaded`: the fewest requests, the first of several. `prefix_aware`: the instance that was sent the
/// longest beginning of this prompt, where that is at least half of the prompt; otherwise, and where loads differ by more than 32 requests and by
/// half, the least loaded (the rules and thresholds of SGLang's cache-aware router). It goes by what it has sent where, as routers do, not by
/// what caches still hold. `session_affinity`: requests of a session go where its first went, by rendezvous hashing (Thaler and Ravishankar, 1998):
/// when an instance comes or goes, only sessions that were or will be there move; a request of no session goes to the least loaded.
/// `power_of_two`: two open instances are drawn, the less loaded gets it (Mitzenmacher, 2001; SGLang's policy of that name).
std::unique_ptr<RequestRouter> makeRequestRouter(RouterKind kind, std::size_t instances);

} // namespace orrery
