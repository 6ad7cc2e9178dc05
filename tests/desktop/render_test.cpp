// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/scenario/document/share_text.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/qt_files.hpp"
#include "tests/support/widget_test.hpp"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <cmath>

using orrery::Json;

namespace {

using orrery::test::bytesOf;

struct Run {
    int status = -1;
    QString out;
    QString error;
};

/// The installed program as a user without a display runs it.
Run orreryProgram(const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(name);
    process.setProcessEnvironment(environment);
    process.start(ORRERY_PROGRAM, arguments);
    if (!process.waitForFinished(60000)) return {};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

const QString example = QString::fromStdString(orrery::test::sourcePath("resources/examples/llama-3.1-70b-8xdgx-h100.orrery.json"));

} // namespace

class RenderTest : public QObject {
    Q_OBJECT
private slots:
    void aReportIsOneDocumentWithItsScenario() {
        QTemporaryDir folder;
        const Run run = orreryProgram({"render", example, "--report", folder.filePath("report.html")});
        QVERIFY2(run.status == 0, qPrintable(run.error));
        QXmlStreamReader html(bytesOf(folder.filePath("report.html")));
        QStringList headings;
        QString listing;
        int drawings = 0;
        while (!html.atEnd()) {
            html.readNext();
            if (!html.isStartElement()) continue;
            if (html.name() == QLatin1String("svg")) ++drawings;
            if (html.name() == QLatin1String("h2")) headings << html.readElementText();
            if (html.name() == QLatin1String("pre")) listing = html.readElementText();
        }
        QVERIFY2(!html.hasError(), qPrintable(html.errorString()));
        for (const char* heading : {"Figures", "Why this long?", "Where the time goes", "Memory", "Operators", "How sure", "Assumed", "Where the figures come from"}) QVERIFY2(headings.contains(QLatin1String(heading)), heading);
        QCOMPARE(drawings, 4); // cluster, timeline, memory, roofline
        // The last listing is the scenario: who has the report can run it again.
        QCOMPARE(Json::parse(listing.toStdString()), Json::parse(bytesOf(example).toStdString()));
    }

    void aReportIsMadeAgainAndOpensAgain() {
        QTemporaryDir folder;
        for (const char* ending : {"html", "md", "pdf"}) {
            const QString path = folder.filePath(QStringLiteral("report.%1").arg(QLatin1String(ending)));
            const Run run = orreryProgram({"render", example, "--report", path});
            QVERIFY2(run.status == 0, qPrintable(run.error));
            const auto mark = orrery::markIn(bytesOf(path).toStdString());
            QVERIFY2(mark, ending);
            QVERIFY2(mark->version.find(", catalogue ") != std::string::npos, mark->version.c_str());
            QCOMPARE(*mark->scenario, Json::parse(bytesOf(example).toStdString()));
            QVERIFY(mark->figures.at("/iteration_time_s") > 1);
            QProcess again;
            again.start(ORRERY_CLI, {"reproduce", path, "--json"});
            QVERIFY(again.waitForFinished(60000));
            QCOMPARE(again.exitCode(), 0);
            const Json document = Json::parse(again.readAllStandardOutput().toStdString());
            QCOMPARE(document["same"], Json(true));
            QVERIFY(document["figures"].size() > 10);
        }
        // A report of other figures is told from one that comes out again; what is no report is refused.
        const QString forged = folder.filePath("forged.md");
        orrery::ReportMark mark = *orrery::markIn(bytesOf(folder.filePath("report.md")).toStdString());
        mark.figures["/iteration_time_s"] *= 1.01;
        QFile file(forged);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString("# A report\n" + orrery::markText(mark)));
        file.close();
        QCOMPARE(QProcess::execute(ORRERY_CLI, {"reproduce", forged}), 3);
        QCOMPARE(QProcess::execute(ORRERY_CLI, {"reproduce", example}), 2);
        QCOMPARE(QProcess::execute(ORRERY_CLI, {"reproduce", folder.filePath("none.pdf")}), 2);
    }

    void aReportInMarkdownNamesOnlyDrawingsThatAreThere() {
        QTemporaryDir folder;
        const Run run = orreryProgram({"render", example, "--report", folder.filePath("my report.md")});
        QVERIFY2(run.status == 0, qPrintable(run.error));
        const QString text = QString::fromUtf8(bytesOf(folder.filePath("my report.md")));
        const QRegularExpression drawing(QStringLiteral("!\\[[^]]*\\]\\(<([^>]+)>\\)"));
        int count = 0;
        for (auto match = drawing.globalMatch(text); match.hasNext(); ++count) QVERIFY(QFile::exists(folder.filePath(match.next().captured(1))));
        QCOMPARE(count, 4);
    }

    void aReportOnPaperHasPages() {
        QTemporaryDir folder;
        QVERIFY(orreryProgram({"render", example, "--report", folder.filePath("report.pdf")}).status == 0);
        const QByteArray pdf = bytesOf(folder.filePath("report.pdf"));
        QVERIFY(pdf.startsWith("%PDF-"));
        QVERIFY(pdf.count("/Type /Page\n") >= 3);
        // The charts are lines and letters: no picture is wider than the one dot that keeps a chart's room.
        static const QRegularExpression width(QStringLiteral("/Width (\\d+)"));
        const QString text = QString::fromLatin1(pdf);
        for (auto match = width.globalMatch(text); match.hasNext();) QCOMPARE(match.next().captured(1), QStringLiteral("1"));
        const Run wrong = orreryProgram({"render", example, "--report", folder.filePath("report.docx")});
        QCOMPARE(wrong.status, 2);
        QVERIFY2(wrong.error.contains(".pdf, .html or .md"), qPrintable(wrong.error));
        QVERIFY(!QFile::exists(folder.filePath("report.docx")));
    }

    void drawsEveryChartWithoutADisplay() {
        QTemporaryDir folder;
        const QStringList charts = {"gantt", "memory", "memory-over-time", "memory-by-tensor", "roofline", "cluster"};
        QStringList arguments = {"render", example};
        for (const QString& chart : charts) arguments << "--" + chart << folder.filePath(chart + ".svg");
        const Run run = orreryProgram(arguments);
        QVERIFY2(run.status == 0, qPrintable(run.error));
        for (const QString& chart : charts) {
            QXmlStreamReader xml(bytesOf(folder.filePath(chart + ".svg")));
            while (!xml.atEnd()) xml.readNext();
            QVERIFY2(!xml.hasError(), qPrintable(chart + ": " + xml.errorString()));
        }
    }

    void endingsSizeAndThemeAreHeeded() {
        QTemporaryDir folder;
        const auto draw = [&](const QString& theme) {
            const QString file = folder.filePath(theme + ".png");
            const Run run = orreryProgram({"render", example, "--memory", file, "--theme", theme, "--size", "640x400",
                                           "--roofline", folder.filePath("r.pdf"), "--cluster", folder.filePath("c.csv")});
            if (run.status != 0) qWarning("%s", qPrintable(run.error));
            return QImage(file);
        };
        const QImage light = draw("light");
        const QImage dark = draw("dark");
        QCOMPARE(light.width() * 400, light.height() * 640);
        QVERIFY(light.width() >= 640);
        QVERIFY(light != dark);
        QVERIFY(bytesOf(folder.filePath("r.pdf")).startsWith("%PDF-"));
        QVERIFY(bytesOf(folder.filePath("c.csv")).contains(','));
    }

    void figuresAreMadeForPaper() {
        QTemporaryDir folder;
        const Run run = orreryProgram({"render", example, "--all", folder.path(), "--format", "png", "--width", "89mm", "--height", "60mm", "--point-size", "7",
                                       "--dpi", "300", "--title", "For a column", "--theme", "dark"});
        QVERIFY2(run.status == 0, qPrintable(run.error));
        const QStringList files = QDir(folder.path()).entryList({"*.png"}, QDir::Files);
        QCOMPARE(files, QStringList({"cluster.png", "gantt.png", "links.png", "memory-by-tensor.png", "memory-over-time.png", "memory.png", "roofline.png"}));
        for (const QString& file : files) {
            const QImage image(folder.filePath(file));
            QVERIFY2(std::abs(image.width() - 1051) <= 1 && std::abs(image.height() - 709) <= 1, qPrintable(file));
            QCOMPARE(image.pixelColor(1, image.height() - 2), QColor(0x1e222a)); // the dark panel, in every corner
            QCOMPARE(image.pixelColor(image.width() - 2, 1), QColor(0x1e222a));
        }
        const QString svg = folder.filePath("titled.svg");
        QCOMPARE(orreryProgram({"render", example, "--memory", svg, "--width", "3.5in", "--title", "For a column"}).status, 0);
        QVERIFY(bytesOf(svg).contains(">For a column<"));
        QVERIFY(bytesOf(svg).contains("width=\"88.9mm\""));
    }

    void answersOfTheCommandLineAreDrawn() {
        QTemporaryDir folder;
        const auto file = [&folder](const char* name, const Json& document) {
            QFile out(folder.filePath(QLatin1String(name)));
            if (!out.open(QIODevice::WriteOnly) || out.write(QByteArray::fromStdString(document.dump())) < 0) qFatal("no room");
            return out.fileName();
        };
        const QString compared = file("compared.json", {{"format", "orrery-comparison/1"}, {"metric", "iteration_time_s"}, {"a", 8.0}, {"b", 10.0}, {"difference", 2.0}, {"parts", {{{"name", "GEMM"}, {"delta", 2.5}}, {{"name", "bubble"}, {"delta", -0.5}}}}});
        const auto pointOf = [](int tensor, double time) { return Json{{"changes", {{"/parallelism/tensor", tensor}}}, {"metrics", {{"/iteration_time_s", time}}}, {"fits", true}, {"problem", nullptr}}; };
        const QString swept = file("swept.json", {{"format", "orrery-sweep/1"}, {"axes", {{{"pointer", "/parallelism/tensor"}, {"values", {1, 2}}}}}, {"points", {pointOf(1, 3.0), pointOf(2, 4.0)}}});
        const QString sensitive = file("sensitive.json", {{"format", "orrery-sensitivity/1"}, {"metric", "/iteration_time_s"}, {"value", 8.0}, {"by_percent", 10.0}, {"rows", {{{"input", "/parallelism/tensor"}, {"value", 2}, {"low", 9.0}, {"high", 7.5}}}}});
        const auto planOf = [](int tensor, double time, double bytes) { return Json{{"changes", {{"/parallelism/tensor", tensor}}}, {"metrics", {{"/iteration_time_s", time}, {"/memory/peak_bytes", bytes}}}, {"fits", true}}; };
        const QString found = file("found.json", {{"format", "orrery-search/1"}, {"objective", {{"minimize", "/iteration_time_s"}}}, {"second_objective", {{"minimize", "/memory/peak_bytes"}}}, {"best", {planOf(1, 3, 9e9)}}, {"pareto", {planOf(1, 3, 9e9), planOf(2, 4, 5e9)}}});
        for (const auto& [option, document] : {std::pair("--compare", compared), {"--sweep", swept}, {"--sensitivity", sensitive}, {"--front", found}}) {
            for (const char* ending : {"svg", "tex", "vl.json", "py"}) {
                const QString path = folder.filePath(QStringLiteral("chart.%1").arg(QLatin1String(ending)));
                QFile::remove(path);
                const Run run = orreryProgram({"render", document, option, path, "--width", "3.33in"});
                QVERIFY2(run.status == 0 && QFile::exists(path), qPrintable(QLatin1String(option) + u' ' + run.error));
            }
            const Json plot = Json::parse(bytesOf(folder.filePath("chart.vl.json")).toStdString());
            QVERIFY(!plot["data"]["values"].empty());
        }
        const Json parts = [&] {
            orreryProgram({"render", compared, "--compare", folder.filePath("parts.vl.json")});
            return Json::parse(bytesOf(folder.filePath("parts.vl.json")).toStdString())["data"]["values"];
        }();
        QCOMPARE(parts[0]["y"].get<double>() + parts[1]["y"].get<double>(), 2.0);
        // Two scenarios will do for a comparison; another answer, or none, will not.
        QCOMPARE(orreryProgram({"render", example, QString::fromStdString(orrery::test::sourcePath("resources/examples/llama-3-8b-dgx-h100.orrery.json")), "--compare", folder.filePath("two.svg")}).status, 0);
        for (const QStringList& wrong : {QStringList{"render", compared, "--front", folder.filePath("no.svg")}, {"render", example, "--sweep", folder.filePath("no.svg")}, {"render", compared, "--compare", folder.filePath("no.svg"), "--gantt", folder.filePath("no2.svg")}}) {
            const Run run = orreryProgram(wrong);
            QCOMPARE(run.status, 2);
            QVERIFY(!run.error.isEmpty());
        }
    }

    void wrongInputIsRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("message");
        QTest::newRow("nothing") << QStringList{} << "scenario";
        QTest::newRow("no chart") << QStringList{example} << "--gantt";
        QTest::newRow("missing file") << QStringList{"/nowhere/x.orrery.json", "--gantt", "g.svg"} << "/nowhere/x.orrery.json";
        QTest::newRow("folder") << QStringList{"/tmp", "--gantt", "g.svg"} << "/tmp";
        QTest::newRow("unknown option") << QStringList{example, "--gant", "g.svg"} << "gant";
        QTest::newRow("unknown ending") << QStringList{example, "--gantt", "/tmp/g.bmp"} << "bmp";
        QTest::newRow("unwritable") << QStringList{example, "--gantt", "/nowhere/g.svg"} << "/nowhere/g.svg";
        QTest::newRow("theme") << QStringList{example, "--gantt", "g.svg", "--theme", "mauve"} << "mauve";
        QTest::newRow("size") << QStringList{example, "--gantt", "g.svg", "--size", "10x"} << "10x";
        QTest::newRow("width") << QStringList{example, "--gantt", "g.svg", "--width", "3.5"} << "3.5in";
        QTest::newRow("height") << QStringList{example, "--gantt", "g.svg", "--height", "9000in"} << "9000in";
        QTest::newRow("letters") << QStringList{example, "--gantt", "g.svg", "--point-size", "tiny"} << "tiny";
        QTest::newRow("resolution") << QStringList{example, "--gantt", "g.png", "--dpi", "1"} << "dots";
        QTest::newRow("all into nowhere") << QStringList{example, "--all", "/nowhere"} << "/nowhere";
        QTest::newRow("all of no kind") << QStringList{example, "--all", "/tmp", "--format", "bmp"} << "bmp";
        QTest::newRow("nothing to draw") << QStringList{example, "--jitter", "/tmp/orrery-no-jitter.svg"} << "Jitter";
        QTest::newRow("tiny size") << QStringList{example, "--gantt", "g.svg", "--size", "10x10"} << "10x10";
    }
    void wrongInputIsRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, message);
        const Run run = orreryProgram(QStringList{"render"} + arguments);
        QCOMPARE(run.status, 2);
        QVERIFY2(run.error.contains(message), qPrintable(run.error));
        QVERIFY(run.out.isEmpty());
    }

    void anImpossiblePlanIsNamed() {
        QTemporaryDir folder;
        Json scenario = Json::parse(bytesOf(example).toStdString());
        scenario["parallelism"]["tensor"] = 7;
        const QString path = folder.filePath("bad.orrery.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(scenario.dump()));
        file.close();
        const Run run = orreryProgram({"render", path, "--gantt", folder.filePath("g.svg")});
        QCOMPARE(run.status, 2);
        QVERIFY2(run.error.contains("tensor"), qPrintable(run.error));
        QVERIFY(!QFile::exists(folder.filePath("g.svg")));
    }

    void aChartSaysWhichProgramDrewIt() {
        QTemporaryDir folder;
        const QString version = QString::fromUtf8(orreryProgram({"--version"}).out.toUtf8()).trimmed().mid(7); // behind "orrery "
        QVERIFY2(version.contains(QLatin1String("commit ")), qPrintable(version));
        const Run run = orreryProgram({"render", example, "--gantt", folder.filePath("g.svg"), "--memory", folder.filePath("m.png"), "--roofline", folder.filePath("r.tex")});
        QVERIFY2(run.status == 0, qPrintable(run.error));
        QVERIFY(bytesOf(folder.filePath("g.svg")).contains(version.toUtf8()));
        QVERIFY(bytesOf(folder.filePath("r.tex")).contains(version.toUtf8()));
        QVERIFY2(QImage(folder.filePath("m.png")).text(QStringLiteral("Software")).contains(version), qPrintable(version));
    }

    void whatDoesNotFitIsDrawnAllTheSame() {
        QTemporaryDir folder;
        Json scenario = Json::parse(bytesOf(example).toStdString());
        scenario["parallelism"] = {{"tensor", 1}, {"pipeline", 1}};
        const QString path = folder.filePath("large.orrery.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(scenario.dump()));
        file.close();
        const Run run = orreryProgram({"render", path, "--memory", folder.filePath("m.svg")});
        QVERIFY2(run.status == 3, qPrintable(run.error));
        QVERIFY(bytesOf(folder.filePath("m.svg")).contains("<svg"));
    }

    void withoutADisplayTheWindowSaysWhatElseThereIs() {
        const Run run = orreryProgram({});
        QCOMPARE(run.status, 1);
        QVERIFY(run.error.contains("orrery render"));
        const Run version = orreryProgram({"--version"});
        QCOMPARE(version.status, 0);
        QVERIFY(version.out.startsWith("orrery "));
        QVERIFY2(version.out.contains(", catalogue "), qPrintable(version.out));
    }
};

ORRERY_WIDGET_TEST(RenderTest)
#include "render_test.moc"
