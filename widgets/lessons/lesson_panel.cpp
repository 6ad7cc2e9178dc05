// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lessons/lesson_panel.hpp"

#include "widgets/common/panel_header.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/lessons/lesson_list.hpp"
#include "widgets/lessons/lesson_step_view.hpp"

#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace orrery {
namespace {

QScrollArea* scrolled(QWidget* page) {
    auto* area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    if (page) area->setWidget(page);
    return area;
}

} // namespace

LessonPanel::LessonPanel(const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(theme), header_(new PanelHeader(theme, tr("Learn"), this)), toList_(new QPushButton(tr("All lessons"))), stack_(new QStackedWidget(this)), list_(new LessonList(theme)), page_(scrolled(nullptr)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(stack_, 1);
    stack_->addWidget(scrolled(list_));
    stack_->addWidget(page_);
    toList_->setObjectName(QStringLiteral("lesson_all"));
    toList_->setFont(theme_.secondaryFont());
    header_->tools()->addWidget(toList_);
    connect(toList_, &QPushButton::clicked, this, &LessonPanel::listAsked);
    connect(list_, &LessonList::chosen, this, &LessonPanel::lessonChosen);
    connect(&theme_, &Theme::changed, this, [this] {
        toList_->setFont(theme_.secondaryFont());
        if (shown_.lesson) build();
    });
    showList();
}

void LessonPanel::setLessons(const std::vector<Lesson>& lessons) { list_->setLessons(lessons); }
void LessonPanel::setPassed(int lesson, int steps) { list_->setPassed(lesson, steps); }
bool LessonPanel::isShowingList() const { return stack_->currentIndex() == 0; }

void LessonPanel::showList() {
    shown_ = {};
    stack_->setCurrentIndex(0);
    toList_->hide();
    header_->setSubtitle(tr("lessons that are played on the scenario"));
}

void LessonPanel::show(const LessonShown& shown) {
    shown_ = shown;
    build();
    stack_->setCurrentIndex(1);
    toList_->show();
    header_->setSubtitle(tr("lesson %1 of %2").arg(shown.number).arg(shown.count));
}

void LessonPanel::build() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(12, 2, 12, 12);
    column->setSpacing(9);
    auto* title = new QLabel(QString::fromStdString(shown_.lesson->title), page);
    title->setFont(theme_.figureFont());
    title->setWordWrap(true);
    column->addWidget(title);
    auto* why = new QLabel(QString::fromStdString(shown_.lesson->why), page);
    why->setFont(theme_.secondaryFont());
    why->setWordWrap(true);
    setRole(*why, "secondary");
    column->addWidget(why);
    QWidget* present = nullptr;
    for (std::size_t step = 0; step < shown_.lesson->steps.size(); ++step) {
        if (step != shown_.step) {
            column->addWidget(stepLine(step));
            continue;
        }
        auto* view = new LessonStepView(theme_, shown_, page);
        connect(view, &LessonStepView::answered, this, &LessonPanel::answered);
        connect(view, &LessonStepView::checkAsked, this, &LessonPanel::checkAsked);
        connect(view, &LessonStepView::fieldAsked, this, &LessonPanel::fieldAsked);
        column->addWidget(view);
        column->addWidget(buttons());
        present = view;
    }
    column->addStretch(1);
    // What is replaced may be where the click came from.
    if (QWidget* old = page_->takeWidget()) old->deleteLater();
    page_->setWidget(page);
    QTimer::singleShot(0, page, [this, present] { page_->ensureWidgetVisible(present, 0, 12); });
    // Who is asked can type at once.
    if (auto* number = present->findChild<QLineEdit*>(); number && !shown_.hasPassed()) number->setFocus();
}

/// A step that is done, or one to come: its title, and what was said and measured.
QWidget* LessonPanel::stepLine(std::size_t step) {
    const StepAnswer* said = shown_.said(step);
    const bool passed = said && said->passed;
    auto* line = new QLabel;
    line->setObjectName(QStringLiteral("lesson_step_%1").arg(step));
    line->setFont(theme_.bodyFont());
    line->setWordWrap(true);
    line->setTextFormat(Qt::RichText);
    line->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    const QString title = QString::fromStdString(shown_.lesson->steps[step].title).toHtmlEscaped();
    QString text = QStringLiteral("<a href=\"step\" style=\"color:%1;text-decoration:none\">%2 %3</a>").arg((passed ? theme_.colors().good : theme_.colors().secondary).name()).arg(step + 1).arg(title);
    if (passed) text += QStringLiteral(" ✓");
    if (const QString outcome = said ? outcomeText(*said, std::nullopt) : QString(); !outcome.isEmpty()) text += QStringLiteral("<br><span style=\"color:%1\">%2</span>").arg(theme_.colors().secondary.name(), outcome.toHtmlEscaped());
    line->setText(text);
    connect(line, &QLabel::linkActivated, this, [this, step] { emit stepChosen(static_cast<int>(step)); });
    return line;
}

QWidget* LessonPanel::buttons() {
    auto* row = new QWidget;
    auto* box = new QHBoxLayout(row);
    box->setContentsMargins(0, 0, 0, 0);
    const auto add = [&](const QString& text, const char* name, bool enabled, auto&& act) {
        auto* button = new QPushButton(text, row);
        button->setObjectName(QString::fromLatin1(name));
        button->setFont(theme_.bodyFont());
        button->setEnabled(enabled);
        connect(button, &QPushButton::clicked, this, act);
        box->addWidget(button);
    };
    const int step = static_cast<int>(shown_.step), last = static_cast<int>(shown_.lesson->steps.size()) - 1;
    const StepAnswer* said = shown_.said(shown_.step);
    add(tr("Back"), "lesson_back", step > 0, [this, step] { emit stepChosen(step - 1); });
    if (step < last) add(tr("Next"), "lesson_next", shown_.hasPassed() || (said && said->passed), [this, step] { emit stepChosen(step + 1); });
    add(tr("Keep as variant"), "lesson_keep", true, [this] { emit keepAsked(); });
    add(tr("Save answers…"), "lesson_sheet", !shown_.sheet.steps.empty(), [this] { emit sheetAsked(); });
    box->addStretch(1);
    return row;
}

} // namespace orrery
