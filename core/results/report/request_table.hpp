// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/serving_report.hpp"

#include <iosfwd>

namespace orrery {

/// Comma-separated values with a heading: a row a request in the order of arrival, times in s, empty where it never came to that.
void writeRequestTable(const ServingReport& report, std::ostream& out);

} // namespace orrery
