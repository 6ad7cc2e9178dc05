// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/profile_fit.hpp"
#include "core/base/run_control.hpp"

#include <string>

namespace orrery {

class Catalog; // core/catalog

/// What a recording of a machine (core/answers/calibration/recording.hpp) makes of the constants of its kernels: each kernel that was measured by itself against
/// the same operator of a simulation of the model that it is of, weighted by its share of the time. Whole steps are never fitted to: they show how
/// good it is. Least squares of logarithms with the catalogue's values expected (core/answers/calibration/least_squares.hpp).
///
/// `accelerator`: the catalogue's entry that the machine is; empty: it has none. Then the profile describes the machine itself by the best rates that were
/// measured (`machine.described`), and `vector_tflops` of that is fitted too. Gives problems where a run can't be simulated.
ProfileFit calibrateMachine(const Json& recording, const std::string& accelerator, const Catalog& catalog, const RunControl& control);

} // namespace orrery
