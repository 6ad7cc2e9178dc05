// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/report/report.hpp"

namespace orrery {
namespace {

/// Words are words: what Markdown would read as a mark is marked itself.
QString escaped(const QString& text) {
    QString safe;
    for (const QChar letter : text) {
        if (QStringLiteral("\\`*_[]<>|#").contains(letter)) safe += u'\\';
        safe += letter == u'\n' ? QChar(u' ') : letter;
    }
    return safe;
}

QString rowText(const QStringList& cells) {
    QString line = QStringLiteral("|");
    for (const QString& cell : cells) line += u' ' + escaped(cell) + QStringLiteral(" |");
    return line + u'\n';
}

QString tableText(const ReportTable& table) {
    QString text = rowText(table.columns) + u'|';
    for (qsizetype i = 0; i < table.columns.size(); ++i) text += QStringLiteral(" --- |");
    text += u'\n';
    for (const QStringList& row : table.rows) text += rowText(row);
    return text + u'\n';
}

} // namespace

QString reportChartFile(const QString& stem, const ReportChart& chart) { return stem + u'-' + chart.name + QStringLiteral(".svg"); }

QByteArray reportAsMarkdown(const Report& report, const QString& stem) {
    QString text = QStringLiteral("# ") + escaped(report.title) + QStringLiteral("\n\n") + escaped(report.subtitle) + QStringLiteral("\n\n");
    for (const ReportSection& section : report.sections) {
        text += QStringLiteral("## ") + escaped(section.heading) + QStringLiteral("\n\n");
        for (const QString& paragraph : section.paragraphs) text += escaped(paragraph) + QStringLiteral("\n\n");
        if (!section.table.isEmpty()) text += tableText(section.table);
        for (const ReportChart& chart : section.charts)
            text += QStringLiteral("![%1](<%2>)\n\n").arg(escaped(chart.title), reportChartFile(stem, chart));
        if (!section.listing.isEmpty()) text += QStringLiteral("````text\n") + section.listing + QStringLiteral("\n````\n\n");
    }
    // A link that nothing points to: no reader shows it.
    text += QStringLiteral("[orrery-report]: <%1>\n").arg(report.mark);
    return text.toUtf8();
}

} // namespace orrery
