// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/import/import_parts.hpp"

#include <string>
#include <string_view>
#include <vector>

// Programs that start training or serving and are no others' configuration: some of their YAML files are read in the words of a program
// that is, the rest are refused by name.

namespace orrery {

/// A program whose texts can't be imported, and what comes nearest.
struct OtherLauncher {
    const char* name;
    const char* nearest;
    std::vector<std::string_view> marks; ///< a text that has all of them is its
};

/// The program that a text is of; null where it is none of them.
const OtherLauncher* otherLauncherOf(const std::string& text);

/// A trainer's YAML file by its keys: Axolotl, LLaMA-Factory, NeMo and Megatron-Bridge, Megatron-LM's tests, nanotron, Primus. False where
/// it is none of them.
bool importTrainerYaml(ScenarioDraft& draft, ImportInput& input, const OptionList& options, std::string& source);

} // namespace orrery
