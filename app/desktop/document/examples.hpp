// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <QString>

#include <vector>

namespace orrery {

/// A finished scenario that comes with Orrery.
struct Example {
    QString fileName; ///< "llama-3.1-70b-8xdgx-h100.orrery.json"
    QString title;    ///< the scenario's own name
    BoxedJson document;
};

/// All of them, sorted by file name.
std::vector<Example> shippedExamples();

/// The studies that come with Orrery; `document` is a study.
std::vector<Example> shippedStudies();

/// The one that the first start shows.
Example firstExample();

/// A small scenario to begin from: Llama 3.1 8B on one DGX H100.
Json newScenario();

} // namespace orrery
