// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain_operation.hpp"

#include "core/results/derivation/pointer_place.hpp"
#include "core/training/cost/operator_cost.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

Quantity ofRow(std::string name, double value, std::string unit, std::string formula) {
    return {std::move(name), value, std::move(unit), Source::derived, std::move(formula), "", {}};
}

const char* countsWhat(const Result& result) { return result.training() ? "instances, mean per accelerator and iteration" : "instances, mean per accelerator"; }

const TimedOperator* firstOf(const Result& result, const std::string& name) {
    const std::vector<TimedOperator>& operators = result.timeline.operators;
    const auto found = std::find_if(operators.begin(), operators.end(), [&name](const TimedOperator& timed) { return timed.op.name == name; });
    return found == operators.end() ? nullptr : &*found;
}

Quantity ofCollective(const TimedOperator& timed) {
    return {timed.op.name, timed.time, "s", timed.source, "what it takes alone on its links: its call, the ways of its steps, its bytes at the rate of the slowest", "closed forms: core/network/transfers/pattern_maker.hpp", {ofRow("message", timed.op.messageBytes, "bytes", "what a rank sends, in the format of the tensor")}};
}

Quantity timeOfRow(const Result& result, const OperationRow& row) {
    Quantity total = ofRow(row.kind, row.time, "s", "count × time of one");
    total.source = row.source;
    total.inputs.push_back(ofRow("count", row.count, "1", countsWhat(result)));
    const TimedOperator* const timed = firstOf(result, row.kind);
    const bool isCollective = timed && timed->op.collective != CollectiveKind::none;
    if (timed && !isCollective && result.scenario.recorded()) {
        const bool recorded = timed->source == Source::measured;
        total.formula = "all instances together";
        total.inputs.push_back({"the first", timed->time, "s", timed->source, recorded ? "" : "what its shapes take at the rates of its number format", recorded ? "duration in the recorded graph" : "shapes in the recorded graph", {}});
        return total;
    }
    Quantity one = ofRow("time of one", row.count > 0 ? row.time / row.count : 0, "s", "mean over its instances");
    if (timed) one.inputs.push_back(isCollective ? ofCollective(*timed) : explainOperatorTime(costModelOf(result.scenario), timed->op));
    total.inputs.push_back(std::move(one));
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
