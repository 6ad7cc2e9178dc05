// SPDX-License-Identifier: GPL-3.0-or-later
// Another platform: what follows it, what stays, and how many hosts there are.

#include "resources/shipped_catalog.hpp"
#include "tests/support/form_support.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/cluster/fields/cluster_fields.hpp"
#include "widgets/cluster/fields/platform_change.hpp"

#include <QtTest>

#include <cmath>
#include <random>

using namespace orrery;

namespace {

const Catalog& platformCatalog() {
    static const Catalog shipped = shippedCatalog();
    return shipped;
}

double microsecondsOf(double seconds) { return std::round(seconds * 1e9) / 1e3; }

/// A cluster of the platform in its short form, with every number said.
Json saidInFull(const Platform& platform) {
    Json scenario{{"name", "A run on 4 × " + platform.name}};
    scenario["cluster"] = {{"accelerator", platform.accelerator},
                           {"accelerators_per_node", platform.acceleratorsPerNode},
                           {"nodes", 4},
                           {"scale_up", {{"bandwidth_gb_s", jsonNumber(platform.scaleUpBandwidth / 1e9)}, {"latency_us", jsonNumber(microsecondsOf(platform.scaleUpLatency))}, {"domain_size", platform.scaleUpDomain}}},
                           {"scale_out", {{"bandwidth_gb_s", jsonNumber(platform.scaleOutBandwidth / 1e9)}, {"latency_us", jsonNumber(microsecondsOf(platform.scaleOutLatency))}}}};
    return scenario;
}

Json applied(Json document, const std::vector<ScenarioEdit>& edits) {
    test::apply(document, edits);
    return document;
}

Json at(const Json& document, const char* pointer) { return document.at(Json::json_pointer(pointer)); }

/// Two hosts under one switch, drawn with H100s.
Json drawnPair() {
    return Json::parse(R"({
      "name": "Test on 2 DGX H100",
      "cluster": {"scale_up": {"bandwidth_gb_s": 450, "latency_us": 0.8}, "topology": {
        "nodes": [{"id": "dgx-0", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8},
                  {"id": "dgx-1", "kind": "host", "accelerator": "h100-sxm5-80gb", "count": 8},
                  {"id": "leaf-0", "kind": "switch"}],
        "links": [{"from": "dgx-0", "to": "leaf-0", "bandwidth_gb_s": 50, "latency_us": 1.34, "count": 8},
                  {"from": "dgx-1", "to": "leaf-0", "bandwidth_gb_s": 50, "latency_us": 1.34, "count": 8}]}}})");
}

} // namespace

class PlatformChangeTest : public QObject {
    Q_OBJECT
private slots:
    void everyPlatformIsReplacedByEveryOther() {
        int pairs = 0;
        for (const Platform& was : platformCatalog().platforms()) {
            for (const Platform& is : platformCatalog().platforms()) {
                if (was.generated || is.generated) continue;
                const Json before = saidInFull(was);
                const Json after = applied(before, replacePlatform(before, {}, is, platformCatalog()));
                Json wanted = saidInFull(is);
                wanted["name"] = after["name"]; // a title names the accelerator or the platform, as far as it did
                QVERIFY2(after == wanted, (was.id + " to " + is.id + ": " + after.dump()).c_str());
                if (was.accelerator != is.accelerator) QVERIFY(keptOverPlatform(before, after, platformCatalog()).numbers.empty());
                ++pairs;
            }
        }
        QVERIFY(pairs > 400);
    }

    void whatIsLeftOutFollowsByItself() {
        const Json before = Json::parse(R"({"cluster": {"accelerator": "h100-sxm5-80gb", "nodes": 2}})");
        const Json after = applied(before, followPlatform(before, {{"/cluster/accelerator", "b200-sxm-180gb"}}, platformCatalog()));
        QCOMPARE(after.dump(), std::string(R"({"cluster":{"accelerator":"b200-sxm-180gb","nodes":2}})"));
        // A rack's domain is one host unless it is said.
        const Json rack = applied(before, followPlatform(before, {{"/cluster/accelerator", "gb200"}}, platformCatalog()));
        QCOMPARE(at(rack, "/cluster/scale_up/domain_size"), Json(72));
    }

    void whatWasTypedNeverChanges() {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> factor(1.01, 3);
        const char* numbers[] = {"/cluster/scale_up/bandwidth_gb_s", "/cluster/scale_up/latency_us", "/cluster/scale_out/bandwidth_gb_s", "/cluster/scale_out/latency_us"};
        const auto& platforms = platformCatalog().platforms();
        for (int run = 0; run < 300; ++run) {
            const Platform& was = platforms[random() % platforms.size()];
            const Platform& is = platforms[random() % platforms.size()];
            if (was.accelerator == is.accelerator || !is.usual || !was.usual) continue;
            Json before = saidInFull(was);
            std::set<std::string> typed;
            for (const char* number : numbers)
                if (random() % 2) {
                    before[Json::json_pointer(number)] = at(before, number).get<double>() * factor(random);
                    typed.insert(number);
                }
            const Json after = applied(before, followPlatform(before, {{"/cluster/accelerator", is.accelerator}}, platformCatalog()));
            const KeptNumbers kept = keptOverPlatform(before, after, platformCatalog());
            QCOMPARE(kept.numbers.size(), typed.size());
            for (const char* number : numbers) QVERIFY(typed.contains(number) ? at(after, number) == at(before, number) : at(after, number) == at(saidInFull(is), number));
            // Each can be taken after all.
            Json mended = after;
            for (const KeptNumber& number : kept.numbers) test::apply(mended, number.mend);
            for (const char* number : numbers) QCOMPARE(at(mended, number), at(saidInFull(is), number));
        }
    }

    void aDrawingFollowsHostByHost() {
        const Json before = drawnPair();
        const Platform& b300 = *platformCatalog().platform("hgx-b300");
        const Json one = applied(before, replacePlatform(before, {"dgx-0"}, b300, platformCatalog()));
        QCOMPARE(at(one, "/cluster/topology/nodes/0/accelerator"), Json("b300-sxm"));
        QCOMPARE(at(one, "/cluster/topology/nodes/1/accelerator"), Json("h100-sxm5-80gb"));
        QCOMPARE(at(one, "/cluster/topology/links/0/bandwidth_gb_s"), Json(100));
        QCOMPARE(at(one, "/cluster/topology/links/1/bandwidth_gb_s"), Json(50));
        // The scale-up numbers are the cluster's: they stay as long as there is an H100.
        QCOMPARE(at(one, "/cluster/scale_up/bandwidth_gb_s"), Json(450));
        QCOMPARE(at(one, "/name"), Json("Test on 2 DGX H100"));
        const Json both = applied(one, replacePlatform(one, {"dgx-1"}, b300, platformCatalog()));
        QCOMPARE(at(both, "/cluster/topology/links/1/bandwidth_gb_s"), Json(100));
    }

    void aDrawingOfRacks() {
        const Json before = drawnPair();
        const Json after = applied(before, replacePlatform(before, {}, *platformCatalog().platform("gb200-nvl72"), platformCatalog()));
        for (const char* host : {"/cluster/topology/nodes/0", "/cluster/topology/nodes/1"}) {
            QCOMPARE(at(after, host).at("count"), Json(4));
            QCOMPARE(at(after, host).at("domain"), Json("rack-0"));
        }
        QCOMPARE(at(after, "/cluster/topology/links/0/count"), Json(4));
        QCOMPARE(at(after, "/cluster/scale_up/bandwidth_gb_s"), Json(900));
        const Json back = applied(after, replacePlatform(after, {}, *platformCatalog().platform("dgx-h100"), platformCatalog()));
        QCOMPARE(back.at("cluster").dump(), before.at("cluster").dump());
    }

    void typedCablesAreTold() {
        Json before = drawnPair();
        before["cluster"]["topology"]["links"][1]["bandwidth_gb_s"] = 12.5;
        const Json after = applied(before, replacePlatform(before, {}, *platformCatalog().platform("hgx-b300"), platformCatalog()));
        QCOMPARE(at(after, "/cluster/topology/links/1/bandwidth_gb_s"), Json(12.5));
        const KeptNumbers kept = keptOverPlatform(before, after, platformCatalog());
        QCOMPARE(kept.platform, QString("HGX B300"));
        QCOMPARE(kept.numbers.size(), std::size_t(1));
        QCOMPARE(at(applied(after, kept.numbers[0].mend), "/cluster/topology/links/1/bandwidth_gb_s"), Json(100));
    }

    void theTitleNamesTheNewOneOnly() {
        const auto titled = [](const char* title) {
            Json before = drawnPair();
            before["name"] = title;
            return at(applied(before, replacePlatform(before, {}, *platformCatalog().platform("dgx-b200"), platformCatalog())), "/name").get<std::string>();
        };
        QCOMPARE(titled("70B on 8 × DGX H100, twice"), std::string("70B on 8 × DGX B200, twice"));
        QCOMPARE(titled("H100s are not the word, H100 is"), std::string("H100s are not the word, B200 is"));
        QCOMPARE(titled("Nothing of the sort"), std::string("Nothing of the sort"));
    }

    void hostsInNumber() {
        const Json before = drawnPair();
        const auto with = [](const Json& scenario, int hosts) {
            return applied(scenario, ClusterFields(scenario, platformCatalog()).edits(ClusterFields::hosts, hosts));
        };
        for (const int wanted : {1, 3, 16, 200}) {
            const ClusterDocument drawn(with(before, wanted), platformCatalog());
            QCOMPARE(drawn.hosts(), wanted);
            // Hosts that nobody would tell apart are one stack, cabled as the two of the drawing are.
            if (wanted > 64) QVERIFY(drawn.nodes().size() < 10 && drawn.links().size() < 10);
            else QCOMPARE(drawn.links().size(), static_cast<std::size_t>(wanted));
            std::set<std::string> ids;
            for (const DrawnNode& node : drawn.nodes()) QVERIFY(ids.insert(node.id).second);
        }
        QCOMPARE(with(with(before, 5), 2).dump(), before.dump());
        // A stack is a number.
        Json stack = before;
        stack["cluster"]["topology"]["nodes"].erase(1);
        stack["cluster"]["topology"]["links"].erase(1);
        QCOMPARE(at(with(stack, 64), "/cluster/topology/nodes/0/replicas"), Json(64));
        // The short form too.
        const Json shortForm = Json::parse(R"({"cluster": {"accelerator": "h100-sxm5-80gb", "nodes": 2}})");
        QCOMPARE(at(with(shortForm, 9), "/cluster/nodes"), Json(9));
        // Nothing is left behind of what straggled and is gone.
        Json slow = before;
        slow["execution"]["stragglers"] = Json::array({{{"node", "dgx-1"}, {"slowdown", 1.5}}});
        QCOMPARE(with(slow, 1).dump().find("dgx-1"), std::string::npos);
    }

    void fieldsOfAMixedDrawing() {
        Json mixed = drawnPair();
        mixed["cluster"]["topology"]["nodes"][1]["accelerator"] = "b200-sxm-180gb";
        const ClusterFields fields(mixed, platformCatalog());
        QVERIFY(!fields.given(ClusterFields::platform));
        QVERIFY(!fields.given(ClusterFields::accelerator));
        QVERIFY(fields.differ(ClusterFields::accelerator) && !fields.differ(ClusterFields::perHost));
        QCOMPARE(*fields.given(ClusterFields::perHost), Json(8));
        QCOMPARE(*fields.given(ClusterFields::hosts), Json(2));
        const Json same = applied(mixed, fields.edits(ClusterFields::platform, "dgx-h200"));
        QCOMPARE(*ClusterFields(same, platformCatalog()).given(ClusterFields::platform), Json("dgx-h200"));
    }
};

ORRERY_WIDGET_TEST(PlatformChangeTest)
#include "platform_change_test.moc"
