// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/views/critical_path.hpp"
#include "core/records/views/span_sums.hpp"
#include "widgets/recorded/record_table.hpp"
#include "widgets/recorded/shown_records.hpp"

#include <QString>
#include <QStringList>

#include <map>
#include <utility>
#include <vector>

namespace orrery {

/// What the panel of records says, as texts and rows of tables. All of it is translated.

QString filesSummary(const ShownRecords& records);                     ///< "8 ranks of NVIDIA A100, 16.0 ms"
QString figuresOf(const ShownRecords& records);                        ///< means over ranks, as shares of the record
QStringList lacksOf(const ShownRecords& records);                      ///< a sentence for each thing that the records do not say
std::vector<std::pair<QString, QString>> factsOf(const Json& figures); ///< names and values, lists within lists left out

QStringList sumColumns(SumBy by);
std::vector<RecordTableRow> sumRows(const RecordTimeline& record, const std::vector<SpanSum>& sums, SumBy by, double stretch);

QStringList rankColumns(const ShownRecords& records);
std::vector<RecordTableRow> rankRows(const ShownRecords& records); ///< keys: places
/// One rank of each class of a hybrid, a recorded one where there is one, and what it stands for: "stage 0 · 32 ranks". By place; empty where no rank stands for another.
std::map<int, QString> standInsOf(const ShownRecords& records);

QStringList besideColumns();
std::vector<RecordTableRow> besideRows(const BesideRecord& beside);
QString besideScope(const ShownBeside& beside);

QStringList pathColumns();
std::vector<RecordTableRow> pathRows(const ShownRecords& records, const std::vector<PathStep>& path);
QString pathScope(const ShownRecords& records, const std::vector<PathStep>& path);

} // namespace orrery
