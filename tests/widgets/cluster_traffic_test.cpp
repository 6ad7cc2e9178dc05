// SPDX-License-Identifier: GPL-3.0-or-later
// Traffic and what-ifs on the drawing: colours and widths by load, the path of a chosen collective, and what the context
// menu asks of the document.

#include "core/base/json.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/form_support.hpp"
#include "tests/support/synthetic_result.hpp"
#include "tests/support/widget_test.hpp"
#include "tests/widgets/network_fixture.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/cluster/properties/cluster_properties.hpp"
#include "widgets/cluster/properties/property_field.hpp"
#include "widgets/cluster/what_if/what_if_list.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/network/link_load_model.hpp"
#include "widgets/network/link_load_table.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

#include <algorithm>

using namespace orrery;

namespace {

using test::catalog;

/// Units stand after a thin space.
QString plainSpaces(QString text) { return text.replace(QChar(0x2009), u' '); }

struct TrafficBench {
    Theme theme;
    Selection shared;
    NetworkTraffic traffic{shared};
    ClusterCanvas canvas;
    LinkLoadTable table{theme, traffic};
    Json document;
    std::vector<Json> history;
    QStringList texts;

    explicit TrafficBench(const Json& scenario, ThemeVariant variant = ThemeVariant::light) : theme(variant), canvas(theme, shared, catalog()) {
        canvas.resize(900, 520);
        canvas.setTraffic(&traffic);
        QObject::connect(&canvas, &ClusterCanvas::editRequested, [this](const QString& text, const std::vector<ScenarioEdit>& edits) {
            history.push_back(document);
            texts << text;
            test::apply(document, edits);
            canvas.setDocument(document);
        });
        QObject::connect(&table, &LinkLoadTable::linkChosen, &canvas, &ClusterCanvas::chooseReported);
        QObject::connect(&canvas, &ClusterCanvas::selectionChanged, [this] { table.setChosen(canvas.chosenReported()); });
        document = scenario;
        canvas.setDocument(document);
        canvas.show();
        if (!QTest::qWaitForWindowExposed(&canvas)) qWarning("the window did not show");
    }

    Json at(const char* pointer) const { return document.contains(Json::json_pointer(pointer)) ? document.at(Json::json_pointer(pointer)) : Json(); }

    /// Chooses an action of the context menu; false: it is not offered.
    bool choose(const QString& text) {
        QMenu menu;
        canvas.fillMenu(menu);
        for (QAction* action : menu.actions())
            if (action->text() == text && action->isEnabled()) {
                action->trigger();
                return true;
            }
        return false;
    }
    WhatIfDialog* dialog() { return canvas.findChild<WhatIfDialog*>(); }

    /// Pixels of a colour along a band across the middle of the drawn way from one card to another.
    static int reddish(const QImage& image) {
        int count = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) {
                const QColor c = image.pixelColor(x, y);
                if (c.red() > c.blue() + 60 && c.red() > c.green() + 20) ++count;
            }
        return count;
    }
    QImage shot() { return canvas.grab().toImage(); }
};

} // namespace

class ClusterTrafficTest : public QObject {
    Q_OBJECT
private slots:
    void linksTakeTheColourOfTheirLoad();
    void theBusierDirectionColoursALink();
    void tooltipsSayBothDirections();
    void fabricsFillInsideHosts();
    void aChosenCollectiveLightsItsPath();
    void tableAndDrawingChooseTogether();
    void aShortFormIsMappedOntoItsCards();
    void aShortFormsDomainsKeepTheirHosts();
    void degradesAndRestoresALink();
    void takesASwitchDown();
    void asksForAStraggler();
    void slowsOneNicOfAStack();
    void addsASecondJobsTraffic();
    void jitterAndRestoringEverything();
    void theListTakesBackOneByOne();
    void whatIfsOfAShortFormWriteTheDrawing();
    void shortFormEntriesMoveToTheirCards();
    void deletingANodeTakesItsWhatIfsAlong();
    void renamingANodeTakesItsWhatIfsAlong();
    void propertiesListWhatIsSupposed();
    void marksAreSeen();
    void pictures();
};

void ClusterTrafficTest::linksTakeTheColourOfTheirLoad() {
    TrafficBench bench(test::twoHostScenario());
    const int before = TrafficBench::reddish(bench.shot());
    bench.traffic.setResult(test::tenSeconds(), test::tenSecondsNetwork());
    bench.shared.setCursor(5.5);
    bench.traffic.updateNow();
    // "send": 40 GB in 4 s = 10 GB/s of 20.
    QCOMPARE(bench.canvas.look().linkLoad, (std::vector<double>{0.5, 0, 0.5, 0}));
    QVERIFY(TrafficBench::reddish(bench.shot()) > before + 50);
    bench.shared.setCursor(9.5); // nothing moves
    bench.traffic.updateNow();
    QCOMPARE(bench.canvas.look().linkLoad, (std::vector<double>{0, 0, 0, 0}));
    bench.traffic.setResult(nullptr, nullptr);
    QVERIFY(bench.canvas.look().linkLoad.empty());
}

void ClusterTrafficTest::theBusierDirectionColoursALink() {
    TrafficBench bench(test::twoHostScenario());
    bench.traffic.setResult(test::tenSeconds(), test::tenSecondsNetwork());
    bench.shared.setRange(5, 9);
    bench.traffic.updateNow();
    QCOMPARE(bench.canvas.look().linkLoad[2], 0.5); // to host-1 40 GB, from it 8
}

void ClusterTrafficTest::tooltipsSayBothDirections() {
    TrafficBench bench(test::twoHostScenario());
    bench.traffic.setResult(test::tenSeconds(), test::tenSecondsNetwork());
    bench.shared.setRange(5, 9);
    bench.traffic.updateNow();
    // Half way between host-0 and leaf-0, which stand one above the other.
    QString text;
    for (int x = -30; x <= 30 && !text.contains("leaf-0"); x += 2) text = plainSpaces(bench.canvas.describe(bench.canvas.view().toWidget({static_cast<double>(x), 140})));
    QVERIFY2(text.contains("→ leaf-0: 40.0 GB, 50.0 % of the bandwidth"), qPrintable(text));
    QVERIFY2(text.contains("→ host-0: 8.00 GB, 10.0 % of the bandwidth"), qPrintable(text));
    QVERIFY2(text.contains("send 100 %"), qPrintable(text));
    QVERIFY2(text.contains("mean over 5.00–9.00"), qPrintable(text));
}

void ClusterTrafficTest::fabricsFillInsideHosts() {
    TrafficBench bench(test::twoHostScenario());
    bench.traffic.setResult(test::tenSeconds(), test::tenSecondsNetwork());
    bench.shared.setCursor(3);
    bench.traffic.updateNow();
    QCOMPARE(bench.canvas.look().fabricLoad[0], 0.5);
    QCOMPARE(bench.canvas.look().fabricLoad[1], 0.5);
    QVERIFY(std::isnan(bench.canvas.look().fabricLoad[2])); // a switch
    const QString text = plainSpaces(bench.canvas.describe(bench.canvas.view().toWidget({0, 300})));
    QVERIFY2(text.contains("scale-up, out of the accelerators: 50.0 GB/s, 50.0 %"), qPrintable(text));
}

void ClusterTrafficTest::aChosenCollectiveLightsItsPath() {
    TrafficBench bench(test::twoHostScenario());
    bench.traffic.setResult(test::tenSeconds(), test::tenSecondsNetwork());
    const QImage plain = bench.shot();
    bench.shared.setOperator("send", "communication", 0);
    QCOMPARE(bench.canvas.look().litLinks, (std::vector<bool>{true, false, true, false}));
    QCOMPARE(bench.canvas.look().litFabrics, (std::vector<bool>{false, false, false, false}));
    QVERIFY(bench.shot() != plain);
    bench.shared.setOperator("gather", "communication", 0);
    QCOMPARE(bench.canvas.look().litLinks, (std::vector<bool>{false, false, false, false}));
    QCOMPARE(bench.canvas.look().litFabrics, (std::vector<bool>{true, true, false, false}));
    bench.shared.setOperator({}, {});
    QVERIFY(bench.canvas.look().litLinks.empty());
    QCOMPARE(bench.shot(), plain);
}

void ClusterTrafficTest::tableAndDrawingChooseTogether() {
    TrafficBench bench(test::twoHostScenario());
    bench.table.show();
    bench.traffic.setResult(test::tenSeconds(), test::tenSecondsNetwork());
    const auto linkOf = [&] { return bench.table.view()->currentIndex().isValid() ? bench.table.model()->linkAt(bench.table.view()->currentIndex().row()) : -1; };
    bench.canvas.setSelection({{}, {{"host-1", "leaf-1", 0}}});
    QVERIFY(linkOf() == 6 || linkOf() == 7);
    bench.table.view()->selectRow(*bench.table.model()->rowOf(1)); // leaf-0 → host-0
    QCOMPARE(bench.canvas.selection(), (ClusterSelection{{}, {{"host-0", "leaf-0", 0}}}));
    QCOMPARE(linkOf(), 1); // not thrown to the other direction
    bench.table.view()->selectRow(*bench.table.model()->rowOf(9));
    QCOMPARE(bench.canvas.selection(), (ClusterSelection{{"host-1"}, {}}));
    QCOMPARE(linkOf(), 9);
    bench.canvas.setSelection({});
    QCOMPARE(linkOf(), -1);
}

void ClusterTrafficTest::aShortFormIsMappedOntoItsCards() {
    // Eight hosts with a card each here; in the simulation one node with eight replicas below one leaf.
    TrafficBench bench(test::exampleDocument());
    QVERIFY(bench.canvas.document().isShortForm());
    auto network = std::make_shared<NetworkReport>(*test::tenSecondsNetwork());
    network->links.clear();
    for (const bool backward : {false, true}) {
        ReportLink link;
        link.from = backward ? "leaf" : "node";
        link.to = backward ? "node" : "leaf";
        link.drawn = 0;
        link.backward = backward;
        link.copies = 64;
        link.capacity = 64 * 50e9;
        network->links.push_back(link);
    }
    network->patterns[1].uses = {{0, 64 * 50e9, 50e9, 1}};
    network->patterns[0].uses.clear();
    bench.traffic.setResult(test::tenSeconds(), network);
    bench.shared.setCursor(6); // 64 × 50 GB in 4 s
    bench.traffic.updateNow();
    const ClusterDocument& drawn = bench.canvas.document();
    QCOMPARE(bench.canvas.look().linkLoad.size(), drawn.links().size());
    QVERIFY(std::all_of(bench.canvas.look().linkLoad.begin(), bench.canvas.look().linkLoad.end(), [](double load) { return load == 0.25; }));
    bench.canvas.chooseReported(0); // stands for all
    QCOMPARE(bench.canvas.selection().links.size(), drawn.links().size());
    // Each drawn link says its own part of the bytes: one cable of 64 at 12.5 GB/s.
    const DrawnLink& first = drawn.links().front();
    bench.canvas.goTo(drawn.pointerOf(first));
    bench.canvas.fit();
    QPointF at;
    QString text;
    for (double y = bench.canvas.drawingArea().top(); y < bench.canvas.height() && !text.contains("→ leaf:"); y += 2) text = plainSpaces(bench.canvas.describe({450, y}));
    QVERIFY2(text.contains(QString("→ leaf: %1 GB/s").arg(12.5 * first.count)), qPrintable(text));
}

void ClusterTrafficTest::aShortFormsDomainsKeepTheirHosts() {
    Json scenario = test::exampleDocument();
    scenario["cluster"] = {{"accelerator", "h100-sxm"}, {"accelerators_per_node", 4}, {"nodes", 6}, {"scale_up", {{"domain_size", 12}}}, {"scale_out", {{"oversubscription", 2}}}};
    const ClusterDocument document(scenario, catalog());
    const NodeNames names(document, catalog());
    QVERIFY(document.isShortForm());
    // Three hosts a domain: node-0 and node-1 with three replicas each, leaves likewise, one spine.
    QCOMPARE(names.cards("node-0").size(), std::size_t{3});
    QCOMPARE(names.cards("node-1").size(), std::size_t{3});
    QVERIFY(names.cards("node").empty());
    QCOMPARE(names.cards("leaf-1").size(), std::size_t{3});
    QCOMPARE(names.cards("spine").size(), std::size_t{1});
    QCOMPARE(names.cards("node-1", 2), std::vector<int>{names.cards("node-1").back()});
    QCOMPARE(names.of(names.cards("node-1").back()).firstReplica, 2);
    QCOMPARE(names.cables("node-1", "leaf-1").size(), std::size_t{3});
    QCOMPARE(names.cables("spine", "leaf-0").size(), std::size_t{3});
    QVERIFY(!names.cables("spine", "leaf-0").front().forward);
}

void ClusterTrafficTest::degradesAndRestoresALink() {
    TrafficBench bench(test::twoHostScenario());
    bench.canvas.setSelection({{}, {{"host-0", "leaf-1", 0}}});
    QVERIFY(bench.choose("Half the bandwidth"));
    QCOMPARE(bench.at("/execution/degraded_links"), Json::parse(R"([{"from": "host-0", "to": "leaf-1", "factor": 0.5}])"));
    QCOMPARE(bench.canvas.look().linkMarks.count(1), std::size_t{1});
    // A second thought replaces the first.
    QVERIFY(bench.choose("Degrade to…"));
    QVERIFY(bench.dialog());
    bench.dialog()->findChild<QDoubleSpinBox*>("left")->setValue(30);
    bench.dialog()->accept();
    QCOMPARE(bench.at("/execution/degraded_links"), Json::parse(R"([{"from": "host-0", "to": "leaf-1", "factor": 0.3}])"));
    QVERIFY(bench.choose("Take down"));
    QCOMPARE(bench.at("/execution/degraded_links"), Json::parse(R"([{"from": "host-0", "to": "leaf-1", "down": true}])"));
    QVERIFY(bench.canvas.look().linkMarks.at(1).down);
    QVERIFY(bench.choose("Restore"));
    QCOMPARE(bench.at("/execution/degraded_links"), Json());
    QVERIFY(bench.canvas.look().linkMarks.empty());
    QVERIFY(!bench.choose("Restore")); // nothing left to restore
    QCOMPARE(bench.texts.size(), 4);
}

void ClusterTrafficTest::takesASwitchDown() {
    TrafficBench bench(test::twoHostScenario());
    bench.canvas.setSelection({{"leaf-1"}, {}});
    QVERIFY(!bench.choose("Straggler…"));
    QVERIFY(bench.choose("Take down"));
    QCOMPARE(bench.at("/execution/degraded_links"), Json::parse(R"([{"node": "leaf-1", "down": true}])"));
    QVERIFY(bench.canvas.look().nodeMarks.at(3).down);
    QVERIFY(bench.canvas.describe(bench.canvas.view().toWidget({300, 0})).contains("What-if: leaf-1 down"));
}

void ClusterTrafficTest::asksForAStraggler() {
    TrafficBench bench(test::twoHostScenario(4));
    bench.canvas.setSelection({{"host-0"}, {}});
    QVERIFY(!bench.choose("Take down")); // a host that is down is another cluster
    QVERIFY(bench.choose("Straggler…"));
    QVERIFY(!bench.dialog()->findChild<QDoubleSpinBox*>("replica"));
    bench.dialog()->accept();
    QCOMPARE(bench.at("/execution/stragglers"), Json::parse(R"([{"node": "host-0", "slowdown": 1.3}])"));
    bench.canvas.setSelection({{"host-1"}, {}});
    QTRY_VERIFY(!bench.dialog());
    QVERIFY(bench.choose("Straggler…"));
    bench.dialog()->findChild<QDoubleSpinBox*>("replica")->setValue(2);
    bench.dialog()->findChild<QDoubleSpinBox*>("slowdown")->setValue(2);
    bench.dialog()->accept();
    QCOMPARE(bench.at("/execution/stragglers")[1], Json::parse(R"({"node": "host-1", "replica": 2, "slowdown": 2.0})"));
    QCOMPARE(bench.canvas.look().nodeMarks.at(1).slowdown, 2.0);
}

void ClusterTrafficTest::slowsOneNicOfAStack() {
    TrafficBench bench(test::twoHostScenario(4));
    bench.canvas.setSelection({{"host-1"}, {}});
    QVERIFY(bench.choose("Slow NIC…"));
    bench.dialog()->findChild<QComboBox*>("to")->setCurrentIndex(1); // leaf-1: four cables
    bench.dialog()->findChild<QDoubleSpinBox*>("nic")->setValue(2);
    bench.dialog()->findChild<QDoubleSpinBox*>("replica")->setValue(3);
    bench.dialog()->accept();
    QCOMPARE(bench.at("/execution/degraded_links"),
             Json::parse(R"([{"from": "host-1", "to": "leaf-1", "nic": 2, "replica": 3, "factor": 0.25}])"));
    QCOMPARE(bench.canvas.look().linkMarks.count(3), std::size_t{1});
}

void ClusterTrafficTest::addsASecondJobsTraffic() {
    TrafficBench bench(test::twoHostScenario());
    bench.canvas.setSelection({{"host-0"}, {}});
    QVERIFY(bench.choose("Second job's traffic from here…"));
    bench.dialog()->findChild<QComboBox*>("to")->setCurrentText("host-1");
    bench.dialog()->findChild<QDoubleSpinBox*>("bandwidth")->setValue(40);
    bench.dialog()->findChild<QLineEdit*>("name")->setText("checkpoints");
    bench.dialog()->accept();
    QCOMPARE(bench.at("/cluster/topology/traffic"),
             Json::parse(R"([{"name": "checkpoints", "from": "host-0", "to": "host-1", "bandwidth_gb_s": 40}])"));
    QCOMPARE(bench.canvas.look().arrows.size(), std::size_t{1});
    QCOMPARE(bench.canvas.look().arrows[0].to, 1);
}

void ClusterTrafficTest::jitterAndRestoringEverything() {
    TrafficBench bench(test::twoHostScenario());
    bench.canvas.setSelection({});
    QVERIFY(!bench.choose("Restore everything"));
    QVERIFY(bench.choose("Jitter…"));
    bench.dialog()->accept();
    QCOMPARE(bench.at("/execution/jitter"), Json::parse(R"({"sigma": 0.03, "seed": 1})"));
    bench.canvas.setSelection({{"leaf-0"}, {}});
    QVERIFY(bench.choose("Half the bandwidth"));
    bench.canvas.setSelection({});
    QVERIFY(bench.choose("Restore everything"));
    QVERIFY(bench.canvas.whatIfs().empty());
    QCOMPARE(bench.at("/execution/jitter"), Json());
    QCOMPARE(bench.at("/execution/degraded_links"), Json());
}

void ClusterTrafficTest::theListTakesBackOneByOne() {
    Json scenario = test::twoHostScenario();
    scenario["execution"] = Json::parse(R"({"degraded_links": [{"node": "leaf-1", "down": true}, {"from": "host-0", "to": "leaf-0", "factor": 0.5}],
                                            "stragglers": [{"rank": 9, "slowdown": 1.3}], "jitter": 0.05})");
    TrafficBench bench(scenario);
    auto* list = bench.canvas.findChild<WhatIfList*>();
    QVERIFY(list && list->isVisible());
    QCOMPARE(list->texts(), (QStringList{"leaf-1 down", QString::fromUtf8("host-0 – leaf-0 at 50\u2009%"), QString::fromUtf8("rank 9 takes 1.3 × as long"),
                                         QString::fromUtf8("times vary by 5\u2009%")}));
    QCOMPARE(bench.canvas.look().nodeMarks.at(1).slowdown, 1.3); // rank 9 sits in host-1
    emit list->chosen(2);
    QCOMPARE(bench.canvas.selection(), (ClusterSelection{{"host-1"}, {}}));
    emit list->removed(0);
    QCOMPARE(bench.at("/execution/degraded_links"), Json::parse(R"([{"from": "host-0", "to": "leaf-0", "factor": 0.5}])"));
    emit list->removed(2);
    QCOMPARE(bench.at("/execution/jitter"), Json());
    // By the mouse: the cross at a line's end.
    const auto crosses = [&] {
        QList<QToolButton*> found;
        for (QToolButton* button : list->findChildren<QToolButton*>())
            if (button->isVisible() && button->text() == QString::fromUtf8("×")) found << button;
        return found;
    };
    QCOMPARE(crosses().size(), 2);
    QTest::mouseClick(crosses().front(), Qt::LeftButton);
    QCOMPARE(bench.at("/execution/degraded_links"), Json());
    QTest::mouseClick(crosses().front(), Qt::LeftButton);
    QVERIFY(!list->isVisible());
}

void ClusterTrafficTest::whatIfsOfAShortFormWriteTheDrawing() {
    TrafficBench bench(test::exampleDocument());
    const ClusterDocument before = bench.canvas.document();
    const LinkKey key = before.keyOf(before.links().front());
    bench.canvas.setSelection({{}, {key}});
    QVERIFY(bench.choose("Take down"));
    QVERIFY(!bench.canvas.document().isShortForm());
    QCOMPARE(bench.texts.size(), 1); // one step
    QCOMPARE(bench.at("/execution/degraded_links"), (Json::array({{{"from", key.from}, {"to", key.to}, {"down", true}}})));
    QCOMPARE(bench.canvas.document().links().size(), before.links().size());
    // A rank is the same in both forms: nothing is written out for it.
    TrafficBench other(test::exampleDocument());
    const NodeNames names(other.canvas.document(), catalog());
    const auto edits = WhatIfEditor(other.document, other.canvas.document(), names).stragglingRank(17, 1.5);
    QCOMPARE(edits.size(), std::size_t{1});
    QCOMPARE(edits[0].pointer, std::string("/execution/stragglers"));
}

void ClusterTrafficTest::shortFormEntriesMoveToTheirCards() {
    Json scenario = test::exampleDocument();
    scenario["execution"] = Json::parse(R"({"degraded_links": [{"from": "node", "to": "leaf", "nic": 2, "replica": 3, "factor": 0.25}],
                                            "stragglers": [{"node": "node", "replica": 5, "slowdown": 1.3}]})");
    TrafficBench bench(scenario);
    const ClusterDocument& drawn = bench.canvas.document();
    // One card of one host, one cable of it.
    QCOMPARE(bench.canvas.look().linkMarks.size(), std::size_t{1});
    const LinkKey slow = drawn.keyOf(drawn.links()[static_cast<std::size_t>(bench.canvas.look().linkMarks.begin()->first)]);
    QCOMPARE(drawn.indexOf(slow.from), 3);
    QCOMPARE(bench.canvas.look().nodeMarks.count(5), std::size_t{1});
    const std::string fifth = drawn.nodes()[5].id;
    // The drawing is written out by another edit: what was supposed comes along, under the cards' names.
    bench.canvas.setSelection({{drawn.nodes()[0].id}, {}});
    bench.canvas.duplicate();
    QVERIFY(!bench.canvas.document().isShortForm());
    QCOMPARE(bench.at("/execution/stragglers"), (Json::array({{{"node", fifth}, {"slowdown", 1.3}}})));
    QCOMPARE(bench.at("/execution/degraded_links")[0]["from"], Json(slow.from));
    QCOMPARE(bench.at("/execution/degraded_links")[0]["to"], Json(slow.to));
    QCOMPARE(bench.at("/execution/degraded_links").size(), std::size_t{1});
}

void ClusterTrafficTest::deletingANodeTakesItsWhatIfsAlong() {
    Json scenario = test::twoHostScenario();
    scenario["execution"] = Json::parse(R"({"degraded_links": [{"node": "leaf-1", "down": true}, {"from": "host-0", "to": "leaf-0", "factor": 0.5}]})");
    TrafficBench bench(scenario);
    bench.canvas.setSelection({{"leaf-1"}, {}});
    bench.canvas.deleteSelection();
    QCOMPARE(bench.at("/execution/degraded_links"), Json::parse(R"([{"from": "host-0", "to": "leaf-0", "factor": 0.5}])"));
    bench.canvas.setSelection({{}, {{"host-0", "leaf-0", 0}}});
    bench.canvas.deleteSelection();
    QCOMPARE(bench.at("/execution/degraded_links"), Json());
}

void ClusterTrafficTest::renamingANodeTakesItsWhatIfsAlong() {
    Json scenario = test::twoHostScenario();
    scenario["execution"] = Json::parse(R"({"degraded_links": [{"from": "host-0", "to": "leaf-0", "factor": 0.5}], "stragglers": [{"node": "host-0", "slowdown": 2}]})");
    const Theme theme;
    ClusterProperties properties(theme, catalog());
    properties.setDocument(scenario);
    properties.setSelection({{"host-0"}, {}});
    QObject::connect(&properties, &ClusterProperties::editRequested, [&](const QString&, const std::vector<ScenarioEdit>& edits) { test::apply(scenario, edits); });
    emit properties.field("id")->valueChanged("big");
    QCOMPARE(scenario["cluster"]["topology"]["nodes"][0]["id"], Json("big"));
    QCOMPARE(scenario["execution"]["degraded_links"][0]["from"], Json("big"));
    QCOMPARE(scenario["execution"]["stragglers"][0]["node"], Json("big"));
}

void ClusterTrafficTest::propertiesListWhatIsSupposed() {
    Json scenario = test::twoHostScenario();
    scenario["cluster"]["topology"]["traffic"] = Json::parse(R"([{"name": "checkpoints", "from": "host-0", "to": "host-1", "bandwidth_gb_s": 40}])");
    scenario["execution"] = Json::parse(R"({"degraded_links": [{"node": "leaf-1", "down": true}]})");
    const Theme theme;
    ClusterProperties properties(theme, catalog());
    properties.setDocument(scenario);
    const auto texts = [&] {
        QStringList shown;
        for (const WhatIfList* list : properties.findChildren<WhatIfList*>())
            if (list->isVisibleTo(&properties)) shown << list->texts();
        return shown;
    };
    QCOMPARE(texts(), (QStringList{"leaf-1 down", QString::fromUtf8("checkpoints: host-0 → host-1, 40 GB/s")}));
    properties.setSelection({{"host-1"}, {}}); // what is about the selected
    QCOMPARE(texts(), (QStringList{QString::fromUtf8("checkpoints: host-0 → host-1, 40 GB/s")}));
    QObject::connect(&properties, &ClusterProperties::editRequested, [&](const QString&, const std::vector<ScenarioEdit>& edits) { test::apply(scenario, edits); });
    for (WhatIfList* list : properties.findChildren<WhatIfList*>())
        if (list->isVisibleTo(&properties)) {
            emit list->removed(0);
            break;
        }
    QVERIFY(!scenario["cluster"]["topology"].contains("traffic"));
    QVERIFY(scenario["execution"].contains("degraded_links"));
}

void ClusterTrafficTest::marksAreSeen() {
    for (const ThemeVariant variant : {ThemeVariant::light, ThemeVariant::dark}) {
        TrafficBench bench(test::twoHostScenario(), variant);
        const QImage plain = bench.shot();
        bench.canvas.setSelection({{"leaf-1"}, {}});
        bench.canvas.takeSelectionDown();
        bench.canvas.setSelection({});
        const QImage down = bench.shot();
        // Red across the switch's card, where nothing red was.
        const QRectF card(bench.canvas.view().toWidget({260, -20}), bench.canvas.view().toWidget({340, 20}));
        QVERIFY(TrafficBench::reddish(plain.copy(card.toRect())) < 5);
        QVERIFY(TrafficBench::reddish(down.copy(card.toRect())) > 40);
    }
}

void ClusterTrafficTest::pictures() {
    for (const ThemeVariant variant : {ThemeVariant::light, ThemeVariant::dark}) {
        const QString name = variant == ThemeVariant::dark ? "dark" : "light";
        Json scenario{{"cluster", {{"topology", {{"nodes", Json::array()}, {"links", Json::array()}}}}}};
        Json &nodes = scenario["cluster"]["topology"]["nodes"], &links = scenario["cluster"]["topology"]["links"];
        for (int h = 0; h < 8; ++h) {
            nodes.push_back({{"id", "dgx-" + std::to_string(h)}, {"kind", "host"}, {"accelerator", "h100-sxm"}, {"count", 8}});
            for (int l = 0; l < 8; ++l) links.push_back({{"from", "dgx-" + std::to_string(h)}, {"to", "leaf-" + std::to_string(l)}, {"bandwidth_gb_s", 50}, {"count", 1}});
        }
        for (int l = 0; l < 8; ++l) nodes.push_back({{"id", "leaf-" + std::to_string(l)}, {"kind", "switch"}});
        TrafficBench bench(scenario, variant);
        qApp->setPalette(bench.theme.palette());
        qApp->setStyleSheet(bench.theme.styleSheet());
        bench.canvas.resize(1000, 420);
        const ResultPtr result = test::syntheticResult();
        bench.canvas.setResult(result);
        bench.canvas.setSelection({{"dgx-3"}, {}});
        bench.canvas.degradeSelection(0.5);
        QVERIFY2(bench.texts.isEmpty(), "a host is no link");
        bench.canvas.setSelection({{"leaf-6"}, {{"dgx-1", "leaf-2", 0}}});
        bench.canvas.takeSelectionDown();
        bench.canvas.setSelection({{}, {{"dgx-5", "leaf-0", 0}}});
        bench.canvas.degradeSelection(0.5);
        test::apply(bench.document, {{"/execution/stragglers", Json::parse(R"([{"node": "dgx-3", "slowdown": 1.3}])")},
                                     {"/cluster/topology/traffic", Json::parse(R"([{"name": "checkpoints", "from": "dgx-2", "to": "dgx-6", "bandwidth_gb_s": 40}])")}});
        bench.canvas.setDocument(bench.document);
        bench.canvas.setSelection({});
        bench.traffic.setResult(result, test::syntheticNetwork(bench.canvas.document(), result->timeline));
        bench.table.resize(1000, 220);
        bench.table.show();
        bench.shared.setRange(result->timeline.duration * 0.8, result->timeline.duration);
        bench.traffic.updateNow();
        QTest::qWait(100);
        QVERIFY(!bench.shot().isNull());
        test::picture(bench.canvas, "traffic-" + name);
        test::picture(bench.table, "links-" + name);
        bench.shared.setOperator("send, pipeline", "communication", 0);
        QVERIFY(!bench.canvas.look().litLinks.empty());
        test::picture(bench.canvas, "lit-" + name);
    }
}

ORRERY_WIDGET_TEST(ClusterTrafficTest)
#include "cluster_traffic_test.moc"
