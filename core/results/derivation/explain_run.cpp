// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain_run.hpp"

#include "core/base/units.hpp"

#include <utility>

namespace orrery {
namespace {

constexpr const char* dalyPaper = "Daly 2006, FGCS 22, equation 20";

using Inputs = std::vector<Quantity>;

Quantity ofRun(std::string name, double value, std::string unit, std::string formula, Inputs inputs, std::string reference = {}) {
    return {std::move(name), value, std::move(unit), Source::derived, std::move(formula), std::move(reference), std::move(inputs)};
}

Quantity said(std::string name, double value, std::string unit, std::string pointer) { return {std::move(name), value, std::move(unit), Source::given, "", std::move(pointer), {}}; }

class RunExplainer {
public:
    RunExplainer(const Scenario& scenario, const TrainingMetrics& metrics) : scenario_(scenario), metrics_(metrics), run_(*metrics.run) {}

    std::optional<Quantity> explain(const std::string& name) const {
        if (run_.days) {
            if (name == "days") return days();
            if (name == "accelerator_hours") return hours();
            if (name == "cost" && run_.cost) return ofRun(name, *run_.cost, "money", "accelerator hours × price of an hour", {hours(), said("price of an hour", scenario_.economics.pricePerAcceleratorHour.value_or(0), "money/h", "/economics/price_per_accelerator_hour")});
            if (name == "energy_kwh" && run_.energyKwh) return ofRun(name, *run_.energyKwh, "kWh", "accelerator hours × power", {hours(), power()});
        }
        return run_.failures ? explainFailures(*run_.failures, name) : std::nullopt;
    }

private:
    std::optional<Quantity> explainFailures(const FailureReport& failures, const std::string& name) const {
        if (name == "goodput") return goodput();
        if (name == "mtbf_hours") return ofRun(name, failures.mtbf / units::hour, "h", "MTBF of an accelerator/accelerators", {ofAccelerator(), accelerators()});
        if (name == "checkpoint_interval_s") return interval();
        if (name == "best_checkpoint_interval_s") return best();
        if (name == "young_checkpoint_interval_s") return ofRun(name, failures.youngInterval, "s", "√(2 × δ × M)", {mtbf(), checkpoint()}, "Young 1974, CACM 17");
        if (name == "spares_last_hours") return ofRun(name, failures.sparesLast / units::hour, "h", "(spares + 1) × MTBF of the job", {mtbf(), said("spares", scenario_.reliability->spares, "1", "/reliability/spares")});
        if (name == "failures" && failures.failures) return ofRun(name, *failures.failures, "1", "days/MTBF of the job", {days(), mtbf()});
        return std::nullopt;
    }

    Quantity days() const {
        Inputs inputs{said("tokens", scenario_.economics.tokensTotal.value_or(0), "1", "/economics/tokens_total"), rate()};
        if (run_.failures) inputs.push_back(goodput());
        return ofRun("days", run_.days.value_or(0), "d", run_.failures ? "tokens/(tokens per s × goodput)" : "tokens/tokens per s", std::move(inputs));
    }
    Quantity rate() const {
        return ofRun("tokens_per_s", metrics_.tokensPerSecond, "1/s", "tokens of an iteration/iteration time",
                     {said("tokens of an iteration", metrics_.tokensPerSecond * metrics_.iterationTime, "1", "/workload"), ofRun("iteration_time_s", metrics_.iterationTime, "s", "what the simulation gives", {}, "/iteration_time_s")});
    }
    Quantity ofAccelerator() const { return said("MTBF of an accelerator", scenario_.reliability->meanTimeBetweenFailures / units::hour, "h", "/reliability/mtbf_hours_per_accelerator"); }
    Quantity hours() const {
        const bool spares = scenario_.reliability && scenario_.reliability->spares > 0;
        Inputs inputs{days(), accelerators()};
        if (spares) inputs.push_back(said("spares", scenario_.reliability->spares, "1", "/reliability/spares"));
        return ofRun("accelerator_hours", run_.acceleratorHours, "h", spares ? "days × (accelerators + spares)" : "days × accelerators", std::move(inputs));
    }
    Quantity power() const {
        if (scenario_.economics.powerWatts) return said("power", *scenario_.economics.powerWatts, "W", "/economics/power_w");
        return {"power", scenario_.cluster.accelerator.tdpWatts, "W", Source::given, "thermal design power", scenario_.cluster.accelerator.citation.source, {}};
    }
    Quantity goodput() const {
        Inputs inputs{interval(), mtbf(), checkpoint(), said("restart R", scenario_.reliability->restartTime, "s", "/reliability/restart_s")};
        return ofRun("goodput", run_.failures->goodput, "1", "τ/(M × e^(R/M) × (e^((τ + δ)/M) − 1))", std::move(inputs), dalyPaper);
    }
    Quantity interval() const {
        const double value = run_.failures->checkpointInterval;
        if (!scenario_.reliability->checkpointInterval) return best();
        return said("checkpoint interval τ", value, "s", "/reliability/checkpoint_interval_s");
    }
    Quantity best() const { return ofRun("best checkpoint interval τ", run_.failures->bestInterval, "s", "(1 − τ/M) × e^((τ + δ)/M) = 1", {mtbf(), checkpoint()}, dalyPaper); }
    Quantity mtbf() const { return ofRun("MTBF of the job M", run_.failures->mtbf, "s", "MTBF of an accelerator/accelerators", {ofAccelerator(), accelerators()}); }
    Quantity checkpoint() const { return said("checkpoint δ", scenario_.reliability->checkpointTime, "s", "/reliability/checkpoint_s"); }
    Quantity accelerators() const { return said("accelerators", scenario_.parallelism.ranks(), "1", "/cluster"); }

    const Scenario& scenario_;
    const TrainingMetrics& metrics_;
    const RunEstimate& run_;
};

} // namespace

std::optional<Quantity> explainRun(const Scenario& scenario, const TrainingMetrics& metrics, const std::vector<std::string>& tokens) {
    if (!metrics.run || tokens.size() != 2) return std::nullopt;
    return RunExplainer(scenario, metrics).explain(tokens[1]);
}

} // namespace orrery
