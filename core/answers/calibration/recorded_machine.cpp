// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/recorded_machine.hpp"

#include "core/answers/calibration/least_squares.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/parallel.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/named_constants.hpp"
#include "core/scenario/reader/reader.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

constexpr double kernelNoise = 0.1; ///< how far off a kernel may stay: one rate does not suit all kernels (logarithm)
constexpr double leastKnown = 0.05; ///< a constant that the kernels say less of stays as it is
constexpr double rateStep = 0.05;   ///< of a constant's logarithm, to see what it does
constexpr int linearRounds = 8;
constexpr std::string_view vectorRate = "vector_tflops";

/// What is sought: a constant by name, or the described machine's rate outside products.
struct Sought {
    std::string name, unit, meaning;
    double low = 0, high = 0, spread = 1;
    double before = 0;
};

/// Kernels by name and phase, s a call; and the whole step.
struct Simulated {
    std::map<std::pair<std::string, std::string>, double> calls;
    double step = 0; ///< 0: not simulated
};

struct KernelRow {
    std::size_t run = 0;
    std::vector<std::string> kinds;
    std::string phase;
    double measured = 0, weight = 0;
    double residual = 0;
    std::vector<double> slopes;

    /// Nothing where the simulation runs no such kernel.
    std::optional<double> predicted(const Simulated& result) const {
        double sum = 0;
        for (const std::string& kind : kinds) {
            const auto found = result.calls.find({kind, phase});
            if (found != result.calls.end()) sum += found->second;
        }
        return sum > 0 ? std::optional(sum) : std::nullopt;
    }
    std::string name() const {
        std::string text;
        for (const std::string& kind : kinds) text += (text.empty() ? "" : " + ") + kind;
        return text;
    }
};

double middleOf(const Json& list) {
    std::vector<double> values = list.get<std::vector<double>>();
    std::sort(values.begin(), values.end());
    return values.size() % 2 == 1 ? values[values.size() / 2] : (values[values.size() / 2 - 1] + values[values.size() / 2]) / 2;
}

/// "Intel(R) Xeon(R) Processor" as an id.
std::string idOf(const std::string& name) {
    std::string id;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) id += lowered(c);
        else if (!id.empty() && id.back() != '-') id += '-';
    }
    while (!id.empty() && id.back() == '-') id.pop_back();
    return id.empty() ? "recorded-machine" : id;
}

Json describedMachine(const Json& machine) {
    constexpr int nobodySellsIt = 1;
    return {{"id", idOf(machine.at("name").get<std::string>())},
            {"name", machine.at("name")},
            {"peak_dense_tflops", {{"bf16", machine.at("peak_tflops")}, {"fp16", machine.at("peak_tflops")}}},
            {"vector_tflops", {{"fp32", machine.at("vector_tflops")}}},
            {"memory_bytes", machine.at("memory_bytes")},
            {"memory_gb_per_s", machine.at("memory_gb_per_s")},
            {"scale_up_domain_size", nobodySellsIt},
            {"source", "the best rates that the script of orrery-cli record-script measured"}};
}

class MachineFitting {
public:
    MachineFitting(const Json& recording, const std::string& accelerator, const Catalog& catalog, const RunControl& control) : catalog_(catalog), control_(control) {
        if (accelerator.empty()) described_ = describedMachine(recording.at("machine"));
        for (const Json& run : recording.at("runs")) addRun(run, accelerator);
        if (const auto job = recording.find("job"); job != recording.end() && job->contains("scenario"))
            addRun({{"name", "your own job"}, {"use", "check"}, {"scenario", job->at("scenario")}, {"step_seconds", job->at("step_seconds")}}, accelerator);
        ScenarioReading reading = readOne(0, {});
        base_.emplace(std::move(*reading.scenario));
        seek();
    }

    ProfileFit fit() {
        ProfileFit result;
        const std::vector<Simulated> before = simulatedAll({{}});
        keepKnownKernels(before);
        if (rows_.empty()) throw std::runtime_error("none of its kernels is one of the simulation");
        for (const Sought& one : sought_) at_.push_back(std::log(std::clamp(one.before, one.low, one.high)));
        LeastSquaresFit last;
        for (int round = 0; round < linearRounds; ++round) {
            linearise();
            last = solve();
            at_ = last.unknowns;
        }
        Values values(sought_.size());
        for (std::size_t i = 0; i < sought_.size(); ++i) {
            const Sought& one = sought_[i];
            if (last.determined[i] < leastKnown) continue;
            values[i] = std::clamp(fewDigits(std::exp(last.unknowns[i])), one.low, one.high);
            result.constants.push_back({one.name, one.unit, one.meaning, one.low, one.high, one.before, *values[i], last.determined[i]});
        }
        addFigures(result, before, simulatedAll({values}));
        return result;
    }

    const Scenario& scenario() const { return *base_; }
    const Json& described() const { return described_; } ///< null: the catalogue knows it

private:
    using Values = std::vector<std::optional<double>>; ///< by what is sought; nothing: as the catalogue has it

    struct Run {
        std::string name;
        Json document;
        std::optional<double> step; ///< s
    };

    void addRun(const Json& run, const std::string& accelerator) {
        Json document = run.at("scenario");
        if (!document.contains("cluster")) document["cluster"] = {{"accelerators_per_node", 1}, {"nodes", 1}};
        if (document["cluster"].is_object() && !document["cluster"].contains("accelerator")) document["cluster"]["accelerator"] = accelerator.empty() ? described_ : Json(accelerator);
        runs_.push_back({run.at("name").get<std::string>(), std::move(document), std::nullopt});
        if (const auto steps = run.find("step_seconds"); steps != run.end() && !steps->empty()) runs_.back().step = middleOf(*steps);
        const Json operations = run.value("operations", Json::array());
        double whole = 0;
        for (const Json& operation : operations) whole += operation.at("seconds").get<double>();
        if (run.at("use") != "fit") return;
        for (const Json& operation : operations) {
            KernelRow row;
            row.run = runs_.size() - 1;
            row.kinds = operation.at("kinds").get<std::vector<std::string>>();
            row.phase = operation.at("phase").get<std::string>();
            row.measured = operation.at("seconds").get<double>();
            row.weight = double(operations.size()) * row.measured / whole;
            rows_.push_back(std::move(row));
        }
    }

    /// The constants that kernels on one accelerator say something of.
    void seek() {
        const bool fused = std::any_of(rows_.begin(), rows_.end(), [](const KernelRow& row) { return row.kinds.front().starts_with("attention.core"); });
        const struct {
            const char* name;
            const char* unit;
            double spread;
            bool isWanted;
        } wanted[] = {{"gemm_rate_of_peak", "1", 0.3, true}, {"sustained_share_of_burst", "1", 0.15, true}, {"stream_rate_of_peak", "1", 0.3, true}, {"kernel_launch_us", "us", 1, true}, {"elementwise_traffic", "1", 0.4, true}, {"attention_rate_of_burst", "1", 0.3, fused}, {"attention_backward_rate_of_forward", "1", 0.2, fused}};
        for (const auto& one : wanted) {
            if (!one.isWanted) continue;
            for (const NamedConstant& constant : namedConstants()) {
                if (constant.name != std::string_view(one.name)) continue;
                const double value = constant.ofMachine ? base_->kernels.*constant.ofMachine : base_->execution.profile.*constant.ofProfile;
                sought_.push_back({one.name, one.unit, constant.meaning, std::max(constant.low, 1e-3), constant.high, one.spread, value / constant.scale});
            }
        }
        if (described_.is_null()) return;
        const double rate = described_.at("vector_tflops").at("fp32").get<double>();
        constexpr double farthest = 100;
        sought_.push_back({std::string(vectorRate), "TFLOP/s", "Rate of the described machine outside matrix products.", rate / farthest, rate * farthest, 1, rate});
    }

    Json documentOf(std::size_t run, const Values& values) const {
        Json document = runs_[run].document;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!values[i]) continue;
            if (sought_[i].name == vectorRate) document["cluster"]["accelerator"]["vector_tflops"]["fp32"] = *values[i];
            else document["execution"]["calibration"][sought_[i].name] = *values[i];
        }
        return document;
    }

    ScenarioReading readOne(std::size_t run, const Values& values) const {
        ScenarioReading reading = readScenario(documentOf(run, values), catalog_);
        for (const Problem& problem : reading.problems)
            if (problem.severity == Severity::error) throw std::runtime_error(runs_[run].name + ": " + problem.pointer + ": " + problem.message);
        if (!reading.scenario->isTraining()) throw std::runtime_error(runs_[run].name + " is no training.");
        return reading;
    }

    Simulated simulateOne(std::size_t run, const Values& values) const {
        const ScenarioReading reading = readOne(run, values);
        RunControl one;
        one.memoryCeiling = control_.memoryCeiling;
        one.stop = control_.stop;
        const Outcome outcome = simulate(*reading.scenario, one);
        if (!outcome.result) throw std::runtime_error(outcome.problems.empty() ? "The simulation was stopped." : outcome.problems.front().message);
        Simulated simulated;
        simulated.step = outcome.result->training()->iterationTime;
        const Json document = toJson(*outcome.result);
        for (const Json& operation : document.at("operations"))
            if (const double count = operation.at("count").get<double>(); count > 0)
                simulated.calls[{operation.at("kind").get<std::string>(), operation.at("phase").get<std::string>()}] = operation.at("time_s").get<double>() / count;
        return simulated;
    }

    /// Every run under each set of values, run by run.
    std::vector<Simulated> simulatedAll(const std::vector<Values>& sets) const {
        std::vector<Simulated> results(sets.size() * runs_.size());
        std::vector<std::string> faults(results.size());
        forEachIndex(results.size(), control_.threads, [&](std::size_t index) {
            try {
                results[index] = simulateOne(index % runs_.size(), sets[index / runs_.size()]);
            } catch (const std::exception& fault) {
                faults[index] = fault.what();
            }
        });
        for (const std::string& fault : faults)
            if (!fault.empty()) throw std::runtime_error(fault);
        return results;
    }

    void keepKnownKernels(const std::vector<Simulated>& results) {
        std::erase_if(rows_, [&](const KernelRow& row) { return !row.predicted(results[row.run]); });
    }

    void linearise() {
        std::vector<Values> sets;
        for (std::size_t changed = 0; changed <= sought_.size(); ++changed) {
            Values values(sought_.size());
            for (std::size_t i = 0; i < sought_.size(); ++i) values[i] = std::clamp(std::exp(at_[i] + (changed == i + 1 ? stepOf(i) : 0)), sought_[i].low, sought_[i].high);
            sets.push_back(std::move(values));
        }
        const std::vector<Simulated> results = simulatedAll(sets);
        for (KernelRow& row : rows_) {
            const auto logarithm = [&](std::size_t set) { return std::log(row.predicted(results[set * runs_.size() + row.run]).value_or(row.measured)); };
            const double here = logarithm(0);
            row.residual = here - std::log(row.measured);
            row.slopes.assign(sought_.size(), 0);
            for (std::size_t i = 0; i < sought_.size(); ++i) row.slopes[i] = (logarithm(i + 1) - here) / stepOf(i);
        }
    }

    double stepOf(std::size_t i) const { return at_[i] + rateStep > std::log(sought_[i].high) ? -rateStep : rateStep; }

    LeastSquaresFit solve() const {
        std::vector<Unknown> unknowns;
        for (std::size_t i = 0; i < sought_.size(); ++i) {
            const Sought& one = sought_[i];
            unknowns.push_back({at_[i], std::log(one.low), std::log(one.high), std::log(std::clamp(one.before, one.low, one.high)), one.spread});
        }
        std::vector<double> weights;
        for (const KernelRow& row : rows_) weights.push_back(row.weight);
        const Residuals residuals = [&](const std::vector<double>& at, bool withSlopes) {
            std::vector<Residual> list(rows_.size());
            for (std::size_t r = 0; r < rows_.size(); ++r) {
                list[r].value = rows_[r].residual;
                for (std::size_t i = 0; i < at.size(); ++i) {
                    list[r].value += rows_[r].slopes[i] * (at[i] - at_[i]);
                    if (withSlopes) list[r].slopes.emplace_back(i, rows_[r].slopes[i]);
                }
            }
            return list;
        };
        LeastSquaresOptions options;
        options.priorWeight = kernelNoise * kernelNoise;
        // Rows beyond Huber's bound, of which kernels of one rate have many, take small steps.
        options.iterations = 200;
        options.enough = 1e-9;
        return leastSquares(unknowns, weights, residuals, options);
    }

    static double errorPercent(double predicted, double measured) { return 100 * (predicted / measured - 1); }

    void addFigures(ProfileFit& result, const std::vector<Simulated>& before, const std::vector<Simulated>& after) const {
        const auto add = [&](std::size_t run, const std::string& metric, FigureUse use, double measured, double old, double now) {
            result.figures.push_back({run, metric, use, measured, old, now, errorPercent(old, measured), errorPercent(now, measured)});
        };
        for (const KernelRow& row : rows_)
            add(row.run, "/operations/kind=" + row.name() + ",phase=" + row.phase + "/time_s", FigureUse::fitted, row.measured, *row.predicted(before[row.run]), row.predicted(after[row.run]).value_or(0));
        for (std::size_t run = 0; run < runs_.size(); ++run)
            if (runs_[run].step) add(run, "iteration_time_s", FigureUse::left_out, *runs_[run].step, before[run].step, after[run].step);
    }

    const Catalog& catalog_;
    const RunControl& control_;
    Json described_;
    std::vector<Run> runs_;
    std::vector<KernelRow> rows_;
    std::optional<Scenario> base_;
    std::vector<Sought> sought_;
    std::vector<double> at_; ///< logarithms where rows are linear
};

Json profileOf(const Json& recording, const MachineFitting& fitting, const ProfileFit& fit) {
    std::vector<AdjustedConstant> named;
    Json described = fitting.described();
    for (const AdjustedConstant& constant : fit.constants) {
        if (constant.name == vectorRate) described["vector_tflops"]["fp32"] = constant.after;
        else named.push_back(constant);
    }
    const Json software = recording.value("software", Json::object());
    const std::string torch = software.value("torch", std::string());
    Json profile = profileDocument(fitting.scenario(), torch.empty() ? "" : "pytorch " + torch, named);
    profile["name"] = recording.at("machine").at("name").get<std::string>() + (torch.empty() ? "" : ", PyTorch " + torch);
    if (!described.is_null()) profile["machine"]["described"] = std::move(described);
    Json runs = Json::array();
    for (const Json& run : recording.at("runs")) runs.push_back({{"run", runs.size() + 1}, {"name", run.at("name")}, {"use", run.at("use")}});
    profile["fitted_to"] = std::move(runs);
    profile["notes"] = {{"machine", recording.at("machine")}, {"software", software}};
    describeFigures(profile, fit.figures, fit.notFitted, "whole steps, which nothing was fitted to");
    return profile;
}

} // namespace

ProfileFit calibrateMachine(const Json& recording, const std::string& accelerator, const Catalog& catalog, const RunControl& control) {
    ProfileFit result;
    try {
        MachineFitting fitting(recording, accelerator, catalog, control);
        result = fitting.fit();
        result.profile = profileOf(recording, fitting, result);
    } catch (const std::exception& fault) {
        Problem problem;
        problem.code = "not-simulated";
        problem.message = std::string("The recording can't be simulated: ") + fault.what();
        problem.mend = "Record anew with the script of this version's \"orrery-cli record-script\".";
        result.problems = {std::move(problem)};
        return result;
    }
    if (const CalibrationErrors rest = errorsOf(result.figures, FigureUse::left_out); rest.count > 0 && rest.after > rest.before) {
        Problem worse;
        worse.severity = Severity::warning;
        worse.code = "does-not-carry-over";
        worse.message = "Whole steps are predicted worse with these constants than without.";
        worse.mend = "Record again while nothing else runs, or keep to the catalogue's constants.";
        result.problems.push_back(std::move(worse));
    }
    return result;
}

} // namespace orrery
