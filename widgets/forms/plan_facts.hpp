// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/model/architecture.hpp"

#include <optional>
#include <string>

namespace orrery {

class Catalog; // core/catalog

/// What of a scenario document decides which fields apply. Taken from the document alone, so that it holds while a scenario is
/// broken; what the document leaves out is what the format says, or not known.
struct PlanFacts {
    std::optional<Architecture> model; ///< nothing: of a file, or broken; then everything applies
    int tensor = 1;
    int pipeline = 1;
    int chunks = 1; ///< per stage
    int context = 1;
    int expert = 1;
    int zeroStage = 0;
    bool sequence = false;
    std::string precision = "bf16";
    std::string task = "pretrain";
    std::string kind = "training";
    std::string arrival;      ///< of requests: the process
    std::string requestsFile; ///< empty: requests are generated
    std::string schedule;     ///< empty: the default
    bool chunksGiven = false;

    bool hasExperts() const { return !model || model->experts.has_value(); }
};

PlanFacts planFacts(const Json& document, const Catalog& catalog);

} // namespace orrery
