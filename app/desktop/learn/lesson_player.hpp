// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/learn/lesson_judging.hpp"
#include "core/answers/lessons/answer_sheet.hpp"
#include "widgets/lessons/lesson_step_view.hpp"

#include <QObject>

#include <optional>
#include <vector>

class QSettings;

namespace orrery {

class LessonPanel;
class ScenarioDocument;
class ScenarioForm;

/// Plays lessons in a window: opens their scenarios, locks what a step leaves alone, has answers judged, and keeps what was said in the
/// settings. Until a step's question has its answer nothing runs.
class LessonPlayer : public QObject {
    Q_OBJECT
public:
    /// All outlive the player.
    LessonPlayer(ScenarioDocument& document, LessonPanel& panel, ScenarioForm& form, QSettings& settings, QObject* parent = nullptr);

    const std::vector<Lesson>& lessons() const { return lessons_; }
    void start(int lesson); ///< from 0, at the first step that is not done; the document gives way
    void leave();           ///< the document stays as it is
    bool isPlaying() const { return shown_.lesson != nullptr; }
    bool holdsRuns() const { return isPlaying() && !shown_.isAnswered(); } ///< the present step waits for a prediction
    const LessonShown& shown() const { return shown_; }
    Json sheet() const; ///< `orrery-answers/1` of the lesson under way

signals:
    void runsReleased(); ///< the answer is there
    void judged();       ///< the verdict of the present step is shown

private:
    void enter(std::size_t step);
    void open(Json scenario);
    void answer(const BoxedJson& answer);
    void judge();
    void take(const StepVerdict& verdict);
    void store();
    void show();
    void documentReplaced();

    ScenarioDocument& document_;
    LessonPanel& panel_;
    ScenarioForm& form_;
    QSettings& settings_;
    std::vector<Lesson> lessons_;
    LessonJudging judging_;
    LessonShown shown_;
    bool isOpening_ = false; ///< the document is replaced by the lesson itself
};

} // namespace orrery
