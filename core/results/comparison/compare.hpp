// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/results/report/result.hpp"
#include "core/results/report/uncertainty.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Why a figure of B is larger or smaller than A's.
struct Comparison {
    struct Part {
        std::string name;
        double delta = 0; ///< of the figure, B − A
    };
    std::string metric; ///< "iteration_time_s", or the RESULT POINTER that was asked for
    double a = 0;
    double b = 0;
    double difference = 0;   ///< b − a
    std::vector<Part> parts; ///< they sum to `difference`; none where nothing differs
    bool lessIsBetter = true;
    std::vector<ErrorOf> errors;           ///< what the error of the figure is made of
    std::optional<DifferenceBar> sureness; ///< of b/a; nothing until someone who has measured runs at hand fills it in

    /// Between which values the difference lies in 9 of 10 cases, where A is as predicted.
    struct Interval {
        double low = 0, high = 0;
    };
    std::optional<Interval> interval() const;
    /// The chance that A is the better one; nothing where nothing differs, or where nobody knows how sure the difference is.
    std::optional<double> probabilityABetter() const;
};

/// Compares two results of one kind, given as documents so that saved ones compare too. Without `metric` (a RESULT POINTER) the iteration time
/// of training, the request latency of a static batch, the mean latency of served requests.
///
/// A figure is divided as its result divides it: an iteration by `time_breakdown_s`, its forward and backward by class of operator and by what
/// communication beside them costs (interference), the mean latency of served requests by `time_breakdown_s`, their mean times to first token and
/// per output token by `ttft_breakdown_s` and `tpot_breakdown_s`, a static batch's by phase and operator, peak memory by kind. A rate y that is
/// taken over a time t = Σ t_i, such as MFU, by what each part takes for a unit of work, t_i / (y t): as 1/y_B − 1/y_A = (y_A − y_B) / (y_A y_B), the part
/// is y_B t_i,A / t_A − y_A t_i,B / t_B. What grows with a time, such as cost, is shared out as the time is. A figure that no result divides is one part. What
/// is no result, or has no such number, becomes a problem that names it ("A" or "B").
std::optional<Comparison> compareResults(const Json& a, const Json& b, Problems& problems, const std::string& metric = {});

/// Lets what two scenarios' results were judged by say how sure their comparison is. Where nothing differs that is certain; a recorded graph is not what
/// measured runs were predicted from.
void judge(Comparison& comparison, const DifferenceJudge& differences, const Scenario& a, const Scenario& b);

/// The contract's `orrery-comparison/1`; `difference_interval_90` and `probability_a_better` are null where nobody knows.
Json toJson(const Comparison& comparison);

/// How sure a change of one figure is.
struct SureChange {
    double low = 0, high = 0;                           ///< share of the figure before, B/A − 1, between which it lies in 9 of 10 such comparisons
    std::string basis;                                  ///< one sentence: which measured runs say so
    bool isSure() const { return low > 0 || high < 0; } ///< "no change" lies outside
};

/// Says how sure a change is of the figure at `pointer` (a RESULT POINTER), which is `a` in the result before and `b` in the one after. Errors that both results share cancel
/// (core/answers/evidence/difference_bars.hpp). Nothing where no measured run has the figure, where nothing differs, and of recorded graphs.
std::optional<SureChange> sureChange(const Result& before, const Result& after, std::string_view pointer, double a, double b);

} // namespace orrery
