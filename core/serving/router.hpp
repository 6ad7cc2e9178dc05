// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/requests/request.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace orrery {

enum class RouterKind { round_robin,
                        least_loaded,
                        prefix_aware };

/// Which instance gets a request.
class RequestRouter {
public:
    virtual ~RequestRouter() = default;
    /// `loads`: requests at each instance that have not ended. Gives a place in it.
    virtual std::size_t choose(const Request& request, const std::vector<int>& loads) = 0;
};

/// `round_robin`: one after the other. `least_loaded`: the fewest requests, the first of several. `prefix_aware`: the instance that was sent the
/// longest beginning of this prompt, where that is at least half of the prompt; otherwise, and where loads differ by more than 32 requests and by
/// half, the least loaded (the rules and thresholds of SGLang's cache-aware router). It goes by what it has sent where, as routers do, not by
/// what caches still hold.
std::unique_ptr<RequestRouter> makeRequestRouter(RouterKind kind, std::size_t instances);

} // namespace orrery
