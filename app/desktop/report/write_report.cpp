// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/report/report.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSaveFile>

namespace orrery {
namespace {

struct WriteText {
    Q_DECLARE_TR_FUNCTIONS(WriteText)
};

QString save(const QString& fileName, const QByteArray& bytes) {
    QSaveFile file(fileName);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return {};
    return WriteText::tr("“%1” could not be written: %2. What was there before is unchanged.").arg(QDir::toNativeSeparators(fileName), file.errorString());
}

} // namespace

QString writeReport(const Report& report, const QString& fileName) {
    const QFileInfo info(fileName);
    const QString ending = info.suffix().toLower();
    if (ending == QLatin1String("html")) return save(fileName, reportAsHtml(report));
    if (ending == QLatin1String("pdf")) return save(fileName, reportAsPdf(report));
    if (ending != QLatin1String("md"))
        return WriteText::tr("“%1” does not end in a kind of file a report can be written as. End its name in .pdf, .html or .md.").arg(QDir::toNativeSeparators(fileName));
    // The charts first: a text never names a file that is not there.
    for (const ReportSection& section : report.sections)
        for (const ReportChart& chart : section.charts)
            if (QString error = save(info.dir().filePath(reportChartFile(info.completeBaseName(), chart)), chart.svg); !error.isEmpty()) return error;
    return save(fileName, reportAsMarkdown(report, info.completeBaseName()));
}

} // namespace orrery
