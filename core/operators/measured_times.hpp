// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/operators/kernel_table.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orrery {

/// A user's own measurements: times of exactly those calls on exactly that accelerator.
class MeasuredTimes {
public:
    /// Where a call stands in it already, the newer time counts.
    void add(const std::string& accelerator, const KernelTable& table);
    std::optional<double> find(std::string_view accelerator, const KernelCall& call) const;
    std::size_t size() const;
    bool empty() const { return times_.empty(); }

private:
    struct Hash {
        std::size_t operator()(const KernelCall& call) const { return static_cast<std::size_t>(hashOf(call)); }
    };
    std::map<std::string, std::unordered_map<KernelCall, double, Hash>, std::less<>> times_;
};

/// A table's text in the columns `readKernelTable` reads, rows in the order given. Both halves of an experts' exchange must
/// stand one after the other, as they were read.
std::string toCsv(const KernelTable& table);

/// `older` without the calls that `newer` has, then `newer`.
KernelTable merged(const KernelTable& older, const KernelTable& newer);

} // namespace orrery
