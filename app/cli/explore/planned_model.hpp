// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>

namespace orrery {

class Catalog; // core/catalog

/// A model as it is named in one word.
struct NamedModel {
    BoxedJson model;  ///< the scenario's `/model`: a preset, or the whole config
    std::string name; ///< for a person
};

/// Finds a model by catalogue id, path of a config.json or of a folder that holds one, folder of Hugging Face's cache ("…/models--ORG--NAME", of
/// its newest snapshot), or a published name ("meta-llama/Llama-3.1-8B-Instruct") that the cache or the catalogue has. Nothing, with a problem
/// that names the nearest ids, for anything else.
std::optional<NamedModel> namedModel(const std::string& word, const Catalog& catalog, Problems& problems);

} // namespace orrery
