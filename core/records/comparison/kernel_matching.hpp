// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/comparison/kernel_places.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery {

/// What two kernels of two records have in common, the surest first.
enum class MatchedBy : std::uint8_t {
    everything, ///< module tree, operators, shapes, stream and name
    program,    ///< module tree, operators, shapes and stream; the kernel is called otherwise
    call,       ///< module tree and the operator that the program called; shapes or what that calls differ
    name,       ///< the kernel's name and stream, elsewhere in the program
    place,      ///< what runs before and after; neither name nor program
};
inline constexpr std::size_t matchedByCount = 5;

struct KernelPair {
    std::uint32_t a = 0, b = 0; ///< indices into KinetoTrace::device of either record
    MatchedBy by = MatchedBy::everything;
};

/// Kernels of one record that stand where others stand in the other one, such as one kernel in place of three.
struct ReplacedKernels {
    std::vector<std::uint32_t> a, b;
};

struct MatchedKernels {
    std::vector<KernelPair> pairs;
    std::vector<ReplacedKernels> replaced;
    std::vector<std::uint32_t> gone, added; ///< of A alone, of B alone
    std::array<std::size_t, matchedByCount> count{};
};

/// Pairs the computing kernels of two records; communication, copies and fills are none. Equal ones are paired in order: the n-th with the n-th, so that a record
/// that begins or ends elsewhere leaves the rest paired. What is left between two pairs that follow each other in both records stands at one place (after Heckel,
/// "A technique for isolating differences between files", Communications of the ACM 21, 1978): so many are paired one by one where both have equally many.
MatchedKernels matchKernels(const KinetoTrace& a, const std::vector<KernelPlace>& placesA, const KinetoTrace& b, const std::vector<KernelPlace>& placesB);

} // namespace orrery
