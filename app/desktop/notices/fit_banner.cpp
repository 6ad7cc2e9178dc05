// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/notices/fit_banner.hpp"

#include "widgets/common/core_words.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/forms/flow_layout.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>

namespace orrery {

FitBanner::FitBanner(const Theme& theme, QWidget* parent)
    : QFrame(parent), theme_(theme), message_(new QLabel(this)), state_(new QLabel(this)), look_(new QPushButton(tr("What holds it"), this)),
      giveUp_(new QPushButton(tr("Stop trying"), this)), hide_(new QPushButton(tr("Hide"), this)), row_(new FlowLayout(6, 4)) {
    setObjectName("fit_banner");
    message_->setObjectName("fit_message");
    message_->setWordWrap(true);
    state_->setWordWrap(true);
    setRole(*state_, "secondary");
    look_->setToolTip(tr("Shows what holds the stage's memory at its peak, down to the tensor"));
    connect(look_, &QPushButton::clicked, this, [this] {
        if (result_ && result_->outOfMemory) emit stageChosen(result_->outOfMemory->stage);
    });
    giveUp_->setToolTip(tr("Leaves the plan as it is, without changes on offer"));
    giveUp_->hide();
    connect(giveUp_, &QPushButton::clicked, this, [this] {
        gaveUp_ = true;
        emit giveUpRequested();
    });
    hide_->setToolTip(tr("The row at the bottom still says that it does not fit"));
    connect(hide_, &QPushButton::clicked, this, [this] {
        closed_ = true;
        hide();
    });
    auto* words = new QVBoxLayout;
    words->setSpacing(4);
    words->addWidget(message_);
    words->addWidget(state_);
    words->addLayout(row_);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(14, 6, 12, 6);
    line->setSpacing(12);
    line->addLayout(words, 1);
    line->addWidget(giveUp_, 0, Qt::AlignTop);
    line->addWidget(look_, 0, Qt::AlignTop);
    line->addWidget(hide_, 0, Qt::AlignTop);
    hide();
    connect(&theme_, &Theme::changed, this, &FitBanner::paint);
    paint();
}

void FitBanner::clearButtons() {
    for (QPushButton* button : buttons_) {
        row_->removeWidget(button);
        button->hide();
        button->deleteLater(); // its click may be what brought us here
    }
    buttons_.clear();
}

void FitBanner::setResult(const ResultPtr& result) {
    result_ = result;
    clearButtons();
    giveUp_->hide();
    gaveUp_ = false;
    closed_ = false;
    if (!result_ || !result_->outOfMemory) return hide();
    const OutOfMemory& out = *result_->outOfMemory;
    // Every stage of an engine is accounted as its fullest accelerator is.
    const QString who = result_->training() ? tr("stage %1").arg(out.stage) : tr("an accelerator");
    // An engine takes a share of the memory only.
    const QString than = out.capacityBytes < result_->memory.capacityBytes ? tr("Does not fit: %1 needs %2, %3 more than the %4 that the engine may take.") : tr("Does not fit: %1 needs %2, %3 more than the %4 there are.");
    message_->setText(QStringLiteral("⚠ ") + than.arg(who, readableBytes(out.neededBytes).text(), readableBytes(out.neededBytes - out.capacityBytes).text(),
                                                      readableBytes(out.capacityBytes).text()));
    state_->setText(tr("Trying what would make it fit…"));
    state_->show();
    setVisible(!quiet_);
}

void FitBanner::setQuiet(bool quiet) {
    quiet_ = quiet;
    setVisible(!quiet_ && !closed_ && result_ && result_->outOfMemory);
}

QString FitBanner::effectOf(const TriedMend& mend) const {
    QString bytes = readableBytes(mend.peakBytes).text();
    const double before = result_->training() ? result_->training()->iterationTime : 0;
    if (!(before > 0) || !(mend.iterationTime > 0)) return bytes;
    const double change = mend.iterationTime / before - 1;
    if (std::abs(change) < 5e-4) return tr("%1, as fast").arg(bytes);
    return change > 0 ? tr("%1, %2 longer").arg(bytes, readablePercent(change).text()) : tr("%1, %2 shorter").arg(bytes, readablePercent(-change).text());
}

void FitBanner::setProgress(double fraction) {
    if (!result_ || !result_->outOfMemory || !buttons_.empty()) return;
    state_->setText(tr("Trying what would make it fit… %1 %").arg(std::lround(100 * fraction)));
    giveUp_->show();
}

void FitBanner::setMends(const std::vector<TriedMend>& mends) {
    if (!result_ || !result_->outOfMemory) return;
    clearButtons();
    giveUp_->hide();
    state_->setText(!mends.empty() ? QString()
                    : gaveUp_      ? tr("Stopped before anything that fits was found.")
                                   : tr("Nothing that was tried makes it fit: it takes more accelerators, or a smaller model."));
    state_->setVisible(mends.empty());
    for (const TriedMend& mend : mends) {
        const QString what = coreWords(mend.text);
        auto* button = new QPushButton(tr("Try %1: %2").arg(what, effectOf(mend)).replace(u'&', QStringLiteral("&&")), this);
        const bool trains = result_->training() != nullptr;
        button->setToolTip((mend.simulated ? trains ? tr("Applies it as one step that undo takes back; it was simulated and takes %1 an iteration")
                                                    : tr("Applies it as one step that undo takes back; it was simulated and takes %1 a request")
                            : trains ? tr("Applies it as one step that undo takes back; by estimate it takes %1 an iteration")
                                           : tr("Applies it as one step that undo takes back; by its first requests it takes %1 a request"))
                               .arg(readableTime(mend.iterationTime).text()));
        connect(button, &QPushButton::clicked, this, [this, what, edits = mend.edits] { emit editRequested(tr("Try %1").arg(what), edits); });
        row_->addWidget(button);
        buttons_.push_back(button);
        button->show();
    }
}

void FitBanner::setStale() {
    for (QPushButton* button : buttons_) button->setEnabled(false);
}

Problem FitBanner::problem() const {
    Problem problem;
    problem.code = "does-not-fit";
    problem.message = message_->text().section(QLatin1Char(' '), 1).toStdString();
    problem.mend = tr("Take one of the changes that were tried, or more accelerators.").toStdString();
    return problem;
}

QString FitBanner::message() const { return isHidden() ? QString() : message_->text(); }

void FitBanner::paint() {
    const ThemeColors& colors = theme_.colors();
    setStyleSheet(QStringLiteral("#fit_banner { background: %1; border: 1px solid %3; border-left: 3px solid %2; }")
                      .arg(colors.field.name(), colors.warning.name(), colors.line.name()));
    message_->setFont(theme_.bodyFont());
    state_->setFont(theme_.secondaryFont());
}

} // namespace orrery
