// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct Scenario; // core/scenario

/// What an error bar is of.
enum class ErrorOf { time,        ///< of an iteration; rates of training have the same error
                     memory,      ///< peak
                     first_token, ///< time to it
                     per_token,   ///< time per output token
                     output_rate, ///< output tokens a second, or the time that a batch takes
};

template <> struct WordsOf<ErrorOf> {
    static constexpr std::array table{Word{ErrorOf::time, "time"}, Word{ErrorOf::memory, "memory"}, Word{ErrorOf::first_token, "ttft"},
                                      Word{ErrorOf::per_token, "tpot"}, Word{ErrorOf::output_rate, "output_rate"}};
};

/// A measured run near the scenario that an error bar is of.
struct NearRun {
    std::string id;
    double distance = 0;     ///< see core/answers/evidence/traits.hpp; 0: as like as the evidence can tell
    double errorPercent = 0; ///< of its prediction, + is too slow or too big
    std::string source;
};

/// The chance that what is measured comes out below `ratio` of what was predicted, where a share of `level` lies within a factor. Errors beyond it become
/// as much rarer with each further factor: a Laplace law of their logarithm, which the shipped evidence follows (a quarter to a third beyond half of it).
inline double chanceBelow(double ratio, double factor, double level) {
    const double widths = factor > 1 ? std::log(ratio) / std::log(factor) : ratio < 1 ? -std::numeric_limits<double>::infinity()
                                                                                      : std::numeric_limits<double>::infinity();
    const double beyond = 0.5 * std::pow(1 - level, std::abs(widths));
    return widths < 0 ? beyond : 1 - beyond;
}

/// How far measured runs like this one were from their predictions: of such runs a share of `level` lies between the predicted value
/// over `factor` and times `factor`, and none beyond what is possible.
struct ErrorBar {
    double level = 0.9;
    double factor = 1;                                                             ///< at least 1
    double fastest = std::numeric_limits<double>::infinity();                      ///< how many times shorter than predicted a time can be, fewer bytes, higher a rate; at least 1
    int runs = 0;                                                                  ///< measured runs behind it
    int pairs = 0;                                                                 ///< of model and accelerator, which count once each
    int sameAccelerator = 0, likeAccelerator = 0, sameFramework = 0, sameKind = 0; ///< of the runs
    bool leftOut = false;                                                          ///< errors are those of predictions by constants fitted without the run's group
    double farthest = 0;                                                           ///< distance of the least alike of the runs
    std::string basis;                                                             ///< one sentence: which runs
    std::string missing;                                                           ///< one sentence: what nothing was measured on; empty where there is nothing to say
    std::vector<NearRun> nearest;                                                  ///< the most alike, nearest first

    /// Shares of the value below and above it; of a rate the other way round.
    double down(bool rate = false) const { return 1 - 1 / (rate ? factor : possible()); }
    double up(bool rate = false) const { return (rate ? possible() : factor) - 1; }
    double low(double value, bool rate = false) const { return value * (1 - down(rate)); }
    double high(double value, bool rate = false) const { return value * (1 + up(rate)); }
    double halfWidth(bool rate = false) const { return (up(rate) + down(rate)) / 2; } ///< of the interval, over the value
    bool symmetric() const { return factor <= fastest; }                              ///< in the logarithm: nothing is cut off

private:
    double possible() const { return std::min(factor, fastest); }
};

/// How sure the ratio of two results is, in which errors that both have cancel: a share of `level` of measured pairs lies within `factor` of the predicted ratio.
struct DifferenceBar {
    double level = 0.9;
    double factor = 1; ///< at least 1; 1 where nothing differs
    int pairs = 0;     ///< of measured runs that were compared to learn it
    std::string basis; ///< one sentence
};

/// Says how sure a difference of two scenarios is, from measured runs. Any number of threads may ask.
class DifferenceJudge {
public:
    DifferenceJudge() = default;
    DifferenceJudge(const DifferenceJudge&) = delete;
    DifferenceJudge& operator=(const DifferenceJudge&) = delete;
    virtual ~DifferenceJudge() = default;
    /// Of a figure whose error is made of `errors`, the widest of them; nothing where too little was measured.
    virtual std::optional<DifferenceBar> judge(const std::vector<ErrorOf>& errors, const Scenario& a, const Scenario& b) const = 0;
};

/// Error bars of a result's figures; nothing where too few runs were measured, or where the result has no such figure.
struct Uncertainty {
    std::array<std::optional<ErrorBar>, WordsOf<ErrorOf>::table.size()> bars; ///< by ErrorOf

    const std::optional<ErrorBar>& of(ErrorOf what) const { return bars[static_cast<std::size_t>(what)]; }
    std::optional<ErrorBar>& of(ErrorOf what) { return bars[static_cast<std::size_t>(what)]; }
};

struct Result; // core/results/report/result.hpp

/// A figure of a result that has an error bar. `/uncertainty` of the result document holds the bar under the figure's own pointer.
struct FigureWithBar {
    std::string pointer; ///< "/iteration_time_s", "/ttft_s/p50"
    ErrorOf what = ErrorOf::time;
    double value = 0;
    const char* unit = "";
    bool rate = false; ///< more is better: what limits a time from below limits it from above
};

/// The figures are those of what ran: an iteration, a batch or served requests. A figure without a bar is left out.
std::vector<FigureWithBar> figuresWithBars(const Result& result);

/// The chance that the plan fits, by the error bar of its peak memory; nothing where there is none.
std::optional<double> fitsProbability(const Result& result);

/// What the error of a figure is made of: of a latency the first token and those after it. Empty for a figure that no measured run has. A pointer into a
/// result document of that kind ("training").
std::vector<ErrorOf> errorsOf(std::string_view kind, std::string_view pointer);

} // namespace orrery
