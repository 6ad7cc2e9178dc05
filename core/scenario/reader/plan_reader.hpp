// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/scenario/reader/reader.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A key of a training plan, by JSON pointer, and the values that it may have.
struct PlanKey {
    std::string pointer;
    std::vector<BoxedJson> values;
};

/// Reads training plans that differ from one document in nothing but some keys of the plan, each at a small part of what readScenario costs:
/// the document is read once, a plan is numbers put into the scenario, and the rules say just which of them is broken first.
/// tests/core/scenario/plan_reader_test.cpp holds it to readScenario. One thread's.
class PlanReader {
public:
    /// Nothing where only readScenario knows: a key that no plan has, a value that does not keep to the schema, a document that is no
    /// training, is recorded, gives a layout or switches passes, or has a mistake that no plan mends.
    static std::unique_ptr<PlanReader> of(const Json& document, std::vector<PlanKey> keys, const Catalog& catalog, const FileReader& readFile);
    virtual ~PlanReader() = default;

    /// Reads the plan with these values, one a key by its number. Gives the code of the first error that readScenario finds; empty:
    /// `scenario()` is the plan's.
    virtual std::string_view read(const std::vector<std::size_t>& values) = 0;
    /// The last sound plan, as readScenario gives it, but for `assumed` and `warnings`, which are those of the first sound plan.
    virtual const Scenario& scenario() const = 0;

protected:
    PlanReader() = default;
    PlanReader(const PlanReader&) = default;
    PlanReader& operator=(const PlanReader&) = default;
};

} // namespace orrery
