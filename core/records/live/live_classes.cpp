// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/live/live_classes.hpp"

#include <algorithm>
#include <numeric>

namespace orrery {

LiveClasses::LiveClasses(const std::vector<LiveSlice>& known) : known_(known) {
    for (std::size_t i = 0; i < known.size(); ++i) {
        first_.push_back(owner_.size());
        owner_.insert(owner_.end(), known[i].axes.size(), i);
        for (const LiveSlice::Event& event : known[i].events)
            if (event.kind == LiveEvent::Kind::call && isPointToPoint(event.call.kind) && event.axis > 0) messageAxes_.insert(event.axis);
    }
    parents_.resize(owner_.size());
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    for (std::size_t of = 0; of < known.size(); ++of)
        for (std::uint32_t axis = 0; axis < known[of].axes.size(); ++axis) {
            const auto join = [&](std::size_t other) {
                if (axis < known_[other].axes.size()) parents_[find(first_[other] + axis)] = find(first_[of] + axis);
            };
            if (axis == 0) { // the world has all
                for (std::size_t other = 0; other < known.size(); ++other) join(other);
                continue;
            }
            for (std::int32_t place = 0; place < known[of].axes[axis].size; ++place) {
                if (const auto other = at(of, axis, place)) join(*other);
                else ++unknown_;
            }
        }
}

std::size_t LiveClasses::find(std::size_t node) const {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
}

std::optional<std::size_t> LiveClasses::rankOfWorld(std::size_t of, std::int32_t rank) const {
    for (std::size_t i = 0; i < known_.size(); ++i)
        if (known_[i].rank == rank && known_[i].world == known_[of].world) return i;
    return std::nullopt;
}

std::optional<std::size_t> LiveClasses::at(std::size_t of, std::uint32_t axis, std::int32_t place) const {
    if (axis == 0) return rankOfWorld(of, place);
    std::optional<std::size_t> best;
    long bestScore = -1;
    const auto wanted = [&](std::size_t a) { return a == axis ? place : known_[of].axes[a].place; };
    for (std::size_t i = 0; i < known_.size(); ++i) {
        const std::vector<LiveSlice::Axis>& axes = known_[i].axes;
        if (axis >= axes.size()) continue;
        bool sameWork = true;
        long score = 0;
        for (std::size_t a = 1; a < std::min(axes.size(), known_[of].axes.size()); ++a) {
            const bool equal = axes[a].place == wanted(a);
            if (messageAxes_.contains(static_cast<std::uint32_t>(a)) && !(equal && axes[a].size == known_[of].axes[a].size)) sameWork = false;
            score += equal ? 2 : 0;
        }
        if (!known_[i].recorded) score += 1;
        if (!sameWork || score <= bestScore) continue;
        best = i;
        bestScore = score;
    }
    return best;
}

bool LiveClasses::sameWork(std::size_t a, std::size_t b) const {
    const std::vector<LiveSlice::Axis>&ofA = known_[a].axes, &ofB = known_[b].axes;
    if (ofA.size() != ofB.size()) return false;
    for (const std::uint32_t axis : messageAxes_)
        if (axis < ofA.size() && (ofA[axis].place != ofB[axis].place || ofA[axis].size != ofB[axis].size)) return false;
    return true;
}

std::vector<std::size_t> LiveClasses::meeting(std::size_t shared) const {
    std::vector<std::size_t> ranks;
    for (std::size_t node = 0; node < owner_.size(); ++node)
        if (find(node) == shared && (ranks.empty() || ranks.back() != owner_[node])) ranks.push_back(owner_[node]);
    return ranks;
}

} // namespace orrery
