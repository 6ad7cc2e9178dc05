// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/exchange/import/import.hpp"
#include "core/exchange/import/scenario_draft.hpp"
#include "core/exchange/launch_script/launch.hpp"
#include "core/exchange/launch_script/shell_script.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the readers of the single programs share.

namespace orrery {

inline constexpr std::size_t largestConfiguration = 4'000'000; ///< bytes; real ones have kilobytes

/// Everything a program's reader is given.
struct ImportInput {
    Launch launch;
    const ShellScript& script;
    const ImportOptions& options;
};

/// Ranks of one replica of the model.
struct PlanDegrees {
    std::int64_t tensor = 1;
    std::int64_t context = 1;
    std::int64_t pipeline = 1;
    std::int64_t expert = 1; ///< ranks of a stage over which experts are split, with their tensor ranks
    std::int64_t data = 1;   ///< set by placeOnCluster

    /// tensor × context × pipeline; nothing beyond any cluster.
    std::optional<std::int64_t> modelRanks() const;
};

/// A scenario's word for a format as PyTorch's programs write it: "bfloat16", "bf16", "torch.float32", "fp8". Nothing for another.
std::optional<std::string> torchFormat(const std::string& word);

/// Writes `/cluster`: the launch's nodes with the accelerator asked for, or the smallest cluster the plan needs where
/// the launch says less; sets `degrees.data`. False when the plan is larger than any cluster.
bool placeOnCluster(ScenarioDraft& draft, const LaunchSize& size, PlanDegrees& degrees, const ImportOptions& options);

/// An option that no simulation needs, with why. A name that ends with `*` is a beginning.
struct IgnoredOption {
    const char* name;
    const char* reason; ///< "checkpoints are not simulated"
};

/// An option that changes what is simulated and can't be. A name that ends with `*` is a beginning.
struct RefusedOption {
    const char* name;
    const char* leftOut; ///< "sparse attention is not simulated; attention to all tokens was taken"
    bool stops = false;  ///< the model or plan would be another: there is no scenario
};

/// One note or warning for every option that nobody took, or the error of one that stops.
void reportLeftOptions(ScenarioDraft& draft, const OptionList& options, const std::vector<IgnoredOption>& ignored,
                       const std::vector<std::string>& known, const std::vector<RefusedOption>& refused = {});

/// Writes out the names that Python's argparse lets a command cut short: `--mem-frac` for `--mem-fraction-static`. A beginning of several
/// known names, or of none, stays as it is.
void writeOutAbbreviations(OptionList& options, const std::vector<std::string>& known, const std::vector<IgnoredOption>& ignored);

/// Same for the launcher's: none of them matters beyond the sizes taken.
void reportLauncherOptions(ScenarioDraft& draft, const OptionList& options);

/// Each program's reader fills a draft; errors in it say that there is no scenario.
void importMegatron(ScenarioDraft& draft, ImportInput& input);
/// `configuration` and its text: of a TOML file that is imported itself.
void importTorchtitan(ScenarioDraft& draft, ImportInput& input, OptionList configuration, const std::string& configurationText);
void importTrainer(ScenarioDraft& draft, ImportInput& input);

/// Megatron-Bridge's launchers with a recipe.
void importBridge(ScenarioDraft& draft, ImportInput& input);

bool looksLikeMegatron(const Launch& launch);
bool looksLikeBridge(const Launch& launch);
bool looksLikeTorchtitan(const Launch& launch);
bool looksLikeTrainer(const Launch& launch);

/// Layers of each stage when embedding and loss count as a layer each; nothing when that does not divide.
std::optional<Json> layoutWithEnds(std::int64_t layers, std::int64_t chunks, bool embedding, bool loss);

} // namespace orrery
