// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orrery {

/// Texts as numbers, the same number for the same text in all records that share the book. 0 is the empty text.
class NameBook {
public:
    NameBook() { number(""); }
    std::uint32_t number(std::string_view text);
    const std::string& text(std::uint32_t number) const { return texts_[number]; }
    /// A number for one thing inside another: a module in its parent, an operator in the one that called it.
    std::uint32_t inside(std::uint32_t outer, std::uint32_t inner);

private:
    struct PairHash {
        std::size_t operator()(const std::pair<std::uint32_t, std::uint32_t>& pair) const { return std::hash<std::uint64_t>()((std::uint64_t{pair.first} << 32) | pair.second); }
    };
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<std::string> texts_;
    std::unordered_map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t, PairHash> pairs_;
};

/// Where in a program a kernel, copy or fill comes from, in numbers of a NameBook; 0: not said.
struct KernelPlace {
    std::uint32_t name = 0;      ///< of the kernel
    std::uint32_t modules = 0;   ///< `inside` of all modules around its launch
    std::uint32_t module = 0;    ///< the innermost one: "BertSelfAttention_3"
    std::uint32_t operators = 0; ///< `inside` of all operators around its launch
    std::uint32_t called = 0;    ///< the outermost of them: what the program called
    std::uint32_t op = 0;        ///< the innermost one: "aten::addmm"
    std::uint32_t shapes = 0;    ///< of the arguments of the innermost operator that says them
};

/// Gives the place of each device event, in their order. Modules are what PyTorch's profiler calls "nn.Module: …" where it recorded the stack.
std::vector<KernelPlace> placesOf(const KinetoTrace& trace, NameBook& book);

/// A module's class: its name without the number that tells instances apart.
std::string moduleClass(const std::string& module);

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
