// SPDX-License-Identifier: GPL-3.0-or-later
// What holds the memory: the division of an area, the tree of holders, treemap and table as a person uses them.
#include "tests/support/chart_checks.hpp"
#include "tests/support/synthetic_result.hpp"

#include "core/base/units.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/memory/holder_model.hpp"
#include "widgets/memory/holder_table.hpp"
#include "widgets/memory/memory_treemap.hpp"
#include "widgets/memory/squarify.hpp"

#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <cmath>
#include <random>

using namespace orrery;
using test::syntheticResult;

namespace {

MemoryHolder holder(MemoryKind kind, int layer, int microBatch, const char* tensor, double bytes) {
    MemoryHolder one;
    one.kind = kind;
    one.piece = layer < 0 ? "head" : "layer";
    one.layer = layer;
    one.microBatch = microBatch;
    one.tensor = tensor;
    one.bytes = bytes;
    one.firstOperator = microBatch < 0 ? "" : "attention.qkv";
    one.lastOperator = microBatch < 0 ? "" : "attention.qkv.wgrad";
    one.to = 1;
    return one;
}

/// 8 layers with two matrices each, and two tensors of three micro-batches.
std::vector<MemoryHolder> someHolders(double scale) {
    std::vector<MemoryHolder> holders;
    for (int layer = 0; layer < 8; ++layer) {
        holders.push_back(holder(MemoryKind::weights, layer, -1, "mlp.gate_up", 5e8));
        holders.push_back(holder(MemoryKind::weights, layer, -1, "attention.qkv", 2e8));
        for (int microBatch = 0; microBatch < 3; ++microBatch) {
            holders.push_back(holder(MemoryKind::activations, layer, microBatch, "attention.qkv", 1e8 * scale));
            holders.push_back(holder(MemoryKind::activations, layer, microBatch, "mlp.norm", 3e7 * scale));
        }
    }
    holders.push_back(holder(MemoryKind::temporary, -1, 2, "logits", 4e8));
    MemoryHolder framework = holder(MemoryKind::framework, -1, -1, "device context", 1e9);
    framework.piece.clear();
    holders.push_back(framework);
    return holders;
}

struct HoldersBench {
    Theme theme;
    Selection selection;
    std::vector<std::pair<int, double>> asked;
    MemoryHolders holders{selection, [this](const Result&, int stage, double time) {
                              asked.emplace_back(stage, time);
                              return someHolders(1 + time);
                          }};
    ResultPtr result = syntheticResult();

    explicit HoldersBench(ThemeVariant variant = ThemeVariant::light) : theme(variant) {
        holders.setActive(true);
        holders.setResult(result);
    }
};

double areaOf(const QRectF& rect) { return rect.width() * rect.height(); }

QPointF middleOf(const MemoryTreemap& map, int node) {
    for (const MemoryTreemap::Cell& cell : map.cells())
        if (cell.node == node) return cell.rect.center();
    return {-1, -1};
}

} // namespace

class HoldersTest : public QObject {
    Q_OBJECT

private slots:
    void areasAreSharesThatFillAndDoNotOverlap() {
        std::mt19937 random(11);
        for (int round = 0; round < 300; ++round) {
            const int count = 1 + static_cast<int>(random() % 60);
            std::lognormal_distribution<double> sizes(0, 0.3 + (round % 7) * 0.5);
            std::vector<double> weights;
            double sum = 0;
            for (int i = 0; i < count; ++i) {
                weights.push_back(i % 9 == 8 ? 0 : sizes(random) * 1e9);
                sum += weights.back();
            }
            const QRectF area(13, 7, 20 + random() % 1500, 20 + random() % 900);
            const std::vector<QRectF> rects = squarify(area, weights);
            QCOMPARE(rects.size(), weights.size());
            double covered = 0;
            for (std::size_t i = 0; i < rects.size(); ++i) {
                QVERIFY(std::abs(areaOf(rects[i]) - areaOf(area) * weights[i] / sum) < 1e-6 * areaOf(area));
                if (weights[i] <= 0) QVERIFY(rects[i].isEmpty());
                else QVERIFY(area.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(rects[i]));
                covered += areaOf(rects[i]);
                for (std::size_t j = 0; j < i; ++j) QVERIFY(areaOf(rects[i].intersected(rects[j])) < 1e-6 * areaOf(area));
            }
            QVERIFY(std::abs(covered - areaOf(area)) < 1e-6 * areaOf(area));
        }
    }

    void aFewEqualWeightsGiveNearSquares() {
        for (const QRectF& rect : squarify({0, 0, 400, 100}, std::vector<double>(16, 1.0))) {
            const double ratio = std::max(rect.width(), rect.height()) / std::min(rect.width(), rect.height());
            QVERIFY2(ratio < 2.01, qPrintable(QString::number(ratio)));
        }
    }

    void nonsenseWeightsAreLeftOut() {
        const auto rects = squarify({0, 0, 100, 100}, {1, std::nan(""), -3, INFINITY, 1});
        QVERIFY(rects[1].isEmpty() && rects[2].isEmpty() && rects[3].isEmpty());
        QCOMPARE(areaOf(rects[0]), 5000.0);
        QVERIFY(squarify({0, 0, 0, 100}, {1, 2}).front().isEmpty());
        QVERIFY(squarify({0, 0, 100, 100}, {}).empty());
        // So far apart that the small ones vanish in rounding.
        for (const QRectF& rect : squarify({0, 0, 100, 100}, {1e30, 1, 1e-30})) QVERIFY(std::isfinite(rect.width()));
    }

    void theTreeSumsUp() {
        const std::vector<MemoryHolder> holders = someHolders(1);
        const HolderTree tree(holders);
        double sum = 0;
        for (const MemoryHolder& one : holders) sum += one.bytes;
        QVERIFY(std::abs(tree.node(tree.root()).bytes - sum) < 1e-3);
        int leaves = 0;
        for (int i = 0; i < tree.size(); ++i) {
            const HolderNode& node = tree.node(i);
            leaves += node.holder >= 0;
            double children = 0, last = INFINITY;
            for (const int child : node.children) {
                children += tree.node(child).bytes;
                QVERIFY(tree.node(child).bytes <= last); // largest first
                last = tree.node(child).bytes;
                QCOMPARE(tree.node(child).parent, i);
            }
            if (!node.children.empty()) QVERIFY(std::abs(children - node.bytes) < 1e-3);
            QCOMPARE(tree.find(tree.path(i)), i);
        }
        QCOMPARE(leaves, static_cast<int>(holders.size()));
        QVERIFY(HolderTree(std::vector<MemoryHolder>{}).isEmpty());
    }

    void theMomentIsTheCursorElseTheClickElseThePeak() {
        HoldersBench bench;
        const StageMemory& fullest = bench.result->memory.stages.front();
        QCOMPARE(bench.asked.back(), std::pair(fullest.stage, fullest.peakTime));
        QVERIFY(bench.holders.isAtPeak());
        bench.selection.setMoment(2.5);
        bench.selection.setStage(1);
        QTRY_COMPARE(bench.asked.back(), std::pair(1, 2.5));
        bench.selection.setCursor(1.25); // as the timeline does while the mouse moves over it
        QTRY_COMPARE(bench.asked.back(), std::pair(1, 1.25));
        bench.selection.setCursor(-1);
        QTRY_COMPARE(bench.asked.back(), std::pair(1, 2.5));
        bench.selection.clear();
        QTRY_COMPARE(bench.asked.back(), std::pair(fullest.stage, fullest.peakTime));
        // Many moves of the mouse are few look-ups, and none while nobody sees them.
        const std::size_t before = bench.asked.size();
        for (int i = 0; i < 100; ++i) bench.selection.setCursor(0.01 * i);
        QTest::qWait(120);
        QVERIFY(bench.asked.size() - before <= 4);
        bench.holders.setActive(false);
        const std::size_t resting = bench.asked.size();
        bench.selection.setCursor(3);
        QTest::qWait(80);
        QCOMPARE(bench.asked.size(), resting);
        bench.holders.setActive(true);
        QCOMPARE(bench.asked.back(), std::pair(fullest.stage, 3.0));
    }

    void topCellsHaveTheAreasOfTheirBytes() {
        HoldersBench bench;
        MemoryTreemap map(bench.theme, bench.holders);
        map.resize(900, 600);
        map.show();
        const HolderTree& tree = bench.holders.tree();
        double area = 0;
        for (const MemoryTreemap::Cell& cell : map.cells())
            if (tree.node(cell.node).parent == 0) area += areaOf(cell.rect);
        int compared = 0;
        for (const MemoryTreemap::Cell& cell : map.cells()) {
            if (tree.node(cell.node).parent != 0) continue;
            QVERIFY(std::abs(areaOf(cell.rect) / area - tree.node(cell.node).bytes / bench.holders.totalBytes()) < 1e-9);
            ++compared;
        }
        QCOMPARE(compared, 4);
        // What lies in a cell stays in it, and siblings keep clear of each other.
        for (const MemoryTreemap::Cell& one : map.cells())
            for (const MemoryTreemap::Cell& other : map.cells()) {
                if (one.node == other.node) continue;
                if (tree.isWithin(one.node, other.node)) QVERIFY(other.rect.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(one.rect));
                else if (!tree.isWithin(other.node, one.node)) QVERIFY(areaOf(one.rect.intersected(other.rect)) < 1e-6);
            }
    }

    void clicksChooseAndLookInside() {
        HoldersBench bench;
        MemoryTreemap map(bench.theme, bench.holders);
        map.resize(900, 600);
        map.show();
        const HolderTree& tree = bench.holders.tree();
        int tensor = -1;
        for (int i = 0; i < tree.size(); ++i)
            if (tree.node(i).holder >= 0 && tree.node(i).kind == MemoryKind::weights && tree.node(i).name == "mlp.gate_up") tensor = i;
        const QPointF place = middleOf(map, tensor);
        QVERIFY(place.x() > 0);
        QTest::mouseClick(&map, Qt::LeftButton, {}, place.toPoint());
        QCOMPARE(bench.holders.chosen(), tensor);
        QVERIFY(map.describe(tensor).contains("weights › layer 7 › mlp.gate_up"));
        QTest::mouseClick(&map, Qt::LeftButton, {}, place.toPoint());
        QCOMPARE(bench.holders.chosen(), tree.root()); // a second click lets go
        QTest::mouseDClick(&map, Qt::LeftButton, {}, place.toPoint());
        QCOMPARE(tree.node(map.inside()).name, QString("weights"));
        QCOMPARE(map.crumbs(), QString("weights"));
        for (const MemoryTreemap::Cell& cell : map.cells()) QVERIFY(tree.isWithin(cell.node, map.inside()));
        QTest::keyClick(&map, Qt::Key_Escape);
        QCOMPARE(map.inside(), tree.root());
    }

    void theKeyboardReachesEverything() {
        HoldersBench bench;
        MemoryTreemap map(bench.theme, bench.holders);
        map.resize(600, 400);
        map.show();
        map.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&map));
        map.clearFocus();
        map.setFocus(Qt::TabFocusReason);
        const HolderTree& tree = bench.holders.tree();
        QTRY_COMPARE(bench.holders.chosen(), tree.node(tree.root()).children[0]);
        QTest::keyClick(&map, Qt::Key_Right);
        QCOMPARE(bench.holders.chosen(), tree.node(tree.root()).children[1]);
        QTest::keyClick(&map, Qt::Key_Left);
        QTest::keyClick(&map, Qt::Key_Down);
        const int layer = bench.holders.chosen();
        QCOMPARE(tree.node(layer).parent, tree.node(tree.root()).children[0]);
        QTest::keyClick(&map, Qt::Key_Up);
        QCOMPARE(bench.holders.chosen(), tree.node(layer).parent);
        QTest::keyClick(&map, Qt::Key_Return);
        QCOMPARE(map.inside(), tree.node(layer).parent);
        QTest::keyClick(&map, Qt::Key_Backspace);
        QCOMPARE(map.inside(), tree.root());
        QVERIFY(!map.accessibleDescription().isEmpty());
    }

    void theTableListsEveryTensorLargestFirst() {
        HoldersBench bench;
        HolderTable table(bench.theme, bench.holders);
        table.resize(900, 300);
        table.show();
        QAbstractItemModel* rows = table.view()->model();
        QCOMPARE(rows->rowCount(), static_cast<int>(bench.holders.holders().size()));
        double last = INFINITY, sum = 0;
        for (int row = 0; row < rows->rowCount(); ++row) {
            const double bytes = rows->index(row, HolderModel::bytesColumn).data(HolderModel::sortRole).toDouble();
            QVERIFY(bytes <= last);
            last = bytes;
            sum += bytes;
        }
        QVERIFY(std::abs(sum - bench.holders.totalBytes()) < 1e-3);
        QCOMPARE(rows->index(0, HolderModel::tensorColumn).data().toString(), QString("device context"));
        QVERIFY(table.scopeText().startsWith("Memory of stage 0 at its peak"));
        table.findChild<QLineEdit*>()->setText("gate_up");
        QCOMPARE(rows->rowCount(), 8);
    }

    void theBytesAreInSightInANarrowPanel() {
        HoldersBench bench;
        HolderTable table(bench.theme, bench.holders);
        table.resize(460, 300); // the least that a window of 1280 leaves it
        table.show();
        const auto rightOf = [&table](int column) { return table.view()->columnViewportPosition(column) + table.view()->columnWidth(column); };
        QVERIFY2(rightOf(HolderModel::shareColumn) <= table.view()->viewport()->width(), qPrintable(QString::number(rightOf(HolderModel::shareColumn))));
        const QModelIndex first = table.view()->model()->index(0, HolderModel::bytesColumn);
        QVERIFY(table.view()->columnWidth(HolderModel::bytesColumn) >= table.view()->sizeHintForIndex(first).width());
        // The rest of the room is for names: what few tensors have comes after it.
        QVERIFY(HolderModel::microBatchColumn > HolderModel::shareColumn);
        // What a name lost at its end is in its tool tip.
        const QModelIndex name = table.view()->model()->index(0, HolderModel::tensorColumn);
        QVERIFY(name.data(Qt::ToolTipRole).toString().contains(name.data().toString()));
    }

    void tableAndTreemapFollowEachOther() {
        HoldersBench bench;
        MemoryTreemap map(bench.theme, bench.holders);
        HolderTable table(bench.theme, bench.holders);
        table.resize(900, 300);
        table.show();
        const HolderTree& tree = bench.holders.tree();
        QAbstractItemModel* rows = table.view()->model();
        table.view()->selectRow(3);
        const int chosen = bench.holders.chosen();
        QVERIFY(tree.node(chosen).holder >= 0);
        QCOMPARE(tree.node(chosen).name, rows->index(3, HolderModel::tensorColumn).data().toString());
        QCOMPARE(rows->rowCount(), static_cast<int>(bench.holders.holders().size())); // choosing a row hides none
        // A kind chosen in the treemap narrows the table; "Everything" widens it again.
        const int activations = tree.node(tree.node(tree.root()).children[0]).kind == MemoryKind::activations ? tree.node(tree.root()).children[0]
                                                                                                              : tree.node(tree.root()).children[1];
        bench.holders.choose(activations);
        QVERIFY(rows->rowCount() > 0 && rows->rowCount() < static_cast<int>(bench.holders.holders().size()));
        for (int row = 0; row < rows->rowCount(); ++row) QCOMPARE(rows->index(row, HolderModel::kindColumn).data().toString(), tree.node(activations).name);
        for (auto* button : table.findChildren<QToolButton*>())
            if (button->text() == "Everything") QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(rows->rowCount(), static_cast<int>(bench.holders.holders().size()));
        // The choice is of the thing, not of its number: at another moment it is still the same tensor.
        bench.holders.choose(chosen);
        const QString path = tree.path(chosen);
        bench.selection.setMoment(1);
        QTRY_VERIFY(!bench.holders.isAtPeak());
        QCOMPARE(bench.holders.tree().path(bench.holders.chosen()), path);
    }

    void labelsKeepClear() {
        for (const ThemeVariant variant : test::checkedThemes) {
            HoldersBench bench(variant);
            MemoryTreemap map(bench.theme, bench.holders);
            for (const QSize& size : test::checkedSizes) {
                const auto texts = test::recordTexts(map, size);
                QVERIFY(texts.size() > 6);
                const QString faults = test::labelFaults(texts, size);
                QVERIFY2(faults.isEmpty(), qPrintable(QString("%1×%2: %3").arg(size.width()).arg(size.height()).arg(faults)));
            }
        }
    }

    void namesAreWholeOrTellWhatTheyAre() {
        Theme theme;
        Selection selection;
        MemoryHolders holders(selection, [](const Result&, int, double) {
            std::vector<MemoryHolder> some;
            const char* names[] = {"mlp.gate_up", "attention.output_projection", "embedding.token_weight", "mlp.down", "attention.qkv"};
            for (int layer = 0; layer < 6; ++layer)
                for (int i = 0; i < 5; ++i) some.push_back(holder(static_cast<MemoryKind>(i % 3), layer, i % 3 == 2 ? layer : -1, names[i], 1e8 * (1 + i * layer)));
            return some;
        });
        holders.setActive(true);
        holders.setResult(syntheticResult());
        MemoryTreemap map(theme, holders);
        int names = 0;
        for (const QSize& size : {QSize(300, 220), QSize(380, 260), QSize(900, 700), QSize(1200, 700)}) {
            const auto texts = test::recordTexts(map, size);
            for (const test::DrawnText& text : texts) {
                names += text.text.contains(QStringLiteral("mlp")) || text.text.contains(QStringLiteral("attention"));
                if (text.text.endsWith(QChar(0x2026))) QVERIFY2(text.text.size() > 6, qPrintable(text.text));
            }
            const QString faults = test::labelFaults(texts, size);
            QVERIFY2(faults.isEmpty(), qPrintable(faults));
        }
        QVERIFY(names > 20);
    }

    void exportsAreWholeAndTheCsvHasEveryTensor() {
        HoldersBench bench;
        bench.holders.setActive(false); // an export is wanted whether or not the view is seen
        bench.holders.setResult(bench.result);
        MemoryTreemap map(bench.theme, bench.holders);
        QCOMPARE(test::exportFaults(map), QString());
        const auto lines = test::parseCsv(map.csv());
        QCOMPARE(lines.size(), static_cast<qsizetype>(bench.holders.holders().size()) + 1);
        const qsizetype bytes = lines[0].indexOf("bytes");
        double sum = 0;
        for (qsizetype i = 1; i < lines.size(); ++i) {
            QCOMPARE(lines[i].size(), lines[0].size());
            sum += lines[i][bytes].toDouble();
        }
        QVERIFY(std::abs(sum - bench.holders.totalBytes()) < 1e-3);
    }

    void thousandsOfTensorsPaintQuickly() {
        Theme theme;
        Selection selection;
        MemoryHolders holders(selection, [](const Result&, int, double) {
            std::vector<MemoryHolder> many;
            for (int layer = 0; layer < 120; ++layer)
                for (int i = 0; i < 200; ++i) many.push_back(holder(static_cast<MemoryKind>(i % 4), layer, i % 4 == 3 ? i % 8 : -1, "t", 1e6 * (1 + i % 17)));
            return many;
        });
        MemoryTreemap map(theme, holders);
        map.resize(1200, 800);
        holders.setActive(true);
        QImage image(map.size(), QImage::Format_ARGB32_Premultiplied);
        const std::clock_t before = std::clock();
        for (int frame = 0; frame < 5; ++frame) {
            holders.setResult(syntheticResult());
            map.render(&image);
        }
        const double perFrame = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC / 5;
        QVERIFY2(perFrame < 0.5, qPrintable(QString::number(perFrame))); // with a result made and a tree built each time
    }

    void withoutAResultItSaysWhatItWouldShow() {
        Theme theme;
        Selection selection;
        MemoryHolders holders(selection, [](const Result&, int, double) { return std::vector<MemoryHolder>{}; });
        holders.setActive(true);
        holders.setResult(nullptr);
        MemoryTreemap map(theme, holders);
        map.resize(340, 240);
        const auto texts = test::recordTexts(map.size(), [&](QPainter& painter) { map.render(&painter); });
        QVERIFY(!texts.empty() && texts.front().text.startsWith("What holds"));
    }
};

ORRERY_WIDGET_TEST(HoldersTest)
#include "holders_test.moc"
