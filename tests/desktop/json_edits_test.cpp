// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "tests/support/widget_test.hpp"

#include <QTest>

#include <random>

using namespace orrery;

namespace {

Json parsed(const char* text) { return Json::parse(text); }

/// One of many documents with nested objects, arrays and nulls.
Json randomDocument(std::mt19937& random, int depth) {
    switch (random() % (depth > 0 ? 6 : 4)) {
    case 0: return static_cast<int>(random() % 100);
    case 1: return "text";
    case 2: return nullptr;
    case 3: return true;
    case 4: {
        Json array = Json::array();
        for (unsigned i = random() % 4; i > 0; --i) array.push_back(randomDocument(random, depth - 1));
        return array;
    }
    default: {
        Json object = Json::object();
        for (const char* key : {"b", "a", "~", "/", "c"}) {
            if (random() % 2) object[key] = randomDocument(random, depth - 1);
        }
        return object;
    }
    }
}

std::string randomPointer(std::mt19937& random) {
    static const char* const parts[] = {"a", "b", "c", "~0", "~1", "0", "1", "-"};
    std::string pointer;
    for (unsigned i = random() % 4; i > 0; --i) pointer += std::string("/") + parts[random() % std::size(parts)];
    return pointer;
}

} // namespace

class JsonEditsTest : public QObject {
    Q_OBJECT
private slots:
    void replacesAValue() {
        const EditOutcome outcome = applyEdits(parsed(R"({"a":{"b":1,"c":2}})"), {{"/a/b", 7}});
        QCOMPARE(outcome.document->dump(), std::string(R"({"a":{"b":7,"c":2}})"));
        QVERIFY(outcome.error.empty());
    }

    void makesTheObjectsOnTheWay() {
        const EditOutcome outcome = applyEdits(parsed(R"({"x":1})"), {{"/a/b/c", true}});
        QCOMPARE(outcome.document->dump(), std::string(R"({"x":1,"a":{"b":{"c":true}}})"));
        QCOMPARE(applyEdits(outcome.document, outcome.inverse).document->dump(), std::string(R"({"x":1})"));
    }

    void nullRemoves() {
        const EditOutcome outcome = applyEdits(parsed(R"({"a":1,"b":2,"c":3})"), {{"/b", nullptr}});
        QCOMPARE(outcome.document->dump(), std::string(R"({"a":1,"c":3})"));
        // Back at its old place, not at the end.
        QCOMPARE(applyEdits(outcome.document, outcome.inverse).document->dump(), std::string(R"({"a":1,"b":2,"c":3})"));
    }

    void removingWhatIsNotThereChangesNothing() {
        const EditOutcome outcome = applyEdits(parsed(R"({"a":1})"), {{"/b/c", nullptr}});
        QCOMPARE(outcome.document->dump(), std::string(R"({"a":1})"));
        QVERIFY(outcome.inverse.empty());
        QVERIFY(outcome.error.empty());
    }

    void keepsANullThatWasThere() {
        const Json before = parsed(R"({"model":{"config":{"head_dim":null,"layers":4}}})");
        const EditOutcome outcome = applyEdits(before, {{"/model/config/head_dim", 128}});
        QCOMPARE(applyEdits(outcome.document, outcome.inverse).document->dump(), before.dump());
    }

    void appendsToAndRemovesFromArrays() {
        const Json before = parsed(R"({"n":[1,2]})");
        const EditOutcome outcome = applyEdits(before, {{"/n/-", 3}, {"/n/0", nullptr}, {"/n/2", 4}});
        QCOMPARE(outcome.document->dump(), std::string(R"({"n":[2,3,4]})"));
        QCOMPARE(applyEdits(outcome.document, outcome.inverse).document->dump(), before.dump());
    }

    void readsEscapedPointers() {
        const EditOutcome outcome = applyEdits(parsed(R"({"a/b":1,"c~d":2})"), {{"/a~1b", 3}, {"/c~0d", 4}});
        QCOMPARE(outcome.document->dump(), std::string(R"({"a/b":3,"c~d":4})"));
        QCOMPARE(joinPointer(pointerParts("/a~1b/c~0d/~01")), std::string("/a~1b/c~0d/~01"));
    }

    void refusesAPlaceThatCannotBe() {
        const Json before = parsed(R"({"a":"text","n":[1]})");
        for (const char* pointer : {"/a/b", "/n/5", "/n/x"}) {
            const EditOutcome outcome = applyEdits(before, {{"/z", 1}, {pointer, 1}});
            QVERIFY2(outcome.error.find(pointer) != std::string::npos, outcome.error.c_str());
            QVERIFY(outcome.document == before); // the first edit too
            QVERIFY(outcome.inverse.empty());
        }
    }

    void everyEditCanBeTakenBack() {
        std::mt19937 random(20240711);
        int applied = 0;
        for (int round = 0; round < 5000; ++round) {
            Json before = Json::object(); // as every scenario is
            for (const char* key : {"c", "a", "b"}) before[key] = randomDocument(random, 4);
            std::vector<ScenarioEdit> edits;
            for (unsigned i = 1 + random() % 4; i > 0; --i) edits.push_back({randomPointer(random), randomDocument(random, 2)});
            const EditOutcome outcome = applyEdits(before, edits);
            const Json after = applyEdits(outcome.document, outcome.inverse).document;
            QCOMPARE(after.dump(), before.dump());
            if (outcome.error.empty() && outcome.document != before) ++applied;
        }
        QVERIFY(applied > 1000);
    }
};

ORRERY_WIDGET_TEST(JsonEditsTest)
#include "json_edits_test.moc"
