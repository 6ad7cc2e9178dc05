#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/forms/choice_box.hpp"

#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// The catalogue's models under headings of their families; each value is a whole `model` object.
std::vector<ChoiceEntry> modelChoices(const Catalog& catalog);

std::vector<ChoiceEntry> frameworkChoices(const Catalog& catalog);

/// "from config.json", "own llama config": words for a `model` object that is no preset of the catalogue.
QString describeModel(const Json& model);

} // namespace orrery
