// SPDX-License-Identifier: GPL-3.0-or-later
// Workspaces, room, the title and the keyboard, as a user meets them.

#include "app/desktop/commands/shortcut_sheet.hpp"
#include "app/desktop/document/examples.hpp"
#include "app/desktop/frame/status_row.hpp"
#include "app/desktop/frame/title_row.hpp"
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/manners/screen_fit.hpp"
#include "app/desktop/manners/translations.hpp"
#include "app/desktop/notices/banner.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/cluster/properties/cluster_properties.hpp"
#include "widgets/cluster/properties/property_field.hpp"
#include "widgets/common/section.hpp"
#include "widgets/forms/form_controls.hpp"
#include "widgets/forms/form_edits.hpp"
#include "widgets/forms/scenario_form.hpp"
#include "widgets/headline/figure_tile.hpp"
#include "widgets/headline/headline_strip.hpp"
#include "widgets/serving/latency_chart.hpp"
#include "widgets/serving/request_page.hpp"
#include "widgets/serving/serving_panel.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QApplication>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QHelpEvent>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QToolTip>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;

QRect areaOf(Window& window, const QString& panel) {
    for (const WindowLayout::Panel& each : window->windowLayout().panels())
        if (each.id == panel) return {each.widget->mapTo(&*window.window, QPoint(0, 0)), each.widget->size()};
    return {};
}

double shareOf(Window& window, const QString& panel) {
    const QSize size = areaOf(window, panel).size();
    return static_cast<double>(size.width()) * size.height() / (static_cast<double>(window->width()) * window->height());
}

QStringList shownPanels(Window& window) {
    QStringList shown;
    for (const WindowLayout::Panel& each : window->windowLayout().panels())
        if (window->windowLayout().isPanelShown(each.id)) shown << each.id;
    return shown;
}

void press(Window& window, Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    window->activateWindow();
    QTest::keyClick(&*window.window, key, modifiers);
    QTest::qWait(30);
}

ChoiceBox* choice(Window& window, const char* pointer) { return window->findChild<ChoiceBox*>(QString::fromLatin1(pointer)); }

/// Chooses an entry of a list the way a user does.
bool choose(QComboBox* box, const QString& text) {
    const int index = box->findText(text);
    if (index < 0) return false;
    box->setCurrentIndex(index);
    emit box->activated(index);
    return true;
}

Json at(Window& window, const char* pointer) { return window->document().json().at(Json::json_pointer(pointer)); }

} // namespace

class WorkspaceTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { installTranslations(*QCoreApplication::instance()); }

    void requestsAreShownWhileTheyAreServed() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(!window->windowLayout().isPanelShown("serving"));
        const std::vector<Example> examples = shippedExamples();
        const auto chat = std::find_if(examples.begin(), examples.end(), [](const Example& one) { return one.fileName.contains("chat"); });
        QVERIFY(chat != examples.end());
        QVERIFY(window.resultAfter([&] { window->files().openExample(*chat); }));
        QVERIFY(window->result()->serving());
        QVERIFY(window->windowLayout().isPanelShown("serving"));
        const ServingReport& report = *window->result()->serving();
        const ServingPanel& panel = *window->views().serving();
        QCOMPARE(static_cast<std::int64_t>(panel.latency()->latencies().front().sorted.size()), report.served.completed);
        QCOMPARE(panel.requests()->view()->model()->rowCount(), static_cast<int>(report.records.size()));
        // Every view has been shown this result; none of it is about requests when the scenario trains again.
        const auto toKind = [&](const char* kind) {
            return window.resultAfter([&] { window->document().edit("Kind", kindEdits(window->document().json(), kind, catalog())); });
        };
        QVERIFY(toKind("training"));
        QVERIFY(window->result()->training());
        QVERIFY(!window->windowLayout().isPanelShown("serving"));
        QVERIFY(toKind("inference"));
        QVERIFY(window->result()->inference());
        QVERIFY(!window->windowLayout().isPanelShown("serving"));
        QVERIFY(toKind("serving"));
        QVERIFY(window->result()->serving());
        QVERIFY(window->windowLayout().isPanelShown("serving"));
        window->grab();
        // The task of serving gives the requests more room than anything else, and keeps the form and the reasons beside them.
        press(window, Qt::Key_5, Qt::ControlModifier);
        QCOMPARE(window->windowLayout().workspace(), QString("serve"));
        const QStringList shown = shownPanels(window);
        for (const char* each : {"scenario", "load", "serving", "why"}) QVERIFY2(shown.contains(each), each);
        for (const QString& each : shown) QVERIFY2(each == "serving" || shareOf(window, each) < shareOf(window, "serving"), qPrintable(each));
    }

    void tasksHaveTheirRoom_data() {
        QTest::addColumn<QSize>("size");
        for (const QSize& size : {QSize(1024, 700), QSize(1280, 720), QSize(1600, 1000), QSize(3840, 2160)}) QTest::addRow("%dx%d", size.width(), size.height()) << size;
    }
    void tasksHaveTheirRoom() {
        QFETCH(QSize, size);
        Window window(catalog());
        QVERIFY(window.start({}, size));
        QCOMPARE(window->windowLayout().workspace(), QString("overview"));
        const std::pair<Qt::Key, QString> tasks[] = {{Qt::Key_2, "cluster"}, {Qt::Key_3, "timeline"}, {Qt::Key_4, "memory"}};
        for (const auto& [key, panel] : tasks) {
            press(window, key, Qt::ControlModifier);
            // Half of the window, where the headline needs one row; of a small window half of what is below it.
            const double below = 1 - static_cast<double>(areaOf(window, panel).top()) / window->height();
            const double wanted = size.height() >= 1000 ? 0.5 : 0.5 * below;
            QVERIFY2(shareOf(window, panel) >= wanted, qPrintable(QStringLiteral("%1 has %2").arg(panel).arg(shareOf(window, panel))));
            QCOMPARE(window->size(), size);
            QVERIFY(window->views().headline()->isVisible());
            QVERIFY(window->statusRow().isVisible());
        }
        press(window, Qt::Key_2, Qt::ControlModifier);
        // 387 px of 1600 once.
        QVERIFY2(window->views().cluster()->width() >= size.width() / 2, qPrintable(QString::number(window->views().cluster()->width())));
        press(window, Qt::Key_1, Qt::ControlModifier);
        QVERIFY(shownPanels(window).contains("scenario"));
    }

    void theRowSwitchesAsTheKeysDo() {
        Window window(catalog());
        QVERIFY(window.start());
        QTabBar& tabs = window->titleRow().workspaceTabs();
        QVERIFY(tabs.count() >= 4);
        for (int tab = tabs.count() - 1; tab >= 0; --tab) {
            QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(tab).center());
            QCOMPARE(window->windowLayout().workspace(), tabs.tabData(tab).toString());
            QVERIFY(window->commands().action("view.workspace." + tabs.tabData(tab).toString())->isChecked());
        }
        press(window, Qt::Key_3, Qt::ControlModifier);
        QCOMPARE(tabs.currentIndex(), 2);
        // Each name has a letter for Alt, no two the same, and none that opens a menu.
        QStringList letters;
        for (const CommandMenu& menu : window->commands().menus())
            if (menu.parent.isEmpty()) letters << QKeySequence::mnemonic(menu.title).toString();
        for (int tab = 0; tab < tabs.count(); ++tab) letters << QKeySequence::mnemonic(tabs.tabText(tab)).toString();
        QVERIFY(!letters.contains(QString()));
        QCOMPARE(letters.removeDuplicates(), qsizetype(0));
    }

    void switchingKeepsWhatIsLookedAt() {
        Window window(catalog());
        QVERIFY(window.start());
        TimelineView* timeline = window->views().timeline();
        const double end = window->result()->timeline.duration;
        timeline->setVisibleRange(0.2 * end, 0.4 * end);
        window->selection().setMoment(0.3 * end);
        window->selection().setStage(1);
        ClusterCanvas* canvas = window->views().cluster();
        canvas->selectAll();
        const auto marked = canvas->selection().nodes.size();
        canvas->zoomIn();
        const double zoom = canvas->view().zoom;
        for (const Qt::Key key : {Qt::Key_2, Qt::Key_3, Qt::Key_4, Qt::Key_1}) press(window, key, Qt::ControlModifier);
        QCOMPARE(timeline->viewport().from, 0.2 * end);
        QCOMPARE(timeline->viewport().to, 0.4 * end);
        QCOMPARE(window->selection().moment(), 0.3 * end);
        QCOMPARE(window->selection().stage(), 1);
        QCOMPARE(canvas->selection().nodes.size(), marked);
        QCOMPARE(canvas->view().zoom, zoom);
    }

    /// A workspace without the panel that has the key gives it to nobody by chance, and the one before gives it back.
    void eachWorkspaceKeepsItsPlaceOfTheKey() {
        Window window(catalog());
        QVERIFY(window.start());
        QWidget* field = choice(window, "/model");
        QVERIFY(field);
        field->setFocus(Qt::TabFocusReason);
        QVERIFY(field->hasFocus());
        press(window, Qt::Key_3, Qt::ControlModifier);
        QVERIFY(!field->isVisible());
        QVERIFY(!window->statusRow().isAncestorOf(QApplication::focusWidget()));
        press(window, Qt::Key_1, Qt::ControlModifier);
        QVERIFY(field->hasFocus());
    }

    void whatStandsBesideTheTitleIsWholeOrShortened() {
        Window window(catalog());
        QVERIFY(window.start());
        window->resize(1067, 667);
        window->titleRow().setFile("llama-3-8b-dgx-h100.orrery.json", {});
        window->titleRow().setTitle("A title that is longer than the one before");
        QApplication::processEvents();
        const auto* file = window->titleRow().findChild<QLabel*>("file_name");
        QVERIFY2(file->fontMetrics().horizontalAdvance(file->text()) <= file->width(), qPrintable(file->text()));
        // While nothing is under the mouse, the sources have the whole rest of the status row.
        window->statusRow().setHint({});
        QApplication::processEvents();
        const auto* hint = window->statusRow().findChild<QLabel*>("hint");
        QVERIFY(!hint->isVisible());
        window->statusRow().setHint("dgx-0");
        QVERIFY(hint->isVisible());
    }

    void anyPanelIsMaximisedAndBack() {
        Window window(catalog());
        QVERIFY(window.start());
        const QStringList before = shownPanels(window);
        const QRect memory = areaOf(window, "memory");
        for (const QString& panel : before) {
            const QRect area = areaOf(window, panel);
            QCursor::setPos(window->mapToGlobal(area.center()));
            press(window, Qt::Key_F12);
            QCOMPARE(shownPanels(window), QStringList{panel});
            QVERIFY2(areaOf(window, panel).width() >= window->width() - 2, qPrintable(panel));
            QVERIFY(window->views().headline()->isVisible());
            press(window, Qt::Key_F12);
            QCOMPARE(shownPanels(window), before);
            QCOMPARE(areaOf(window, panel), area);
        }
        QCOMPARE(areaOf(window, "memory"), memory);
        // What is asked for beside a maximised panel brings the others back.
        QCursor::setPos(window->mapToGlobal(areaOf(window, "timeline").center()));
        press(window, Qt::Key_F12);
        press(window, Qt::Key_F8);
        QVERIFY(window->windowLayout().maximised().isEmpty());
        QCOMPARE(shownPanels(window), before + QStringList{"findings"});
    }

    void eachWorkspaceKeepsItsOwnArrangement() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("view.panel.memory"); // hidden in the overview
        press(window, Qt::Key_3, Qt::ControlModifier);
        window.trigger("view.panel.why"); // shown beside the timeline
        const QStringList beside = shownPanels(window);
        QVERIFY(beside.contains("why"));
        press(window, Qt::Key_4, Qt::ControlModifier);
        QVERIFY(shownPanels(window).contains("memory"));
        press(window, Qt::Key_3, Qt::ControlModifier);
        QCOMPARE(shownPanels(window), beside);
        window.reopen();
        window->show();
        QVERIFY(QTest::qWaitForWindowExposed(&*window.window));
        QCOMPARE(window->windowLayout().workspace(), QString("timeline"));
        QCOMPARE(shownPanels(window), beside);
        press(window, Qt::Key_1, Qt::ControlModifier);
        QVERIFY(!shownPanels(window).contains("memory"));
        // One is put back, the other stays as it was made.
        window.trigger("view.reset_layout");
        QVERIFY(shownPanels(window).contains("memory"));
        press(window, Qt::Key_3, Qt::ControlModifier);
        QCOMPARE(shownPanels(window), beside);
    }

    void aWiderWindowIsForTheMiddle() {
        Window window(catalog());
        QVERIFY(window.start({}, {1280, 800}));
        window->resize(2400, 1300);
        QTest::qWait(50);
        QVERIFY2(areaOf(window, "scenario").width() <= 430, qPrintable(QString::number(areaOf(window, "scenario").width())));
        QVERIFY(areaOf(window, "timeline").width() > 2400 / 2);
        press(window, Qt::Key_2, Qt::ControlModifier);
        window->resize(1280, 800);
        QTest::qWait(50);
        press(window, Qt::Key_1, Qt::ControlModifier);
        QTest::qWait(50);
        QVERIFY2(areaOf(window, "scenario").width() <= 300, qPrintable(QString::number(areaOf(window, "scenario").width())));
    }

    void theHeadlineWrapsAndLosesNothing_data() {
        QTest::addColumn<int>("width");
        for (const int width : {1024, 1066, 1100, 1280, 1600, 3840}) QTest::addRow("%d", width) << width;
    }
    void theHeadlineWrapsAndLosesNothing() {
        QFETCH(int, width);
        Window window(catalog());
        QVERIFY(window.start({}, {width, 760}));
        for (FigureTile* tile : window->views().headline()->tiles()) {
            QCOMPARE(tile->visibleRegion().boundingRect().size(), tile->size()); // three of them hidden below, once
            QVERIFY2(tile->width() >= tile->neededWidth(17), qPrintable(tile->figure().title));
        }
        // The panels begin where the headline ends.
        const HeadlineStrip* strip = window->views().headline();
        QVERIFY(areaOf(window, "cluster").top() - strip->mapTo(&*window.window, QPoint(0, strip->height())).y() <= 4);
    }

    void theWindowFitsItsScreenWithItsFrame() {
        const QRect screen(0, 0, 1600, 1000);
        const QMargins frame(4, 34, 4, 4);
        // A window as large as the screen: the frame would push the status bar off it.
        const QRect fitted = fittedToScreen({0, 0, 1600, 1000}, frame, screen);
        QVERIFY(screen.contains(fitted.marginsAdded(frame)));
        QCOMPARE(fitted.size(), QSize(1592, 962));
        // One that has room stays as it is, one that hangs over comes back.
        QCOMPARE(fittedToScreen({100, 100, 800, 600}, frame, screen), QRect(100, 100, 800, 600));
        QVERIFY(screen.contains(fittedToScreen({1200, 700, 800, 600}, frame, screen).marginsAdded(frame)));
        // With a panel of the desktop at the bottom.
        const QRect available(0, 0, 1600, 960);
        QVERIFY(available.contains(fittedToScreen({0, 34, 1592, 962}, frame, available).marginsAdded(frame)));
    }

    void emptyPartsOfTheFormAreFolded() {
        Window window(catalog());
        QVERIFY(window.start());
        ScenarioForm* form = window->views().form();
        auto* price = form->findChild<QWidget*>("/economics/price_per_accelerator_hour");
        QVERIFY(price && !price->isVisible());
        auto* cost = form->findChild<QPushButton*>("fold Cost");
        QVERIFY(cost && cost->isVisible());
        QTest::mouseClick(cost, Qt::LeftButton);
        QVERIFY(price->isVisible());
        QTest::mouseClick(cost, Qt::LeftButton);
        QVERIFY(!price->isVisible());
        // What leads to the field opens its part.
        window->views().goTo("/economics/price_per_accelerator_hour");
        QVERIFY(price->isVisible() && price->hasFocus());
    }

    void aFigureAskedAboutFindsItsPanel() {
        Window window(catalog());
        QVERIFY(window.start());
        press(window, Qt::Key_3, Qt::ControlModifier);
        QVERIFY(!shownPanels(window).contains("why"));
        QTest::mouseClick(window->views().headline()->tiles()[4], Qt::LeftButton);
        QVERIFY(shownPanels(window).contains("why"));
        // A field is in another workspace: that one is shown.
        window->views().goTo("/parallelism/tensor");
        QCOMPARE(window->windowLayout().workspace(), QString("overview"));
        QVERIFY(window->findChild<QWidget*>("/parallelism/tensor")->hasFocus());
    }

    void drawingIsAWorkspace() {
        Window window(catalog());
        QVERIFY(window.start());
        press(window, Qt::Key_4, Qt::ControlModifier);
        window.trigger("cluster.draw");
        QCOMPARE(window->windowLayout().workspace(), QString("draw"));
        QVERIFY(window->views().isDrawing());
        window.trigger("cluster.draw");
        QCOMPARE(window->windowLayout().workspace(), QString("memory"));
        QVERIFY(!window->views().isDrawing());
        window.trigger("cluster.place.host:dgx-b200");
        QCOMPARE(window->windowLayout().workspace(), QString("draw"));
        QCOMPARE(window->views().cluster()->tool(), ClusterTool::place);
    }

    void theTitleIsEditedInItsPlace() {
        Window window(catalog());
        QVERIFY(window.start());
        TitleEdit& title = window->titleRow().title();
        const QString before = title.title();
        QCOMPARE(before, QString("Llama-3.1-70B on 8 DGX H100"));
        QTest::mouseClick(&title, Qt::LeftButton);
        title.selectAll();
        QTest::keyClicks(&title, "What if");
        QTest::keyClick(&title, Qt::Key_Escape);
        QCOMPARE(title.title(), before);
        QCOMPARE(at(window, "/name").get<std::string>(), before.toStdString());
        QTest::mouseClick(&title, Qt::LeftButton);
        title.selectAll();
        QTest::keyClicks(&title, "My cluster");
        QTest::keyClick(&title, Qt::Key_Return);
        QCOMPARE(at(window, "/name").get<std::string>(), std::string("My cluster"));
        QVERIFY(window->windowTitle().contains("My cluster"));
        window.trigger("edit.undo");
        QCOMPARE(title.title(), before);
    }

    void anotherAcceleratorBringsItsPlatformAlong() {
        Window window(catalog());
        QVERIFY(window.start());
        QCOMPARE(choice(window, "/cluster")->shownText(), QString("DGX H100"));
        ChoiceBox* accelerator = choice(window, "/cluster/accelerator");
        QVERIFY(accelerator);
        QVERIFY(window.resultAfter([&] { QVERIFY(choose(accelerator, QString::fromStdString(catalog().accelerator("b200-sxm-180gb")->name).section(' ', 1))); }));
        QCOMPARE(at(window, "/cluster/scale_up/bandwidth_gb_s").get<double>(), 900.0);
        QCOMPARE(at(window, "/cluster/scale_up/latency_us").get<double>(), 1.2);
        QCOMPARE(at(window, "/name").get<std::string>(), std::string("Llama-3.1-70B on 8 DGX B200"));
        QCOMPARE(window->titleRow().title().title(), QString("Llama-3.1-70B on 8 DGX B200"));
        QCOMPARE(choice(window, "/cluster")->shownText(), QString("DGX B200"));
        QCOMPARE(window->result()->scenario.cluster.accelerator.id, std::string("b200-sxm-180gb"));
        QVERIFY(!window->banner().isVisible()); // nothing was typed
        // One step back.
        window.trigger("edit.undo");
        QCOMPARE(at(window, "/cluster/scale_up/bandwidth_gb_s").get<double>(), 450.0);
        QCOMPARE(at(window, "/name").get<std::string>(), std::string("Llama-3.1-70B on 8 DGX H100"));
        QVERIFY(!window->document().isModified());
    }

    void whatWasTypedStaysAndIsTold() {
        Window window(catalog());
        QVERIFY(window.start());
        window->document().edit("Type", {{"/cluster/scale_up/bandwidth_gb_s", 300}});
        press(window, Qt::Key_2, Qt::ControlModifier);
        ClusterCanvas* canvas = window->views().cluster();
        canvas->setFocus();
        window.trigger("edit.select_all");
        auto* properties = window->findChild<ClusterProperties*>();
        ClusterSelection hosts;
        for (const DrawnNode& node : canvas->document().nodes())
            if (node.isHost()) hosts.nodes.insert(node.id);
        properties->setSelection(hosts);
        PropertyField* platform = properties->field("platform");
        QVERIFY(platform);
        QVERIFY(window.resultAfter([&] { QVERIFY(choose(platform->combo(), "DGX B200")); }));
        QCOMPARE(at(window, "/cluster/topology/nodes/0/accelerator").get<std::string>(), std::string("b200-sxm-180gb"));
        QCOMPARE(at(window, "/cluster/scale_up/bandwidth_gb_s").get<double>(), 300.0);
        QVERIFY(window->banner().isVisible());
        QPushButton* use = nullptr;
        for (auto* button : window->banner().findChildren<QPushButton*>())
            if (button->isVisible() && button->text().contains("DGX B200")) use = button;
        QVERIFY(use);
        QVERIFY(window.resultAfter([&] { QTest::mouseClick(use, Qt::LeftButton); }));
        QCOMPARE(at(window, "/cluster/scale_up/bandwidth_gb_s").get<double>(), 900.0);
        QVERIFY(!window->banner().isVisible());
    }

    void theFormChangesHowManyHostsThereAre() {
        Window window(catalog());
        QVERIFY(window.start());
        auto* hosts = window->findChild<QLineEdit*>("/cluster/nodes");
        QVERIFY(hosts);
        QCOMPARE(hosts->text(), QString("8"));
        const auto type = [&](const QString& text) {
            hosts->setFocus();
            hosts->selectAll();
            QTest::keyClicks(hosts, text);
            QTest::keyClick(hosts, Qt::Key_Return);
        };
        QVERIFY(window.resultAfter([&] { type("16"); }));
        QCOMPARE(window->result()->scenario.cluster.hosts(), 16);
        QCOMPARE(window->views().cluster()->document().hosts(), 16);
        // Each is cabled as the last one was.
        const ClusterDocument& drawn = window->views().cluster()->document();
        std::map<int, double> out;
        for (const DrawnLink& link : drawn.links())
            for (const int end : {link.from, link.to})
                if (drawn.nodes()[static_cast<std::size_t>(end)].isHost()) out[end] += link.total();
        QCOMPARE(out.size(), std::size_t(16));
        for (const auto& [host, rate] : out) QCOMPARE(rate, 400.0);
        QVERIFY(window.resultAfter([&] { type("4"); }));
        QCOMPARE(window->result()->scenario.cluster.hosts(), 4);
        while (window->document().undoStack().canUndo()) window.trigger("edit.undo");
        QCOMPARE(window->views().cluster()->document().hosts(), 8);
    }

    void theFocusGoesFromPartToPart() {
        Window window(catalog());
        QVERIFY(window.start());
        window->titleRow().workspaceTabs().setFocus(Qt::TabFocusReason);
        QStringList parts;
        const auto partOf = [&](QWidget* widget) {
            if (window->titleRow().isAncestorOf(widget)) return QString("title");
            if (window->views().headline()->isAncestorOf(widget)) return QString("headline");
            if (window->statusRow().isAncestorOf(widget)) return QString("status");
            const QString panel = window->windowLayout().panelOf(widget);
            return panel.isEmpty() ? QString::fromLatin1(widget->metaObject()->className()) : panel;
        };
        for (int i = 0; i < 400; ++i) {
            QWidget* now = QApplication::focusWidget();
            QVERIFY(now);
            const QString part = partOf(now);
            if (parts.isEmpty() || parts.back() != part) parts << part;
            if (part == "status") break;
            QTest::keyClick(now, Qt::Key_Tab);
        }
        const QStringList wanted{"title", "headline", "scenario", "cluster", "timeline", "operators", "memory", "roofline", "why", "status"};
        QVERIFY2(parts == wanted, qPrintable(parts.join(", ")));
    }

    void theSheetNamesAllKeys() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("help.shortcuts");
        auto* sheet = window->findChild<ShortcutSheet*>();
        QVERIFY(sheet);
        QStringList texts;
        for (const QLabel* label : sheet->findChildren<QLabel*>()) texts << label->text();
        for (const Command& command : window->commands().commands())
            for (const QKeySequence& key : command.shortcuts)
                QVERIFY2(texts.join('\n').contains(key.toString(QKeySequence::NativeText)), qPrintable(command.id));
        for (const KeyGroup& group : viewKeys())
            for (const KeyHelp& help : group.keys) QVERIFY2(texts.contains(help.keys) && texts.contains(help.what), qPrintable(help.what));
        // Every plain key that the timeline takes for itself is named there.
        TimelineView* timeline = window->views().timeline();
        QList<int> named;
        for (const KeyHelp& help : TimelineView::keyHelp()) named << help.codes;
        QList<int> keys;
        for (int key = Qt::Key_Space; key <= Qt::Key_AsciiTilde; ++key) keys << key;
        for (int key = Qt::Key_Escape; key <= Qt::Key_PageDown; ++key) keys << key;
        for (const int key : keys) {
            QKeyEvent asked(QEvent::ShortcutOverride, key, Qt::NoModifier);
            asked.ignore();
            QApplication::sendEvent(timeline, &asked);
            QVERIFY2(!asked.isAccepted() || named.contains(key), qPrintable(QKeySequence(key).toString()));
        }
        // Words on buttons, not pictures that came with the toolkit.
        for (const QPushButton* button : sheet->findChildren<QPushButton*>()) QVERIFY(button->icon().isNull());
    }

    void toolTipsStandBesideWhatTheyExplain() {
        Window window(catalog());
        QVERIFY(window.start());
        auto* field = window->findChild<QLineEdit*>("/workload/global_batch_size");
        const QRect place(field->mapToGlobal(QPoint(0, 0)), field->size());
        QHelpEvent event(QEvent::ToolTip, field->rect().center(), place.center());
        QApplication::sendEvent(field, &event);
        QWidget* tip = nullptr;
        for (QWidget* top : QApplication::topLevelWidgets())
            if (top->inherits("QTipLabel") && top->isVisible()) tip = top;
        QVERIFY(tip);
        QVERIFY2(!tip->geometry().intersects(place), "the tooltip covers its field");
        QVERIFY(std::abs(tip->geometry().top() - place.bottom()) < 24 || std::abs(place.top() - tip->geometry().bottom()) < 24);
        QToolTip::hideText();
    }
};

ORRERY_WIDGET_TEST(WorkspaceTest)
#include "workspace_test.moc"
