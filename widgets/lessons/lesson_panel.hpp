// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/lessons/lesson_step_view.hpp"

#include <QWidget>

#include <vector>

class QPushButton;
class QScrollArea;
class QStackedWidget;

namespace orrery {

class LessonList;
class PanelHeader;
class Theme;

/// The lessons, or the one that is under way: steps that are done with what was said and what was measured, the present one, those to come.
/// It shows and asks; whoever plays the lesson decides.
class LessonPanel : public QWidget {
    Q_OBJECT
public:
    explicit LessonPanel(const Theme& theme, QWidget* parent = nullptr);

    void setLessons(const std::vector<Lesson>& lessons); ///< they outlive the panel
    void setPassed(int lesson, int steps);
    void showList();
    void show(const LessonShown& shown);
    using QWidget::show;
    bool isShowingList() const;

    QSize sizeHint() const override { return {360, 640}; }
    QSize minimumSizeHint() const override { return {260, 200}; }

signals:
    void lessonChosen(int lesson); ///< from 0
    void stepChosen(int step);     ///< of the lesson under way, from 0
    void answered(const orrery::BoxedJson& answer);
    void checkAsked();
    void fieldAsked(const QString& pointer);
    void keepAsked();  ///< the state as a variant
    void sheetAsked(); ///< the answers as a file
    void listAsked();

private:
    void build();
    QWidget* stepLine(std::size_t step);
    QWidget* buttons();

    const Theme& theme_;
    PanelHeader* header_;
    QPushButton* toList_;
    QStackedWidget* stack_;
    LessonList* list_;
    QScrollArea* page_;
    LessonShown shown_;
};

} // namespace orrery
