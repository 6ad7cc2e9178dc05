// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A flavour of one of torchtitan's models, as the scenario's `/model`.
struct TorchtitanModel {
    BoxedJson model;
    std::int64_t layers = 0;
};

std::optional<TorchtitanModel> torchtitanModel(const std::string& name, const std::string& flavor);

/// How torchtitan names a model of the catalogue; nothing where it has none.
struct TorchtitanFlavor {
    std::string name, flavor;
};
std::optional<TorchtitanFlavor> torchtitanFlavorOf(const std::string& preset);

/// "llama3 8B", "llama3 70B" …, for messages.
std::vector<std::string> torchtitanModels();

/// One option of a configuration, by its name in job_config.py with dashes, and its value.
struct TorchtitanSetting {
    std::string option;
    std::string value;
};

/// What a configuration of torchtitan's registry sets: `llama3_8b`; no settings where it is not known. Words behind a known name
/// (`llama3_8b_mxfp8`, `llama3_debugmodel_fsdp2_cp4`) set number formats and degrees.
struct TorchtitanConfig {
    std::vector<TorchtitanSetting> settings;
    std::string unread; ///< words behind the name that say nothing here: "flex_flash"
};
TorchtitanConfig torchtitanConfig(const std::string& name);

} // namespace orrery
