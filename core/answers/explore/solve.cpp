// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/explore/solve.hpp"

#include "core/base/json.hpp"
#include "core/base/parallel.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t triedFirst = 9; ///< over the range, ends included
constexpr int mostCloser = 200;       ///< trials that close in; halving alone needs 50
constexpr double closeEnough = 1e-9;  ///< relative, of figure and value
constexpr double wideRange = 10;      ///< ends whose ratio is larger are gone through in even ratios

class Solver {
public:
    Solver(const Trials& trials, const SolveQuestion& question, const RunControl& control) : trials_(trials), question_(question), control_(control), whole_(takesWholeNumbers()) {}

    SolveRun run() {
        SolveRun run;
        tryAll(firstValues());
        if (auto bracket = firstCrossing()) run.solution = closeIn(*bracket);
        run.cancelled = control_.stop.stop_requested();
        if (run.cancelled) run.solution.reset();
        else if (!run.solution) run.problems = whyNot();
        return run;
    }

private:
    struct End {
        double value = 0, offset = 0; ///< of the figure from the target
    };
    using Bracket = std::pair<End, End>;

    bool takesWholeNumbers() const {
        if (!question_.range.wholeNumbers) return false;
        Problems problems;
        trials_.read({{question_.pointer, question_.range.low + 0.5}}, problems);
        return std::any_of(problems.begin(), problems.end(), [&](const Problem& problem) { return problem.pointer == question_.pointer; });
    }

    Json valueOf(double value) const {
        if (whole_) return static_cast<std::int64_t>(value);
        return value;
    }

    /// The place of a value between the ends, 0 to 1, and back.
    bool goesByRatio() const { return question_.range.low > 0 && question_.range.high / question_.range.low >= wideRange; }
    double at(double share, double low, double high) const {
        const double value = goesByRatio() ? low * std::pow(high / low, share) : low + share * (high - low);
        return whole_ ? std::round(value) : value;
    }

    std::vector<double> firstValues() const {
        const auto [low, high, wholeNumbers] = question_.range;
        const bool each = whole_ && high - low <= 4 * triedFirst;
        std::vector<double> values(each ? static_cast<std::size_t>(high - low) + 1 : triedFirst);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = each ? low + double(i) : at(double(i) / (triedFirst - 1), low, high);
        if (!each) values.back() = high;
        values.erase(std::unique(values.begin(), values.end()), values.end());
        return values;
    }

    void tryAll(const std::vector<double>& values) {
        std::vector<std::optional<double>> figures(values.size());
        std::vector<Problems> problems(values.size());
        forEachIndex(values.size(), control_.threads, [&](std::size_t i) { figures[i] = figureAt(values[i], problems[i]); });
        for (std::size_t i = 0; i < values.size(); ++i) {
            tried_[values[i]] = figures[i];
            if (problems_.empty()) problems_ = problems[i];
        }
    }

    std::optional<double> figureAt(double value, Problems& problems) const {
        RunControl single;
        single.stop = control_.stop;
        single.memoryCeiling = control_.memoryCeiling;
        if (control_.stop.stop_requested()) return std::nullopt;
        const Trial trial = trials_.run({{question_.pointer, valueOf(value)}}, single);
        if (!trial.result) {
            problems = trial.problems;
            return std::nullopt;
        }
        const Json figure = measured(*trial.result, question_.measure);
        if (figure.is_number()) return figure.get<double>();
        problems = problemsOf({question_.measure}, *trial.result);
        return std::nullopt;
    }

    std::optional<End> tryOne(double value) {
        tryAll({value});
        const std::optional<double>& figure = tried_[value];
        return figure ? std::optional(End{value, *figure - question_.target}) : std::nullopt;
    }

    /// The first two neighbours of those tried between which the target lies, or one that meets it.
    std::optional<Bracket> firstCrossing() const {
        std::optional<End> before;
        for (const auto& [value, figure] : tried_) {
            if (!figure) continue;
            const End now{value, *figure - question_.target};
            if (meetsTarget(now)) return Bracket{now, now};
            if (before && (before->offset < 0) != (now.offset < 0)) return Bracket{*before, now};
            before = now;
        }
        return std::nullopt;
    }

    bool meetsTarget(const End& end) const { return std::abs(end.offset) <= closeEnough * std::abs(question_.target); }

    bool isClosed(const Bracket& bracket) const {
        const double width = bracket.second.value - bracket.first.value;
        return whole_ ? width <= 1 : width <= closeEnough * std::abs(bracket.second.value);
    }

    /// Where the straight line between the ends crosses, or the middle.
    double between(const Bracket& bracket, const std::pair<double, double>& weighted, bool inTheMiddle) const {
        const auto& [low, high] = bracket;
        double value = (low.value + high.value) / 2;
        if (!inTheMiddle) value = low.value + (high.value - low.value) * weighted.first / (weighted.first - weighted.second);
        if (whole_) value = std::clamp(std::round(value), low.value + 1, high.value - 1);
        return value;
    }

    /// One inside the bracket that is sound, from the one asked for outwards.
    std::optional<End> tryNear(double value, const Bracket& bracket) {
        if (const auto end = tryOne(value)) return end;
        const double step = whole_ ? 1 : (bracket.second.value - bracket.first.value) / 16;
        for (int away = 1; away <= 64; ++away) {
            for (const double other : {value + away * step, value - away * step}) {
                if (other <= bracket.first.value || other >= bracket.second.value || tried_.contains(other)) continue;
                if (const auto end = tryOne(other)) return end;
            }
            if (control_.stop.stop_requested()) break;
        }
        return std::nullopt;
    }

    Solution closeIn(Bracket bracket) {
        std::pair<double, double> weighted{bracket.first.offset, bracket.second.offset};
        double widthBefore = bracket.second.value - bracket.first.value;
        int lastSide = 0;
        bool inTheMiddle = whole_;
        for (int step = 0; step < mostCloser && !isClosed(bracket) && !control_.stop.stop_requested(); ++step) {
            const auto middle = tryNear(between(bracket, weighted, inTheMiddle), bracket);
            if (!middle) break; // nothing between the two is sound
            if (meetsTarget(*middle)) {
                bracket = {*middle, *middle};
                break;
            }
            const bool isLow = (middle->offset < 0) == (bracket.first.offset < 0);
            (isLow ? bracket.first : bracket.second) = *middle;
            (isLow ? weighted.first : weighted.second) = middle->offset;
            // An end that stays weighs half (Illinois); one that stays for long means a step in the curve: halve instead.
            const int side = isLow ? -1 : 1;
            if (side == lastSide) (isLow ? weighted.second : weighted.first) /= 2;
            lastSide = side;
            const double width = bracket.second.value - bracket.first.value;
            inTheMiddle = whole_ || width > 0.7 * widthBefore;
            if (inTheMiddle) weighted = {bracket.first.offset, bracket.second.offset};
            widthBefore = width;
        }
        const auto& [low, high] = bracket;
        const End& answer = whole_ || std::abs(high.offset) <= std::abs(low.offset) ? high : low;
        Solution solution{answer.value, answer.offset + question_.target, low.value, high.value, {}};
        for (const auto& [value, figure] : tried_) solution.curve.push_back({value, figure});
        return solution;
    }

    Problems whyNot() const {
        std::optional<SolveTrial> least, most;
        for (const auto& [value, figure] : tried_) {
            if (!figure) continue;
            if (!least || *figure < *least->figure) least = SolveTrial{value, figure};
            if (!most || *figure > *most->figure) most = SolveTrial{value, figure};
        }
        if (!least && !problems_.empty()) return problems_;
        if (!least) {
            Problem problem;
            problem.code = "out-of-reach";
            problem.pointer = question_.pointer;
            problem.message = "No value of " + question_.pointer + " from " + formatNumber(question_.range.low) + " to " + formatNumber(question_.range.high) + " gives " +
                              question_.measure.name + " a figure: what it is of never runs.";
            problem.mend = "Simulate the scenario to see what stops it, or vary another key.";
            return {problem};
        }
        const auto words = [](const SolveTrial& trial) { return formatNumber(*trial.figure) + " (at " + formatNumber(trial.value) + ")"; };
        Problem problem;
        problem.code = "out-of-reach";
        problem.pointer = question_.pointer;
        problem.message = "No value of " + question_.pointer + " from " + formatNumber(question_.range.low) + " to " + formatNumber(question_.range.high) + " makes " +
                          question_.measure.name + " " + formatNumber(question_.target) + ": it goes from " + words(*least) + " to " + words(*most) + ".";
        problem.mend = "Ask for a figure between these, or vary another key.";
        return {problem};
    }

    const Trials& trials_;
    const SolveQuestion& question_;
    const RunControl& control_;
    bool whole_;
    std::map<double, std::optional<double>> tried_;
    Problems problems_; ///< of the first value that gives nothing
};

} // namespace

SolveRun solve(const Trials& trials, const SolveQuestion& question, const RunControl& control) { return Solver(trials, question, control).run(); }

Json solutionDocument(const SolveQuestion& question, const Solution& solution) {
    Json curve = Json::array();
    for (const SolveTrial& trial : solution.curve) curve.push_back({{"value", trial.value}, {"figure", trial.figure ? Json(*trial.figure) : Json()}});
    return {{"format", "orrery-solution/1"}, {"pointer", question.pointer}, {"value", solution.value}, {"metric", question.measure.name}, {"target", question.target}, {"reached", solution.figure}, {"bracket", {solution.low, solution.high}}, {"curve", std::move(curve)}};
}

} // namespace orrery
