// SPDX-License-Identifier: GPL-3.0-or-later
// What the page shows, as text for a spreadsheet.

#include "widgets/accuracy/accuracy_page.hpp"
#include "widgets/accuracy/error_cases_model.hpp"
#include "widgets/accuracy/error_groups_model.hpp"

#include <QAbstractProxyModel>
#include <QTableView>

namespace orrery {

namespace {

QByteArray cell(const QVariant& value) {
    QByteArray text = value.toString().toUtf8();
    if (text.contains(',') || text.contains('"') || text.contains('\n')) text = '"' + text.replace("\"", "\"\"") + '"';
    return text;
}

QByteArray number(const std::optional<double>& value) { return value ? QByteArray::number(*value, 'g', 6) : QByteArray(); }

} // namespace

QByteArray AccuracyPage::groupsCsv() const {
    QByteArray text = "group,runs,scored,median_abs_error_percent,mean_abs_error_percent,p90_abs_error_percent,mean_error_percent,"
                      "left_out_median_abs_error_percent,left_out_mean_abs_error_percent,left_out_p90_abs_error_percent\n";
    for (int i = 0; i < groupsModel_->rowCount(); ++i) {
        const ErrorTableRow& row = groupsModel_->row(i);
        text += cell(groupsModel_->isTotal(i) ? QVariant("all") : QVariant(QString::fromStdString(row.key))) + ',' + QByteArray::number(static_cast<qulonglong>(row.runs)) + ',' +
                QByteArray::number(static_cast<qulonglong>(row.inSample.scored));
        for (const auto& value : {row.inSample.medianAbs, row.inSample.meanAbs, row.inSample.p90Abs, row.inSample.mean, row.leftOut.medianAbs, row.leftOut.meanAbs, row.leftOut.p90Abs})
            text += ',' + number(value);
        text += '\n';
    }
    return text;
}

QByteArray AccuracyPage::casesCsv() const {
    QByteArray text = "id,collection,model,accelerator,accelerators,framework,metric,measured,predicted,error_percent,left_out_error_percent,source,url\n";
    const auto& shown = *qobject_cast<const QAbstractProxyModel*>(cases_->model());
    for (int i = 0; i < shown.rowCount(); ++i) {
        const int row = shown.mapToSource(shown.index(i, 0)).row();
        const MeasuredRun& run = casesModel_->run(row);
        const MeasuredFigure& figure = casesModel_->figure(row);
        for (const std::string& word : {run.id, run.group, run.model, run.accelerator}) text += cell(QString::fromStdString(word)) + ',';
        text += number(run.accelerators) + ',' + cell(QString::fromStdString(run.framework)) + ',' + cell(QString::fromStdString(figure.metric)) + ',' + number(figure.measured) + ',' +
                number(figure.predicted) + ',' + number(inSampleError(figure)) + ',' + number(leftOutError(figure)) + ',' + cell(QString::fromStdString(run.source)) + ',' +
                cell(QString::fromStdString(run.sourceUrl)) + '\n';
    }
    return text;
}

} // namespace orrery
