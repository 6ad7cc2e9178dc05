// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"
#include "core/results/report/result.hpp"

#include <optional>
#include <string_view>

namespace orrery {

/// The number at a pointer of the result document with where it comes from: formula, inputs, source; nothing when nothing is known of it.
std::optional<Quantity> explain(const Result& result, std::string_view pointer);

} // namespace orrery
