// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/served_calibration.hpp"

#include "core/answers/calibration/least_squares.hpp"
#include "core/answers/calibration/own_cluster.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/parallel.hpp"
#include "core/catalog/catalog.hpp"
#include "core/results/report/serving_report.hpp"
#include "core/scenario/document/named_constants.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <stdexcept>
#include <variant>

namespace orrery {
namespace {

constexpr double benchmarkNoise = 0.15; ///< how far off a mean may stay: runs alike differ, and no constant mends all that a model lacks (logarithm)
constexpr double leastSaid = 0.05;      ///< a constant that the runs say less of stays as it is
constexpr double slopeOver = 0.2;       ///< of a constant's logarithm: large beside what one step more or less does to a request
constexpr int rounds = 3;               ///< how often predictions are taken as linear anew
constexpr double unknownFrontEnd = 10;  ///< ms, expected where the profile has none

/// A constant that may be adjusted, with how far the fit expects it from what the profile says (standard deviation of its logarithm).
struct Fitted {
    const NamedConstant* constant = nullptr;
    double before = 0, expected = 0, spread = 1; ///< in its unit
    const char* unit = "1";
};

const NamedConstant& constantNamed(const char* name) {
    for (const NamedConstant& one : namedConstants())
        if (one.name == std::string(name)) return one;
    throw std::logic_error(std::string("no constant is called ") + name);
}

std::vector<Fitted> fittedConstants(const Scenario& scenario) {
    const auto* const served = std::get_if<ServingWorkload>(&scenario.workload);
    const bool isSplit = served != nullptr && served->disaggregation;
    const struct {
        const char* name;
        const char* unit;
        double spread;
    } wanted[] = {{isSplit ? "split_front_end_ms" : "front_end_ms", "ms", 1}, {"prompt_stretch", "1", 0.3}, {"decode_stretch", "1", 0.3}, {"step_host_us", "us", 0.8}, {"sequence_host_us", "us", 0.8}};
    std::vector<Fitted> list;
    for (const auto& one : wanted) {
        Fitted fitted{&constantNamed(one.name), 0, 0, one.spread, one.unit};
        fitted.before = scenario.execution.profile.serving.*fitted.constant->ofServing / fitted.constant->scale;
        fitted.expected = fitted.before > 0 ? fitted.before : unknownFrontEnd;
        fitted.expected = std::clamp(fitted.expected, fitted.constant->low, fitted.constant->high);
        list.push_back(fitted);
    }
    return list;
}

/// The figures of a benchmark that are fitted: the mean time to first token and the mean time of the others, or the nearest to them that it has.
std::vector<const BenchmarkFigure*> figuresToFit(const ServerBenchmark& benchmark) {
    std::vector<const BenchmarkFigure*> chosen;
    const auto first = [&](std::initializer_list<const char*> metrics) {
        for (const char* metric : metrics)
            for (const BenchmarkFigure& figure : benchmark.figures)
                if (figure.metric == metric) return chosen.push_back(&figure);
    };
    first({"ttft_s.mean", "ttft_s.p50"});
    first({"tpot_s.mean", "itl_s.mean", "tpot_s.p50", "itl_s.p50"});
    if (chosen.empty()) first({"e2e_s.mean", "e2e_s.p50", "output_tokens_per_s", "output_tokens_per_s_per_accelerator"});
    return chosen;
}

using Values = std::vector<std::optional<double>>; ///< by constant, in its unit; nothing: as the scenario has it

class ServedFitting {
public:
    ServedFitting(const std::vector<BenchmarkRun>& runs, const Json& scenario, const Catalog& catalog, const FileReader& readFile, const RunControl& control, std::vector<Fitted> constants)
        : runs_(runs), catalog_(catalog), readFile_(readFile), control_(control), constants_(std::move(constants)) {
        for (const BenchmarkRun& run : runs) {
            Json document = scenario;
            if (!run.benchmark.requests->is_null()) document["workload"]["requests"] = *run.benchmark.requests;
            documents_.push_back(std::move(document));
            for (const BenchmarkFigure* figure : figuresToFit(run.benchmark)) rows_.push_back({documents_.size() - 1, figure, 0, {}});
        }
    }

    bool hasRows() const { return !rows_.empty(); }

    /// Result of every run under one set of constants each. Throws std::runtime_error where one can't be simulated.
    std::vector<BoxedJson> simulated(const std::vector<Values>& values) const {
        std::vector<BoxedJson> results(values.size());
        std::vector<std::string> faults(values.size());
        forEachIndex(values.size(), control_.threads, [&](std::size_t index) { results[index] = simulateOne(index % runs_.size(), values[index], faults[index]); });
        for (const std::string& fault : faults)
            if (!fault.empty()) throw std::runtime_error(fault);
        return results;
    }

    /// Logarithms of the constants that all runs but one say; that one's number is `leftOut` (or beyond all: none is left out).
    LeastSquaresFit fit(std::size_t leftOut, const std::vector<double>& start) const {
        std::vector<const Row*> rows;
        for (const Row& row : rows_)
            if (row.run != leftOut) rows.push_back(&row);
        std::vector<Unknown> unknowns;
        for (std::size_t i = 0; i < constants_.size(); ++i) {
            const NamedConstant& constant = *constants_[i].constant;
            unknowns.push_back({start[i], std::log(constant.low), std::log(constant.high), std::log(constants_[i].expected), constants_[i].spread});
        }
        const Residuals residuals = [&](const std::vector<double>& at, bool withSlopes) {
            std::vector<Residual> list(rows.size());
            for (std::size_t i = 0; i < rows.size(); ++i) {
                list[i].value = rows[i]->residual;
                for (std::size_t k = 0; k < at.size(); ++k) {
                    list[i].value += rows[i]->slopes[k] * (at[k] - at_[k]);
                    if (withSlopes) list[i].slopes.emplace_back(k, rows[i]->slopes[k]);
                }
            }
            return list;
        };
        LeastSquaresOptions options;
        options.priorWeight = benchmarkNoise * benchmarkNoise;
        return leastSquares(unknowns, std::vector<double>(rows.size(), 1), residuals, options);
    }

    /// The fit to all runs, with slopes taken where it ends.
    LeastSquaresFit fitAll() {
        at_.clear();
        for (const Fitted& one : constants_) at_.push_back(std::log(one.expected));
        LeastSquaresFit last;
        for (int round = 0; round < rounds; ++round) {
            linearise();
            last = fit(runs_.size(), at_);
            if (round + 1 < rounds) at_ = last.unknowns;
        }
        return last;
    }

    /// The constants of a fit that the runs say something of.
    Values valuesOf(const LeastSquaresFit& fit) const {
        Values values(constants_.size());
        for (std::size_t i = 0; i < constants_.size(); ++i)
            if (fit.determined[i] >= leastSaid) values[i] = std::clamp(fewDigits(std::exp(fit.unknowns[i])), constants_[i].constant->low, constants_[i].constant->high);
        return values;
    }

    const std::vector<Fitted>& constants() const { return constants_; }

private:
    struct Row {
        std::size_t run = 0;
        const BenchmarkFigure* figure = nullptr;
        double residual = 0; ///< logarithm of what is predicted over what was measured, where slopes were taken
        std::vector<double> slopes;
    };

    BoxedJson simulateOne(std::size_t run, const Values& values, std::string& fault) const {
        try {
            Json document = *documents_[run];
            for (std::size_t i = 0; i < values.size(); ++i)
                if (values[i]) document["execution"]["calibration"][constants_[i].constant->name] = *values[i];
            const ScenarioReading reading = readScenario(document, catalog_, readFile_);
            for (const Problem& problem : reading.problems)
                if (problem.severity == Severity::error) {
                    fault = problem.message;
                    return {};
                }
            RunControl one;
            one.memoryCeiling = control_.memoryCeiling;
            const Outcome outcome = simulate(*reading.scenario, one);
            if (!outcome.result) fault = outcome.problems.empty() ? std::string("The simulation was stopped.") : outcome.problems.front().message;
            else if (!outcome.result->fits) fault = "The model does not fit the memory of the scenario's machine.";
            else return toJson(*outcome.result->serving());
        } catch (const std::exception& error) {
            fault = error.what();
        }
        return {};
    }

    static double predictedOf(const Json& result, const BenchmarkFigure& figure) {
        const auto rows = besideBenchmark(result, ServerBenchmark{"", {figure}, {}});
        return rows.empty() ? 0 : rows.front().predicted;
    }

    /// Every run where the fit stands, and with each constant moved by itself.
    void linearise() {
        std::vector<Values> wanted;
        for (std::size_t moved = 0; moved <= constants_.size(); ++moved) {
            Values values(constants_.size());
            for (std::size_t i = 0; i < constants_.size(); ++i) values[i] = std::clamp(std::exp(at_[i] + (moved == i + 1 ? stepOf(i) : 0)), constants_[i].constant->low, constants_[i].constant->high);
            wanted.insert(wanted.end(), runs_.size(), values);
        }
        const std::vector<BoxedJson> results = simulated(wanted);
        for (Row& row : rows_) {
            const auto logarithm = [&](std::size_t moved) { return std::log(std::max(1e-12, predictedOf(results[moved * runs_.size() + row.run], *row.figure))); };
            const double here = logarithm(0);
            row.residual = here - std::log(row.figure->value);
            row.slopes.assign(constants_.size(), 0);
            for (std::size_t i = 0; i < constants_.size(); ++i) row.slopes[i] = (logarithm(i + 1) - here) / stepOf(i);
        }
    }

    double stepOf(std::size_t constant) const { return at_[constant] + slopeOver > std::log(constants_[constant].constant->high) ? -slopeOver : slopeOver; }

    const std::vector<BenchmarkRun>& runs_;
    const Catalog& catalog_;
    const FileReader& readFile_;
    const RunControl& control_;
    std::vector<Fitted> constants_;
    std::vector<BoxedJson> documents_; ///< by run
    std::vector<Row> rows_;
    std::vector<double> at_; ///< logarithms where rows are linear
};

Problem refused(std::string code, std::string message, std::string mend) {
    Problem problem;
    problem.code = std::move(code);
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

/// Every figure of a run under the old constants and new ones; of those fitted alone, or of all.
void addFigures(ProfileFit& result, std::size_t run, const ServerBenchmark& benchmark, const Json& before, const Json& after, bool leftOut) {
    const std::vector<const BenchmarkFigure*> fitted = figuresToFit(benchmark);
    for (const BenchmarkFigure& figure : benchmark.figures) {
        const bool isFitted = std::find(fitted.begin(), fitted.end(), &figure) != fitted.end();
        if (leftOut && !isFitted) continue;
        const ServerBenchmark alone{"", {figure}, {}};
        const auto old = besideBenchmark(before, alone), now = besideBenchmark(after, alone);
        if (old.empty() || now.empty()) continue;
        const FigureUse use = leftOut ? FigureUse::left_out : isFitted ? FigureUse::fitted
                                                                       : FigureUse::beside;
        result.figures.push_back({run, figure.metric, use, figure.value, old.front().predicted, now.front().predicted, old.front().errorPercent, now.front().errorPercent});
    }
}

void describeFit(Json& profile, const std::vector<BenchmarkRun>& runs, const ProfileFit& fit) {
    Json files = Json::array();
    for (std::size_t run = 0; run < runs.size(); ++run) {
        Json one{{"run", run + 1}, {"program", runs[run].benchmark.program}, {"file", runs[run].file}};
        if (!runs[run].benchmark.requests->is_null()) one["requests"] = *runs[run].benchmark.requests;
        files.push_back(std::move(one));
    }
    profile["fitted_to"] = std::move(files);
    const char* const rest = fit.notFitted == FigureUse::left_out ? "each run by the constants fitted to the other runs" : "figures of the one run that were not fitted";
    describeFigures(profile, fit.figures, fit.notFitted, rest);
}

} // namespace

ProfileFit calibrateServing(const std::vector<BenchmarkRun>& runs, const Json& scenario, const Catalog& catalog, const FileReader& readFile, const RunControl& control) {
    ProfileFit result;
    const auto refuse = [&](Problem problem) {
        result.problems = {std::move(problem)};
        return result;
    };
    const bool saysLoad = !runs.empty() && !runs.front().benchmark.requests->is_null();
    Json first = scenario;
    if (saysLoad) first["workload"]["requests"] = *runs.front().benchmark.requests;
    const ScenarioReading reading = readScenario(first, catalog, readFile);
    if (!reading.scenario || hasErrors(reading.problems)) {
        result.problems = reading.problems;
        return result;
    }
    if (!std::holds_alternative<ServingWorkload>(reading.scenario->workload)) {
        Problem problem = refused("not-supported-yet", "A benchmark of a server says nothing of this scenario, which serves no requests.", "Use a scenario of kind \"serving\", or the server's launch line.");
        problem.pointer = "/workload/kind";
        return refuse(std::move(problem));
    }
    ServedFitting fitting(runs, scenario, catalog, readFile, control, fittedConstants(*reading.scenario));
    if (!fitting.hasRows()) return refuse(refused("no-measured-latency", "No run says a time to first token, a time per output token, or anything they follow from.", "Give the result of a run that streamed its answers."));
    const std::size_t count = runs.size();
    try {
        const LeastSquaresFit fit = fitting.fitAll();
        const Values values = fitting.valuesOf(fit);
        std::vector<Values> wanted(count, Values(values.size()));
        wanted.insert(wanted.end(), count, values);
        if (count > 1)
            for (std::size_t run = 0; run < count; ++run) wanted.push_back(fitting.valuesOf(fitting.fit(run, fit.unknowns)));
        const std::vector<BoxedJson> results = fitting.simulated(wanted);
        for (std::size_t run = 0; run < count; ++run) addFigures(result, run, runs[run].benchmark, results[run], results[count + run], false);
        for (std::size_t run = 0; count > 1 && run < count; ++run) addFigures(result, run, runs[run].benchmark, results[run], results[2 * count + run], true);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Fitted& one = fitting.constants()[i];
            if (values[i]) result.constants.push_back({one.constant->name, one.unit, one.constant->meaning, one.constant->low, one.constant->high, one.before, *values[i], fit.determined[i]});
        }
    } catch (const std::exception& fault) {
        return refuse(refused("not-simulated", std::string("A run can't be simulated as it was measured: ") + fault.what(), "Give the launch line and the machine of the server that was measured."));
    }
    if (result.constants.empty()) return refuse(refused("nothing-determined", "The runs say nothing of the constants that could be fitted.", "Give a run that streamed its answers, with engine.front_end on."));
    result.notFitted = count > 1 ? FigureUse::left_out : FigureUse::beside;
    if (const CalibrationErrors rest = errorsOf(result.figures, result.notFitted); rest.count > 0 && rest.after > rest.before) {
        Problem worse = refused("does-not-carry-over", "What was not fitted is predicted worse with these constants than without.", "Keep to the scenario without them, give runs of more loads, or look for what the launch line does not say.");
        worse.severity = Severity::warning;
        result.problems.push_back(std::move(worse));
    }
    Json profile = profileDocument(*reading.scenario, scenario.value(Json::json_pointer("/execution/framework_version"), std::string()), result.constants);
    describeFit(profile, runs, result);
    result.profile = std::move(profile);
    return result;
}

} // namespace orrery
