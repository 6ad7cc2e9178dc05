// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/report/report.hpp"

#include <functional>

namespace orrery {

using ChartAsHtml = std::function<QString(const ReportChart&)>;

/// The report as a whole HTML document with `moreLooks` (CSS) beside its own, its charts as `chartAsHtml` says.
QString reportHtml(const Report& report, const QString& moreLooks, const ChartAsHtml& chartAsHtml);

} // namespace orrery
