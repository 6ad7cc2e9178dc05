// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/rank_list.hpp"

#include <charconv>
#include <sstream>

namespace orrery {
namespace {

std::optional<int> wholeNumber(std::string_view text) {
    int value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

} // namespace

std::optional<std::vector<int>> readRankList(const std::string& text, int ranks, std::string& error) {
    std::vector<int> list;
    std::vector<bool> named(static_cast<std::size_t>(ranks), false);
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        const std::size_t dash = part.find('-');
        const std::optional<int> first = wholeNumber(part.substr(0, dash));
        const std::optional<int> last = dash == std::string::npos ? first : wholeNumber(part.substr(dash + 1));
        if (!first || !last || *last < *first) {
            error = "\"" + part + "\" names no ranks.";
            return std::nullopt;
        }
        if (*last >= ranks) {
            error = "The cluster has " + std::to_string(ranks) + " ranks; there is no rank " + std::to_string(*last) + ".";
            return std::nullopt;
        }
        for (int rank = *first; rank <= *last; ++rank) {
            if (named[static_cast<std::size_t>(rank)]) {
                error = "Rank " + std::to_string(rank) + " is named twice.";
                return std::nullopt;
            }
            named[static_cast<std::size_t>(rank)] = true;
            list.push_back(rank);
        }
    }
    if (list.empty()) error = "No ranks are named.";
    return list.empty() ? std::nullopt : std::optional(std::move(list));
}

} // namespace orrery
