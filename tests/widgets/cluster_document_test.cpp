// SPDX-License-Identifier: GPL-3.0-or-later
// The cluster as a document: what edits ask for, checked on the JSON that comes out of them.

#include "core/base/json.hpp"
#include "core/network/transfers/pattern_maker.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/form_support.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/document/cluster_layout.hpp"
#include "widgets/cluster/document/host_duties.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/fields/cluster_summary.hpp"
#include "widgets/cluster/painting/cluster_geometry.hpp"
#include "widgets/cluster/palette/palette_items.hpp"

#include <QtTest>

#include <cmath>

using namespace orrery;

namespace {

using test::catalog;

Json twoHosts() {
    return Json::parse(R"({
      "cluster": {"topology": {
        "nodes": [{"id": "dgx-0", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8, "label": "first"},
                  {"id": "dgx-1", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8},
                  {"id": "leaf-0", "kind": "switch"}],
        "links": [{"from": "dgx-0", "to": "leaf-0", "bandwidth_gb_s": 50, "latency_us": 1.34, "count": 8},
                  {"from": "dgx-1", "to": "leaf-0", "bandwidth_gb_s": 50, "latency_us": 1.34, "count": 8}]}},
      "view": {"cluster": {"positions": {"dgx-0": [0, 0], "dgx-1": [128, 0], "leaf-0": [64, -128]}}}
    })");
}

ClusterDocument read(const Json& scenario) { return ClusterDocument(scenario, catalog()); }

Json applied(Json document, const std::vector<ScenarioEdit>& edits) {
    test::apply(document, edits);
    return document;
}

/// A whole scenario on the cluster: every rank its own data-parallel replica, so that any number of them is sound.
ScenarioReading readWhole(const Json& cluster, int accelerators) {
    Json scenario = test::exampleDocument();
    scenario["cluster"] = cluster;
    scenario["workload"]["global_batch_size"] = accelerators;
    scenario["parallelism"] = Json::object();
    ScenarioReading reading = readScenario(scenario, catalog());
    if (reading.scenario) return reading;
    scenario["workload"]["precision"] = "fp16"; // the first of these accelerators have no bf16
    return readScenario(scenario, catalog());
}

std::string messages(const Problems& problems) {
    std::string text;
    for (const Problem& problem : problems) text += problem.pointer + ": " + problem.message + "\n";
    return text;
}

/// Cards that lie on one another, by id.
QString overlaps(const ClusterDocument& document) {
    const ClusterGeometry geometry(document);
    for (std::size_t i = 0; i < document.nodes().size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (geometry.cards()[i].intersects(geometry.cards()[k]))
                return QString::fromStdString(document.nodes()[i].id + " lies on " + document.nodes()[k].id);
    return {};
}

const PaletteItem& item(const QString& key) {
    static const std::vector<PaletteItem> items = paletteItems(catalog());
    for (const PaletteItem& candidate : items)
        if (candidate.key == key) return candidate;
    qFatal("no palette item %s", qPrintable(key));
}

} // namespace

class ClusterDocumentTest : public QObject {
    Q_OBJECT
private slots:
    void drawsFromNothing();
    void connectsWithTheFreeCards();
    void movesOnlyWhatIsMeant();
    void pinsEveryPlaceWithTheFirstEdit();
    void removesNodesWithTheirLinks();
    void removesLinks();
    void renames();
    void poolsByNumberAreTheHostsInTheirOrder();
    void setsSingleValues();
    void pastesAPieceOnItsOwn();
    void pastedRackIsAnotherRack();
    void duplicateStaysConnected();
    void shortFormConvertsUnchanged_data();
    void shortFormConvertsUnchanged();
    void firstEditOfAShortFormDrawsIt();
    void railOptimisedPlatform();
    void everyPaletteItemIsSound_data();
    void everyPaletteItemIsSound();
    void whatIsDrawnFirstSaysTheRouting();
    void aTorusLiesAsAGrid();
    void aDragonflyLiesGroupByGroup();
    void switchesLieAboveHosts();
    void summaries_data();
    void summaries();
    void brokenDocumentsAreRead_data();
    void brokenDocumentsAreRead();
    void refusesForeignFragments_data();
    void refusesForeignFragments();
};

void ClusterDocumentTest::drawsFromNothing() {
    Json scenario = Json::object();
    const std::pair<const char*, QPointF> placed[] = {
        {"host:dgx-h100", {0, 0}}, {"host:dgx-h100", {130, 3}}, {"switch:leaf", {64, -128}}};
    for (const auto& [key, at] : placed)
        test::apply(scenario, read(scenario).insert(item(key).make(1), at));
    for (const char* host : {"dgx-0", "dgx-1"}) {
        const ClusterDocument document = read(scenario);
        test::apply(scenario, document.connect(host, "leaf-0",
                                               linkDefaults(document, document.indexOf(host), document.indexOf("leaf-0"), catalog())));
    }
    Json expected = twoHosts();
    expected["cluster"]["topology"]["nodes"][0].erase("label");
    QCOMPARE(scenario["cluster"].dump(), expected["cluster"].dump());
    QCOMPARE(scenario["view"].dump(), expected["view"].dump()); // 130, 3 snapped to the grid
}

void ClusterDocumentTest::connectsWithTheFreeCards() {
    Json scenario = twoHosts();
    scenario["cluster"]["topology"]["links"][0]["count"] = 6;
    scenario["cluster"]["topology"]["nodes"].push_back({{"id", "leaf-1"}, {"kind", "switch"}});
    const ClusterDocument document = read(scenario);
    QCOMPARE(linkDefaults(document, 0, 3, catalog()).count, 2);
    QCOMPARE(linkDefaults(document, 3, 0, catalog()).count, 2);
    QVERIFY(document.connect("dgx-0", "dgx-0", {}).empty());
    QVERIFY(document.connect("dgx-0", "nobody", {}).empty());
}

void ClusterDocumentTest::movesOnlyWhatIsMeant() {
    Json scenario = twoHosts();
    scenario["cluster"]["topology"]["nodes"][0]["id"] = "a/b~c";
    scenario["cluster"]["topology"]["links"][0]["from"] = "a/b~c";
    scenario["view"]["cluster"]["positions"]["a/b~c"] = {0, 0};
    const auto edits = read(scenario).move({"a/b~c"}, {16, -8});
    QCOMPARE(edits.size(), std::size_t(1));
    QCOMPARE(edits[0].pointer, std::string("/view/cluster/positions/a~1b~0c"));
    QCOMPARE(edits[0].value->dump(), std::string("[16,-8]"));
    QVERIFY(read(scenario).move({"dgx-1"}, {0, 0}).empty());
}

void ClusterDocumentTest::pinsEveryPlaceWithTheFirstEdit() {
    Json scenario = twoHosts();
    scenario.erase("view");
    const ClusterDocument before = read(scenario);
    const ClusterDocument after = read(applied(scenario, before.insert(item("switch:leaf").make(1), {400, -128})));
    for (std::size_t i = 0; i < before.nodes().size(); ++i) QCOMPARE(after.nodes()[i].position, before.nodes()[i].position);
}

void ClusterDocumentTest::removesNodesWithTheirLinks() {
    const Json after = applied(twoHosts(), read(twoHosts()).remove({{"dgx-0"}, {}}));
    QCOMPARE(after["cluster"]["topology"]["nodes"].size(), std::size_t(2));
    QCOMPARE(after["cluster"]["topology"]["links"].dump(), Json::array({twoHosts()["cluster"]["topology"]["links"][1]}).dump());
    QVERIFY(!after["view"]["cluster"]["positions"].contains("dgx-0"));
    QVERIFY(after["view"]["cluster"]["positions"].contains("dgx-1"));
    QVERIFY(read(twoHosts()).remove({{"nobody"}, {}}).empty());
}

void ClusterDocumentTest::removesLinks() {
    Json scenario = twoHosts();
    scenario["cluster"]["topology"]["links"].push_back(scenario["cluster"]["topology"]["links"][0]);
    scenario["cluster"]["topology"]["links"][2]["bandwidth_gb_s"] = 25;
    const Json after = applied(scenario, read(scenario).remove({{}, {{"dgx-0", "leaf-0", 1}}}));
    QCOMPARE(after["cluster"]["topology"].dump(), twoHosts()["cluster"]["topology"].dump());
}

void ClusterDocumentTest::poolsByNumberAreTheHostsInTheirOrder() {
    Json scenario = twoHosts();
    scenario["workload"] = Json::parse(R"({"kind": "serving", "engine": {"disaggregation": {"prefill": {"hosts": 1, "instances": 2}, "decode": {"hosts": 1}}}})");
    const ClusterDocument document = read(scenario);
    const HostDuties duties(scenario, document);
    QVERIFY(duties.canBeGiven());
    QCOMPARE(duties.poolOf("dgx-0"), std::string("prefill"));
    QCOMPARE(duties.poolOf("dgx-1"), std::string("decode"));
    // Named, they stay apart from what others take; how many instances they hold follows from them.
    const Json after = applied(scenario, duties.toPool({"dgx-1"}, "prefill"));
    const Json& split = after["workload"]["engine"]["disaggregation"];
    QCOMPARE(split["prefill"], Json::parse(R"({"hosts": ["dgx-0", "dgx-1"]})"));
    QCOMPARE(split["decode"], Json::parse(R"({"hosts": []})"));
    // What is so already asks for nothing more than its names.
    const ClusterDocument drawn = read(after);
    QVERIFY(HostDuties(after, drawn).toPool({"dgx-1"}, "prefill").empty());
    Json training = scenario;
    training["workload"]["kind"] = "training";
    QVERIFY(!HostDuties(training, document).canBeGiven());
}

void ClusterDocumentTest::renames() {
    const ClusterDocument document = read(twoHosts());
    const Json after = applied(twoHosts(), document.rename("leaf-0", "top"));
    QVERIFY(after["cluster"]["topology"]["nodes"][2]["id"] == Json("top"));
    QVERIFY(after["cluster"]["topology"]["links"][0]["to"] == Json("top"));
    QVERIFY(after["cluster"]["topology"]["links"][1]["to"] == Json("top"));
    QCOMPARE(after["view"]["cluster"]["positions"].dump(), std::string(R"({"dgx-0":[0,0],"dgx-1":[128,0],"top":[64,-128]})"));
    QVERIFY(document.rename("leaf-0", "dgx-1").empty()); // taken
    QVERIFY(document.rename("leaf-0", "").empty());
}

void ClusterDocumentTest::setsSingleValues() {
    const ClusterDocument document = read(twoHosts());
    const auto edits = document.setNodeProperty({"dgx-0", "dgx-1"}, "replicas", 4);
    QCOMPARE(edits.size(), std::size_t(2));
    QCOMPARE(edits[1].pointer, std::string("/cluster/topology/nodes/1/replicas"));
    QVERIFY(document.setNodeProperty({"dgx-0"}, "count", 8).empty()); // so it is
    const Json removed = applied(twoHosts(), document.setNodeProperty({"dgx-0"}, "label", nullptr));
    QVERIFY(!removed["cluster"]["topology"]["nodes"][0].contains("label"));
    const auto link = document.setLinkProperty({{"dgx-1", "leaf-0", 0}}, "bandwidth_gb_s", 25);
    QCOMPARE(link.size(), std::size_t(1));
    QCOMPARE(link[0].pointer, std::string("/cluster/topology/links/1/bandwidth_gb_s"));
}

void ClusterDocumentTest::pastesAPieceOnItsOwn() {
    const ClusterDocument document = read(twoHosts());
    const std::optional<Json> piece = readFragment(fragmentBytes(document.fragment({{"dgx-0", "leaf-0"}, {}})));
    QVERIFY(piece);
    std::vector<std::string> ids;
    const Json after = applied(twoHosts(), document.insert(*piece, {1000, 0}, &ids));
    QCOMPARE(ids, (std::vector<std::string>{"dgx-2", "leaf-1"}));
    const Json& nodes = after["cluster"]["topology"]["nodes"];
    QCOMPARE(nodes.size(), std::size_t(5));
    QVERIFY(nodes[3]["label"] == Json("first")); // keys that the drawing does not know come along
    const Json& links = after["cluster"]["topology"]["links"];
    QCOMPARE(links.size(), std::size_t(3));
    QVERIFY(links[2]["from"] == Json("dgx-2"));
    QVERIFY(links[2]["to"] == Json("leaf-1"));
    const ClusterDocument drawn = read(after);
    QCOMPARE(drawn.nodes()[3].position - drawn.nodes()[4].position, QPointF(-64, 128)); // as they lay
}

void ClusterDocumentTest::pastedRackIsAnotherRack() {
    Json scenario = Json::object();
    const Json rack = item("platform:gb200-nvl72").make(1);
    test::apply(scenario, read(scenario).insert(rack, {0, 0}));
    test::apply(scenario, read(scenario).insert(rack, {0, 1000}));
    std::map<std::string, int> accelerators;
    const ClusterDocument racks = read(scenario);
    for (const DrawnNode& node : racks.nodes())
        if (node.isHost()) accelerators[node.domain] += node.accelerators();
    QCOMPARE(accelerators, (std::map<std::string, int>{{"rack-0", 72}, {"rack-1", 72}}));
    // A lone tray of the palette joins the rack that it names.
    test::apply(scenario, read(scenario).insert(item("host:gb200-nvl72").make(1), {0, 2000}));
    QCOMPARE(read(scenario).nodes().back().domain, std::string("rack-0"));
}

void ClusterDocumentTest::duplicateStaysConnected() {
    std::vector<std::string> ids;
    const Json after = applied(twoHosts(), read(twoHosts()).duplicate({{"dgx-0"}, {}}, &ids));
    QCOMPARE(ids, std::vector<std::string>{"dgx-2"});
    const Json& links = after["cluster"]["topology"]["links"];
    QCOMPARE(links.size(), std::size_t(3));
    QCOMPARE(links[2].dump(), std::string(R"({"from":"dgx-2","to":"leaf-0","bandwidth_gb_s":50,"latency_us":1.34,"count":8})"));
    QCOMPARE(overlaps(read(after)), QString());
}

void ClusterDocumentTest::shortFormConvertsUnchanged_data() {
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<int>("accelerators");
    QTest::newRow("platform") << R"({"accelerator": "h100-sxm5-80gb", "nodes": 8})" << 64;
    QTest::newRow("own numbers") << R"({"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 4, "nodes": 3,
        "scale_up": {"bandwidth_gb_s": 200, "latency_us": 3}, "scale_out": {"bandwidth_gb_s": 33.3, "latency_us": 7}})"
                                 << 12;
    QTest::newRow("shared cards") << R"({"accelerator": "a100-sxm4-80gb", "nodes": 5, "scale_out": {"bandwidth_gb_s": 6.25}})" << 40;
    QTest::newRow("oversubscribed") << R"({"accelerator": "h100-sxm5-80gb", "nodes": 6, "scale_out": {"oversubscription": 3}})" << 48;
    QTest::newRow("stacks") << R"({"accelerator": "h100-sxm5-80gb", "nodes": 200})" << 1600;
    QTest::newRow("oversubscribed stacks") << R"({"accelerator": "h100-sxm5-80gb", "nodes": 96, "scale_out": {"oversubscription": 2}})" << 768;
    QTest::newRow("racks") << R"({"accelerator": "gb200", "nodes": 36, "scale_up": {"domain_size": 72}})" << 144;
    QTest::newRow("cut nodes") << R"({"accelerator": "a100-sxm4-80gb", "nodes": 2, "scale_up": {"domain_size": 4}})" << 16;
    QTest::newRow("one node") << R"({"accelerator": "h100-sxm5-80gb", "nodes": 1})" << 8;
}

void ClusterDocumentTest::shortFormConvertsUnchanged() {
    QFETCH(QString, cluster);
    QFETCH(int, accelerators);
    const Json shortForm = Json::parse(cluster.toStdString());
    const ClusterDocument document = read(Json{{"cluster", shortForm}});
    QVERIFY(document.isShortForm());
    QCOMPARE(document.accelerators(), accelerators);

    const Json drawn = applied(Json{{"cluster", shortForm}}, document.convertToDrawn())["cluster"];
    QVERIFY(drawn.contains("topology"));
    const ScenarioReading before = readWhole(shortForm, accelerators), after = readWhole(drawn, accelerators);
    QVERIFY2(before.scenario, messages(before.problems).c_str());
    QVERIFY2(after.scenario, messages(after.problems).c_str());
    QCOMPARE(messages(after.problems), messages(before.problems)); // and no warning of keys without effect
    const Cluster& a = before.scenario->cluster;
    const Cluster& b = after.scenario->cluster;
    QCOMPARE(b.accelerators(), a.accelerators());
    QCOMPARE(b.scaleUpBandwidth, a.scaleUpBandwidth);
    QCOMPARE(b.scaleUpLatency, a.scaleUpLatency);
    // Groups of ranks as plans make them: neighbours, strided, everybody.
    struct Span {
        int begin, stride, count;
    };
    const Span spans[] = {{0, 1, accelerators}, {0, 1, std::min(8, accelerators)}, {accelerators / 2 - 1, 1, 2}, {0, 8, std::max(1, accelerators / 8)}, {3, accelerators / 2, 2}};
    const Fabric one(a), other(b);
    Router routerOne(one), routerOther(other);
    for (const Span& span : spans) {
        std::vector<int> ranks;
        for (int i = 0; i < span.count; ++i) ranks.push_back(span.begin + i * span.stride);
        const GroupLayout x = layoutOf(one, ranks), y = layoutOf(other, ranks);
        QCOMPARE(y.domainCount(), x.domainCount());
        QCOMPARE(y.members, x.members);
        const auto near = [](double p, double q) { return std::abs(p - q) <= 1e-12 * std::max(std::abs(p), std::abs(q)); };
        const double bytes = 64e6;
        const double timeOne = aloneTime(PatternMaker(routerOne).make(ranks, {}), bytes, one.capacities()).time;
        const double timeOther = aloneTime(PatternMaker(routerOther).make(ranks, {}), bytes, other.capacities()).time;
        QVERIFY2(near(timeOne, timeOther), qPrintable(QString("%1 %2").arg(timeOne).arg(timeOther)));
    }
}

void ClusterDocumentTest::firstEditOfAShortFormDrawsIt() {
    Json scenario{{"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"nodes", 4}, {"scale_up", {{"latency_us", 5}, {"domain_size", 8}}}}}};
    const ClusterDocument before = read(scenario);
    test::apply(scenario, before.setNodeProperty({"dgx-1"}, "count", 4));
    QCOMPARE(scenario["cluster"]["scale_up"].dump(), std::string(R"({"latency_us":5})"));
    QVERIFY(!scenario["cluster"].contains("nodes") && !scenario["cluster"].contains("accelerator"));
    const ClusterDocument after = read(scenario);
    QCOMPARE(after.accelerators(), 28);
    QCOMPARE(after.links().size(), before.links().size());
    // Moving alone changes no number, so the short form stays what it is.
    const auto edits = before.move({"dgx-1"}, {8, 8});
    for (const ScenarioEdit& edit : edits) QVERIFY(edit.pointer.starts_with("/view/"));
}

void ClusterDocumentTest::railOptimisedPlatform() {
    const ClusterDocument document = read(Json{{"cluster", {{"topology", item("platform:dgx-h100").make(8)["topology"]}}}});
    QCOMPARE(document.hosts(), 8);
    std::map<std::string, std::set<std::string>> leavesOf;
    std::map<std::string, double> down, up;
    for (const DrawnLink& link : document.links()) {
        const DrawnNode& from = document.nodes()[static_cast<std::size_t>(link.from)];
        const DrawnNode& to = document.nodes()[static_cast<std::size_t>(link.to)];
        if (from.isHost()) {
            leavesOf[from.id].insert(to.id);
            down[to.id] += link.total();
            QCOMPARE(link.total(), 50.0);
        } else {
            up[from.id] += link.total();
        }
    }
    QCOMPARE(down.size(), std::size_t(8)); // one leaf a rail
    for (const auto& [host, leaves] : leavesOf) QCOMPARE(leaves.size(), std::size_t(8));
    for (const auto& [leaf, rate] : down) {
        QCOMPARE(rate, 400.0);
        QCOMPARE(up[leaf], 400.0); // what goes in can come out
    }
}

void ClusterDocumentTest::everyPaletteItemIsSound_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<int>("number");
    for (const PaletteItem& entry : paletteItems(catalog())) {
        if (entry.group == PaletteGroup::switch_) continue;
        for (const int number : {1, 2, 5, 16, 100})
            if ((number == 1 || entry.number > 0) && number <= std::max(1, entry.mostNumber)) QTest::addRow("%s %d", qPrintable(entry.key), number) << entry.key << number;
    }
}

void ClusterDocumentTest::everyPaletteItemIsSound() {
    QFETCH(QString, key);
    QFETCH(int, number);
    const Json cluster{{"topology", item(key).make(number)["topology"]}};
    const ClusterDocument document = read(Json{{"cluster", cluster}});
    const ScenarioReading reading = readWhole(cluster, document.accelerators());
    QVERIFY2(reading.scenario, messages(reading.problems).c_str());
    QCOMPARE(reading.scenario->cluster.accelerators(), document.accelerators());
    QCOMPARE(overlaps(document), QString());
}

void ClusterDocumentTest::whatIsDrawnFirstSaysTheRouting() {
    Json scenario = Json::object();
    test::apply(scenario, read(scenario).insert(item("torus-2d:dgx-h100").make(3), {0, 0}));
    QVERIFY(scenario["cluster"]["topology"]["routing"] == Json("dimension_order"));
    // A copy of a part goes along, and something else that is placed beside it does not change it.
    test::apply(scenario, read(scenario).insert(item("platform:dgx-h100").make(2), {2000, 0}));
    QVERIFY(scenario["cluster"]["topology"]["routing"] == Json("dimension_order"));
    ClusterSelection all;
    const ClusterDocument whole = read(scenario);
    for (const DrawnNode& node : whole.nodes()) all.nodes.insert(node.id);
    const Json piece = read(scenario).fragment(all);
    test::apply(scenario, read(scenario).remove(all));
    test::apply(scenario, read(scenario).insert(item("dragonfly:dgx-h100").make(1), {0, 0}));
    QVERIFY(!scenario["cluster"]["topology"].contains("routing"));
    test::apply(scenario, read(scenario).insert(item("dragonfly:dgx-h100").make(1), {3000, 0}));
    std::map<std::string, int> groups;
    const ClusterDocument two = read(scenario);
    for (const DrawnNode& node : two.nodes())
        if (!node.isHost()) ++groups[node.group];
    QCOMPARE(groups.size(), std::size_t(6)); // two dragonflies of three groups
    scenario = Json::object();
    test::apply(scenario, read(scenario).insert(piece, {0, 0}));
    QVERIFY(scenario["cluster"]["topology"]["routing"] == Json("dimension_order"));
}

void ClusterDocumentTest::aTorusLiesAsAGrid() {
    const ClusterDocument document = read(Json{{"cluster", {{"topology", item("torus-2d:dgx-h100").make(5)["topology"]}}}});
    for (const DrawnNode& a : document.nodes())
        for (const DrawnNode& b : document.nodes()) {
            QCOMPARE(a.position.x() < b.position.x(), a.coordinates[0] < b.coordinates[0]);
            QCOMPARE(a.position.y() < b.position.y(), a.coordinates[1] < b.coordinates[1]);
        }
    // No link runs through a card that it doesn't end at.
    const ClusterGeometry geometry(document);
    for (std::size_t l = 0; l < document.links().size(); ++l)
        for (std::size_t n = 0; n < document.nodes().size(); ++n) {
            const DrawnLink& link = document.links()[l];
            if (static_cast<int>(n) == link.from || static_cast<int>(n) == link.to) continue;
            for (int step = 0; step <= 20; ++step)
                QVERIFY2(!geometry.cards()[n].contains(geometry.curves()[l].at(step / 20.0)), document.nodes()[n].id.c_str());
        }
}

void ClusterDocumentTest::aDragonflyLiesGroupByGroup() {
    const ClusterDocument document = read(Json{{"cluster", {{"topology", item("dragonfly:dgx-h100").make(2)["topology"]}}}});
    std::map<std::string, QRectF> groups;
    const ClusterGeometry geometry(document);
    std::map<int, std::string> groupOf;
    for (std::size_t i = 0; i < document.nodes().size(); ++i)
        if (!document.nodes()[i].isHost()) groupOf[static_cast<int>(i)] = document.nodes()[i].group;
    for (const DrawnLink& link : document.links())
        for (const auto& [a, b] : {std::pair(link.from, link.to), std::pair(link.to, link.from)})
            if (groupOf.contains(a)) groups[groupOf[a]] |= geometry.cards()[static_cast<std::size_t>(a)] | (document.nodes()[static_cast<std::size_t>(b)].isHost() ? geometry.cards()[static_cast<std::size_t>(b)] : QRectF());
    QCOMPARE(groups.size(), std::size_t(9));
    for (const auto& [name, area] : groups)
        for (const auto& [other, beside] : groups) QVERIFY2(name == other || !area.intersects(beside), (name + " lies on " + other).c_str());
}

void ClusterDocumentTest::switchesLieAboveHosts() {
    const ClusterDocument document = read(Json{{"cluster", {{"topology", item("platform:dgx-h100").make(8)["topology"]}}}});
    double spine = -1e9, leaf = -1e9, host = 1e9;
    for (const DrawnNode& node : document.nodes()) {
        if (node.id.starts_with("spine")) spine = std::max(spine, node.position.y());
        if (node.id.starts_with("leaf")) leaf = std::max(leaf, node.position.y());
        if (node.isHost()) host = std::min(host, node.position.y());
    }
    QVERIFY(spine < leaf && leaf < host);
}

void ClusterDocumentTest::summaries_data() {
    QTest::addColumn<QString>("cluster");
    QTest::addColumn<QString>("text");
    const auto platform = [](const char* key, int n) {
        return QString::fromStdString(Json{{"topology", item(key).make(n)["topology"]}}.dump());
    };
    const QString thin(QChar(0x2009));
    QTest::newRow("rails") << platform("platform:dgx-h100", 8) << "8 × DGX H100 · rail-optimised · 400" + thin + "Gb/s per GPU";
    QTest::newRow("leaves") << platform("leaf-spine:dgx-h100", 16) << "16 × DGX H100 · leaf and spine · 400" + thin + "Gb/s per GPU";
    QTest::newRow("racks") << platform("platform:gb200-nvl72", 2) << "2 × GB200 NVL72 · rail-optimised · 400" + thin + "Gb/s per GPU";
    QTest::newRow("units") << platform("platform:dgx-h100", 200) << "200 × DGX H100 · rail-optimised · 400" + thin + "Gb/s per GPU";
    QTest::newRow("MI300X") << platform("platform:mi300x-platform", 4) << "4 × MI300X platform · rail-optimised · 400" + thin + "Gb/s per GPU";
    QTest::newRow("tree") << platform("fat-tree:dgx-h100", 4) << "16 × DGX H100 · fat tree · 400" + thin + "Gb/s per GPU";
    QTest::newRow("dragonfly") << platform("dragonfly:dgx-h100", 2) << "72 × DGX H100 · dragonfly · 400" + thin + "Gb/s per GPU";
    QTest::newRow("torus") << platform("torus-3d:dgx-h100", 3) << "27 × DGX H100 · 3 × 3 × 3 torus · 300" + thin + "Gb/s per GPU";
    QTest::newRow("TPU") << platform("platform:tpu-v5p-pod", 2) << QString::fromUtf8("32 × TPU v5p tray · 2 × 2 × 8 torus · 3.2") + thin + "Tb/s per GPU";
    QTest::newRow("tray") << platform("host:gb200-nvl72", 1) << "1 × GB200 tray";
    QTest::newRow("one") << platform("host:dgx-h100", 1) << "1 × DGX H100";
    QTest::newRow("short") << R"({"accelerator": "a100-sxm4-80gb", "nodes": 4, "scale_out": {"bandwidth_gb_s": 6.25}})"
                           << "4 × DGX A100 80 GB · one switch · 50" + thin + "Gb/s per GPU";
    QTest::newRow("none") << "{}"
                          << "";
}

void ClusterDocumentTest::summaries() {
    QFETCH(QString, cluster);
    QFETCH(QString, text);
    QCOMPARE(clusterSummary(read(Json{{"cluster", Json::parse(cluster.toStdString())}}), catalog()), text);
}

void ClusterDocumentTest::brokenDocumentsAreRead_data() {
    QTest::addColumn<QString>("scenario");
    QTest::addColumn<int>("nodes");
    QTest::newRow("array") << "[]" << 0;
    QTest::newRow("cluster is a text") << R"({"cluster": "big"})" << 0;
    QTest::newRow("topology is a number") << R"({"cluster": {"topology": 3}})" << 0;
    QTest::newRow("nodes is an object") << R"({"cluster": {"topology": {"nodes": {}}}})" << 0;
    QTest::newRow("a node is null") << R"({"cluster": {"topology": {"nodes": [null, {"id": "a", "kind": "switch"}]}}})" << 1;
    QTest::newRow("loose link") << R"({"cluster": {"topology": {"nodes": [{"id": "a", "kind": "host", "count": 8}], "links": [{"from": "a", "to": "b"}, 7]}}})" << 1;
    QTest::newRow("same id twice") << R"({"cluster": {"topology": {"nodes": [{"id": "a", "kind": "host", "count": 8}, {"id": "a", "kind": "host", "count": 8}]}}})" << 2;
    QTest::newRow("no id") << R"({"cluster": {"topology": {"nodes": [{"kind": "host", "count": 8}]}}})" << 1;
    QTest::newRow("absurd counts") << R"({"cluster": {"topology": {"nodes": [{"id": "a", "kind": "host", "count": -8, "replicas": 1e300}]}}})" << 1;
    QTest::newRow("positions of all sorts") << R"({"cluster": {"topology": {"nodes": [{"id": "a", "kind": "switch"}, {"id": "b", "kind": "switch"}]}},
        "view": {"cluster": {"positions": {"a": [1e300, 0], "b": ["x", 2]}}}})"
                                            << 2;
    QTest::newRow("view is a list") << R"({"cluster": {"topology": {"nodes": [{"id": "a", "kind": "switch"}]}}, "view": [1]})" << 1;
    QTest::newRow("short form of nothing") << R"({"cluster": {"accelerator": 7, "nodes": -3}})" << 0;
    QTest::newRow("unknown accelerator") << R"({"cluster": {"accelerator": "h9000", "nodes": 2}})" << 3;
}

void ClusterDocumentTest::brokenDocumentsAreRead() {
    QFETCH(QString, scenario);
    QFETCH(int, nodes);
    const ClusterDocument document = read(Json::parse(scenario.toStdString()));
    QCOMPARE(static_cast<int>(document.nodes().size()), nodes);
    for (const DrawnNode& node : document.nodes()) QVERIFY(std::abs(node.position.x()) < 1e6 && std::abs(node.position.y()) < 1e6);
    const ClusterGeometry geometry(document);
    // What is drawn can be taken out again, whatever it was.
    ClusterSelection all;
    for (const DrawnNode& node : document.nodes()) all.nodes.insert(node.id);
    (void)document.remove(all);
    (void)document.fragment(all);
}

void ClusterDocumentTest::refusesForeignFragments_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("text") << QByteArray("hello");
    QTest::newRow("other JSON") << QByteArray(R"({"topology": {"nodes": []}})");
    QTest::newRow("no nodes") << QByteArray(R"({"format": "orrery-cluster-fragment/1", "topology": {}})");
    QTest::newRow("node without id") << QByteArray(R"({"format": "orrery-cluster-fragment/1", "topology": {"nodes": [{}]}})");
    QTest::newRow("link to a number") << QByteArray(R"({"format": "orrery-cluster-fragment/1", "topology": {"nodes": [], "links": [{"from": 1, "to": "a"}]}})");
}

void ClusterDocumentTest::refusesForeignFragments() {
    QFETCH(QByteArray, bytes);
    QVERIFY(!readFragment(bytes));
}

ORRERY_WIDGET_TEST(ClusterDocumentTest)
#include "cluster_document_test.moc"
