// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/derivation/explain_operation.hpp"

#include "core/cost/operator_cost.hpp"
#include "core/derivation/pointer_place.hpp"

#include <utility>

namespace orrery {
namespace {

Quantity ofRow(std::string name, double value, std::string unit, std::string formula) {
    return {std::move(name), value, std::move(unit), Source::derived, std::move(formula), "", {}};
}

const char* countsWhat(const Result& result) { return result.training() ? "instances, mean per accelerator and iteration" : "instances, mean per accelerator"; }

Quantity timeOfRow(const Result& result, const OperationRow& row) {
    Quantity total = ofRow(row.kind, row.time, "s", "count × time of one");
    total.source = row.source;
    total.inputs.push_back(ofRow("count", row.count, "1", countsWhat(result)));
    const Scenario& scenario = result.scenario;
    for (const TimedOperator& timed : result.timeline.operators) {
        if (timed.op.name != row.kind) continue;
        if (scenario.recorded() && timed.op.collective == CollectiveKind::none) {
            const bool recorded = timed.source == Source::measured;
            total.formula = "sum over the instances";
            total.inputs.push_back({"the first", timed.time, "s", timed.source, recorded ? "" : "max(compute, memory) + launch, at the rates of its number format", recorded ? "duration in the recorded graph" : "shapes in the recorded graph", {}});
            break;
        }
        if (timed.op.collective != CollectiveKind::none) {
            total.inputs.push_back({"one", timed.time, "s", timed.source, "start + bytes/(bandwidth × rate of link) + steps × latency, a ring", "ring collective over the group's slowest link", {ofRow("message", timed.op.messageBytes, "bytes", "elements of what is sent × bytes of one")}});
        } else {
            total.inputs.push_back(explainOperatorTime(
                costModelOf(scenario), timed.op));
        }
        break;
    }
    return total;
}

} // namespace

std::optional<Quantity> explainOperation(const Result& result, const std::vector<std::string>& tokens) {
    const auto place = tokens.size() >= 2 ? placeIn(tokens[1], result.operations.size()) : std::nullopt;
    if (!place) return std::nullopt;
    const OperationRow& row = result.operations[*place];
    const std::string member = tokens.size() == 3 ? tokens[2] : "time_s";
    if (member == "time_s") return timeOfRow(result, row);
    if (member == "count") return ofRow(row.kind + ", count", row.count, "1", countsWhat(result));
    if (member == "flops") return ofRow(row.kind + ", FLOPs", row.flops, "FLOP", "sum over its instances: two for each product and sum, by the shapes of its matrices");
    if (member == "bytes") return ofRow(row.kind + ", bytes", row.bytes, "bytes", "sum over its instances of what it reads and writes, of a collective the message");
    return std::nullopt;
}

} // namespace orrery
