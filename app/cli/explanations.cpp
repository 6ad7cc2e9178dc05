// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explanations.hpp"

#include "core/base/json.hpp"
#include "core/results/derivation/explain.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// Percentiles between the median's and the longest: said of each, the same sentence would stand four times.
bool isBetween(std::string_view percentile) { return percentile == "p50" || percentile == "p90" || percentile == "p95"; }

/// Pointers of the numbers of a result that stand in no list, and of its error bars as a whole.
void addPointers(const Json& object, const std::string& at, std::vector<std::string>& pointers) {
    for (const auto& [key, value] : object.items()) {
        std::string pointer = at;
        pointer.append("/").append(key);
        if (value.is_number() && !isBetween(key)) pointers.push_back(pointer);
        if (!value.is_object() || isBetween(key)) continue;
        if (value.contains("interval_90")) pointers.push_back(pointer);
        else addPointers(value, pointer, pointers);
    }
}

/// What a scenario states has no origin of its own and is left out.
std::vector<std::pair<std::string, Quantity>> explained(const Result& result) {
    std::vector<std::string> pointers;
    addPointers(toJson(result), {}, pointers);
    std::vector<std::pair<std::string, Quantity>> list;
    for (const std::string& pointer : pointers) {
        if (std::optional<Quantity> quantity = explain(result, pointer)) list.emplace_back(pointer, std::move(*quantity));
    }
    return list;
}

Json document(const Quantity& quantity) {
    Json object{{"name", quantity.name},
                {"value", quantity.value},
                {"unit", quantity.unit},
                {"source", toString(quantity.source)}};
    if (!quantity.formula.empty()) object["formula"] = quantity.formula;
    if (!quantity.reference.empty()) object["reference"] = quantity.reference;
    if (!quantity.inputs.empty()) {
        Json inputs = Json::array();
        for (const Quantity& input : quantity.inputs) inputs.push_back(document(input));
        object["inputs"] = std::move(inputs);
    }
    return object;
}

} // namespace

void printExplanations(const Result& result, std::ostream& out) {
    out << "\nWhere the numbers come from\n";
    for (const auto& [pointer, quantity] : explained(result)) out << '\n'
                                                                  << pointer << '\n'
                                                                  << toText(quantity);
}

Json explanationsDocument(const Result& result) {
    Json object = Json::object();
    for (const auto& [pointer, quantity] : explained(result)) object[pointer] = document(quantity);
    return object;
}

} // namespace orrery
