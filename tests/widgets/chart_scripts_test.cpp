// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as other tools' plots: the numbers are those of the chart's table, whichever tool draws them.

#include "core/base/json.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/chart_scripts.hpp"

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <algorithm>
#include <set>

using namespace orrery;

namespace {

ChartPlot plotOf(ChartPlot::Mark mark, std::vector<int> y) {
    ChartPlot plot;
    plot.mark = mark;
    plot.y = std::move(y);
    plot.xTitle = QStringLiteral("size & weight");
    plot.yTitle = QStringLiteral("time in µs");
    return plot;
}

const QByteArray stages = "stage,weights_bytes,gradients_bytes,nothing_bytes\n\"first, \"\"one\"\"\",2048,1024,0\nsecond_2,4096,512,0\n";

ScriptedPlot stacked() {
    ChartPlot plot = plotOf(ChartPlot::Mark::stacked_bars, {1, 2, 3});
    plot.yUnit = 1024;
    return scriptedPlot(plotDataOf(plot, stages), QStringLiteral("100 % of {all}"), {});
}

ScriptedPlot bars() {
    ChartPlot plot = plotOf(ChartPlot::Mark::ranges, {1});
    plot.end = 2;
    plot.series = 3;
    QByteArray csv = "stage,start_s,end_s,phase\n";
    for (int i = 0; i < 5000; ++i) csv += QByteArray::number(i % 2) + ',' + QByteArray::number(i * 0.001, 'g', 12) + ',' + QByteArray::number((i + 2) * 0.001, 'g', 12) + (i < 2500 ? ",forward\n" : ",backward\n");
    return scriptedPlot(plotDataOf(plot, csv), QString(), {});
}

ScriptedPlot lines() {
    ChartPlot plot = plotOf(ChartPlot::Mark::lines, {1, 2});
    QByteArray csv = "time_s,one,other\n";
    for (int i = 0; i < 20000; ++i) csv += QByteArray::number(i) + ',' + (i == 7777 ? "1000" : "1") + ',' + QByteArray::number(i % 10) + '\n';
    return scriptedPlot(plotDataOf(plot, csv), QStringLiteral("Lines"), {});
}

ScriptedPlot points() {
    ChartPlot plot = plotOf(ChartPlot::Mark::points, {1});
    plot.logarithmic = true;
    return scriptedPlot(plotDataOf(plot, "x,y\n1,10\n0,5\n100,\n1000,2\n"), QString(), {});
}

std::vector<ScriptedPlot> all() { return {stacked(), bars(), lines(), points()}; }

bool runs(const QString& program, const QStringList& arguments, const QString& folder) {
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start(program, arguments);
    return process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
}

QString written(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes) {
    QFile file(folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) return {};
    return file.fileName();
}

} // namespace

class ChartScriptsTest : public QObject {
    Q_OBJECT
private slots:
    void theNumbersAreTheTables() {
        const Json document = Json::parse(plotAsVegaLite(stacked()).toStdString());
        QCOMPARE(document["$schema"].get<std::string>(), std::string("https://vega.github.io/schema/vega-lite/v5.json"));
        double weights = 0, gradients = 0;
        std::set<std::string> rows;
        for (const Json& row : document["data"]["values"]) {
            (row["series"] == "weights" ? weights : gradients) += row["y"].get<double>();
            rows.insert(row["x"].get<std::string>());
        }
        QCOMPARE(weights, 6.0); // in the title's unit
        QCOMPARE(gradients, 1.5);
        QCOMPARE(rows, (std::set<std::string>{"first, \"one\"", "second_2"}));
        // Every field that the encoding names is in the data.
        for (const auto& [channel, encoding] : document["encoding"].items()) QVERIFY2(document["data"]["values"][0].contains(encoding["field"].get<std::string>()), channel.c_str());
        QVERIFY(!document["description"].get<std::string>().empty());
    }

    void whatNoPrinterShowsIsJoined() {
        const PlotData data = bars().data;
        QVERIFY2(data.points() < 20, qPrintable(QString::number(data.points())));
        double longest = 0;
        for (const PlotSeries& series : data.series)
            for (std::size_t i = 0; i < series.x.size(); ++i) longest = std::max(longest, series.end[i]);
        QCOMPARE(longest, 5.001);
        // A peak of a long line is never thinned away.
        const PlotData thin = lines().data;
        QVERIFY(thin.series.front().x.size() <= 1100);
        QCOMPARE(*std::max_element(thin.series.front().y.begin(), thin.series.front().y.end()), 1000.0);
        QCOMPARE(*std::max_element(thin.series.back().y.begin(), thin.series.back().y.end()), 9.0);
    }

    void whatHasNoPlaceOnLogarithmicAxesIsLeftOut() {
        const PlotData data = points().data;
        QCOMPARE(data.points(), std::size_t(2));
    }

    void aDrawingHasNoScript() { QVERIFY(plotDataOf({}, stages).series.empty()); }

    void texIsBalancedAndCompilesWhereThereIsTex() {
        const QString tex = QStandardPaths::findExecutable("pdflatex");
        const bool compiles = !tex.isEmpty() && runs("kpsewhich", {"pgfplots.sty"}, QDir::tempPath());
        QTemporaryDir folder;
        int number = 0;
        for (const ScriptedPlot& plot : all()) {
            const QByteArray text = plotAsTex(plot);
            QByteArray bare = text;
            bare.replace("\\{", "").replace("\\}", "");
            QCOMPARE(bare.count('{'), bare.count('}'));
            QCOMPARE(text.count("\\begin{"), text.count("\\end{"));
            if (!compiles) continue;
            const QString name = QStringLiteral("plot%1.tex").arg(number++);
            QVERIFY(!written(folder, name, text).isEmpty());
            QVERIFY2(runs(tex, {"-interaction=batchmode", "-halt-on-error", name}, folder.path()), qPrintable(name));
        }
        if (!compiles) qInfo("TeX is not installed here; only the braces were checked.");
    }

    void pythonIsSoundAndDrawsWhereMatplotlibIs() {
        const QString python = QFile::exists("/usr/bin/python3") ? QStringLiteral("/usr/bin/python3") : QStandardPaths::findExecutable("python3");
        if (python.isEmpty()) return qInfo("Python is not installed here; nothing was checked.");
        QTemporaryDir folder;
        const bool draws = runs(python, {"-c", "import matplotlib"}, folder.path());
        int number = 0;
        for (const ScriptedPlot& plot : all()) {
            const QString name = QStringLiteral("plot%1").arg(number++), path = written(folder, name + ".py", plotAsPython(plot));
            QVERIFY2(runs(python, {"-c", "import ast, sys; ast.parse(open(sys.argv[1], encoding='utf-8').read())", path}, folder.path()), qPrintable(path));
            if (!draws) continue;
            QVERIFY2(runs(python, {path}, folder.path()), qPrintable(path));
            QVERIFY(QFileInfo(folder.filePath(name + ".pdf")).size() > 1000);
        }
        if (!draws) qInfo("matplotlib is not installed here; only the syntax was checked.");
    }
};

ORRERY_WIDGET_TEST(ChartScriptsTest)
#include "chart_scripts_test.moc"
