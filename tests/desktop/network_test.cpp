// SPDX-License-Identifier: GPL-3.0-or-later
// The network in the real window, over the real simulation: loads follow the timeline, what-ifs are undoable edits that
// the simulation takes.

#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "core/base/json.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/network/link_load_model.hpp"
#include "widgets/network/link_load_table.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QTableView>
#include <QUndoStack>

#include <algorithm>
#include <cmath>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;

WindowViews& views(Window& window) { return *window->findChild<WindowViews*>(); }

} // namespace

class NetworkTest : public QObject {
    Q_OBJECT
private slots:
    void loadsFollowTheTimeline();
    void tableAndDrawingChooseTogether();
    void whatIfsAreStepsOfTheDocument();
    void pictures_data();
    void pictures();
};

void NetworkTest::loadsFollowTheTimeline() {
    Window window(catalog());
    QVERIFY(window.start());
    ClusterCanvas& canvas = *views(window).cluster();
    const std::vector<double>& loads = canvas.look().linkLoad;
    QCOMPARE(loads.size(), canvas.document().links().size());
    QVERIFY2(std::all_of(loads.begin(), loads.end(), [](double load) { return std::isfinite(load) && load >= 0 && load <= 1 + 1e-9; }), "every drawn link has a load");
    QVERIFY2(std::any_of(loads.begin(), loads.end(), [](double load) { return load > 0; }), "the iteration sends over the network");
    const std::vector<double>& fabrics = canvas.look().fabricLoad;
    QVERIFY(std::any_of(fabrics.begin(), fabrics.end(), [](double load) { return load > 0; }));
    // Under the mouse: the most loaded cable drawn is the most loaded of the report at the cursor.
    TimelineView& timeline = *views(window).timeline();
    const QRect lanes = timeline.lanesArea();
    for (const double share : {0.1, 0.5, 0.9, 0.97}) {
        QTest::mouseMove(&timeline, QPoint(lanes.left() + static_cast<int>(share * lanes.width()), lanes.top() + 20));
        const double cursor = window->selection().cursor();
        QVERIFY(std::abs(cursor / window->result()->timeline.duration - share) < 0.05);
        const std::vector<LinkLoad> now = linkLoads(window->result()->timeline, window->result()->network, cursor, cursor);
        double expected = 0;
        for (std::size_t i = 0; i < now.size(); ++i)
            if (window->result()->network.links[i].kind == LinkKind::cable) expected = std::max(expected, now[i].mean);
        QTRY_COMPARE(*std::max_element(canvas.look().linkLoad.begin(), canvas.look().linkLoad.end()), expected);
    }
}

void NetworkTest::tableAndDrawingChooseTogether() {
    Window window(catalog());
    QVERIFY(window.start());
    window.trigger("view.links");
    LinkLoadTable& table = *views(window).links();
    QVERIFY(table.isVisible());
    QVERIFY(table.model()->rowCount() > 0);
    ClusterCanvas& canvas = *views(window).cluster();
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        table.view()->selectRow(row);
        QVERIFY2(!canvas.selection().empty(), qPrintable(table.model()->index(row, 0).data().toString()));
        QCOMPARE(table.view()->currentIndex().row(), row);
    }
    window.trigger("view.links");
    QVERIFY(!table.isVisible());
    QVERIFY(views(window).operators());
}

void NetworkTest::whatIfsAreStepsOfTheDocument() {
    Window window(catalog());
    QVERIFY(window.start());
    ClusterCanvas& canvas = *views(window).cluster();
    const Json before = window->document().json();
    const auto time = [&] { return window->result()->training()->iterationTime; };
    const double undisturbed = time();
    const std::string host = canvas.document().nodes().front().isHost() ? canvas.document().nodes().front().id : std::string();
    QVERIFY(!host.empty());
    ClusterSelection links;
    for (const DrawnLink& link : canvas.document().links())
        if (canvas.document().nodes()[static_cast<std::size_t>(link.from)].id == host) links.links.insert(canvas.document().keyOf(link));
    QVERIFY(!links.empty());
    canvas.setSelection(links);
    QVERIFY(window.resultAfter([&] { canvas.degradeSelection(0.1); }));
    QCOMPARE(canvas.whatIfs().size(), links.links.size());
    QVERIFY2(time() > undisturbed, qPrintable(QString("%1 s with a tenth of a host's bandwidth, %2 s without").arg(time()).arg(undisturbed)));
    QVERIFY(window.resultAfter([&] { window.trigger("edit.undo"); }));
    QVERIFY(window->document().json() == before);
    QVERIFY(canvas.whatIfs().empty());
    QCOMPARE(time(), undisturbed);
    QVERIFY(window.resultAfter([&] { window.trigger("edit.redo"); }));
    QVERIFY(window.resultAfter([&] { window.trigger("cluster.what_if.restore_all"); }));
    QVERIFY(canvas.whatIfs().empty());
    QVERIFY(std::abs(time() / undisturbed - 1) < 1e-9);
}

void NetworkTest::pictures_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("dark");
    for (const QSize size : {QSize(1280, 720), QSize(1600, 1000)})
        for (const bool dark : {false, true}) QTest::addRow("%d-%s", size.width(), dark ? "dark" : "light") << size << dark;
}

void NetworkTest::pictures() {
    const QString folder = qEnvironmentVariable("ORRERY_SCREENSHOTS");
    if (folder.isEmpty()) QSKIP("no folder asked for");
    QFETCH(QSize, size);
    QFETCH(bool, dark);
    Window window(catalog());
    QVERIFY(window.start({}, size));
    if (dark) window.trigger("view.theme.dark");
    ClusterCanvas& canvas = *views(window).cluster();
    const std::string host = canvas.document().nodes()[1].id;
    QVERIFY(window.resultAfter([&] {
        canvas.setSelection({{}, {canvas.document().keyOf(canvas.document().links()[canvas.document().links().size() / 2])}});
        canvas.degradeSelection(0.5);
    }));
    QVERIFY(window.resultAfter([&] {
        emit canvas.editRequested("x", {{"/execution/stragglers", Json::array({{{"node", canvas.document().nodes()[1].id}, {"slowdown", 1.2}}})}});
    }));
    canvas.setSelection({});
    window.trigger("view.links");
    auto* timeline = views(window).timeline();
    const double duration = window->result()->timeline.duration;
    timeline->setVisibleRange(0, duration);
    window->selection().setRange(duration * 0.7, duration);
    QTest::qWait(200);
    const QString name = QString::fromLatin1(QTest::currentDataTag());
    QVERIFY(window->grab().save(folder + "/window-" + name + ".png"));
}

ORRERY_WIDGET_TEST(NetworkTest)
#include "network_test.moc"
