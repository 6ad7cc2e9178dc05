// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/catalog/citation.hpp"

#include <string>

namespace orrery {

struct ModelEntry {
    std::string id;
    std::string name;
    BoxedJson config; ///< Hugging Face config.json fields
    Citation citation;
};

} // namespace orrery
