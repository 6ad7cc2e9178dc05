// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/report/report.hpp"
#include "core/base/json_forward.hpp"
#include "core/results/report/result.hpp"
#include "widgets/common/export_format.hpp"

#include <vector>

namespace orrery {

class Catalog;

/// What a chart without a window is drawn from. The parts outlive it.
struct ChartedScenario {
    const Catalog& catalog;
    const Theme& theme;
    const Json& document;
    ResultPtr result;
};

/// Writes a chart, by its name as `orrery render` has it ("gantt"), to a file. Gives an error text, or nothing.
QString writeScenarioChart(const QString& chart, const ChartedScenario& charted, const ExportFormat& format, const QString& fileName);

/// Whether the chart has something to show in a file of this ending.
bool canWriteChart(const QString& chart, const ChartedScenario& charted, const QString& ending);

/// The charts of a report: those of the scenario's kind that have something to show.
std::vector<ReportChart> reportCharts(const ChartedScenario& charted);

} // namespace orrery
