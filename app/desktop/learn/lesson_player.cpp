// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/learn/lesson_player.hpp"

#include "app/desktop/document/document.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/json_parser.hpp"
#include "resources/shipped_lessons.hpp"
#include "widgets/forms/scenario_form.hpp"
#include "widgets/lessons/lesson_panel.hpp"

#include <QSettings>

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

QString settingOf(const Lesson& lesson) { return QStringLiteral("learn/") + QString::fromStdString(lesson.id); }

/// What was said of a lesson before; an empty sheet where nothing was, or nothing that can be read.
AnswerSheet storedSheet(const QSettings& settings, const Lesson& lesson) {
    const std::string text = settings.value(settingOf(lesson)).toString().toStdString();
    Problems ignored;
    if (const std::optional<Json> document = text.empty() ? std::nullopt : parseJsonText(text, "", ignored))
        if (std::optional<AnswerSheet> sheet = readAnswerSheet(*document, lesson.id, ignored)) return std::move(*sheet);
    return {lesson.id, {}};
}

int passedSteps(const AnswerSheet& sheet) {
    return static_cast<int>(std::count_if(sheet.steps.begin(), sheet.steps.end(), [](const auto& step) { return step.second.passed; }));
}

} // namespace

LessonPlayer::LessonPlayer(ScenarioDocument& document, LessonPanel& panel, ScenarioForm& form, QSettings& settings, QObject* parent)
    : QObject(parent), document_(document), panel_(panel), form_(form), settings_(settings), lessons_(shippedLessons()) {
    panel_.setLessons(lessons_);
    for (int lesson = 0; lesson < static_cast<int>(lessons_.size()); ++lesson) panel_.setPassed(lesson, passedSteps(storedSheet(settings_, lessons_[static_cast<std::size_t>(lesson)])));
    connect(&panel_, &LessonPanel::answered, this, &LessonPlayer::answer);
    connect(&panel_, &LessonPanel::checkAsked, this, &LessonPlayer::judge);
    connect(&panel_, &LessonPanel::listAsked, this, &LessonPlayer::leave);
    connect(&panel_, &LessonPanel::stepChosen, this, [this](int step) { enter(static_cast<std::size_t>(step)); });
    connect(&judging_, &LessonJudging::judged, this, &LessonPlayer::take);
    connect(&document_, &ScenarioDocument::replaced, this, &LessonPlayer::documentReplaced);
}

void LessonPlayer::start(int lesson) {
    const Lesson& chosen = lessons_.at(static_cast<std::size_t>(lesson));
    shown_ = {};
    shown_.lesson = &chosen;
    shown_.number = lesson + 1;
    shown_.count = static_cast<int>(lessons_.size());
    shown_.sheet = storedSheet(settings_, chosen);
    std::size_t first = 0;
    while (first + 1 < chosen.steps.size() && shown_.said(first) && shown_.said(first)->passed) ++first;
    // A state of its own is made for the step, not gone on from.
    shown_.step = first;
    enter(first);
}

void LessonPlayer::leave() {
    judging_.cancel();
    const bool held = holdsRuns();
    shown_ = {};
    form_.setTouchable(std::nullopt);
    panel_.showList();
    if (held) emit runsReleased();
}

/// The state that a step before ended with goes on, where the learner's own passed and the lesson brings no other.
void LessonPlayer::enter(std::size_t step) {
    const LessonStep& next = shown_.lesson->steps[step];
    const bool goesOn = step == shown_.step + 1 && shown_.hasPassed() && next.scenario.empty();
    judging_.cancel();
    Json opening = goesOn ? *applyEdits(document_.shown(), next.start).document : openingOf(*shown_.lesson, step);
    opening.erase("variants");
    shown_.step = step;
    shown_.verdict.reset();
    shown_.isJudging = false;
    // Who comes back to a step is asked again: the prediction is kept as the first one.
    if (const auto said = shown_.sheet.steps.find(static_cast<int>(step) + 1); said != shown_.sheet.steps.end() && !said->second.passed) said->second.answer.reset();
    show();
    open(std::move(opening));
}

void LessonPlayer::open(Json scenario) {
    isOpening_ = true;
    document_.reset(std::move(scenario));
    isOpening_ = false;
}

void LessonPlayer::documentReplaced() {
    if (isPlaying() && !isOpening_) leave();
}

void LessonPlayer::answer(const BoxedJson& answer) {
    const bool held = holdsRuns();
    StepAnswer& said = shown_.sheet.steps[static_cast<int>(shown_.step) + 1];
    if (!said.first) said.first = answer;
    said.answer = answer;
    if (held) emit runsReleased();
    judge();
}

void LessonPlayer::judge() {
    StepAnswer& said = shown_.sheet.steps[static_cast<int>(shown_.step) + 1];
    ++said.tries;
    said.state = document_.shown();
    shown_.isJudging = true;
    show();
    judging_.submit(shown_.present(), document_.shown(), said.answer);
}

void LessonPlayer::take(const StepVerdict& verdict) {
    shown_.isJudging = false;
    shown_.verdict = verdict;
    StepAnswer& said = shown_.sheet.steps[static_cast<int>(shown_.step) + 1];
    said.passed = said.passed || verdict.passed;
    store();
    show();
    emit judged();
}

void LessonPlayer::store() {
    settings_.setValue(settingOf(*shown_.lesson), QString::fromStdString(toJson(shown_.sheet).dump()));
    panel_.setPassed(shown_.number - 1, passedSteps(shown_.sheet));
}

Json LessonPlayer::sheet() const { return toJson(shown_.sheet); }

void LessonPlayer::show() {
    const bool open = shown_.isAnswered();
    form_.setTouchable(open ? shown_.present().let : std::vector<std::string>(), open ? tr("Locked: this step of the lesson leaves it as it is.") : tr("Locked until your answer is given."));
    panel_.show(shown_);
}

} // namespace orrery
