// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// The groups of a program's ranks, as real ranks tell of them: every rank makes every group, in one order, and so numbers it alike. Thereby one
/// rank's word is known of all ranks, virtual ones as well.
class LiveGroups {
public:
    /// A group that a rank is in, and its place there.
    struct Membership {
        std::uint32_t group = 0;
        std::int32_t place = 0;
    };

    explicit LiveGroups(int world) : memberships_(static_cast<std::size_t>(world)) {}

    /// What is wrong with the group that `rank` tells of: another rank said otherwise, or a member is no rank of the job. Nothing: it is known now.
    std::optional<std::string> add(int rank, std::uint32_t number, std::vector<int> members);

    bool has(std::uint32_t number) const { return members_.contains(number); }
    const std::vector<int>& members(std::uint32_t number) const { return members_.at(number); }
    /// In the order in which the groups were made.
    const std::vector<Membership>& of(int rank) const { return memberships_[static_cast<std::size_t>(rank)]; }
    std::optional<std::int32_t> placeOf(int rank, std::uint32_t number) const;
    int world() const { return static_cast<int>(memberships_.size()); }
    std::size_t count() const { return members_.size(); }

    /// "all 8 ranks", "ranks 0, 2, 4, 6".
    std::string text(std::uint32_t number) const;

private:
    std::map<std::uint32_t, std::vector<int>> members_;
    std::map<std::uint32_t, int> toldBy_;
    std::vector<std::vector<Membership>> memberships_; ///< by rank
};

/// "0, 2, 4 … 62": of a long list the first few and the last.
std::string rankListText(const std::vector<int>& ranks);

} // namespace orrery
