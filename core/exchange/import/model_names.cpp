// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/model_names.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace orrery {
namespace {

/// A checkpoint and the model of the catalogue whose layers, widths and experts its config.json on Hugging Face repeats.
struct SameShape {
    std::string_view name, preset;
};

constexpr SameShape sameShapes[] = {
    {"deepseek-v3.1", "deepseek-v3"},
    {"deepseek-v3.1-terminus", "deepseek-v3"},
    {"deepseek-r1-zero", "deepseek-r1"},
    {"deepseek-v3.2-exp", "deepseek-v3.2"},
    {"deepseek-v3.2-speciale", "deepseek-v3.2"},
    {"deepseek-v2.5", "deepseek-v2"},
    {"deepseek-coder-v2", "deepseek-v2"},
    {"deepseek-coder-v2-lite", "deepseek-v2-lite"},
    {"deepseek-v2-chat", "deepseek-v2"},
    {"deepseek-r1-distill-llama-8b", "llama-3.1-8b"},
    {"deepseek-r1-distill-llama-70b", "llama-3.3-70b"},
    {"deepseek-r1-distill-qwen-1.5b", "qwen2.5-1.5b"},
    {"deepseek-r1-distill-qwen-7b", "qwen2.5-7b"},
    {"deepseek-r1-distill-qwen-14b", "qwen2.5-14b"},
    {"deepseek-r1-distill-qwen-32b", "qwen2.5-32b"},
    {"deepseek-r1-0528-qwen3-8b", "qwen3-8b"},
    {"deepseek-r1-qwen3-8b", "qwen3-8b"},
    {"qwq-32b", "qwen2.5-32b"},
    {"qwq-32b-preview", "qwen2.5-32b"},
    {"qwen2-0.5b", "qwen2.5-0.5b"},
    {"qwen2-1.5b", "qwen2.5-1.5b"},
    {"qwen2-7b", "qwen2.5-7b"},
    {"qwen2-72b", "qwen2.5-72b"},
    {"qwen2.5-coder-0.5b", "qwen2.5-0.5b"},
    {"qwen2.5-coder-1.5b", "qwen2.5-1.5b"},
    {"qwen2.5-coder-3b", "qwen2.5-3b"},
    {"qwen2.5-coder-7b", "qwen2.5-7b"},
    {"qwen2.5-coder-14b", "qwen2.5-14b"},
    {"qwen2.5-coder-32b", "qwen2.5-32b"},
    {"qwen2.5-math-7b", "qwen2.5-7b"},
    {"qwen2.5-math-72b", "qwen2.5-72b"},
    {"qwen2.5-vl-3b", "qwen2.5-3b"},
    {"qwen2.5-vl-7b", "qwen2.5-7b"},
    {"qwen2.5-vl-32b", "qwen2.5-32b"},
    {"qwen2.5-vl-72b", "qwen2.5-72b"},
    {"qwen2-vl-2b", "qwen2.5-1.5b"},
    {"qwen2-vl-7b", "qwen2.5-7b"},
    {"qwen2-vl-72b", "qwen2.5-72b"},
    {"qwen3-coder-30b-a3b", "qwen3-30b-a3b"},
    {"qwen3-coder", "qwen3-coder-480b-a35b"},
    {"qwen3-vl-2b", "qwen3-1.7b"},
    {"qwen3-vl-4b", "qwen3-4b"},
    {"qwen3-vl-8b", "qwen3-8b"},
    {"qwen3-vl-32b", "qwen3-32b"},
    {"qwen3-vl-30b-a3b", "qwen3-30b-a3b"},
    {"qwen3-vl-235b-a22b", "qwen3-235b-a22b"},
    {"llama-3.1-nemotron-70b", "llama-3.1-70b"},
    {"llama-guard-3-8b", "llama-3.1-8b"},
    {"llama-4-scout", "llama-4-scout-17b-16e"},
    {"llama-4-maverick", "llama-4-maverick-17b-128e"},
    {"hermes-3-llama-3.1-8b", "llama-3.1-8b"},
    {"hermes-3-llama-3.1-70b", "llama-3.1-70b"},
    {"hermes-3-llama-3.1-405b", "llama-3.1-405b"},
    {"tulu-3-8b", "llama-3.1-8b"},
    {"tulu-3-70b", "llama-3.1-70b"},
    {"vicuna-7b-v1.5", "llama-2-7b"},
    {"vicuna-13b-v1.5", "llama-2-13b"},
    {"zephyr-7b-beta", "mistral-7b-v0.1"},
    {"mistral-7b", "mistral-7b-v0.3"},
    {"mistral-7b-v0.2", "mistral-7b-v0.3"},
    {"mixtral-8x7b-v0.1", "mixtral-8x7b"},
    {"mixtral-8x22b-v0.1", "mixtral-8x22b"},
    {"mixtral-8x22b-v0.3", "mixtral-8x22b"},
    {"mistral-large-2411", "mistral-large-2407"},
    {"glm-5.1", "glm-5"},
    {"glm-4.5-355b", "glm-4.5"},
    {"glm-4.5-355b-a32b", "glm-4.5"},
    {"glm-4.5-air-106b", "glm-4.5-air"},
    {"glm-4.5-air-106b-a12b", "glm-4.5-air"},
    {"glm-4.6", "glm-4.5"},
    {"glm-4.7", "glm-4.5"},
    {"minimax-m2", "minimax-m2.5"},
    {"minimax-m2.1", "minimax-m2.5"},
    {"minimax-m2.7", "minimax-m2.5"},
    {"kimi-k2.5", "kimi-k2"},
    {"kimi-k2.6", "kimi-k2"},
    {"kimi-k2.7-code", "kimi-k2"},
    {"phi-4-reasoning", "phi-4"},
    {"nemotron-3-nano", "nemotron-3-nano-30b-a3b"},
    {"nemotron-nano-3-30b-a3b", "nemotron-3-nano-30b-a3b"},
};

/// Families whose version stands behind a dash in the catalogue's ids: "llama-3.1-8b".
constexpr std::string_view dashedFamilies[] = {"llama", "gemma", "glm", "phi"};

/// Publishers that write their own name in front.
constexpr std::string_view publishers[] = {"nvidia-nemotron", "meta-llama"};

} // namespace

std::string catalogueName(std::string name) {
    for (const std::string_view publisher : publishers)
        if (name.starts_with(publisher)) name.erase(0, publisher.find('-') + 1);
    for (const std::string_view family : dashedFamilies)
        if (name.starts_with(family) && name.size() > family.size() && std::isdigit(static_cast<unsigned char>(name[family.size()]))) name.insert(family.size(), "-");
    // "llama-3-1-8b" and "llama-3-1b": a version of two digits is followed by a size.
    constexpr std::string_view llama = "llama-3-";
    if (name.starts_with(llama) && name.size() > llama.size() + 1 && name[llama.size() + 1] == '-') name[llama.size() - 1] = '.';
    const auto* found = std::find_if(std::begin(sameShapes), std::end(sameShapes), [&](const SameShape& one) { return one.name == name; });
    return found == std::end(sameShapes) ? name : std::string(found->preset);
}

} // namespace orrery
