// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "widgets/common/export_format.hpp"

#include <QString>
#include <QStringList>

namespace orrery {

class Theme;

/// Charts of what was asked of several scenarios, by their names as `orrery render` has them: "compare", "front", "sweep", "sensitivity".
const QStringList& answerCharts();

/// The chart that shows a document which `orrery-cli compare`, `search`, `sweep` or `sensitivity` printed with --json; empty: none does.
QString answerChartOf(const Json& document);

/// Draws such a document to a file. Gives an error text, or nothing.
QString writeAnswerChart(const Json& document, const Theme& theme, const ExportFormat& format, const QString& fileName);

} // namespace orrery
