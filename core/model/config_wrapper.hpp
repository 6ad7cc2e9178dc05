// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/model/architecture_table.hpp"
#include "core/model/config_reader.hpp"

#include <string>

namespace orrery {

/// The part of a config that describes a language model.
struct UnwrappedConfig {
    Json config;
    std::string pointer;
};

/// Takes the language model out of a config that has it beside a vision or audio part, and says what is left out. What the wrapper says of
/// the language model (tied embeddings) goes with it where it doesn't say so itself.
UnwrappedConfig unwrapped(const Json& config, const std::string& pointer, Problems& problems, const ArchitectureTable& table);

/// The first of `architectures`; empty without one.
std::string classOf(const Json& config);

/// Whether the config's class makes logits: bare models and classifiers don't.
bool hasHead(const ConfigReader& config, const Json& row);

/// How `quantization_config` says that weights are stored; empty where there is none. A method that isn't known is a warning.
std::string storedFormat(const ConfigReader& config);

} // namespace orrery
