// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace orrery {

/// What fused attention's kernels do and the FLOP rules of the graph don't count, or the other way round.

/// A causal kernel skips what its mask hides, half of the square that the rules count. A decode has no such half.
inline constexpr double causalShare = 0.5;
/// Products of a query with a key in backward: what a kernel does and what the rules count, who leave out that it makes the scores again
/// (Dao 2023, section 3.1).
inline constexpr double attentionBackwardProducts = 5;
inline constexpr double attentionBackwardCounted = 4;

/// DeepSeek-V2's latent attention (arXiv 2405.04434): a prompt's keys have 128 + 64 values, its values 128.
inline constexpr double latentKeyWidth = 192;
inline constexpr double latentValueWidth = 128;
/// In its absorbed form queries meet what the cache holds of a token: 512 shared values and 64 rotary ones; the 512 are the values.
inline constexpr double absorbedKeyWidth = 576;
inline constexpr double absorbedValueWidth = 512;

} // namespace orrery
