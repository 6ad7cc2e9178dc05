// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"

namespace orrery {

Json memoryDocument(const Result& result) {
    const Json whole = toJson(result);
    Json document;
    for (const char* key : {"format", "kind", "name", "assumed", "warnings", "fits", "out_of_memory", "memory", "parameters",
                            "active_parameters"})
        if (whole.contains(key)) document[key] = whole[key];
    return document;
}

} // namespace orrery
