// SPDX-License-Identifier: GPL-3.0-or-later
// From the training example to a served one, by the form, the slider and the mouse alone, in the whole window.
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/manners/translations.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/forms/form_controls.hpp"
#include "widgets/headline/figure_tile.hpp"
#include "widgets/headline/headline_strip.hpp"
#include "widgets/serving/load_chart.hpp"
#include "widgets/serving/load_figures.hpp"
#include "widgets/serving/load_panel.hpp"
#include "widgets/serving/request_lanes.hpp"
#include "widgets/serving/request_page.hpp"
#include "widgets/serving/serving_panel.hpp"

#include <QLineEdit>
#include <QScrollBar>
#include <QSlider>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;

/// Serves by the form: the kind of workload is chosen as a user chooses it.
bool serve(Window& window) {
    auto* kind = window->findChild<ChoiceBox*>("/workload/kind");
    const int serving = kind->findText("serving");
    if (serving < 0) return false;
    return window.resultAfter([&] {
        kind->setCurrentIndex(serving);
        emit kind->activated(serving);
    });
}

/// The window with the first example's model and cluster, served.
bool startServing(Window& window) { return window.start() && serve(window); }

bool type(Window& window, const char* pointer, const QString& text) {
    auto* field = window->findChild<QLineEdit*>(QString::fromLatin1(pointer));
    if (!field) return false;
    return window.resultAfter([&] {
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
    });
}

const ServingReport& report(Window& window) { return *window->result()->serving(); }

} // namespace

class ServingWindowTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { installTranslations(*QCoreApplication::instance()); }

    void theFormTurnsTrainingIntoServing() {
        Window window(catalog());
        QVERIFY(window.start());
        QVERIFY(window->result()->training());
        const Json model = window->document().json().at("model"), cluster = window->document().json().at("cluster");
        QVERIFY(serve(window));
        QVERIFY(window->result()->serving());
        QVERIFY(report(window).served.completed > 0);
        QVERIFY(window->document().json().at("model") == model);
        QVERIFY(window->document().json().at("cluster") == cluster);
        QVERIFY(window->windowLayout().isPanelShown("serving"));
    }

    /// What is typed as a limit is a line in the chart of latencies and a figure of the headline.
    void aTypedLimitIsJudged() {
        Window window(catalog());
        QVERIFY(startServing(window));
        QVERIFY(!report(window).served.goodput);
        const double half = report(window).served.ttft.p50;
        QVERIFY(type(window, "/workload/slo/ttft_s", QString::number(half, 'g', 6)));
        QVERIFY(report(window).served.goodput);
        const double all = static_cast<double>(report(window).served.completed) / report(window).served.duration, within = *report(window).served.goodput;
        QVERIFY2(within > 0.4 * all && within < 0.6 * all, qPrintable(QString("%1 of %2").arg(within).arg(all)));
        QVERIFY(type(window, "/workload/slo/ttft_s", "1e-6"));
        QCOMPARE(report(window).served.goodput.value_or(-1), 0.0);
    }

    void theRateSliderTriesLoadsAndKeepsTheLast() {
        Window window(catalog());
        QVERIFY(startServing(window));
        window->windowLayout().showWorkspace("serve");
        LoadPanel* panel = window->views().load();
        QTRY_VERIFY_WITH_TIMEOUT(panel->chart()->curve() && !panel->chart()->curve()->points.empty(), 20000);
        const double before = panel->load();
        QSlider* slider = panel->slider();
        slider->setSliderDown(true);
        slider->setValue(slider->maximum());
        QTRY_VERIFY_WITH_TIMEOUT(panel->chart()->tried(), 20000);
        QVERIFY(window->document().json().at(Json::json_pointer("/workload/requests/arrival/rate_per_s")) == before); // a hand is still on it
        QVERIFY(window.resultAfter([&] { slider->setSliderDown(false); }));
        QVERIFY(window->document().json().at(Json::json_pointer("/workload/requests/arrival/rate_per_s")).get<double>() > before);
    }

    void aClickedRequestShowsItsLife() {
        Window window(catalog());
        QVERIFY(startServing(window));
        window->windowLayout().showWorkspace("serve");
        ServingPanel* panel = window->views().serving();
        panel->showPage(ServingPanel::Page::requests);
        RequestLanes& lanes = panel->requests()->lanes();
        QTRY_VERIFY(lanes.viewport()->height() > 30);
        const int y = lanes.viewport()->height() / 2;
        QTRY_VERIFY(lanes.laneAt(y));
        const std::size_t request = *lanes.laneAt(y);
        QTest::mouseClick(lanes.viewport(), Qt::LeftButton, {}, QPoint(lanes.viewport()->width() / 2, y));
        QCOMPARE(panel->requests()->chosen(), std::optional(request));
        QVERIFY(!panel->requests()->life().words().isEmpty());
    }
};

ORRERY_WIDGET_TEST(ServingWindowTest)
#include "serving_window_test.moc"
