// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/forms/form_controls.hpp"

#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// The catalogue's models under headings of their families; each value is a whole `model` object.
std::vector<ChoiceEntry> modelChoices(const Catalog& catalog);

std::vector<ChoiceEntry> frameworkChoices(const Catalog& catalog);

/// Accelerators under headings of their vendors; each value is an id.
std::vector<ChoiceEntry> acceleratorChoices(const Catalog& catalog);

/// Platforms under headings of their accelerators' vendors, "DGX H100 · 8 × H100"; each value is an id.
std::vector<ChoiceEntry> platformChoices(const Catalog& catalog);

/// "from config.json", "own llama config": words for a `model` object that is no preset of the catalogue.
QString describeModel(const Json& model);

/// The name of an accelerator that is given with its fields, else its id.
QString describeAccelerator(const Json& accelerator);

} // namespace orrery
