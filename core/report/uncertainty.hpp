// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

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
    double distance = 0;     ///< see core/evidence/traits.hpp; 0: as like as the evidence can tell
    double errorPercent = 0; ///< of its prediction, + is too slow or too big
    std::string source;
};

/// How far measured runs like this one were from their predictions: of such runs a share of `level` lies between the predicted value
/// over `factor` and times `factor`.
struct ErrorBar {
    double level = 0.9;
    double factor = 1;                                                             ///< at least 1
    int runs = 0;                                                                  ///< measured runs behind it
    int pairs = 0;                                                                 ///< of model and accelerator, which count once each
    int sameAccelerator = 0, likeAccelerator = 0, sameFramework = 0, sameKind = 0; ///< of the runs
    bool leftOut = false;                                                          ///< errors are those of predictions by constants fitted without the run's group
    double farthest = 0;                                                           ///< distance of the least alike of the runs
    std::string basis;                                                             ///< one sentence: which runs
    std::string missing;                                                           ///< one sentence: what nothing was measured on; empty where there is nothing to say
    std::vector<NearRun> nearest;                                                  ///< the most alike, nearest first

    double low(double value) const { return value / factor; }
    double high(double value) const { return value * factor; }
    double halfWidth() const { return (factor - 1 / factor) / 2; } ///< of the interval, over the value
};

/// Error bars of a result's figures; nothing where too few runs were measured, or where the result has no such figure.
struct Uncertainty {
    std::array<std::optional<ErrorBar>, WordsOf<ErrorOf>::table.size()> bars; ///< by ErrorOf

    const std::optional<ErrorBar>& of(ErrorOf what) const { return bars[static_cast<std::size_t>(what)]; }
    std::optional<ErrorBar>& of(ErrorOf what) { return bars[static_cast<std::size_t>(what)]; }
};

} // namespace orrery
