// SPDX-License-Identifier: GPL-3.0-or-later
// The cluster canvas, its palette and its properties driven as a user drives them: by mouse and keyboard, against a document
// that applies what they ask for.

#include "core/base/json.hpp"
#include "core/network/generators/clos_fabrics.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/chart_checks.hpp"
#include "tests/support/form_support.hpp"
#include "tests/support/synthetic_result.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/palette/cluster_palette.hpp"
#include "widgets/cluster/properties/cluster_properties.hpp"
#include "widgets/cluster/properties/property_field.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMimeData>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>
#include <QWheelEvent>
#include <QtTest>

#include <algorithm>
#include <ctime>

using namespace orrery;

namespace {

using test::catalog;

double cpuMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// The window in small: views around a document with undo by whole documents.
class CanvasBench : public QWidget {
public:
    explicit CanvasBench(ThemeVariant variant = ThemeVariant::light, QSize size = {1200, 520})
        : theme(variant), palette(theme, catalog()), canvas(theme, shared, catalog()), properties(theme, catalog()) {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(1);
        row->addWidget(&palette);
        row->addWidget(&canvas, 1);
        row->addWidget(&properties);
        qApp->setPalette(theme.palette());
        qApp->setStyleSheet(theme.styleSheet());
        const auto take = [this](const QString& text, const std::vector<ScenarioEdit>& edits) {
            history.push_back(document);
            texts << text;
            test::apply(document, edits);
            show(document);
        };
        QObject::connect(&canvas, &ClusterCanvas::editRequested, this, take);
        QObject::connect(&properties, &ClusterProperties::editRequested, this, take);
        QObject::connect(&canvas, &ClusterCanvas::selectionChanged, &properties, &ClusterProperties::setSelection);
        QObject::connect(&palette, &ClusterPalette::armed, &canvas, &ClusterCanvas::armPlacement);
        QObject::connect(&palette, &ClusterPalette::disarmed, &canvas, &ClusterCanvas::cancelTool);
        QObject::connect(&canvas, &ClusterCanvas::placementEnded, &palette, &ClusterPalette::placementEnded);
        resize(size);
        QWidget::show();
        if (!QTest::qWaitForWindowExposed(this)) qWarning("the window did not show");
    }
    // Children are members: they leave the widget tree before it takes them down.
    ~CanvasBench() override {
        for (QWidget* child : {static_cast<QWidget*>(&palette), static_cast<QWidget*>(&canvas), static_cast<QWidget*>(&properties)})
            child->setParent(nullptr);
    }

    void show(const Json& scenario) {
        document = scenario;
        canvas.setDocument(document);
        properties.setDocument(document);
    }
    void undo() {
        const Json last = history.back();
        history.pop_back();
        show(last);
    }
    void drop(const char* key, int number) {
        PaletteRow* row = palette.row(key);
        canvas.placeAt(row->item().make(number), row->item().label, {0, 0});
    }
    QPoint at(QPointF scene) const { return canvas.view().toWidget(scene).toPoint(); }
    QPoint at(const char* id) const {
        return at(canvas.document().nodes()[static_cast<std::size_t>(canvas.document().indexOf(id))].position);
    }
    void click(QPoint point, Qt::KeyboardModifiers modifiers = {}) { QTest::mouseClick(&canvas, Qt::LeftButton, modifiers, point); }
    void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton) {
        QTest::mouseMove(&canvas, from);
        QTest::mousePress(&canvas, button, {}, from);
        QTest::mouseMove(&canvas, (from + to) / 2);
        QTest::mouseMove(&canvas, to);
        QTest::mouseRelease(&canvas, button, {}, to);
    }
    const Json& topology() const { return document["cluster"]["topology"]; }

    Theme theme;
    Selection shared;
    Json document = Json::object();
    std::vector<Json> history;
    QStringList texts;
    ClusterPalette palette;
    ClusterCanvas canvas;
    ClusterProperties properties;
};

/// Two hosts below a leaf, placed and joined by mouse.
void drawByMouse(CanvasBench& bench) {
    const auto place = [&bench](const char* key, QPointF scene, Qt::KeyboardModifiers modifiers = {}) {
        PaletteRow* row = bench.palette.row(key);
        if (!row->isChecked()) QTest::mouseClick(row, Qt::LeftButton, {}, {20, 12});
        QTest::mouseMove(&bench.canvas, bench.at(scene));
        bench.click(bench.at(scene), modifiers);
    };
    place("host:dgx-h100", {-80, 80}, Qt::ShiftModifier); // Shift keeps the tool for the second
    place("host:dgx-h100", {80, 80});
    place("switch:leaf", {0, -80});
    bench.canvas.setTool(ClusterTool::connect);
    for (const char* host : {"dgx-0", "dgx-1"}) {
        bench.click(bench.at(host));
        bench.click(bench.at("leaf-0"));
    }
    QTest::keyClick(&bench.canvas, Qt::Key_Escape);
}

} // namespace

class ClusterCanvasTest : public QObject {
    Q_OBJECT
private slots:
    void init() { QGuiApplication::clipboard()->clear(); }
    void drawnByMouse();
    void connectsByItsHandle();
    void undoGoesBackToNothing();
    void movesByDragOnTheGrid();
    void arrowKeysAskOnce();
    void rubberBandAndSelectAll();
    void copiesPastesDuplicatesDeletes();
    void tabWalksThroughTheNodes();
    void selectionAndViewSurviveAnEdit();
    void zoomStaysUnderTheMouse();
    void middleButtonScrolls();
    void dropsAPlatform();
    void takesADrop();
    void showsProblemsAndGoesToThem();
    void ranksTakeTheColourOfTheirStage();
    void propertiesOfAHost();
    void hostsAreGivenToPoolsAndJobs();
    void propertiesOfSeveral();
    void propertiesOfALink();
    void propertiesOfAShortForm();
    void wrongNumbersStayInTheField_data();
    void wrongNumbersStayInTheField();
    void exportsWhatItShows();
    void stacksSayTheirNumberAtAnyZoom();
    void noLabelIsCut_data();
    void noLabelIsCut();
    void panelsCutNothing();
    void aThousandHosts();
    void pictures();
};

void ClusterCanvasTest::drawnByMouse() {
    CanvasBench bench;
    drawByMouse(bench);
    const Json expected = Json::parse(R"({
        "nodes": [{"id": "dgx-0", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8},
                  {"id": "dgx-1", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8},
                  {"id": "leaf-0", "kind": "switch"}],
        "links": [{"from": "dgx-0", "to": "leaf-0", "bandwidth_gb_s": 50, "latency_us": 1.34, "count": 8},
                  {"from": "dgx-1", "to": "leaf-0", "bandwidth_gb_s": 50, "latency_us": 1.34, "count": 8}]})");
    QCOMPARE(bench.topology().dump(), expected.dump());
    QCOMPARE(bench.document["view"]["cluster"]["positions"].dump(), std::string(R"({"dgx-0":[-80,80],"dgx-1":[80,80],"leaf-0":[0,-80]})"));
    QCOMPARE(bench.canvas.tool(), ClusterTool::select);
    QVERIFY(!bench.palette.row("host:dgx-h100")->isChecked());
    // Connecting the same two again marks the link instead of laying another over it.
    bench.canvas.setTool(ClusterTool::connect);
    bench.click(bench.at("leaf-0"));
    bench.click(bench.at("dgx-0"));
    QCOMPARE(bench.topology()["links"].size(), std::size_t(2));
    QCOMPARE(bench.canvas.selection().links.size(), std::size_t(1));
}

void ClusterCanvasTest::connectsByItsHandle() {
    CanvasBench bench;
    drawByMouse(bench);
    bench.show(bench.history[3]); // before the first link
    const DrawnNode& host = bench.canvas.document().nodes()[0];
    const QPoint handle = bench.at(host.position - QPointF(0, cardSize(host).height() / 2));
    QTest::mouseMove(&bench.canvas, bench.at("dgx-0"));
    bench.drag(handle, bench.at("leaf-0"));
    QCOMPARE(bench.topology()["links"].size(), std::size_t(1));
    QVERIFY(bench.topology()["links"][0]["from"] == Json("dgx-0"));
    QVERIFY(bench.topology()["links"][0]["to"] == Json("leaf-0"));
}

void ClusterCanvasTest::undoGoesBackToNothing() {
    CanvasBench bench;
    drawByMouse(bench);
    QCOMPARE(bench.texts, (QStringList{"Add dgx-0", "Add dgx-1", "Add leaf-0", "Connect dgx-0 and leaf-0", "Connect dgx-1 and leaf-0"}));
    while (!bench.history.empty()) bench.undo();
    QVERIFY(bench.canvas.document().isEmpty());
    QVERIFY(bench.canvas.selection().empty());
}

void ClusterCanvasTest::movesByDragOnTheGrid() {
    CanvasBench bench;
    drawByMouse(bench);
    const std::size_t before = bench.history.size();
    bench.drag(bench.at("dgx-0"), bench.at("dgx-0") + QPoint(-61, 42));
    QCOMPARE(bench.history.size(), before + 1); // one edit for the whole drag
    const Json& place = bench.document["view"]["cluster"]["positions"]["dgx-0"];
    QCOMPARE(place[0].get<int>() % 8, 0);
    QCOMPARE(place[1].get<int>() % 8, 0);
    QVERIFY(std::abs(place[0].get<int>() - (-80 - 61)) <= 4 && std::abs(place[1].get<int>() - (80 + 42)) <= 4);
    QCOMPARE(bench.document["view"]["cluster"]["positions"]["dgx-1"].dump(), std::string("[80,80]"));
    // Nearly level with the other host: lines up with it, off its own grid as that may be.
    bench.drag(bench.at("dgx-0"), bench.at(QPointF(-144, 83)));
    QVERIFY(bench.document["view"]["cluster"]["positions"]["dgx-0"][1] == Json(80));
}

void ClusterCanvasTest::arrowKeysAskOnce() {
    CanvasBench bench;
    drawByMouse(bench);
    bench.click(bench.at("dgx-0"));
    const std::size_t before = bench.history.size();
    for (int i = 0; i < 5; ++i) QTest::keyClick(&bench.canvas, Qt::Key_Right);
    QTest::keyClick(&bench.canvas, Qt::Key_Up);
    QCOMPARE(bench.history.size(), before);
    QTRY_COMPARE(bench.history.size(), before + 1);
    QCOMPARE(bench.document["view"]["cluster"]["positions"]["dgx-0"].dump(), std::string("[-40,72]"));
    // Another command does not overtake a nudge that is still being collected.
    QTest::keyClick(&bench.canvas, Qt::Key_Left);
    bench.canvas.deleteSelection();
    QCOMPARE(bench.texts.mid(bench.texts.size() - 2), (QStringList{"Move dgx-0", "Delete dgx-0"}));
}

void ClusterCanvasTest::rubberBandAndSelectAll() {
    CanvasBench bench;
    drawByMouse(bench);
    bench.drag(bench.at({-200, 10}), bench.at({200, 200}));
    QCOMPARE(bench.canvas.selection().nodes, (std::set<std::string>{"dgx-0", "dgx-1"}));
    bench.click(bench.at("leaf-0"), Qt::ControlModifier);
    QCOMPARE(bench.canvas.selection().nodes.size(), std::size_t(3));
    bench.click(bench.at("dgx-0"), Qt::ControlModifier);
    QCOMPARE(bench.canvas.selection().nodes, (std::set<std::string>{"dgx-1", "leaf-0"}));
    bench.click(bench.at({300, 0}));
    QVERIFY(bench.canvas.selection().empty());
    bench.canvas.selectAll();
    QCOMPARE(bench.canvas.selection().nodes.size(), std::size_t(3));
    QCOMPARE(bench.canvas.selection().links.size(), std::size_t(2));
    bench.canvas.deleteSelection();
    QVERIFY(bench.topology()["nodes"].empty() && bench.topology()["links"].empty());
}

void ClusterCanvasTest::copiesPastesDuplicatesDeletes() {
    CanvasBench bench;
    drawByMouse(bench);
    bench.click(bench.at("dgx-0"));
    QVERIFY(!bench.canvas.hasClipboard());
    bench.canvas.copySelection();
    QVERIFY(bench.canvas.hasClipboard());
    bench.canvas.paste();
    QCOMPARE(bench.canvas.selection().nodes, (std::set<std::string>{"dgx-2"}));
    QCOMPARE(bench.topology()["nodes"].size(), std::size_t(4));
    QCOMPARE(bench.topology()["links"].size(), std::size_t(2)); // a copy brings no link to what was not copied
    bench.canvas.deleteSelection();
    QCOMPARE(bench.topology()["nodes"].size(), std::size_t(3));
    // With the mouse where the original is: beside it, and each time beside all that is there.
    const auto cards = [&bench] {
        std::vector<QRectF> all;
        for (const DrawnNode& node : bench.canvas.document().nodes()) {
            const QSizeF size = cardSize(node);
            all.emplace_back(node.position - QPointF(size.width(), size.height()) / 2, size);
        }
        return all;
    };
    QTest::mouseMove(&bench.canvas, bench.at("dgx-0"));
    for (int i = 0; i < 3; ++i) bench.canvas.paste();
    QCOMPARE(bench.topology()["nodes"].size(), std::size_t(6));
    const std::vector<QRectF> shown = cards();
    for (std::size_t a = 0; a < shown.size(); ++a)
        for (std::size_t b = a + 1; b < shown.size(); ++b) QVERIFY2(!shown[a].intersects(shown[b]), qPrintable(QString("%1 lies on %2").arg(a).arg(b)));
    for (int i = 0; i < 3; ++i) bench.undo();
    bench.click(bench.at("dgx-1"));
    bench.canvas.duplicate();
    QCOMPARE(bench.topology()["links"].size(), std::size_t(3)); // a duplicate hangs on the same switch
    // It is copied as text too, for an editor; and text that is a fragment can be pasted.
    bench.canvas.copySelection();
    const QString text = QGuiApplication::clipboard()->text();
    QVERIFY(readFragment(text.toUtf8()));
    QGuiApplication::clipboard()->setText(text);
    bench.canvas.paste();
    QCOMPARE(bench.topology()["nodes"].size(), std::size_t(5));
    QGuiApplication::clipboard()->setText("something else");
    bench.canvas.paste();
    QCOMPARE(bench.topology()["nodes"].size(), std::size_t(5));
}

void ClusterCanvasTest::tabWalksThroughTheNodes() {
    CanvasBench bench;
    drawByMouse(bench);
    bench.canvas.setFocus();
    bench.canvas.setSelection({});
    QStringList seen;
    for (int i = 0; i < 3; ++i) {
        QTest::keyClick(&bench.canvas, Qt::Key_Tab);
        seen << QString::fromStdString(*bench.canvas.selection().nodes.begin());
    }
    QCOMPARE(seen, (QStringList{"dgx-0", "dgx-1", "leaf-0"}));
    QVERIFY(bench.canvas.hasFocus());
    QTest::keyClick(&bench.canvas, Qt::Key_Tab);
    QVERIFY(!bench.canvas.hasFocus()); // and out
}

void ClusterCanvasTest::selectionAndViewSurviveAnEdit() {
    CanvasBench bench;
    drawByMouse(bench);
    bench.click(bench.at("dgx-1"));
    bench.canvas.zoomIn();
    const double zoom = bench.canvas.view().zoom;
    const QPointF origin = bench.canvas.view().origin;
    Json changed = bench.document;
    changed["cluster"]["topology"]["nodes"][1]["count"] = 4;
    bench.show(changed);
    QCOMPARE(bench.canvas.selection().nodes, (std::set<std::string>{"dgx-1"}));
    QCOMPARE(bench.canvas.view().zoom, zoom);
    QCOMPARE(bench.canvas.view().origin, origin);
    changed["cluster"]["topology"]["nodes"].erase(1);
    bench.show(changed);
    QVERIFY(bench.canvas.selection().empty());
}

void ClusterCanvasTest::zoomStaysUnderTheMouse() {
    CanvasBench bench;
    drawByMouse(bench);
    const QPoint mouse = bench.at("dgx-1");
    const QPointF scene = bench.canvas.view().toScene(mouse);
    QWheelEvent wheel(mouse, bench.canvas.mapToGlobal(mouse), {}, {0, 360}, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&bench.canvas, &wheel);
    QVERIFY(bench.canvas.view().zoom > 1.3);
    QVERIFY(QLineF(bench.canvas.view().toScene(mouse), scene).length() < 1e-6);
    bench.canvas.fit();
    for (const DrawnNode& node : bench.canvas.document().nodes())
        QVERIFY(bench.canvas.drawingArea().contains(bench.canvas.view().toWidget(node.position)));
}

void ClusterCanvasTest::middleButtonScrolls() {
    CanvasBench bench;
    drawByMouse(bench);
    const QPointF origin = bench.canvas.view().origin;
    bench.drag({300, 200}, {350, 170}, Qt::MiddleButton);
    QCOMPARE(bench.canvas.view().origin - origin, QPointF(50, -30));
}

void ClusterCanvasTest::dropsAPlatform() {
    CanvasBench bench;
    PaletteRow* row = bench.palette.row("platform:dgx-h100");
    QCOMPARE(row->numberField()->value(), 8);
    row->numberField()->setValue(4);
    QTest::mouseClick(row, Qt::LeftButton, {}, {20, 12});
    bench.click(bench.at({0, 0}));
    QCOMPARE(bench.canvas.document().hosts(), 4);
    QCOMPARE(bench.history.size(), std::size_t(1));
    QCOMPARE(bench.texts.back(), QString("Add 4 × DGX H100"));
    bench.undo();
    QVERIFY(bench.canvas.document().isEmpty());
}

void ClusterCanvasTest::takesADrop() {
    CanvasBench bench;
    QMimeData mime;
    mime.setData(fragmentMimeType, fragmentBytes(bench.palette.row("host:dgx-h100")->fragment()));
    mime.setText("DGX H100");
    const QPoint where = bench.at({-40, 40});
    QDragEnterEvent enter(where, Qt::CopyAction, &mime, Qt::LeftButton, {});
    QApplication::sendEvent(&bench.canvas, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(where, Qt::CopyAction, &mime, Qt::LeftButton, {});
    QApplication::sendEvent(&bench.canvas, &drop);
    QCOMPARE(bench.document["view"]["cluster"]["positions"].dump(), std::string(R"({"dgx-0":[-40,40]})"));
    QCOMPARE(bench.canvas.tool(), ClusterTool::select);
}

void ClusterCanvasTest::showsProblemsAndGoesToThem() {
    CanvasBench bench;
    drawByMouse(bench);
    bench.canvas.fit();
    const QImage before = bench.canvas.grab().toImage();
    Problem problem;
    problem.pointer = "/cluster/topology/nodes/1/count";
    problem.message = "Host dgx-1 has no accelerators.";
    bench.canvas.setProblems({problem});
    const QImage after = bench.canvas.grab().toImage();
    const QPoint badge = bench.at(bench.canvas.document().nodes()[1].position +
                                  QPointF(56, -cardSize(bench.canvas.document().nodes()[1]).height() / 2)) +
                         QPoint(4, 3);
    QVERIFY(before.pixelColor(badge) != after.pixelColor(badge));
    QCOMPARE(after.pixelColor(badge), bench.theme.colors().error);

    QSignalSpy hints(&bench.shared, &Selection::hintChanged);
    QTest::mouseMove(&bench.canvas, bench.at("dgx-0"));
    QTest::mouseMove(&bench.canvas, bench.at("dgx-1"));
    QVERIFY(hints.last()[0].toString().contains("no accelerators"));

    bench.canvas.goTo("/cluster/topology/nodes/1/count");
    QCOMPARE(bench.canvas.selection().nodes, (std::set<std::string>{"dgx-1"}));
    QVERIFY(QLineF(bench.at("dgx-1"), bench.canvas.drawingArea().center()).length() < 2);
    bench.canvas.goTo("/cluster/topology/links/1/bandwidth_gb_s");
    QCOMPARE(bench.canvas.selection().links, (std::set<LinkKey>{{"dgx-1", "leaf-0", 0}}));
}

void ClusterCanvasTest::ranksTakeTheColourOfTheirStage() {
    CanvasBench bench;
    drawByMouse(bench);
    auto result = std::make_shared<Result>();
    result->timeline.stages.resize(2);
    result->timeline.stages[0].ranks = "0-7";
    result->timeline.stages[1].stage = 1;
    result->timeline.stages[1].ranks = "8-15";
    bench.canvas.setResult(result);
    const QImage image = bench.canvas.grab().toImage();
    const auto square = [&](int node) {
        const DrawnNode& host = bench.canvas.document().nodes()[static_cast<std::size_t>(node)];
        return image.pixelColor(bench.at(host.position + QPointF(-56 + 8 + 10, -cardSize(host).height() / 2 + 28 + 10)));
    };
    QCOMPARE(square(0), bench.theme.stageColor(0, 2)); // hues of their own: a phase's never means a place
    QCOMPARE(square(1), bench.theme.stageColor(1, 2));
    bench.canvas.setRankColours(std::vector<QColor>(16, QColor("#123456")));
    const QImage other = bench.canvas.grab().toImage();
    QVERIFY(other != image);
}

void ClusterCanvasTest::propertiesOfAHost() {
    CanvasBench bench;
    drawByMouse(bench);
    bench.click(bench.at("dgx-0"));
    const auto type = [&bench](const char* key, const QString& text) {
        PropertyField* field = bench.properties.field(key);
        field->edit()->setFocus();
        field->edit()->selectAll();
        if (text.isEmpty()) QTest::keyClick(field->edit(), Qt::Key_Delete);
        else QTest::keyClicks(field->edit(), text);
        QTest::keyClick(field->edit(), Qt::Key_Return);
    };
    QCOMPARE(bench.properties.field("count")->edit()->text(), QString("8"));
    type("count", "4");
    type("replicas", "16");
    type("domain", "rack-0");
    type("id", "big");
    QCOMPARE(bench.topology()["nodes"][0].dump(),
             std::string(R"({"id":"big","kind":"host","accelerator":"h100-sxm5-80gb","count":4,"replicas":16,"domain":"rack-0"})"));
    QVERIFY(bench.topology()["links"][0]["from"] == Json("big"));
    bench.canvas.setSelection({{"big"}, {}});
    type("domain", "");
    QVERIFY(!bench.topology()["nodes"][0].contains("domain"));
    // A name that is taken is refused under the field, and nothing is asked for.
    const std::size_t before = bench.history.size();
    type("id", "leaf-0");
    QVERIFY(bench.properties.field("id")->hasError());
    QCOMPARE(bench.history.size(), before);
    // Another accelerator, by the list.
    QComboBox* combo = bench.properties.field("accelerator")->combo();
    combo->setCurrentIndex(combo->findText("A100 SXM4 80GB"));
    emit combo->activated(combo->currentIndex());
    QVERIFY(bench.topology()["nodes"][0]["accelerator"] == Json("a100-sxm4-80gb"));
}

void ClusterCanvasTest::hostsAreGivenToPoolsAndJobs() {
    CanvasBench bench;
    drawByMouse(bench);
    bench.click(bench.at("dgx-0"));
    QVERIFY(!bench.properties.field("pool")); // nothing is served yet
    Json document = bench.document;
    document["workload"] = {{"kind", "serving"}, {"precision", "bf16"}};
    bench.show(document);
    bench.click(bench.at("dgx-0"));
    const auto choosePool = [&bench](const QString& text) {
        QComboBox* combo = bench.properties.field("pool")->combo();
        combo->setCurrentIndex(combo->findText(text));
        emit combo->activated(combo->currentIndex());
    };
    const auto hostsOf = [&bench](const char* pool) { return bench.document["workload"]["engine"]["disaggregation"][pool]["hosts"]; };
    QCOMPARE(bench.properties.field("pool")->combo()->currentText(), QString("both"));
    // The other host takes what this one leaves.
    choosePool("answers");
    QCOMPARE(hostsOf("decode"), Json::parse(R"(["dgx-0"])"));
    QCOMPARE(hostsOf("prefill"), Json::parse(R"(["dgx-1"])"));
    QCOMPARE(bench.properties.field("pool")->combo()->currentText(), QString("answers"));
    bench.canvas.setSelection({{"dgx-1"}, {}});
    QCOMPARE(bench.properties.field("pool")->combo()->currentText(), QString("prompts"));
    // A job takes the host, and leaves it again by an emptied field.
    const auto typeJob = [&bench](const QString& text) {
        QLineEdit* edit = bench.properties.field("job")->edit();
        edit->setFocus();
        edit->selectAll();
        if (text.isEmpty()) QTest::keyClick(edit, Qt::Key_Delete);
        else QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    };
    typeJob("train.orrery.json");
    QCOMPARE(bench.document["beside"], Json::parse(R"([{"scenario": "train.orrery.json", "hosts": ["dgx-1"]}])"));
    QCOMPARE(hostsOf("prefill"), Json::array());
    QCOMPARE(bench.properties.field("job")->edit()->text(), QString("train.orrery.json"));
    // A host that is renamed stays what it was.
    bench.undo();
    QLineEdit* name = bench.properties.field("id")->edit();
    name->setFocus();
    name->selectAll();
    QTest::keyClicks(name, "reader");
    QTest::keyClick(name, Qt::Key_Return);
    QCOMPARE(hostsOf("prefill"), Json::parse(R"(["reader"])"));
    bench.canvas.setSelection({{"reader"}, {}});
    typeJob("train.orrery.json");
    typeJob("");
    QVERIFY(!bench.document.contains("beside"));
    // By the menu of the drawing: one engine again.
    choosePool("both");
    QVERIFY(!bench.document["workload"]["engine"].contains("disaggregation"));
    // Deleted hosts are named nowhere.
    choosePool("prompts");
    bench.canvas.setSelection({{"dgx-0"}, {}});
    bench.canvas.deleteSelection();
    QCOMPARE(hostsOf("decode"), Json::array());
}

void ClusterCanvasTest::propertiesOfSeveral() {
    CanvasBench bench;
    drawByMouse(bench);
    Json document = bench.document;
    document["cluster"]["topology"]["nodes"][1]["count"] = 4;
    bench.show(document);
    bench.canvas.setSelection({{"dgx-0", "dgx-1"}, {}});
    PropertyField* count = bench.properties.field("count");
    QCOMPARE(count->edit()->text(), QString());
    QCOMPARE(count->edit()->placeholderText(), QString("several"));
    QVERIFY(!bench.properties.field("id"));
    count->edit()->setFocus();
    QTest::keyClicks(count->edit(), "2");
    QTest::keyClick(count->edit(), Qt::Key_Return);
    QVERIFY(bench.topology()["nodes"][0]["count"] == Json(2));
    QVERIFY(bench.topology()["nodes"][1]["count"] == Json(2));
}

void ClusterCanvasTest::propertiesOfALink() {
    CanvasBench bench;
    drawByMouse(bench);
    bench.canvas.setSelection({{}, {{"dgx-0", "leaf-0", 0}}});
    const auto type = [&bench](const char* key, const QString& text) {
        QLineEdit* edit = bench.properties.field(key)->edit();
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    };
    type("bandwidth_gb_s", "200 Gb/s");
    type("latency_us", "0.5");
    type("count", "2");
    QCOMPARE(bench.topology()["links"][0].dump(),
             std::string(R"({"from":"dgx-0","to":"leaf-0","bandwidth_gb_s":25,"latency_us":0.5,"count":2})"));
    QCOMPARE(bench.properties.field("bandwidth_gb_s")->edit()->text(), QString("25"));
}

void ClusterCanvasTest::propertiesOfAShortForm() {
    CanvasBench bench;
    bench.show(Json::parse(R"({"cluster": {"accelerator": "h100-sxm5-80gb", "nodes": 4}})"));
    QCOMPARE(bench.canvas.document().hosts(), 4);
    QCOMPARE(bench.properties.field("scale_out/bandwidth_gb_s")->edit()->placeholderText(), QString("50"));
    const auto type = [&bench](const char* key, const QString& text) {
        QLineEdit* edit = bench.properties.field(key)->edit();
        edit->setFocus();
        edit->selectAll();
        if (text.isEmpty()) QTest::keyClick(edit, Qt::Key_Delete);
        else QTest::keyClicks(edit, text);
        QTest::keyClick(edit, Qt::Key_Return);
    };
    type("nodes", "16");
    type("scale_out/oversubscription", "2");
    QCOMPARE(bench.document["cluster"].dump(),
             std::string(R"({"accelerator":"h100-sxm5-80gb","nodes":16,"scale_out":{"oversubscription":2}})"));
    QCOMPARE(bench.canvas.document().hosts(), 16);
    type("scale_out/oversubscription", "");
    QVERIFY(!bench.document["cluster"]["scale_out"].contains("oversubscription"));
    // The first edit of the drawing draws it, and one step takes that back.
    bench.canvas.setSelection({{"dgx-3"}, {}});
    bench.canvas.deleteSelection();
    QCOMPARE(bench.topology()["nodes"].size(), std::size_t(15 + 1));
    QVERIFY(!bench.document["cluster"].contains("nodes"));
    bench.undo();
    QVERIFY(bench.document["cluster"]["nodes"] == Json(16));
}

void ClusterCanvasTest::wrongNumbersStayInTheField_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("text");
    QTest::newRow("letters") << "count"
                             << "many";
    QTest::newRow("fraction") << "count"
                              << "2.5";
    QTest::newRow("negative") << "count"
                              << "-8";
    QTest::newRow("huge") << "replicas"
                          << "99999999999";
    QTest::newRow("none") << "replicas"
                          << "0";
    QTest::newRow("not a number") << "count"
                                  << "nan";
}

void ClusterCanvasTest::wrongNumbersStayInTheField() {
    QFETCH(QString, key);
    QFETCH(QString, text);
    CanvasBench bench;
    drawByMouse(bench);
    bench.click(bench.at("dgx-0"));
    PropertyField* field = bench.properties.field(key);
    const QString shown = field->edit()->text();
    const Json before = bench.document;
    field->edit()->setFocus();
    field->edit()->selectAll();
    QTest::keyClicks(field->edit(), text);
    QVERIFY(field->hasError()); // said while it is typed
    QTest::keyClick(field->edit(), Qt::Key_Return);
    QVERIFY(field->hasError());
    QCOMPARE(bench.document.dump(), before.dump());
    QTest::keyClick(field->edit(), Qt::Key_Escape);
    QVERIFY(!field->hasError());
    QCOMPARE(field->edit()->text(), shown);
}

void ClusterCanvasTest::exportsWhatItShows() {
    CanvasBench bench;
    bench.drop("platform:dgx-h100", 8);
    QCOMPARE(test::exportFaults(bench.canvas), QString());
    const auto rows = test::parseCsv(bench.canvas.csv());
    int nodes = 0, links = 0;
    for (const auto& row : rows) {
        QCOMPARE(row.size(), rows[0].size());
        nodes += row[0] == "node";
        links += row[0] == "link";
    }
    QCOMPARE(nodes, static_cast<int>(bench.topology()["nodes"].size()));
    QCOMPARE(links, static_cast<int>(bench.topology()["links"].size()));
}

void ClusterCanvasTest::stacksSayTheirNumberAtAnyZoom() {
    CanvasBench bench(ThemeVariant::light, {1400, 800});
    bench.drop("platform:dgx-h100", 32 * 4);
    QVERIFY(bench.canvas.document().nodes().size() < 128); // stacks, not hosts one by one
    for (int i = 0; i < 12; ++i) bench.canvas.zoomIn();
    int checked = 0;
    for (int step = 0; step < 24; ++step, bench.canvas.zoomOut()) {
        const double zoom = bench.canvas.view().zoom;
        if (zoom < 0.22) break; // cards of some 40 pixels
        const auto texts = test::recordTexts(bench.canvas.size(), [&](QPainter& painter) {
            painter.translate(bench.canvas.view().origin);
            painter.scale(zoom, zoom);
            paintCluster(painter, bench.canvas.document(), ClusterGeometry(bench.canvas.document()), bench.canvas.look(), bench.theme, zoom, QRectF(-1e6, -1e6, 2e6, 2e6));
        });
        for (const DrawnNode& node : bench.canvas.document().nodes()) {
            if (node.replicas < 2) continue;
            const QString number = QStringLiteral("× ") + grouped(node.replicas);
            QVERIFY2(std::any_of(texts.begin(), texts.end(), [&](const test::DrawnText& text) { return text.text.endsWith(number); }),
                     qPrintable(QString("%1 at zoom %2").arg(number).arg(zoom)));
            ++checked;
        }
    }
    QVERIFY(checked > 5);
}

void ClusterCanvasTest::noLabelIsCut_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<int>("number");
    QTest::addColumn<bool>("longNames");
    QTest::newRow("eight hosts") << "platform:dgx-h100" << 8 << false;
    QTest::newRow("rack") << "platform:gb200-nvl72" << 1 << false;
    QTest::newRow("stacks") << "platform:dgx-h100" << 200 << false;
    QTest::newRow("long names") << "platform:dgx-h100" << 4 << true;
}

void ClusterCanvasTest::noLabelIsCut() {
    QFETCH(QString, key);
    QFETCH(int, number);
    QFETCH(bool, longNames);
    for (const ThemeVariant variant : test::checkedThemes) {
        CanvasBench bench(variant);
        bench.drop(qPrintable(key), number);
        if (longNames) {
            Json document = Json::parse(QString::fromStdString(bench.document.dump()).replace("dgx-", "a-host-with-a-very-long-name-").toStdString());
            bench.show(document);
        }
        bench.canvas.setResult(test::syntheticResult());
        for (const QSize size : {QSize(560, 300), QSize(900, 340), QSize(1900, 900)})
            QCOMPARE(test::labelFaults(test::recordTexts(bench.canvas, size), size), QString());
    }
}

void ClusterCanvasTest::panelsCutNothing() {
    for (const ThemeVariant variant : test::checkedThemes) {
        CanvasBench bench(variant, {1280, 720});
        bench.show(Json::parse(R"({"cluster": {"accelerator": "h100-sxm5-80gb", "nodes": 8}})"));
        const auto check = [&bench](const ClusterSelection& selection) {
            bench.canvas.setSelection(selection);
            QTest::qWait(20);
            QCOMPARE(test::cutTexts(bench.properties).join('\n'), QString());
            for (const QComboBox* combo : bench.properties.findChildren<QComboBox*>())
                if (combo->isVisible()) QVERIFY2(combo->fontMetrics().horizontalAdvance(combo->currentText()) <= combo->width() - 30, qPrintable(combo->currentText()));
            for (const QLineEdit* edit : bench.properties.findChildren<QLineEdit*>()) {
                if (!edit->isVisible()) continue;
                const QString text = edit->text().isEmpty() ? edit->placeholderText() : edit->text();
                const int room = edit->width() - edit->textMargins().right() - 16;
                QVERIFY2(edit->fontMetrics().horizontalAdvance(text) <= room, qPrintable(text));
            }
        };
        check({});
        check({{"dgx-0"}, {}});
        check({{"leaf-0"}, {}});
        check({{"dgx-0", "leaf-0"}, {}});
        check({{}, {{"dgx-0", "leaf-0", 0}}});
        test::picture(bench, "cluster-panels");
        QCOMPARE(test::cutTexts(bench.palette).join('\n'), QString());
        for (const PaletteRow* row : bench.palette.findChildren<PaletteRow*>())
            if (row->isVisible() && row->numberField()) {
                const QLineEdit* digits = row->numberField()->findChild<QLineEdit*>();
                QVERIFY2(digits->fontMetrics().horizontalAdvance(QString::number(row->item().mostNumber)) < digits->width(), qPrintable(QString::number(digits->width())));
            }
        for (const PaletteRow* row : bench.palette.findChildren<PaletteRow*>())
            if (row->isVisible()) QVERIFY2(row->width() >= row->sizeHint().width(), qPrintable(row->item().label));
    }
}

void ClusterCanvasTest::aThousandHosts() {
    CanvasBench bench(ThemeVariant::light, {1600, 700});
    OneHop request{hostOf(*catalog().platform("dgx-h100")), 1024};
    request.drawnHosts = 2000;
    bench.canvas.placeAt(generatedFragment(generateOneHop(request)), "1,024 hosts", {0, 0});
    QCOMPARE(bench.canvas.document().accelerators(), 8192);
    std::vector<double> times;
    for (int frame = 0; frame < 40; ++frame) {
        // A pan and a zoom each time, so that nothing is served from the last frame.
        QWheelEvent wheel(QPointF(700, 300), bench.canvas.mapToGlobal(QPointF(700, 300)), {}, {0, frame % 2 ? 60 : -60}, Qt::NoButton,
                          frame % 4 < 2 ? Qt::ControlModifier : Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&bench.canvas, &wheel);
        const double start = cpuMilliseconds();
        bench.canvas.repaint();
        times.push_back(cpuMilliseconds() - start);
    }
    std::sort(times.begin(), times.end());
    qInfo("1,024 hosts, %zu links: a frame takes %.1f ms of CPU time at the median, %.1f ms at p95", bench.topology()["links"].size(),
          times[times.size() / 2], times[times.size() * 95 / 100]);
    QVERIFY2(times[times.size() / 2] < 250, "a pan would stutter on any machine");
    test::picture(bench.canvas, "cluster-1024");
}

void ClusterCanvasTest::pictures() {
    for (const ThemeVariant variant : test::checkedThemes) {
        const QString suffix = variant == ThemeVariant::light ? "-light" : "-dark";
        {
            CanvasBench bench(variant, {1320, 560});
            test::picture(bench, "cluster-empty" + suffix);
            bench.drop("platform:dgx-h100", 8);
            bench.canvas.setResult(test::syntheticResult());
            bench.canvas.setSelection({{"dgx-2"}, {}});
            bench.canvas.fit();
            QTest::qWait(20);
            test::picture(bench, "cluster-8" + suffix);
            bench.canvas.setSelection({{}, {{"dgx-2", "leaf-3", 0}}});
            QTest::qWait(20);
            test::picture(bench, "cluster-link" + suffix);
        }
        {
            CanvasBench bench(variant, {900, 340});
            bench.palette.hide();
            bench.properties.hide();
            QTest::qWait(1);
            bench.show(Json::parse(R"({"cluster": {"accelerator": "h100-sxm5-80gb", "nodes": 8}})"));
            bench.canvas.setResult(test::syntheticResult());
            test::picture(bench, "cluster-short" + suffix);
        }
        {
            CanvasBench bench(variant, {1320, 560});
            bench.drop("platform:gb200-nvl72", 1);
            QTest::qWait(20);
            test::picture(bench, "cluster-nvl72" + suffix);
        }
        {
            CanvasBench bench(variant, {1320, 560});
            bench.show(Json::parse(R"({"cluster": {"accelerator": "h100-sxm5-80gb", "nodes": 64}})"));
            QTest::qWait(20);
            test::picture(bench, "cluster-64" + suffix);
        }
        for (const auto& [key, number] : {std::pair("torus-2d:dgx-h100", 4), {"torus-3d:dgx-h100", 3}, {"dragonfly:dgx-h100", 2}, {"dragonfly:dgx-h100", 1}, {"fat-tree:dgx-h100", 4}, {"platform:tpu-v5p-pod", 1}, {"platform:dgx-h100", 256}}) {
            CanvasBench bench(variant, {1320, 720});
            bench.drop(key, number);
            QTest::qWait(20);
            test::picture(bench, QString("cluster-%1-%2").arg(QString(key).replace(':', '-')).arg(number) + suffix);
        }
        {
            CanvasBench bench(variant, {1320, 560});
            bench.drop("platform:dgx-h100", 200);
            Problem problem;
            problem.pointer = "/cluster/topology/nodes/1";
            Problem warning;
            warning.severity = Severity::warning;
            warning.pointer = "/cluster/topology/nodes/3";
            bench.canvas.setProblems({problem, warning});
            QTest::qWait(20);
            test::picture(bench, "cluster-stacks" + suffix);
        }
    }
}

ORRERY_WIDGET_TEST(ClusterCanvasTest)
#include "cluster_canvas_test.moc"
