// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons played by hand: a learner answers, changes what may be changed, and reaches the end or a hint.

#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/learn/lesson_player.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/results/report/result.hpp"
#include "resources/shipped_lessons.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/form_support.hpp"
#include "tests/support/widget_test.hpp"
#include "widgets/lessons/lesson_panel.hpp"
#include "widgets/lessons/lesson_step_view.hpp"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>

using namespace orrery;
using orrery::test::Window;

namespace {

using test::catalog;

constexpr int longestJudgement = 60000; ///< ms

template <typename Widget> Widget* inPanel(Window& window, const char* name) { return window->views().lesson()->findChild<Widget*>(QString::fromLatin1(name)); }

/// What a number field shows of a value.
QString typed(const Json& value) {
    if (!value.is_array()) return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
    QStringList parts;
    for (const Json& part : value) parts << QString::fromStdString(part.dump());
    return parts.join(QStringLiteral(", "));
}

bool holds(Window& window, const ScenarioEdit& edit) {
    const Json* now = valueAt(window->document().shown(), edit.pointer);
    return edit.value->is_null() ? now == nullptr : now && *now == *edit.value;
}

/// Changes a field of the form as a hand does. False: it is locked, or can't take the value.
bool setField(Window& window, const ScenarioEdit& edit) {
    if (holds(window, edit)) return true;
    auto* field = window->findChild<QWidget*>(QString::fromStdString(edit.pointer));
    if (!field || !field->isEnabled()) return false;
    if (auto* line = qobject_cast<QLineEdit*>(field)) {
        line->setText(edit.value->is_null() ? QString() : typed(edit.value));
        emit line->textEdited(line->text());
        emit line->returnPressed();
    } else if (auto* box = qobject_cast<QComboBox*>(field)) {
        for (int i = 0; i < box->count() && !holds(window, edit); ++i) {
            box->setCurrentIndex(i);
            emit box->activated(i);
        }
    } else if (auto* button = qobject_cast<QAbstractButton*>(field)) {
        button->click();
    }
    return holds(window, edit);
}

/// The answer that an end states: a number, a choice, or an expression over the result.
Json answerOf(Window& window, const BoxedJson& stated) {
    const Json& answer = stated;
    if (!answer.is_string() || !answer.get<std::string>().starts_with("= ")) return answer;
    const Json result = window->result() ? toJson(*window->result()) : Json();
    LessonLookup lookup;
    lookup.result = [&result](const std::string& pointer) {
        const Json* value = valueAt(result, pointer);
        return value ? lessonValue(*value) : LessonValue();
    };
    const LessonValue value = valueOf(answer.get<std::string>().substr(2), lookup);
    return std::holds_alternative<double>(value) ? Json(std::get<double>(value)) : Json();
}

bool say(Window& window, const Json& answer) {
    if (answer.is_number()) {
        auto* line = inPanel<QLineEdit>(window, "lesson_number");
        if (!line) return false;
        line->setText(QString::number(answer.get<double>(), 'g', 12));
        return true;
    }
    for (QRadioButton* choice : window->views().lesson()->findChildren<QRadioButton*>())
        if (choice->text() == QString::fromStdString(answer.get<std::string>())) {
            choice->click();
            return true;
        }
    return false;
}

bool check(Window& window) {
    auto* button = inPanel<QPushButton>(window, "lesson_check");
    if (!button || !button->isEnabled()) return false;
    QSignalSpy judged(&window->lessons(), &LessonPlayer::judged);
    button->click();
    return judged.wait(longestJudgement);
}

/// Waits for the numbers of the scenario as it stands, or for why there are none.
void settle(Window& window) {
    for (int i = 0; i < 3000 && (window->worker().isRunning() || i < 3); ++i) QTest::qWait(10);
}

} // namespace

class LearnTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { lessons_ = shippedLessons(); }

    void everyLessonIsPlayedToItsEnd_data() {
        QTest::addColumn<int>("lesson");
        for (int lesson = 0; lesson < static_cast<int>(lessons_.size()); ++lesson) QTest::newRow(lessons_[static_cast<std::size_t>(lesson)].id.c_str()) << lesson;
    }
    void everyLessonIsPlayedToItsEnd() {
        QFETCH(int, lesson);
        const Lesson& played = lessons_[static_cast<std::size_t>(lesson)];
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger(QStringLiteral("learn.lesson.") + QString::fromStdString(played.id));
        QCOMPARE(window->windowLayout().workspace(), QString("learn"));
        int wrongEnds = 0;
        for (std::size_t step = 0; step < played.steps.size(); ++step) {
            const LessonStep& one = played.steps[step];
            const QByteArray where = QByteArray(played.id.c_str()) + " step " + QByteArray::number(step + 1);
            QCOMPARE(window->lessons().shown().step, step);
            if (wrongEnds < 2 && wrongEnd(window, one)) ++wrongEnds;
            if (QTest::currentTestFailed()) return;
            rightEnd(window, one, where);
            if (QTest::currentTestFailed()) return;
            if (step + 1 < played.steps.size()) inPanel<QPushButton>(window, "lesson_next")->click();
        }
        QCOMPARE(wrongEnds, 2);
        // What was said outlives the window.
        window.reopen();
        QCOMPARE(window->lessons().isPlaying(), false);
        auto* title = window->views().lesson()->findChild<QWidget*>(QStringLiteral("lesson.") + QString::fromStdString(played.id));
        QVERIFY(title);
    }

    void nothingRunsBeforeThePrediction() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("learn.lesson.the-bubble");
        settle(window);
        QVERIFY(window->lessons().holdsRuns());
        QVERIFY(!window->result());
        QVERIFY(!window->findChild<QWidget*>("/parallelism/schedule")->isEnabled());
        QVERIFY(window.resultAfter([&] {
            QVERIFY(say(window, 3));
            inPanel<QPushButton>(window, "lesson_check")->click();
        }));
        QVERIFY(window->result());
        // The step's own fields are open now, all others say why they are not.
        QVERIFY(window->findChild<QWidget*>("/parallelism/schedule")->isEnabled());
        auto* locked = window->findChild<QWidget*>("/parallelism/pipeline");
        QVERIFY(!locked->isEnabled());
        QVERIFY2(locked->toolTip().contains("Locked"), qPrintable(locked->toolTip()));
    }

    void leavingALessonUnlocksTheForm() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("learn.lesson.the-bubble");
        QVERIFY(window.resultAfter([&] { inPanel<QPushButton>(window, "lesson_all")->click(); }));
        QVERIFY(!window->lessons().isPlaying());
        QVERIFY(window->views().lesson()->isShowingList());
        QVERIFY(window->findChild<QWidget*>("/parallelism/pipeline")->isEnabled());
        // So does another document.
        window.trigger("learn.lesson.what-fills-80-gb");
        QVERIFY(window->lessons().isPlaying());
        QVERIFY(window.resultAfter([&] { window.trigger("file.new"); }));
        QVERIFY(!window->lessons().isPlaying());
    }

    void theAnswerSheetIsWhatTheCommandReads() {
        Window window(catalog());
        QVERIFY(window.start());
        window.trigger("learn.lesson.the-bubble");
        QVERIFY(say(window, 4));
        QVERIFY(check(window));
        QVERIFY2(inPanel<QLabel>(window, "lesson_hint_text")->text().contains("Off by one"), "the hint for this answer goes before the clause's");
        QVERIFY(say(window, 3));
        QVERIFY(check(window));
        window.fileAnswer = window.path("answers.orrery-answers.json");
        inPanel<QPushButton>(window, "lesson_sheet")->click();
        QFile file(window.fileAnswer);
        QVERIFY(file.open(QIODevice::ReadOnly));
        Problems problems;
        const auto sheet = readAnswerSheet(Json::parse(file.readAll().toStdString()), "the-bubble", problems);
        QVERIFY(sheet);
        const StepAnswer& said = sheet->steps.at(1);
        QCOMPARE((*said.answer)->get<double>(), 3.0);
        QCOMPARE((*said.first)->get<double>(), 4.0);
        QCOMPARE(said.tries, 2);
        QVERIFY(said.passed);
        QVERIFY(said.state);
    }

    void numbersAreReadAsPeopleTypeThem() {
        for (const auto& [text, number] : {std::pair{"27.3", 27.3}, {"27,3 %", 27.3}, {"1,024", 1024.0}, {" 2 475", 2475.0}, {"−3", -3.0}, {"1,234,567", 1234567.0}}) QCOMPARE(typedNumber(QString::fromUtf8(text)).value_or(0), number);
        for (const char* text : {"", "three", "1.2.3", "nan", "inf"}) QVERIFY2(!typedNumber(text), text);
    }

private:
    /// Plays the first wrong end that hands can reach: its hint must appear. False: there is none.
    static bool wrongEnd(Window& window, const LessonStep& step) {
        for (const LessonEnd& end : step.ends) {
            if (end.passes || !end.answer || !(*end.answer)->is_primitive() || !say(window, **end.answer)) continue;
            [&] {
                QVERIFY(check(window));
                for (const ScenarioEdit& edit : end.edits) QVERIFY2(setField(window, edit), edit.pointer.c_str());
                if (!end.edits.empty()) QVERIFY(check(window));
                QVERIFY(!window->lessons().shown().hasPassed());
                auto* hint = inPanel<QLabel>(window, "lesson_hint_text");
                QVERIFY(hint);
                QVERIFY(hint->text().size() > 20);
                if (const std::string& said = window->lessons().shown().verdict->hint; !said.empty()) QVERIFY(hint->text().contains(QString::fromStdString(said).toHtmlEscaped()));
                QVERIFY(!inPanel<QWidget>(window, "lesson_after"));
                if (auto* next = inPanel<QPushButton>(window, "lesson_next")) QVERIFY(!next->isEnabled());
                // Who is lost begins the step anew.
                if (!end.edits.empty()) emit window->views().lesson()->stepChosen(static_cast<int>(window->lessons().shown().step));
            }();
            return true;
        }
        return false;
    }

    static void rightEnd(Window& window, const LessonStep& step, const QByteArray& where) {
        const LessonEnd& end = step.ends.front();
        const bool computed = end.answer && (*end.answer)->is_string() && (*end.answer)->get<std::string>().starts_with("= ");
        // A prediction opens the fields; one that is read off the result is given once before there is any.
        if (window->lessons().holdsRuns()) {
            QVERIFY2(say(window, computed ? Json(1) : Json(**end.answer)), where);
            QVERIFY2(check(window), where);
        }
        for (const ScenarioEdit& edit : end.edits) QVERIFY2(setField(window, edit), where + " " + edit.pointer.c_str() + " " + edit.value->dump().c_str());
        if (computed) settle(window);
        if (end.answer && (computed || !step.ask.empty())) QVERIFY2(say(window, answerOf(window, *end.answer)), where);
        if (!window->lessons().shown().hasPassed() || computed || !end.edits.empty()) QVERIFY2(check(window), where);
        const LessonShown& shown = window->lessons().shown();
        QVERIFY2(shown.hasPassed(), where + ": " + QByteArray::fromStdString(shown.verdict->hint));
        QVERIFY2(inPanel<QLabel>(window, "lesson_after_text"), where);
    }

    std::vector<Lesson> lessons_;
};

ORRERY_WIDGET_TEST(LearnTest)
#include "learn_test.moc"
