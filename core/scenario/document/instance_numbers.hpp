// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/serving_workload.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace orrery {

/// The numbers of one engine instance that must fit together, wide enough that no product of them overflows.
struct InstanceNumbers {
    std::string pool; ///< pointer of the pool that it belongs to; empty: the scenario's own
    std::int64_t tensor = 1;
    std::int64_t pipeline = 1;
    std::int64_t context = 1;
    std::int64_t expert = 1;
    std::int64_t expertTensor = 1;
    std::int64_t attentionData = 1;
    std::int64_t expertSlots = 0;      ///< 0: as many as experts
    std::optional<Architecture> model; ///< empty while the model has a problem of its own

    std::int64_t accelerators() const { return tensor * pipeline * context * attentionData; }
    /// Where a mend of one of its degrees goes: the pool's own `parallelism` where it says anything of it, else the scenario's.
    std::string at(const FilledDocument& document, const std::string& key) const;
    /// The same for a key of `engine`.
    std::string engineAt(const FilledDocument& document, const std::string& key) const;
};

/// A value of the scenario, or of a pool: what the pool says itself goes before the scenario's.
InstanceNumbers instanceNumbers(const FilledDocument& document, const std::string& pool, const std::optional<Architecture>& model);

/// The same as the simulation takes it, with the layers of each stage.
InstancePlan instancePlan(const FilledDocument& document, const InstanceNumbers& numbers);

} // namespace orrery
