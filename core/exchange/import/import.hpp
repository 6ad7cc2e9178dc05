// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp" // an optional of a document holds it by value
#include "core/base/problem.hpp"
#include "core/scenario/reader/reader.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace orrery {

/// What a command line does not say. Every member may be left out.
struct ImportOptions {
    std::string accelerator{};                      ///< catalogue id; empty: an H100, noted as assumed
    std::string model{};                            ///< catalogue id for a text that names no model
    std::string fileName{};                         ///< named in problems; its ending tells .toml, .json and .yaml
    std::map<std::string, std::string> variables{}; ///< the environment the script would find: SLURM_NNODES=48
    /// Experts of a layer of a catalogue's model; nothing where it has none or nobody knows it. Options that count copies of experts need it.
    std::function<std::optional<std::int64_t>(const std::string& id)> expertsOf{};
    FileReader readFile{}; ///< configurations that a command names, sourced scripts; relative to the text's folder
};

/// A scenario document made from a command line, and what has to be said about it.
///
/// Problems: errors when there is no scenario; warnings "option-not-understood" for every option that was not
/// understood and "value-left-open" for one whose value the text does not give; notes "option-ignored" for those that
/// a simulation does not need, and "assumed" for what was filled in.
struct Import {
    std::optional<Json> scenario; ///< not yet read: its numbers may break the rules of the scenario
    std::string source;           ///< "Megatron-LM", "torchtitan", "DeepSpeed", "vLLM", "SGLang", "TensorRT-LLM"
    Problems problems;
};

/// Reads the text of a launch script, of a command line, or of a torchtitan, DeepSpeed or server's configuration.
Import importCommandLine(const std::string& text, const ImportOptions& options = {});

} // namespace orrery
