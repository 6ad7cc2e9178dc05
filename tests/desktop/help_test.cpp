// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/help/first_run_card.hpp"
#include "app/desktop/help/help_place.hpp"
#include "app/desktop/help/help_window.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/forms/field_table.hpp"

#include <QAbstractButton>
#include <QDockWidget>
#include <QTextBlock>
#include <QTextBrowser>

using namespace orrery;
using namespace orrery::test;

/// F1 opens what the manual says of what has the keyboard; the first start offers three ways in.
class HelpTest : public QObject {
    Q_OBJECT

private slots:
    void everyFieldHasAPlaceOfItsOwnInTheManual() {
        std::size_t fields = 0;
        for (const FieldSpec& field : scenarioFields()) {
            const auto place = placeOfKey(field.pointer);
            QVERIFY2(place, field.pointer);
            ++fields;
        }
        QVERIFY(fields > 50);
    }

    void theNearestNamedWidgetAroundItCounts() {
        QWidget dock, tile(&dock), field(&dock), inner(&field);
        dock.setObjectName("dock.timeline");
        tile.setObjectName("headline/mfu");
        field.setObjectName("/parallelism/tensor");
        QCOMPARE(helpPlaceOf(&inner).heading, std::string("/parallelism/tensor"));
        QCOMPARE(helpPlaceOf(&tile).heading, std::string("/mfu"));
        QCOMPARE(helpPlaceOf(&dock).heading, std::string("Timeline"));
        QCOMPARE(helpPlaceOf(nullptr).page, std::string("index"));
    }

    void f1OpensTheFieldsEntryAndLinksLeadOn() {
        Window window(catalog());
        QVERIFY(window.start());
        auto* field = window->findChild<QWidget*>("/parallelism/tensor");
        QVERIFY(field);
        HelpWindow& help = HelpWindow::of(*window.window, helpPlaceOf(field));
        QCOMPARE(help.shown().page, std::string("keys-parallelism"));
        auto* text = help.findChild<QTextBrowser*>();
        QVERIFY(text->toPlainText().contains("Ranks that share each layer's matrices."));
        emit text->anchorClicked(QUrl("figures.md#mfu"));
        QCOMPARE(help.shown().page, std::string("figures"));
        QCOMPARE(help.shown().heading, std::string("/mfu"));
        emit text->anchorClicked(QUrl("https://example.org/figures.md"));
        QCOMPARE(help.shown().page, std::string("figures"));
        window.trigger("help.manual");
        QVERIFY(help.isVisible());
    }

    void theFirstStartOffersThreeWaysInOnce() {
        Window window(catalog());
        QVERIFY(window.start());
        FirstRunCard::offer(*window.window, window->commands(), *window.settings);
        auto* card = window->findChild<FirstRunCard*>();
        QVERIFY(card);
        for (const char* way : {"way_plan", "way_record", "way_lesson", "way_example"}) QVERIFY2(card->findChild<QAbstractButton*>(way), way);
        QVERIFY(window->rect().contains(card->geometry()));
        QTest::keyClick(card, Qt::Key_Escape);
        QVERIFY(!card->isVisible());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        FirstRunCard::offer(*window.window, window->commands(), *window.settings);
        QVERIFY(!window->findChild<FirstRunCard*>());
    }

    void aWayTakenClosesTheCard() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("help.ways_in");
        auto* card = window->findChild<FirstRunCard*>();
        card->findChild<QAbstractButton*>("way_plan")->click();
        QVERIFY(!card->isVisible());
        QVERIFY(window->findChild<QDockWidget*>("dock.explore")->isVisible());
    }
};

ORRERY_WIDGET_TEST(HelpTest)
#include "help_test.moc"
