// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace orrery {

/// Failures come at random, `mtbf` seconds apart on the mean, any of them stops the job; it goes on from its last checkpoint after
/// `restart` seconds, in which it may fail again. All times in s.
struct JobFailureLaw {
    double mtbf = 0;       ///< M, of the whole job
    double checkpoint = 0; ///< δ, to write one
    double restart = 0;    ///< R
};

/// Mean time that `interval` (τ) seconds of work with the checkpoint behind them take: M e^(R/M) (e^((τ + δ)/M) − 1). Daly 2006, "A higher
/// order estimate of the optimum checkpoint interval for restart dumps", FGCS 22, equation 20; exact for independent failures. May be infinite.
double timeOfInterval(const JobFailureLaw& law, double interval);

/// The share of the time that becomes work: τ / timeOfInterval; where τ → 0 with δ = 0 its limit e^(−R/M).
double goodputOf(const JobFailureLaw& law, double interval);

/// The interval with the most goodput: the x in (0, 1] with (1 − x) e^(x + δ/M) = 1, times M (the derivative of Daly's time for a unit of work
/// set to zero). 0 where a checkpoint takes no time.
double bestInterval(const JobFailureLaw& law);

/// Young's approximation of it (1974), √(2 δ M).
double youngInterval(const JobFailureLaw& law);

} // namespace orrery
