// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/transfers/shared_links.hpp"
#include "core/order/serving/transfers.hpp"
#include "core/training/job_traffic/cache_traffic.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace orrery {

/// Keys and values on their way between instances as flows over the drawn network: where they meet each other, or whatever else uses the
/// links, they share them max-min fairly. A transfer takes the longest of its ways' latencies, then as long as its last flow.
class CacheTransfers : public Transfers {
public:
    /// `holders` by instance. Model, router and share live as long as this.
    CacheTransfers(const Architecture& model, std::vector<CacheHolder> holders, Router& router, SharedLinks::Share& share);

    /// A pattern that has no way, of those from the first `senders` instances to the `receivers` after them; null: all have one.
    const TransferPattern* cut(int senders, int receivers);
    /// Marks all links that these may cross; sequences of any attention group.
    void mark(int senders, int receivers, std::vector<bool>& links);

    void start(int request, double bytes, int from, int to, double now) override;
    double nextEvent() override { return share_.nextEvent(); }
    void takeEnded(double now, std::vector<int>& requests) override;

private:
    /// Sequences are dealt out to an instance's attention groups in the order in which they come over.
    const TransferPattern& pattern(int from, int fromGroup, int to, int toGroup);
    int groups(int instance) const { return holders_[static_cast<std::size_t>(instance)].plan.attentionData; }

    const Architecture& model_;
    std::vector<CacheHolder> holders_;
    Router& router_;
    SharedLinks::Share& share_;
    std::map<std::tuple<int, int, int, int>, TransferPattern> patterns_;
    std::vector<TransferId> free_;
    std::map<int, TransferId> underWay_; ///< by request
    std::vector<TaskId> ended_;
};

} // namespace orrery
