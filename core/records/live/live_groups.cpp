// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/live/live_groups.hpp"

#include <algorithm>
#include <utility>

namespace orrery {

std::string rankListText(const std::vector<int>& ranks) {
    constexpr std::size_t shown = 6;
    std::string text;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (i == shown && ranks.size() > shown + 1) return text + " … " + std::to_string(ranks.back());
        text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    }
    return text;
}

std::optional<std::string> LiveGroups::add(int rank, std::uint32_t number, std::vector<int> members) {
    if (const auto known = members_.find(number); known != members_.end()) {
        if (known->second == members) return std::nullopt;
        return "rank " + std::to_string(rank) + " makes group " + std::to_string(number) + " of ranks " + rankListText(members) + ", rank " + std::to_string(toldBy_[number]) + " made it of ranks " + rankListText(known->second) +
               ": every rank must make the same groups in the same order";
    }
    for (const int member : members)
        if (member < 0 || member >= world()) return "rank " + std::to_string(rank) + " makes a group with rank " + std::to_string(member) + ", which the job does not have";
    for (std::size_t place = 0; place < members.size(); ++place) memberships_[static_cast<std::size_t>(members[place])].push_back({number, static_cast<std::int32_t>(place)});
    toldBy_[number] = rank;
    members_.emplace(number, std::move(members));
    return std::nullopt;
}

std::optional<std::int32_t> LiveGroups::placeOf(int rank, std::uint32_t number) const {
    const auto found = members_.find(number);
    if (found == members_.end()) return std::nullopt;
    const auto at = std::find(found->second.begin(), found->second.end(), rank);
    if (at == found->second.end()) return std::nullopt;
    return static_cast<std::int32_t>(at - found->second.begin());
}

std::string LiveGroups::text(std::uint32_t number) const {
    const std::vector<int>& ranks = members(number);
    if (static_cast<int>(ranks.size()) == world()) return "all " + std::to_string(world()) + " ranks";
    return "ranks " + rankListText(ranks);
}

} // namespace orrery
