// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/lessons/lesson.hpp"

#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace orrery {

class Theme;

/// All lessons, one below the other, with what each is about and how many of its steps are done. A click opens one.
class LessonList : public QWidget {
    Q_OBJECT
public:
    explicit LessonList(const Theme& theme, QWidget* parent = nullptr);

    /// `lessons` outlive the list.
    void setLessons(const std::vector<Lesson>& lessons);
    void setPassed(int lesson, int steps); ///< from 0: how many of its steps are done

signals:
    void chosen(int lesson); ///< from 0

private:
    struct Row {
        QPushButton* title;
        QLabel* detail;
    };
    void showDetail(int lesson);
    void applyTheme();

    const Theme& theme_;
    const std::vector<Lesson>* lessons_ = nullptr;
    std::vector<Row> rows_;
    std::vector<int> passed_;
    QVBoxLayout* column_;
};

} // namespace orrery
