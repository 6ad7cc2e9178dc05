// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/lessons/answer_sheet.hpp"
#include "core/answers/lessons/lesson_judge.hpp"
#include "core/base/json_forward.hpp"

#include <QString>
#include <QWidget>
#include <optional>

namespace orrery {

/// An answer as it was typed or chosen: "27.3", "twice as long".
QString answerText(const Json& answer);
/// A number with the digits that a pupil compares; a text as it is; nothing has none.
QString valueText(const LessonValue& value);

/// The value that the program found for what the step asks; nothing where no clause asks for an answer.
std::optional<LessonValue> measuredValue(const StepVerdict& verdict);

/// "You said 37.5 first, then 27.3; it is 27.27." `measured` nothing: only what was said.
QString outcomeText(const StepAnswer& answer, const std::optional<LessonValue>& measured);

/// What the typed text answers: a number where it is one, with a decimal point or comma and with or without a percent sign.
std::optional<double> typedNumber(const QString& text);

} // namespace orrery

class QButtonGroup;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace orrery {

class Theme;

/// A lesson under way.
struct LessonShown {
    const Lesson* lesson = nullptr; ///< outlives what shows it
    int number = 0, count = 0;      ///< of the lesson, from 1, and of all lessons
    std::size_t step = 0;           ///< the present one, from 0
    AnswerSheet sheet;
    std::optional<StepVerdict> verdict; ///< of the present step, since it was entered
    bool isJudging = false;

    const LessonStep& present() const { return lesson->steps[step]; }
    const StepAnswer* said(std::size_t index) const;
    bool isAnswered() const; ///< the present step asks for nothing, or has its answer
    bool hasPassed() const { return verdict && verdict->passed; }
};

/// The present step: what is said, what is asked, the answer, and what became of it. Made anew for each state of a lesson.
class LessonStepView : public QWidget {
    Q_OBJECT
public:
    LessonStepView(const Theme& theme, const LessonShown& shown, QWidget* parent = nullptr);

signals:
    void answered(const orrery::BoxedJson& answer); ///< to be judged with the scenario as it stands
    void checkAsked();                              ///< the same, of a step that asks for nothing
    void fieldAsked(const QString& pointer);        ///< a key that may be touched

private:
    void addQuestion(const LessonShown& shown);
    void addButton(const LessonShown& shown);
    void addBox(const QString& heading, const QString& text, const QColor& color, const QString& source, const char* name);
    void addTouch(const LessonShown& shown);
    void addText(const QString& text, bool secondary, const char* name = nullptr);
    void submit();
    void showReady();

    const Theme& theme_;
    const LessonStep& step_;
    QVBoxLayout* column_;
    QButtonGroup* choices_ = nullptr;
    QLineEdit* number_ = nullptr;
    QPushButton* button_ = nullptr;
};

} // namespace orrery
