// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/scenario_draft.hpp"
#include "core/base/text.hpp"
#include "core/exchange/import/import.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace orrery {

void ScenarioDraft::set(const std::string& pointer, Json value) { document[Json::json_pointer(pointer)] = std::move(value); }

void ScenarioDraft::assume(const std::string& pointer, Json value, const std::string& why, const std::string& mend) {
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    noteAssumed(pointer, shown + " was taken: " + why + ".", mend);
    set(pointer, std::move(value));
}

void ScenarioDraft::noteAssumed(const std::string& pointer, const std::string& message, const std::string& mend) {
    Problem problem;
    problem.severity = Severity::note;
    problem.code = "assumed";
    problem.pointer = pointer;
    problem.message = message;
    problem.mend = mend;
    problems.push_back(std::move(problem));
}

void ScenarioDraft::add(Severity severity, int line, std::string code, std::string message, std::string mend) {
    Problem problem;
    problem.severity = severity;
    problem.code = std::move(code);
    problem.file = fileName_;
    problem.line = line;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    problems.push_back(std::move(problem));
}

void ScenarioDraft::note(int line, std::string code, std::string message, std::string mend) {
    add(Severity::note, line, std::move(code), std::move(message), std::move(mend));
}

void ScenarioDraft::warn(int line, std::string code, std::string message, std::string mend) {
    add(Severity::warning, line, std::move(code), std::move(message), std::move(mend));
}

void ScenarioDraft::fail(int line, std::string code, std::string message, std::string mend) {
    add(Severity::error, line, std::move(code), std::move(message), std::move(mend));
}

void ScenarioDraft::wrongValue(const GivenOption& option, const std::string& wanted) {
    const std::string value = option.value();
    if (leftOpen(value))
        warn(option.line, "value-left-open", option.written + " is " + value + ", which this text gives no value.",
             "Set it above, or hand its value over with the import.");
    else
        warn(option.line, "option-not-understood", option.written + (value.empty() ? " has no value" : " is \"" + value + "\"") + "; it must be " + wanted + ".",
             "It was left out; correct it or set the value in the scenario.");
}

std::optional<std::int64_t> ScenarioDraft::number(OptionList& options, const std::string& name, std::int64_t least) {
    const GivenOption* option = options.take(name);
    if (!option) return std::nullopt;
    const auto value = option->values.empty() ? std::nullopt : wholeNumber(option->values.front());
    if (value && *value >= least && *value <= mostNumber) return value;
    wrongValue(*option, "a whole number from " + std::to_string(least));
    return std::nullopt;
}

std::optional<double> ScenarioDraft::amount(OptionList& options, const std::string& name) {
    const GivenOption* option = options.take(name);
    if (!option) return std::nullopt;
    const auto value = option->values.empty() ? std::nullopt : anyNumber(option->values.front());
    if (value && *value >= 0) return value;
    wrongValue(*option, "a number from 0");
    return std::nullopt;
}

std::optional<std::string> ScenarioDraft::text(OptionList& options, const std::string& name) {
    const GivenOption* option = options.take(name);
    if (!option) return std::nullopt;
    if (!option->values.empty() && !leftOpen(option->values.front())) return option->values.front();
    wrongValue(*option, "a text");
    return std::nullopt;
}

int lineOf(const OptionList& options, const std::string& name) {
    int line = 0;
    for (const GivenOption& option : options.all())
        if (option.name == name) line = option.line;
    return line;
}

namespace {

/// How one option stands in a small job of a launcher.
struct Probe {
    const char* launcher;
    const char* command; ///< with a place for the option at its end
    const char* value;   ///< behind the option
};

constexpr Probe probes[] = {
    {"megatron-lm", "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --num-layers 16 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --micro-batch-size 1 --bf16 --num-experts 8 --pipeline-model-parallel-size 2 --use-distributed-optimizer --use-precision-aware-optimizer --", " 1"},
    {"megatron-bridge", "torchrun --nproc_per_node 8 --nnodes 2 run_recipe.py model.num_layers=16 model.hidden_size=1024 model.num_attention_heads=16 model.seq_length=1024 train.micro_batch_size=1 mixed_precision.bf16=true model.num_moe_experts=8 model.pipeline_model_parallel_size=2 ", "=1"},
    {"torchtitan", "NGPU=16 CONFIG=llama3_8b ./run_train.sh --parallelism.pipeline_parallel_degree 2 --", " 1"},
    {"deepspeed", "", ""},
    {"vllm", "vllm serve Qwen/Qwen3-8B --", " 1"},
    {"sglang", "python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 2 --speculative-algorithm NGRAM --", " 1"},
    {"tensorrt-llm", "trtllm-serve Qwen/Qwen3-8B --tp_size 2 --", " 1"},
    {"dynamo", "python3 -m dynamo.vllm --model Qwen/Qwen3-8B --", " 1"},
};

/// A configuration with the one key, "zero_optimization/stage" one level down.
std::string deepSpeedText(const std::string& key, const Json& value) {
    Json config{{"train_micro_batch_size_per_gpu", 1}};
    config[Json::json_pointer("/" + key)] = value;
    return config.dump();
}

bool mentionsWord(const std::string& text, const std::string& word) {
    const auto inWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.'; };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !inWord(text[at - 1]) || (at >= 2 && text.compare(at - 2, 2, "--") == 0);
        if (begins && (end >= text.size() || !inWord(text[end]))) return true;
    }
    return false;
}

std::string behind(const std::string& text, const std::string& word) {
    const std::size_t at = text.find(word);
    std::string rest = at == std::string::npos ? text : text.substr(at + word.size());
    if (rest.ends_with('.')) rest.pop_back();
    return rest;
}

FlagRow accountOf(const std::string& flag, const std::string& text, const ImportOptions& options) {
    const bool deepSpeed = !options.fileName.empty();
    const Import imported = importCommandLine(text, options);
    FlagRow row{flag, FlagTreatment::read, {}};
    for (const Problem& problem : imported.problems) {
        if (!mentionsWord(problem.message, flag)) continue;
        if (problem.code == "option-ignored") return {flag, FlagTreatment::ignored, behind(problem.message, "ignored on purpose: ")};
        if (problem.code == "not-simulated" || problem.message.find(" is not simulated: ") != std::string::npos)
            return {flag, FlagTreatment::refused, problem.message.find(": ") != std::string::npos ? behind(problem.message, deepSpeed ? "is not simulated: " : ": ") : problem.message};
        if (problem.message.find("was not understood and has no effect") != std::string::npos) row.treatment = FlagTreatment::unknown;
    }
    return row;
}

FlagRow accountOf(const Probe& probe, const std::string& flag) {
    ImportOptions options;
    if (std::string_view(probe.launcher) != "deepspeed") return accountOf(flag, probe.command + flag + probe.value, options);
    options.model = "llama-3.1-8b";
    options.fileName = "ds.json";
    // A switch is refused where it is on, and ignored as a number.
    const FlagRow number = accountOf(flag, deepSpeedText(flag, 1), options), on = accountOf(flag, deepSpeedText(flag, true), options);
    return on.treatment == FlagTreatment::refused ? on : number;
}

} // namespace

const std::vector<std::string>& launcherWords() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> all;
        std::transform(std::begin(probes), std::end(probes), std::back_inserter(all), [](const Probe& probe) { return probe.launcher; });
        return all;
    }();
    return words;
}

const char* wordOf(FlagTreatment treatment) {
    switch (treatment) {
    case FlagTreatment::read: return "read";
    case FlagTreatment::ignored: return "ignored";
    case FlagTreatment::refused: return "refused";
    case FlagTreatment::unknown: break;
    }
    return "unknown";
}

std::vector<FlagRow> flagAccount(const std::string& launcher, std::string_view flags) {
    const auto* probe = std::find_if(std::begin(probes), std::end(probes), [&](const Probe& one) { return one.launcher == launcher; });
    std::vector<FlagRow> rows;
    if (probe == std::end(probes)) return rows;
    for (std::size_t begin = 0; begin < flags.size();) {
        const std::size_t end = std::min(flags.find('\n', begin), flags.size());
        const std::string flag(flags.substr(begin, end - begin));
        begin = end + 1;
        if (!flag.empty() && flag[0] != '#') rows.push_back(accountOf(*probe, flag));
    }
    return rows;
}

namespace {

constexpr std::string_view commentMark = "# orrery: ";

} // namespace

std::string commentOf(const ScenarioEdit& edit) { return std::string(commentMark) + edit.pointer + " " + edit.value->dump(-1, ' ', false, Json::error_handler_t::replace); }

std::vector<ScenarioEdit> commentEdits(const std::string& text, const std::string& fileName, Problems& problems) {
    std::vector<ScenarioEdit> edits;
    int number = 0;
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        std::string_view line(text.data() + from, end - from);
        from = end + 1;
        ++number;
        if (!line.starts_with(commentMark)) continue;
        line.remove_prefix(commentMark.size());
        const std::size_t space = line.find(' ');
        Json value = space == std::string_view::npos ? Json(Json::value_t::discarded) : Json::parse(line.substr(space + 1), nullptr, false);
        if (!value.is_discarded() && line.front() == '/') {
            edits.push_back({std::string(line.substr(0, space)), std::move(value)});
            continue;
        }
        Problem problem;
        problem.severity = Severity::warning;
        problem.code = "option-not-understood";
        problem.file = fileName;
        problem.line = number;
        problem.message = "The comment \"" + shortened(std::string(line), 80) + "\" is no pointer with a value; it has no effect.";
        problem.mend = "Write it as \"# orrery: /execution/framework \\\"generic\\\"\".";
        problems.push_back(std::move(problem));
    }
    return edits;
}

} // namespace orrery
