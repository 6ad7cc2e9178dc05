// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/launch_script/option_list.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

/// An engine that a YAML file describes by keys instead of a command: Ray Serve's `llm_configs`, KServe's LLMInferenceService and
/// InferenceService, the values of llm-d's and vLLM's production stack's charts, the job files of srt-slurm.
struct YamlEngine {
    std::string program; ///< whose options these are: "vllm", "sglang", "trtllm-serve"
    OptionList options;  ///< with `model`, and `nnodes` where the file says how many hosts an instance has
    std::int64_t copies = 1;
    std::int64_t perHost = 0; ///< accelerators of a host, where the file says so; 0: it doesn't
    std::string role;         ///< "prefill", "decode"; empty: the whole of every request
    int line = 0;
};

/// Every one of the file's documents, in their order; nothing where the text is no YAML or describes none.
std::vector<YamlEngine> readYamlEngines(const std::string& text);

} // namespace orrery
