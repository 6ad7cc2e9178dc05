// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lessons/lesson_list.hpp"

#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace orrery {

LessonList::LessonList(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme), column_(new QVBoxLayout(this)) {
    column_->setContentsMargins(12, 0, 12, 10);
    column_->setSpacing(1);
    column_->addStretch(1);
    connect(&theme_, &Theme::changed, this, &LessonList::applyTheme);
}

void LessonList::setLessons(const std::vector<Lesson>& lessons) {
    lessons_ = &lessons;
    passed_.assign(lessons.size(), 0);
    for (int lesson = 0; lesson < static_cast<int>(lessons.size()); ++lesson) {
        const Lesson& one = lessons[static_cast<std::size_t>(lesson)];
        auto* title = new QPushButton(tr("%1 · %2").arg(lesson + 1).arg(QString::fromStdString(one.title)).replace(u'&', QStringLiteral("&&")), this);
        title->setObjectName(QStringLiteral("lesson.") + QString::fromStdString(one.id));
        title->setCursor(Qt::PointingHandCursor);
        setRole(*title, "heading");
        connect(title, &QPushButton::clicked, this, [this, lesson] { emit chosen(lesson); });
        auto* detail = new QLabel(this);
        detail->setWordWrap(true);
        setRole(*detail, "secondary");
        detail->setContentsMargins(0, 0, 0, 9);
        column_->insertWidget(column_->count() - 1, title);
        column_->insertWidget(column_->count() - 1, detail);
        rows_.push_back({title, detail});
        showDetail(lesson);
    }
    applyTheme();
}

void LessonList::setPassed(int lesson, int steps) {
    passed_[static_cast<std::size_t>(lesson)] = steps;
    showDetail(lesson);
}

void LessonList::showDetail(int lesson) {
    const auto index = static_cast<std::size_t>(lesson);
    const Lesson& one = (*lessons_)[index];
    const int all = static_cast<int>(one.steps.size()), done = passed_[index];
    const QString steps = done == 0 ? tr("%n step(s)", nullptr, all) : done == all ? tr("all %n step(s) done", nullptr, all)
                                                                                   : tr("%1 of %2 steps done").arg(done).arg(all);
    rows_[index].detail->setText(QString::fromStdString(one.why) + QStringLiteral(" (") + steps + QStringLiteral(")"));
}

void LessonList::applyTheme() {
    for (const Row& row : rows_) {
        row.title->setFont(theme_.titleFont());
        row.detail->setFont(theme_.secondaryFont());
    }
}

} // namespace orrery
