// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/served_model.hpp"

#include "core/exchange/launch_script/shell_script.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace orrery {

namespace {

/// A part of a checkpoint's name, between dashes, and the weights that it promises.
struct FormatWord {
    std::string_view word;
    const char* precision;
};

constexpr FormatWord formatWords[] = {
    {"fp8", "fp8"},
    {"nvfp4", "nvfp4"},
    {"fp4", "nvfp4"},
    {"mxfp4", "mxfp4"},
    {"awq", "int4"},
    {"gptq", "int4"},
    {"int4", "int4"},
    {"w4a16", "int4"},
    {"int8", "int8"},
    {"w8a8", "int8"},
    {"w8a16", "int8"},
    {"bf16", "bf16"},
};

/// Words beside the family and the size: how it was tuned or quantised, and for which program it is stored.
constexpr std::string_view otherWords[] = {"instruct", "it", "chat", "base", "hf", "dynamic", "quantized", "block", "thinking", "2507", "0528", "0324", "0905", "fp16"};

/// Models whose own checkpoints are quantised: `quantization_config` of their config.json on Hugging Face (quant_method fp8; mxfp4).
constexpr FormatWord ownFormats[] = {
    {"deepseek-v3", "fp8"},
    {"deepseek-r1", "fp8"},
    {"deepseek-v3.2", "fp8"},
    {"kimi-k2", "fp8"},
    {"minimax-m2.5", "fp8"},
    {"gpt-oss-20b", "mxfp4"},
    {"gpt-oss-120b", "mxfp4"},
};

/// Publishers and families whose fp8 checkpoints have scales for blocks of 128 × 128 (`weight_block_size` of their config.json on Hugging Face).
constexpr std::string_view blockScaledPresets[] = {"deepseek-v3", "deepseek-r1", "deepseek-v3.1", "deepseek-v3.2", "kimi-k2", "minimax-m2"};
constexpr std::string_view blockScaledPublishers[] = {"qwen/qwen3"};

bool scalesBlocks(const std::string& lowerName, const std::string& preset) {
    const auto begins = [](const std::string& text, std::string_view with) { return text.rfind(with, 0) == 0; };
    return std::any_of(std::begin(blockScaledPresets), std::end(blockScaledPresets), [&](std::string_view one) { return begins(preset, one); }) ||
           std::any_of(std::begin(blockScaledPublishers), std::end(blockScaledPublishers), [&](std::string_view one) { return begins(lowerName, one); });
}

std::string withoutTrailingSlashes(std::string name) {
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    return name;
}

/// The model of a folder in Hugging Face's cache: "…/models--ORG--NAME/snapshots/HASH".
std::string nameInCache(const std::string& path) {
    constexpr std::string_view mark = "models--";
    const std::size_t at = path.rfind(mark);
    if (at == std::string::npos) return path;
    std::string folder = path.substr(at + mark.size());
    folder.erase(std::min(folder.find('/'), folder.size()));
    const std::size_t split = folder.find("--");
    return split == std::string::npos ? folder : folder.substr(split + 2);
}

} // namespace

ServedModel servedModel(const std::string& name) {
    std::string rest;
    for (char c : baseName(nameInCache(withoutTrailingSlashes(name)))) rest += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (rest.rfind("meta-", 0) == 0) rest.erase(0, 5);
    ServedModel model;
    bool first = true;
    for (std::size_t begin = 0; begin <= rest.size();) {
        const std::size_t end = std::min(rest.find('-', begin), rest.size());
        const std::string word = rest.substr(begin, end - begin);
        begin = end + 1;
        const auto* format = std::find_if(std::begin(formatWords), std::end(formatWords), [&](const FormatWord& one) { return one.word == word; });
        const bool isFormat = !first && format != std::end(formatWords);
        if (isFormat && !model.precision) model.precision = format->precision;
        const bool isOther = !first && std::find(std::begin(otherWords), std::end(otherWords), word) != std::end(otherWords);
        if (!isFormat && !isOther) model.preset += (first ? "" : "-") + word;
        first = false;
    }
    // Mixtral's version is that of its tuning; Mistral 7B's versions are other models.
    if (model.preset.rfind("mixtral", 0) == 0 && model.preset.ends_with("-v0.1")) model.preset.erase(model.preset.size() - 5);
    if (!model.precision)
        for (const FormatWord& own : ownFormats)
            if (own.word == model.preset) model.precision = own.precision;
    std::string lowerName = name;
    for (char& c : lowerName) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    model.blockScaled = model.precision == "fp8" && scalesBlocks(lowerName, model.preset);
    return model;
}

} // namespace orrery
