// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"
#include "core/base/run_control.hpp"
#include "core/scenario/reader/plan_reader.hpp"
#include "core/scenario/reader/reader.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// What a scenario gives after some changes.
struct Trial {
    std::optional<BoxedJson> result; ///< as `simulate --json` prints it; nothing: see `problems`, or it was stopped
    Problems problems;               ///< errors alone
    bool fits = false;
};

/// A scenario that changes are tried on. Many threads may try at once; each trial is the same bytes whatever else was tried.
class Trials {
public:
    /// `catalog` outlives this.
    Trials(Json document, const Catalog& catalog, FileReader readFile = {});

    Trial run(const std::vector<ScenarioEdit>& changes, const RunControl& control = {}) const;
    /// Reads without simulating: nothing, with `problems`, for what is no sound scenario.
    std::optional<Scenario> read(const std::vector<ScenarioEdit>& changes, Problems& problems) const;

    /// What reads these keys' values, each with the same `others`, at a small part of the cost; nothing where only `read` can.
    std::unique_ptr<PlanReader> planReader(const std::vector<ScenarioEdit>& others, std::vector<PlanKey> keys) const;

    const Json& document() const { return *document_; }
    const Catalog& catalog() const { return catalog_; }

private:
    BoxedJson document_;
    BoxedJson tried_; ///< without what no simulation looks at, which would be read again for each trial
    const Catalog& catalog_;
    FileReader readFile_;
};

/// Problems with the place itself, such as a key that a scenario does not have: those of setting it to `value`. What is wrong with the
/// value, or with how it goes with others, is not among them.
Problems problemsOfPlace(const Trials& trials, const std::string& pointer, const Json& value);

} // namespace orrery
