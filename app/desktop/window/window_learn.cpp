// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons in the window: their workspace, their menu, and the answers as a file.

#include "app/desktop/document/document_file.hpp"
#include "app/desktop/frame/title_row.hpp"
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/learn/lesson_player.hpp"
#include "app/desktop/notices/banner.hpp"
#include "app/desktop/window/main_window.hpp"
#include "core/base/json.hpp"
#include "widgets/forms/scenario_form.hpp"
#include "widgets/lessons/lesson_panel.hpp"

#include <QDir>

namespace orrery {

void MainWindow::connectLessons() {
    LessonPanel* panel = views_->lesson();
    connect(panel, &LessonPanel::lessonChosen, this, &MainWindow::startLesson);
    connect(panel, &LessonPanel::keepAsked, this, [this] { variants_.keepChanges(); });
    connect(panel, &LessonPanel::sheetAsked, this, &MainWindow::saveAnswers);
    connect(panel, &LessonPanel::fieldAsked, this, [this](const QString& pointer) {
        layout_->reveal("scenario");
        views_->form()->focusField(pointer);
    });
    connect(lessons_, &LessonPlayer::runsReleased, this, &MainWindow::simulateNow);
}

void MainWindow::addLearnCommands() {
    commands_.addMenu({"learn", {}, tr("&Learn")});
    for (int lesson = 0; lesson < static_cast<int>(lessons_->lessons().size()); ++lesson) {
        const Lesson& one = lessons_->lessons()[static_cast<std::size_t>(lesson)];
        const bool last = lesson + 1 == static_cast<int>(lessons_->lessons().size());
        commands_.add({"learn.lesson." + QString::fromStdString(one.id), "learn", tr("Lesson %1: %2").arg(lesson + 1).arg(QString::fromStdString(one.title).replace(u'&', QStringLiteral("&&"))), {}, [this, lesson] { startLesson(lesson); }, {}, {}, {}, last});
    }
    for (const Example& example : examples_) {
        commands_.add({"learn.example." + example.fileName.section(u'.', 0, -3), "learn", QString(example.title).replace(u'&', QStringLiteral("&&")), {}, [this, &example] { files_.openExample(example); }, {}, {}, {}, false});
    }
    for (const Example& study : studies_) {
        commands_.add({"learn.study." + study.fileName.section(u'.', 0, -3), "learn", QString(study.title).replace(u'&', QStringLiteral("&&")), {}, [this, &study] { showStudy(study.document, {}); }, {}, {}, {}, &study == &studies_.front()});
    }
}

void MainWindow::startLesson(int lesson) {
    if (!files_.mayLeave()) return;
    layout_->showWorkspace("learn");
    layout_->bringUp("lesson");
    lessons_->start(lesson);
}

void MainWindow::holdForAnswer() {
    worker_.cancel();
    stale_ = false;
    takeProblems({});
    forgetResult();
    titleRow_->pill().setHeld();
}

void MainWindow::saveAnswers() {
    const QString id = QString::fromStdString(lessons_->shown().lesson->id);
    const QString path = dialogs_.saveFile(tr("Save the answers"), QDir(exportFolder()).filePath(id + QStringLiteral(".orrery-answers.json")), tr("Answer sheets (*.orrery-answers.json)"));
    if (path.isEmpty()) return;
    const Problems problems = writeFileWhole(path, QByteArray::fromStdString(lessons_->sheet().dump(2) + "\n"));
    if (!problems.empty()) return showFileProblems(problems);
    banner_->showMessage(Banner::Tone::note, tr("Answers saved to %1").arg(QDir::toNativeSeparators(path)), tr("A teacher judges them with orrery-cli lesson check %1 FILE --step 0.").arg(id), {}, true);
}

} // namespace orrery
