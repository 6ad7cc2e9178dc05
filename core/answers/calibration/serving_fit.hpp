// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/leave_out.hpp"

#include <vector>

namespace orrery {

/// Fits what the host does beside a step (servingConstants(), one set a profile) to measured batches and served requests, once for
/// each of their groups without it. The fit knows nothing of the catalogue's values of a single profile: its prior is the middle of
/// all profiles, which a profile keeps that no other group used. The rest of each calibration is the catalogue's.
///
/// `cases` of training are passed over. Predictions are taken twice as linear in the constants' logarithms: where the catalogue
/// stands, and where the fit to all groups then stands. Groups in order of first appearance.
std::vector<LeftOutFit> fitServingWithoutEachGroup(const std::vector<MeasuredCase>& cases, const Catalog& catalog, const FileReader& readFile,
                                                   const RunControl& control);

} // namespace orrery
