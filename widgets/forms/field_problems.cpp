// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/field_problems.hpp"

#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QLabel>
#include <QVBoxLayout>

namespace orrery {
namespace {

/// Pointers such as /parallelism/pipeline_layout may break after their separators: a narrow column never cuts them.
QString breakable(const std::string& text) {
    const QChar zeroWidthSpace(0x200b);
    QString html;
    for (const QChar c : QString::fromStdString(text)) {
        html += QString(c).toHtmlEscaped();
        if (c == QLatin1Char('/') || c == QLatin1Char('_') || c == QLatin1Char('.')) html += zeroWidthSpace;
    }
    return html;
}

const char* roleOf(Severity severity) {
    switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "secondary";
    }
    return "error";
}

bool sameProblem(const Problem& a, const Problem& b) {
    const auto sameEdit = [](const ScenarioEdit& x, const ScenarioEdit& y) { return x.pointer == y.pointer && x.value == y.value; };
    return a.severity == b.severity && a.pointer == b.pointer && a.message == b.message && a.mend == b.mend &&
           std::equal(a.edits.begin(), a.edits.end(), b.edits.begin(), b.edits.end(), sameEdit);
}

} // namespace

FieldProblems::FieldProblems(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme), column_(new QVBoxLayout(this)) {
    column_->setContentsMargins(0, 1, 0, 3);
    column_->setSpacing(4);
    hide();
    connect(&theme_, &Theme::changed, this, &FieldProblems::rebuild);
}

void FieldProblems::setProblems(const Problems& problems) {
    // Rebuilding would take the keyboard from a link that has it.
    if (std::equal(problems_.begin(), problems_.end(), problems.begin(), problems.end(), sameProblem)) return;
    problems_ = problems;
    rebuild();
}

void FieldProblems::setMistyped(const QString& sentence) {
    if (mistyped_ == sentence) return;
    mistyped_ = sentence;
    rebuild();
}

void FieldProblems::setNote(const QString& sentence) {
    if (note_ == sentence) return;
    note_ = sentence;
    rebuild();
}

void FieldProblems::rebuild() {
    while (QLayoutItem* item = column_->takeAt(0)) {
        // A link may be the sender of the signal that brought us here.
        if (QWidget* label = item->widget()) {
            label->hide();
            label->setObjectName({});
            label->deleteLater();
        }
        delete item;
    }
    if (!mistyped_.isEmpty()) addLine(mistyped_.toHtmlEscaped(), "error", {}, {});
    for (const Problem& problem : problems_) {
        QString html = breakable(problem.message);
        if (!problem.mend.empty())
            html += problem.edits.empty() ? QStringLiteral(" ") + breakable(problem.mend)
                                          : QStringLiteral(" <a href=\"mend\" style=\"color:%2;text-decoration:none\">%1</a>").arg(breakable(problem.mend), theme_.colors().accent.name());
        addLine(html, roleOf(problem.severity), problem.edits, QString::fromStdString(problem.mend));
    }
    if (!note_.isEmpty() && problems_.empty()) addLine(note_.toHtmlEscaped(), "secondary", {}, {});
    setVisible(!isEmpty());
}

void FieldProblems::addLine(const QString& html, const char* role, const std::vector<ScenarioEdit>& edits, const QString& mend) {
    auto* label = new QLabel(this);
    label->setObjectName(QStringLiteral("problem"));
    label->setFont(theme_.secondaryFont());
    label->setTextFormat(Qt::RichText);
    label->setText(html);
    label->setWordWrap(true);
    // The column gives the width; the text only ever asks for height.
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    label->setSizePolicy(policy);
    setRole(*label, role);
    if (!edits.empty()) {
        label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        connect(label, &QLabel::linkActivated, this, [this, edits, mend] { emit mendChosen(mend, edits); });
    }
    column_->addWidget(label);
    label->show();
}

} // namespace orrery
