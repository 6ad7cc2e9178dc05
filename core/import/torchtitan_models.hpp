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

/// What a configuration of torchtitan's registry sets: `llama3_8b`; nothing where it is not known. A variant behind a known name
/// (`llama3_8b_mxfp8`) sets its number format.
std::vector<TorchtitanSetting> torchtitanConfigSettings(const std::string& config);

} // namespace orrery
