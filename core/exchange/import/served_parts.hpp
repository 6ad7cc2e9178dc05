// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/import/import_parts.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

// What the readers of serving programs share: where an option's value goes, in tables.

namespace orrery {

enum class ServedValue { whole,
                         amount };

/// An option whose value stands in the scenario as it is.
struct ServedNumber {
    const char* option;
    const char* pointer;
    ServedValue kind = ServedValue::whole;
};

/// An option that switches something on or off; `meaning` is what stands in the scenario when it is on.
struct ServedSwitch {
    const char* option;
    const char* pointer;
    bool meaning = true;
};

/// A word of the program's and the scenario's word for it.
struct ServedWord {
    std::string given;
    std::string meant;
};

/// Accelerators of one engine instance and how many instances there are.
struct ServedDegrees {
    std::int64_t tensor = 1;
    std::int64_t pipeline = 1;
    std::int64_t context = 1;
    std::int64_t attentionData = 1;
    std::int64_t expert = 1;
    std::int64_t replicas = 1;
    std::int64_t nodes = 0; ///< as the launch says; 0: not at all
    int line = 0;
};

/// `--flag`, `--flag true`, `flag: false`; nothing when it is not given. A word behind a flag that is neither is not its own.
std::optional<bool> switchGiven(OptionList& options, const std::string& name);

/// The first given of several names for one number.
std::optional<std::int64_t> firstNumberOf(ScenarioDraft& draft, OptionList& options, std::initializer_list<const char*> names);

void takeNumbers(ScenarioDraft& draft, OptionList& options, const std::vector<ServedNumber>& table);
void takeSwitches(ScenarioDraft& draft, OptionList& options, const std::vector<ServedSwitch>& table);
/// The scenario's word for an option's; a word that is not in the table is named.
std::optional<std::string> takeWord(ScenarioDraft& draft, OptionList& options, const std::string& name, const std::vector<ServedWord>& words);

/// Writes `/model` and `/workload/precision`: the import's own model, else the given name; `quantised` counts over what the name says.
/// False, with the problem, when nothing names a model.
bool placeServedModel(ScenarioDraft& draft, const ImportInput& input, const std::optional<std::string>& name, const std::optional<std::string>& quantised);

/// Number formats of `--quantization` and `--dtype`; what is left open is nothing.
std::optional<std::string> servedPrecision(ScenarioDraft& draft, OptionList& options);
void takeCacheFormat(ScenarioDraft& draft, OptionList& options, const std::string& name);

/// Writes `/parallelism` and `/cluster`: exactly the accelerators that the instances take.
bool placeInstances(ScenarioDraft& draft, const ServedDegrees& degrees, const ImportOptions& options);

/// Writes `/workload/engine/expert_slots` where ranks hold so many copies beside a layer's experts; says so where nobody knows how many experts
/// the model has.
void placeExpertCopies(ScenarioDraft& draft, const ImportInput& input, std::int64_t copies, int line);

/// Writes `/workload/requests`: what a benchmark's options say, and the rest as assumed; a server's own command names none.
void placeRequests(ScenarioDraft& draft, OptionList& options);

/// Which of two counts, where the command and its file both say it: vLLM and SGLang let the command win, TensorRT-LLM the file.
enum class FileCounts { below,
                        above };

/// Options of a file that the command names. Says so when it can't be read.
void mergeYamlFile(ScenarioDraft& draft, const ImportInput& input, OptionList& options, const std::string& optionName, FileCounts counts);

/// "prefill" or "decode", where the configuration that a server's command names says so; empty else.
std::string roleInFile(const Launch& launch, const ShellScript& script, const ImportOptions& options);

/// Whether a launch only sends requests to a server: `vllm bench serve`, `sglang.bench_serving`, `benchmark_serving.py`.
bool looksLikeLoad(const Launch& launch);
bool looksLikeVllm(const Launch& launch);
bool looksLikeSglang(const Launch& launch);
bool looksLikeTrtllm(const Launch& launch);

void importVllm(ScenarioDraft& draft, ImportInput& input);
void importSglang(ScenarioDraft& draft, ImportInput& input);
void importTrtllm(ScenarioDraft& draft, ImportInput& input);

/// Whose options a YAML file alone holds: "vLLM", "SGLang", "TensorRT-LLM"; empty when nobody's.
std::string servedProgramOf(const OptionList& options);

/// What every server has beside its engine: network, logging, answers' form.
const std::vector<IgnoredOption>& servedIgnoredOptions();
/// What changes a server's times or memory and can't be simulated.
const std::vector<RefusedOption>& servedRefusedOptions();

} // namespace orrery
