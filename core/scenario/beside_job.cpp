// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/beside_job.hpp"

#include "core/scenario/scenario.hpp"

#include <cstddef>

namespace orrery {

std::vector<AcceleratorRange> placesBeside(const std::vector<BesideJob>& jobs, int accelerators) {
    std::vector<bool> taken(static_cast<std::size_t>(accelerators), false);
    for (const BesideJob& job : jobs)
        for (const int rank : job.placement) taken[static_cast<std::size_t>(rank)] = true;
    std::vector<AcceleratorRange> places;
    for (int rank = 0; rank < accelerators; ++rank) {
        if (taken[static_cast<std::size_t>(rank)]) continue;
        if (!places.empty() && places.back().first + places.back().count == rank) ++places.back().count;
        else places.push_back({rank, 1});
    }
    return places;
}

} // namespace orrery
