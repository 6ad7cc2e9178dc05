// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/comparison/operator_class.hpp"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

template <std::size_t count> bool isAmong(std::string_view word, const std::array<std::string_view, count>& words) { return std::find(words.begin(), words.end(), word) != words.end(); }

/// "attention.qkv" of "attention.qkv.backward".
std::string_view withoutDirection(std::string_view kind) {
    constexpr std::array<std::string_view, 4> directions{".backward", ".gradient_sum", ".cast", ".again"};
    for (const std::string_view direction : directions)
        if (kind.ends_with(direction)) return kind.substr(0, kind.size() - direction.size());
    return kind;
}

} // namespace

std::string operatorClass(std::string_view kind) {
    if (kind.ends_with(".dgrad") || kind.ends_with(".wgrad")) return "GEMM";
    if (kind.ends_with(".cast") || kind.ends_with(".gradient_sum")) return "elementwise"; // copies and sums beside the products that they serve
    const std::string_view forward = withoutDirection(kind);
    const std::string_view step = forward.substr(forward.rfind('.') + 1);
    constexpr std::array<std::string_view, 5> ofAttention{"core", "scores", "softmax", "context", "probability_dropout"};
    if (forward.starts_with("attention.") && isAmong(step, ofAttention)) return "attention";
    constexpr std::array<std::string_view, 22> products{"qkv", "q", "k", "v", "query", "key_value", "output", "q_down", "q_up", "q_absorb", "kv_down", "qkv_down", "kv_up", "value_up", "gate", "gate_up", "up", "down", "experts", "router", "logits", "lora"};
    if (isAmong(step, products)) return "GEMM";
    // Operators of recorded graphs go by the names that frameworks give them.
    for (const std::string_view word : {"attention", "flash", "sdpa"})
        if (kind.find(word) != std::string_view::npos && !kind.starts_with("attention.")) return "attention";
    for (const std::string_view word : {".mm", "addmm", "bmm", "linear", "matmul", "gemm", "convolution"})
        if (kind.find(word) != std::string_view::npos) return "GEMM";
    return "elementwise";
}

} // namespace orrery
