// SPDX-License-Identifier: GPL-3.0-or-later
// The table of links driven as a user drives it, and the traffic behind it following the shared selection.

#include "tests/support/widget_test.hpp"
#include "tests/widgets/network_fixture.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/network/link_load_model.hpp"
#include "widgets/network/link_load_table.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include <ctime>

using namespace orrery;

namespace {

/// Units stand after a thin space.
QString plainSpaces(QString text) { return text.replace(QChar(0x2009), u' '); }

struct LinkTableBench {
    Theme theme;
    Selection selection;
    NetworkTraffic traffic{selection};
    LinkLoadTable table{theme, traffic};

    explicit LinkTableBench(bool filled = true) {
        table.resize(900, 260);
        table.show();
        if (filled) traffic.setResult(test::tenSeconds(), test::tenSecondsNetwork());
    }
    QString cell(int row, int column) const { return plainSpaces(table.model()->index(row, column).data().toString()); }
    QString scope() const { return plainSpaces(table.scopeText()); }
    void settle() {
        traffic.updateNow();
        QTest::qWait(80); // the table follows some frames later
    }
};

} // namespace

class LinkLoadTableTest : public QObject {
    Q_OBJECT
private slots:
    void mostLoadedFirst();
    void followsTheCursor();
    void followsARange();
    void aRangeOutweighsTheCursor();
    void theWholeIterationOnRequest();
    void sortsByEveryColumn();
    void filtersByEndsAndUsers();
    void choosingTellsAndFollows();
    void aChosenRowKeepsItsLinkWhenTheOrderChanges();
    void lightsThePathOfTheChosenOperator();
    void saysWhatIsMissing();
    void exportsWhatItShows();
    void tensOfThousandsOfRowsFollow();
};

void LinkLoadTableTest::mostLoadedFirst() {
    LinkTableBench bench;
    QCOMPARE(bench.table.model()->rowCount(), 10);
    QCOMPARE(bench.scope(), QString("Links, whole iteration"));
    // Fabrics: 200 GB in 10 s at 100 GB/s = 20 %, as 40 GB in 10 s at 20 GB/s; equal ones keep the report's order.
    QCOMPARE(bench.cell(0, LinkLoadModel::loadColumn), QString("20.0 %"));
    QCOMPARE(bench.cell(0, LinkLoadModel::linkColumn), QString("host-0 – leaf-0"));
    QCOMPARE(bench.cell(0, LinkLoadModel::directionColumn), QString("→ leaf-0"));
    QCOMPARE(bench.cell(0, LinkLoadModel::bytesColumn), QString("40.0 GB"));
    QCOMPARE(bench.cell(0, LinkLoadModel::capacityColumn), QString("20.0 GB/s"));
    QCOMPARE(bench.cell(0, LinkLoadModel::usersColumn), QString("send 100 %"));
    QCOMPARE(bench.cell(1, LinkLoadModel::directionColumn), QString("→ host-1"));
    QCOMPARE(bench.cell(2, LinkLoadModel::linkColumn), QString("host-0 · scale-up"));
    QCOMPARE(bench.cell(9, LinkLoadModel::loadColumn), QString("0.0 %"));
}

void LinkLoadTableTest::followsTheCursor() {
    LinkTableBench bench;
    bench.selection.setCursor(3); // the first "gather": 50 GB/s in each fabric
    bench.settle();
    QCOMPARE(bench.scope(), QString("Links, at 3.000 s"));
    QCOMPARE(bench.cell(0, LinkLoadModel::linkColumn), QString("host-0 · scale-up"));
    QCOMPARE(bench.cell(0, LinkLoadModel::bytesColumn), QString("50.0 GB/s"));
    QCOMPARE(bench.cell(0, LinkLoadModel::loadColumn), QString("50.0 %"));
    QCOMPARE(bench.cell(2, LinkLoadModel::loadColumn), QString("0.0 %"));
}

void LinkLoadTableTest::followsARange() {
    LinkTableBench bench;
    bench.selection.setRange(6, 8); // one "gather" whole, half of "send"
    bench.settle();
    QVERIFY2(bench.scope().startsWith("Links, mean over 6.00–8.00"), qPrintable(bench.scope()));
    QCOMPARE(bench.cell(0, LinkLoadModel::bytesColumn), QString("20.0 GB"));
    QCOMPARE(bench.cell(0, LinkLoadModel::loadColumn), QString("50.0 %")); // 20 GB in 2 s of 20 GB/s
}

void LinkLoadTableTest::aRangeOutweighsTheCursor() {
    LinkTableBench bench;
    bench.selection.setRange(6, 8);
    bench.traffic.updateNow();
    QSignalSpy changed(&bench.traffic, &NetworkTraffic::changed);
    bench.selection.setCursor(3);
    QTest::qWait(40);
    QCOMPARE(changed.count(), 0);
    QCOMPARE(bench.traffic.scope(), NetworkTraffic::Scope::range);
}

void LinkLoadTableTest::theWholeIterationOnRequest() {
    LinkTableBench bench;
    bench.selection.setCursor(3);
    bench.traffic.setAlwaysWhole(true);
    QCOMPARE(bench.traffic.scopeText(), QString("whole iteration"));
    bench.traffic.setAlwaysWhole(false);
    QCOMPARE(bench.traffic.scope(), NetworkTraffic::Scope::moment);
}

void LinkLoadTableTest::sortsByEveryColumn() {
    LinkTableBench bench;
    LinkLoadModel& model = *bench.table.model();
    QHeaderView& header = *bench.table.view()->horizontalHeader();
    const auto click = [&](int column) {
        const QPoint at(header.sectionViewportPosition(column) + 8, header.height() / 2);
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, at);
    };
    click(LinkLoadModel::linkColumn);
    const bool ascending = model.headerData(LinkLoadModel::linkColumn, Qt::Horizontal).toString().endsWith("↑");
    QVERIFY(bench.cell(ascending ? 0 : 9, LinkLoadModel::linkColumn).startsWith("host-0"));
    QVERIFY(bench.cell(ascending ? 9 : 0, LinkLoadModel::linkColumn).startsWith("host-1"));
    click(LinkLoadModel::linkColumn);
    QVERIFY(bench.cell(ascending ? 9 : 0, LinkLoadModel::linkColumn).startsWith("host-0"));
    for (const int column : {LinkLoadModel::bytesColumn, LinkLoadModel::loadColumn, LinkLoadModel::busiestColumn, LinkLoadModel::capacityColumn}) {
        model.sort(column, Qt::DescendingOrder);
        const auto plain = [&](int row) { return model.csv({row}).split('\n')[1].split(',')[column == LinkLoadModel::bytesColumn ? 4 : column == LinkLoadModel::loadColumn  ? 5
                                                                                                                                   : column == LinkLoadModel::busiestColumn ? 6
                                                                                                                                                                            : 7]
                                              .toDouble(); };
        for (int row = 0; row + 1 < model.rowCount(); ++row) QVERIFY(plain(row) >= plain(row + 1));
    }
    model.sort(LinkLoadModel::usersColumn, Qt::DescendingOrder);
    QCOMPARE(bench.cell(0, LinkLoadModel::usersColumn), QString("send 100 %"));
    model.sort(LinkLoadModel::directionColumn, Qt::AscendingOrder);
    QCOMPARE(bench.cell(9, LinkLoadModel::directionColumn), QString("→ leaf-1"));
}

void LinkLoadTableTest::filtersByEndsAndUsers() {
    LinkTableBench bench;
    bench.table.filter()->setText("LEAF-1");
    QCOMPARE(bench.table.model()->rowCount(), 4);
    bench.table.filter()->setText("gather"); // who uses it at any time
    QCOMPARE(bench.table.model()->rowCount(), 2);
    bench.selection.setCursor(5.5); // now nobody gathers
    bench.settle();
    QCOMPARE(bench.table.model()->rowCount(), 2);
    bench.table.filter()->setText("nothing like it");
    QCOMPARE(bench.table.model()->rowCount(), 0);
    QVERIFY(!bench.table.view()->isVisible());
    bench.table.filter()->clear();
    QCOMPARE(bench.table.model()->rowCount(), 10);
    QVERIFY(bench.table.view()->isVisible());
}

void LinkLoadTableTest::choosingTellsAndFollows() {
    LinkTableBench bench;
    QSignalSpy chosen(&bench.table, &LinkLoadTable::linkChosen);
    bench.table.view()->selectRow(2);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].toInt(), 8);
    // From the drawing: the row is shown, and nothing is told back.
    bench.table.setChosen({2, 3});
    QCOMPARE(chosen.count(), 1);
    QVERIFY(bench.table.view()->currentIndex().isValid());
    const int link = bench.table.model()->linkAt(bench.table.view()->currentIndex().row());
    QVERIFY(link == 2 || link == 3);
    bench.table.setChosen({});
    QVERIFY(!bench.table.view()->currentIndex().isValid());
    QCOMPARE(chosen.count(), 1);
}

void LinkLoadTableTest::aChosenRowKeepsItsLinkWhenTheOrderChanges() {
    LinkTableBench bench;
    bench.table.view()->selectRow(0);
    QSignalSpy chosen(&bench.table, &LinkLoadTable::linkChosen);
    bench.selection.setCursor(3);
    bench.settle();
    QCOMPARE(bench.table.model()->linkAt(bench.table.view()->currentIndex().row()), 0);
    QVERIFY(bench.table.view()->currentIndex().row() > 0); // the fabrics are busier now
    QCOMPARE(chosen.count(), 0);
}

void LinkLoadTableTest::lightsThePathOfTheChosenOperator() {
    LinkTableBench bench;
    QSignalSpy lit(&bench.traffic, &NetworkTraffic::litChanged);
    bench.selection.setOperator("send", "communication", 0);
    QCOMPARE(lit.count(), 1);
    QCOMPARE(bench.traffic.lit(), (std::vector<bool>{true, true, false, false, true, true, false, false, false, false}));
    QCOMPARE(bench.traffic.litText(), QString("send · direct, 2 hops"));
    bench.selection.setOperator("send", "communication", 1); // a stage that does not send
    QVERIFY(bench.traffic.lit().empty());
    bench.selection.setOperator("gather", "communication");
    QCOMPARE(bench.traffic.litText(), QString("gather · ring, 1 hop"));
    bench.selection.setOperator({}, {});
    QVERIFY(bench.traffic.lit().empty());
}

void LinkLoadTableTest::saysWhatIsMissing() {
    LinkTableBench bench(false);
    QVERIFY(!bench.table.view()->isVisible());
    QVERIFY(!bench.table.filter()->isEnabled());
    QCOMPARE(bench.table.csv(), QByteArray());
    bench.traffic.setResult(test::tenSeconds(), std::make_shared<NetworkReport>()); // one accelerator: no network
    QVERIFY(!bench.table.view()->isVisible());
    QCOMPARE(bench.scope(), QString("Links"));
    bench.traffic.setResult(test::tenSeconds(), test::tenSecondsNetwork());
    QVERIFY(bench.table.view()->isVisible());
    bench.traffic.setResult(nullptr, nullptr);
    QVERIFY(!bench.table.view()->isVisible());
    QCOMPARE(bench.table.model()->rowCount(), 0);
}

void LinkLoadTableTest::exportsWhatItShows() {
    LinkTableBench bench;
    bench.table.filter()->setText("leaf-0");
    const QList<QByteArray> lines = bench.table.csv().trimmed().split('\n');
    QCOMPARE(lines.size(), 5);
    QCOMPARE(lines[0], QByteArray("link,kind,from,to,bytes,load,busiest,capacity_bytes_per_s,copies,from_s,to_s,users"));
    QCOMPARE(lines[1], QString::fromUtf8("host-0 – leaf-0,cable,host-0,leaf-0,40000000000,0.2,0.2,20000000000,1,0,10,send").toUtf8());
    bench.table.view()->selectRow(1);
    QTest::keyClick(bench.table.view(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text().trimmed().split('\n').size(), 2);
    QTemporaryDir folder;
    for (const char* ending : {"svg", "png", "csv", "pdf"}) QCOMPARE(exportChart(bench.table, folder.filePath(QString("links.%1").arg(ending))), QString());
}

void LinkLoadTableTest::tensOfThousandsOfRowsFollow() {
    LinkTableBench bench;
    auto network = std::make_shared<NetworkReport>(*test::tenSecondsNetwork());
    while (network->links.size() < 40000) {
        ReportLink link = network->links[network->links.size() % 8];
        link.from += "-" + std::to_string(network->links.size());
        network->patterns[1].uses.push_back({static_cast<std::uint32_t>(network->links.size()), 1e9 + static_cast<double>(network->links.size() * 7919 % 10007), 1e9, 1});
        network->links.push_back(link);
    }
    bench.traffic.setResult(test::tenSeconds(), network);
    const auto now = [] {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
    };
    const double begin = now();
    constexpr int moves = 10;
    for (int i = 0; i < moves; ++i) {
        bench.selection.setCursor(5.1 + 0.1 * i);
        bench.traffic.updateNow();
        bench.table.model()->updateLoads();
    }
    const double each = (now() - begin) / moves;
    qInfo("%.1f ms for a cursor move over 40,000 rows", each);
    QVERIFY(each < 100);
}

ORRERY_WIDGET_TEST(LinkLoadTableTest)
#include "link_load_table_test.moc"
