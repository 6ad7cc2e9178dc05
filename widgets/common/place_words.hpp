// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

namespace orrery {

/// A place in a scenario as a sentence says it: "execution › CUDA graphs" for "/execution/cuda_graphs",
/// "cluster › topology › link 3 › bandwidth" for "/cluster/topology/links/3/bandwidth_gb_s". Empty for the whole scenario.
QString placeWords(const std::string& pointer);

/// A sentence about a place with the keys of that place in words: "bandwidth must be greater than 0" for "bandwidth_gb_s must …".
/// Other words stay, also where they look like keys: they may be names that someone gave.
std::string inWords(const std::string& sentence, const std::string& pointer);

} // namespace orrery
