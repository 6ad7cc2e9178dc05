// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <vector>

namespace orrery {

/// Rows under a line of column names; empty where a section has no table.
struct ReportTable {
    QStringList columns;
    std::vector<QStringList> rows;
    bool isEmpty() const { return rows.empty(); }
};

/// A chart as a report carries it: lines and letters.
struct ReportChart {
    QString name; ///< "gantt"; ends the names of files beside a Markdown report
    QString title;
    QByteArray svg;
};

/// What stands under one heading, in this order.
struct ReportSection {
    QString heading;
    QStringList paragraphs;
    ReportTable table;
    std::vector<ReportChart> charts;
    QString listing; ///< text whose lines and spaces stay as they are
};

/// A result written down for people who don't have Orrery at hand. Nothing in it depends on when or where it was written.
struct Report {
    QString title;
    QString subtitle; ///< model, cluster and plan in a line
    std::vector<ReportSection> sections;
    QString mark; ///< scenario and figures as one line (core/scenario/document/share_text.hpp): who has the report can open it again
};

/// One document in itself, with the charts as drawings inside.
QByteArray reportAsHtml(const Report& report);

/// Text for a repository; its charts lie beside it as "STEM-NAME.svg" (`reportChartFile`).
QByteArray reportAsMarkdown(const Report& report, const QString& stem);
QString reportChartFile(const QString& stem, const ReportChart& chart);

/// A4 pages with the charts drawn on them.
QByteArray reportAsPdf(const Report& report);

/// Writes a report by the ending of `fileName` (.html, .md, .pdf), each file atomically. Gives an error text, or nothing.
QString writeReport(const Report& report, const QString& fileName);

} // namespace orrery
