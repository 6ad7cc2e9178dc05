// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons as data: every shipped one is sound and ends as it says; broken ones say where and how to mend them.
#include "core/answers/lessons/lesson_judge.hpp"
#include "core/answers/lessons/lesson_page.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "resources/resources.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace orrery::test {
namespace {

std::vector<std::string> lessonNames() {
    std::vector<std::string> names;
    for (const std::string_view name : resourceNames())
        if (name.starts_with("lessons/")) names.emplace_back(name);
    return names;
}

Json documentOf(const std::string& name) { return Json::parse(resourceText(name)); }

Lesson lessonOf(const std::string& name) {
    Problems problems;
    std::optional<Lesson> lesson = readLesson(documentOf(name), problems);
    for (const Problem& problem : problems) ADD_FAILURE() << name << ' ' << toText(problem);
    return lesson.value_or(Lesson());
}

TEST(Lessons, AreTwelveWithFiftyFiveSteps) {
    std::set<std::string> ids;
    std::size_t steps = 0;
    for (const std::string& name : lessonNames()) {
        const Lesson lesson = lessonOf(name);
        ids.insert(lesson.id);
        steps += lesson.steps.size();
    }
    EXPECT_EQ(ids.size(), 12u);
    EXPECT_EQ(steps, 55u);
}

class ShippedLesson : public testing::TestWithParam<std::string> {};

/// Openings fail or ask, first ends pass, wrong ends fail at the clause they name.
TEST_P(ShippedLesson, EndsAsItSays) {
    for (const Problem& problem : playLesson(lessonOf(GetParam()), catalog())) ADD_FAILURE() << toText(problem) << ' ' << problem.pointer;
}

INSTANTIATE_TEST_SUITE_P(Lessons, ShippedLesson, testing::ValuesIn(lessonNames()), [](const auto& one) {
    std::string name;
    for (const char c : one.param.substr(sizeof "lessons/" - 1, one.param.find('.') - sizeof "lessons/" + 1)) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
});

/// (p - 1)/(m + p - 1) of the span: the toy's bubble by closed form, and the misconception that a wrong answer gives away.
TEST(Lessons, JudgeAStateAndItsAnswer) {
    const Lesson lesson = lessonOf("lessons/06-the-bubble.orrery-lesson.json");
    const Json opening = openingOf(lesson, 2);
    EXPECT_FALSE(judgeStep(lesson.steps[2], opening, std::nullopt, catalog()).passed);
    const EditOutcome enough = applyEdits(opening, {{"/workload/global_batch_size", Json(27)}});
    const StepVerdict verdict = judgeStep(lesson.steps[2], *enough.document, std::nullopt, catalog());
    EXPECT_TRUE(verdict.passed);
    EXPECT_NEAR(std::get<double>(verdict.clauses[0].value), 3.0 / 30, 1e-3);

    const Json second = openingOf(lesson, 1);
    EXPECT_EQ(judgeStep(lesson.steps[1], second, std::nullopt, catalog()).clauses[0].passed, std::nullopt) << "an answer is still open";
    const StepVerdict classic = judgeStep(lesson.steps[1], second, BoxedJson(Json(37.5)), catalog());
    EXPECT_FALSE(classic.passed);
    EXPECT_NE(classic.hint.find("whole time"), std::string::npos) << classic.hint;
    EXPECT_TRUE(judgeStep(lesson.steps[1], second, BoxedJson(Json(27.3)), catalog()).passed);
}

TEST(Lessons, TakeARefusedScenarioAsAnEnd) {
    const Lesson lesson = lessonOf("lessons/06-the-bubble.orrery-lesson.json");
    const EditOutcome wrong = applyEdits(openingOf(lesson, 2), {{"/workload/global_batch_size", Json("many")}});
    const StepVerdict verdict = judgeStep(lesson.steps[2], *wrong.document, std::nullopt, catalog());
    EXPECT_FALSE(verdict.passed);
    EXPECT_FALSE(verdict.refused.empty());
    EXPECT_FALSE(verdict.hint.empty());
    EXPECT_TRUE(toJson(verdict).contains("problems"));
}

TEST(Lessons, ThatAreBrokenSayWhereAndHowToMendThem) {
    const std::string name = "lessons/06-the-bubble.orrery-lesson.json";
    const std::vector<std::pair<std::string, Json>> faults{{"/format", "orrery-lesson/2"}, {"/title", 3}, {"/steps", Json::array()}, {"/steps/0/scenario", "none"}, {"/steps/0/say", Json()}, {"/steps/0/check", Json::array()}, {"/steps/0/check/0/clause", "/a >"}, {"/steps/0/check/0/clause", "{none} = 3"}, {"/steps/0/ends", Json::array()}, {"/steps/0/ends/1/fails", 9}, {"/steps/4/start", {{"no-pointer", 1}}}, {"/steps/4/terms/even", 3}};
    for (const auto& [pointer, value] : faults) {
        const EditOutcome broken = applyEdits(documentOf(name), {{pointer, value}});
        ASSERT_TRUE(broken.error.empty()) << broken.error;
        Problems problems;
        EXPECT_FALSE(readLesson(*broken.document, problems)) << pointer;
        ASSERT_FALSE(problems.empty()) << pointer;
        EXPECT_TRUE(problems.front().pointer.starts_with(pointer.substr(0, 8))) << pointer << ' ' << problems.front().pointer;
        EXPECT_FALSE(problems.front().mend.empty());
    }
}

/// Opening and closing tags of a page, in order; false where one closes that is not open.
bool closesWhatItOpens(const std::string& page) {
    std::vector<std::string> open;
    for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
        const std::size_t end = page.find('>', at);
        if (end == std::string::npos) return false;
        const std::string tag = page.substr(at + 1, end - at - 1);
        if (tag.starts_with("!") || tag.starts_with("meta ")) continue; // have no end
        if (!tag.starts_with("/")) open.push_back(tag.substr(0, tag.find(' ')));
        else if (open.empty() || open.back() != tag.substr(1)) return false;
        else open.pop_back();
    }
    return open.empty();
}

TEST(LessonPage, GivesPupilsNoAnswerAndTeachersEveryOne) {
    for (const std::string& name : lessonNames()) {
        const Lesson lesson = lessonOf(name);
        const std::string pupils = lessonPage(lesson, false, catalog()), key = lessonPage(lesson, true, catalog());
        for (const std::string* page : {&pupils, &key}) {
            EXPECT_TRUE(closesWhatItOpens(*page)) << name;
            EXPECT_EQ(page->find("http"), std::string::npos) << name << ": needs nothing from elsewhere";
            std::size_t steps = 0;
            for (std::size_t at = page->find("<h2>"); at != std::string::npos; at = page->find("<h2>", at + 1)) ++steps;
            EXPECT_EQ(steps, lesson.steps.size()) << name;
        }
        EXPECT_EQ(pupils.find("Right:"), std::string::npos) << name;
        for (const LessonStep& step : lesson.steps) {
            const std::string after = step.after.substr(0, step.after.find_first_of("<>&\"'"));
            EXPECT_TRUE(after.empty() || pupils.find(after) == std::string::npos) << name << ": " << step.title;
            EXPECT_TRUE(after.empty() || key.find(after) != std::string::npos) << name << ": " << step.title;
        }
    }
}

TEST(LessonPage, KeepsTextPlain) {
    Lesson lesson;
    lesson.title = "<img src=\"file:///x\"> & more";
    LessonStep step;
    step.title = "a < b";
    step.say = "\"quoted\"";
    lesson.steps.push_back(step);
    const std::string page = lessonPage(lesson, true, catalog());
    EXPECT_EQ(page.find("<img"), std::string::npos);
    EXPECT_NE(page.find("&lt;img src=&quot;file:///x&quot;&gt; &amp; more"), std::string::npos);
}

} // namespace
} // namespace orrery::test
