// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/served_model.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/exchange/import/model_names.hpp"
#include "core/exchange/import/served_parts.hpp"
#include "core/exchange/launch_script/shell_script.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <variant>

namespace orrery {

void stateContextLength(Json& document, const Scenario& read, Problems& notes) {
    const auto* served = std::get_if<ServingWorkload>(&read.workload);
    const Json::json_pointer at("/workload/engine/max_model_len");
    if (!served || read.execution.profile.line != "vllm" || document.contains(at) || read.model.maxPositions <= 0) return;
    document[at] = read.model.maxPositions;
    Problem note;
    note.severity = Severity::note;
    note.code = "assumed";
    note.pointer = at.to_string();
    note.message = std::to_string(read.model.maxPositions) + " was taken: without --max-model-len vLLM serves all the model's positions, or does not start.";
    note.mend = "Say a shorter one where the cache is small.";
    notes.push_back(std::move(note));
}

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
    {"mxfp8", "mxfp8"},
    {"4bit", "int4"},
    {"w4a8", "int4"},
    {"w4afp8", "int4"},
};

/// Words beside the family and the size: how it was tuned or quantised, and for which program it is stored.
constexpr std::string_view otherWords[] = {"instruct", "it", "chat", "base", "hf", "dynamic", "quantized", "block", "thinking", "2507", "0528", "0324", "0905", "fp16", "bnb", "unsloth", "kv", "static", "pertensor", "1m", "qat", "marlin", "latest", "torch", "eagle3", "mtp", "quarot", "g128", "autoround", "dq"};

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
    for (char c : baseName(nameInCache(withoutTrailingSlashes(name)))) rest += c == '_' ? '-' : lowered(c);
    if (rest.rfind("meta-", 0) == 0) rest.erase(0, 5);
    ServedModel model;
    bool first = true;
    for (std::size_t begin = 0; begin <= rest.size();) {
        const std::size_t end = std::min(rest.find('-', begin), rest.size());
        const std::string part = rest.substr(begin, end - begin);
        begin = end + 1;
        // "quantized.w4a16": the publisher's word and the format.
        const std::string word = part.substr(part.starts_with("quantized.") ? 10 : 0);
        const auto* format = std::find_if(std::begin(formatWords), std::end(formatWords), [&](const FormatWord& one) { return one.word == word; });
        const bool isFormat = !first && format != std::end(formatWords);
        // "GPTQ-Int8" is the method, then the format.
        if (isFormat && (!model.precision || word.starts_with("int"))) model.precision = format->precision;
        const bool isOther = !first && std::find(std::begin(otherWords), std::end(otherWords), word) != std::end(otherWords);
        if (!isFormat && !isOther) model.preset += (first ? "" : "-") + word;
        first = false;
    }
    // "…-NVFP4-v2": the version of the quantised checkpoint.
    if (model.precision && model.preset.ends_with("-v2") && !model.preset.ends_with("deepseek-v2")) model.preset.erase(model.preset.size() - 3);
    if (!model.precision && rest.find("kimi-k2-thinking") == 0) model.precision = "int4"; // its own checkpoint is trained for 4 bit
    model.preset = catalogueName(model.preset);
    if (!model.precision)
        for (const FormatWord& own : ownFormats)
            if (own.word == model.preset) model.precision = own.precision;
    std::string lowerName = name;
    lowerName = lowered(std::move(lowerName));
    model.blockScaled = model.precision == "fp8" && scalesBlocks(lowerName, model.preset);
    return model;
}

} // namespace orrery

// What benchmarks of servers are told of the requests they send.

namespace orrery {
namespace {

// Where to start from while nothing says how requests come: the form's own first serving workload.
constexpr std::int64_t usualCount = 1000, usualInput = 1024, usualOutput = 128;
constexpr double usualRate = 4;

const char* const arrivalAt = "/workload/requests/arrival";

/// "inf" is a benchmark's word for all at once.
bool isEndless(const GivenOption& option) { return !option.values.empty() && (option.values.front() == "inf" || option.values.front() == "Infinity"); }

void placeArrival(ScenarioDraft& draft, OptionList& options, bool sends) {
    bool endless = sends;
    std::optional<double> rate;
    for (const char* name : {"request-rate", "rate"}) {
        const GivenOption* given = options.take(name);
        if (!given) continue;
        endless = isEndless(*given) || given->value() == "-1";
        if (!endless) rate = draft.amount(options, name);
    }
    const auto under = firstNumberOf(draft, options, {"max-concurrency", "concurrency"});
    const auto burstiness = options.has("burstiness") ? draft.amount(options, "burstiness") : std::nullopt;
    if (rate && *rate > 0) {
        const bool bursts = burstiness && *burstiness > 0 && *burstiness != 1;
        draft.set(arrivalAt, Json{{"process", bursts ? "gamma" : "poisson"}, {"rate_per_s", *rate}});
        if (bursts) draft.set(std::string(arrivalAt) + "/burstiness", *burstiness);
        if (under) draft.warn(lineOf(options, "max-concurrency"), "option-not-understood", "A limit of requests under way beside a rate was not taken: a scenario has one or the other.", "Choose closed_loop if the limit is what holds requests back.");
    } else if (under) {
        draft.set(arrivalAt, Json{{"process", "closed_loop"}, {"concurrency", *under}});
    } else if (endless) {
        draft.set(arrivalAt, Json{{"process", "all_at_once"}});
    } else {
        draft.assume(arrivalAt, Json{{"process", "poisson"}, {"rate_per_s", usualRate}}, "the text does not say how requests arrive", "Set your arrivals.");
    }
}

} // namespace

bool looksLikeLoad(const Launch& launch) {
    const std::string program = baseName(launch.program);
    if (program == "vllm") {
        const auto& strays = launch.options.strays();
        return strays.size() >= 2 && strays[0].text() == "bench" && strays[1].text() == "serve";
    }
    return program == "benchmark_serving.py" || program == "bench_serving.py" || program == "sglang.bench_serving";
}

void placeRequests(ScenarioDraft& draft, OptionList& options) {
    const std::string at = "/workload/requests";
    const auto count = firstNumberOf(draft, options, {"num-prompts", "num-requests", "request-count"});
    const auto input = firstNumberOf(draft, options, {"random-input-len", "random-input", "input-len", "synthetic-input-tokens-mean", "sonnet-input-len"});
    const auto output = firstNumberOf(draft, options, {"random-output-len", "random-output", "output-len", "output-tokens-mean", "sonnet-output-len"});
    const auto prefix = firstNumberOf(draft, options, {"random-prefix-len"});
    const auto seed = options.has("seed") && (count || input) ? draft.number(options, "seed", 0) : std::nullopt;
    if (count) draft.set(at + "/count", *count);
    else draft.assume(at + "/count", usualCount, "the text does not say how many requests come", "Set your requests, or name a file of them.");
    placeArrival(draft, options, count || input);
    if (input) draft.set(at + "/input_tokens", *input + prefix.value_or(0));
    else draft.assume(at + "/input_tokens", usualInput, "the text does not say how long prompts are", "Set your lengths, or name a file of requests.");
    if (output) draft.set(at + "/output_tokens", *output);
    else draft.assume(at + "/output_tokens", usualOutput, "the text does not say how long answers are", "Set your lengths, or name a file of requests.");
    if (prefix) draft.set(at + "/shared_prefix_tokens", *prefix);
    if (seed) draft.set(at + "/seed", *seed);
}

} // namespace orrery
