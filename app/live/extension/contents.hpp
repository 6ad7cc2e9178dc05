// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/live/live_call.hpp"

#include <ATen/ATen.h>

#include <cstdint>
#include <string>

namespace orrery::live {

/// What comes from virtual ranks where the program takes floating-point numbers. Integers and bytes are the rank's own share always.
enum class Contents { own_share, ///< the rank's own share: sums in scale, what others would have sent with noise on it
                      zeros };

struct ContentRules {
    Contents contents = Contents::own_share;
    std::uint64_t seed = 1;
};

/// `sum` (or what another reduction gives) of the real members of a group, made that of all its members.
/// Gives what the user should know of it: that 16 bits can't hold the sum at this size. Empty: nothing.
std::string completeReduction(at::Tensor& sum, Reduction reduction, std::int64_t realMembers, std::int64_t members, Contents contents);

/// Fills `target` as a virtual member would have: by `own` of the same size where there is such a share, else by noise of a standard deviation of 0.02,
/// which is what weights are begun with in most language models. `stream` names the call and the member, so that each gets numbers of its own,
/// and the same in every run.
void fillAsVirtual(at::Tensor target, const at::Tensor* own, const ContentRules& rules, std::uint64_t stream);

/// What a broadcast from a virtual rank leaves of what the rank has there: itself with noise, or zeros.
void receiveAsVirtual(at::Tensor target, const ContentRules& rules, std::uint64_t stream);

} // namespace orrery::live
