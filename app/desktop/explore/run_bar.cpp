// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/run_bar.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStyle>
#include <cmath>

namespace orrery {

TargetBar::TargetBar(QWidget* parent) : QWidget(parent), view_(new QComboBox), name_(new QLabel), edit_(new QLineEdit), readout_(new QLabel) {
    constexpr int targetWidth = 90, lineHeight = 26; // px
    view_->addItems({tr("Front"), tr("All keys and figures")});
    view_->setAccessibleName(tr("How the plans are shown"));
    view_->setMinimumHeight(lineHeight);
    edit_->setFixedWidth(targetWidth);
    edit_->setPlaceholderText(tr("no target"));
    edit_->setAccessibleName(tr("Target to read the plans at"));
    edit_->setToolTip(tr("Limits the plans to those that reach this, and chooses the best of them"));
    edit_->setObjectName(QStringLiteral("search_target"));
    readout_->setObjectName(QStringLiteral("search_readout"));
    readout_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    readout_->setWordWrap(true);
    // Long words never widen the window.
    readout_->setMinimumWidth(0);
    readout_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    for (QLabel* label : {name_, readout_}) setRole(*label, "secondary");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(view_);
    row->addSpacing(6);
    row->addWidget(name_);
    row->addWidget(edit_);
    row->addWidget(readout_, 1);
    connect(view_, qOverload<int>(&QComboBox::activated), this, &TargetBar::viewChanged);
    connect(edit_, &QLineEdit::textChanged, this, &TargetBar::targetChanged);
}

void TargetBar::setObjective(const Objective& second) {
    const std::string& pointer = second.measure.pointer;
    const QString name = second.measure.name == pointer ? figureName(pointer) : QString::fromStdString(second.measure.name);
    name_->setText(tr("Read at %1 %2").arg(name, second.maximise ? QStringLiteral("≥") : QStringLiteral("≤")));
    if (figure_ == pointer) return;
    figure_ = pointer;
    setTarget(std::nullopt);
}

std::optional<double> TargetBar::target() const { return figureFromText(edit_->text()); }

void TargetBar::setTarget(std::optional<double> target) {
    const QSignalBlocker quiet(edit_);
    edit_->setText(target ? figureWords(figure_, *target) : QString());
}

void TargetBar::setReadout(const QString& text) {
    readout_->setText(text);
    readout_->setToolTip(text);
}

RunBar::RunBar(const Theme& theme, const QString& runText, QWidget* parent)
    : QWidget(parent), theme_(theme), run_(new QPushButton(runText)), cancel_(new QPushButton(tr("Cancel"))), cost_(new QLabel), status_(new QLabel), progress_(new QProgressBar) {
    cancel_->setToolTip(tr("Stops; what was found so far stays"));
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(6);
    progress_->setMinimumWidth(80);
    progress_->setMaximumWidth(220);
    progress_->setAccessibleName(tr("Progress"));
    setRole(*cost_, "secondary");
    setRole(*status_, "secondary");
    cost_->setObjectName(QStringLiteral("explore_cost"));
    status_->setObjectName(QStringLiteral("explore_status"));
    for (QLabel* label : {cost_, status_}) label->setWordWrap(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    run_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    row->addWidget(run_);
    row->addWidget(cancel_);
    row->addWidget(progress_);
    row->addWidget(cost_, 1);
    row->addWidget(status_, 1);
    row->addStretch(0); // while nothing is said beside it, the button keeps its size
    connect(run_, &QPushButton::clicked, this, &RunBar::runRequested);
    connect(cancel_, &QPushButton::clicked, this, &RunBar::cancelRequested);
    connect(&theme_, &Theme::changed, this, &RunBar::applyTheme);
    applyTheme();
    showState();
}

void RunBar::applyTheme() {
    cost_->setFont(theme_.secondaryFont());
    status_->setFont(theme_.secondaryFont());
}

QString RunBar::cost() const { return cost_->text(); }
QString RunBar::status() const { return status_->text(); }

void RunBar::setCost(const QString& text, bool isLong) {
    setRole(*cost_, isLong ? "warning" : "secondary");
    cost_->setText(text);
    showState();
}

void RunBar::setCanRun(bool can) {
    canRun_ = can;
    run_->setEnabled(can);
}

void RunBar::setStatus(const QString& text, const char* role) {
    setRole(*status_, role);
    status_->setText(text);
    showState();
}

void RunBar::begin(bool counts) {
    running_ = true;
    progress_->setRange(0, counts ? 1000 : 0);
    progress_->setValue(0);
    setStatus(tr("started"));
}

void RunBar::setProgress(double share, double seconds, double points) {
    if (!running_) return;
    progress_->setValue(static_cast<int>(std::lround(share * 1000)));
    QStringList words;
    if (points > 0) {
        words << tr("%1 of %2").arg(grouped(std::round(share * points)), grouped(points));
        if (seconds > 0) words << tr("%1 a second").arg(grouped(share * points / seconds, share * points / seconds < 10 ? 1 : 0));
    } else {
        words << tr("%1 %").arg(grouped(std::floor(100 * share)));
    }
    constexpr double known = 0.02; // from here on the rate says something
    if (share >= known) words << tr("%1 left").arg(aboutTime(seconds * (1 - share) / share));
    setStatus(words.join(QStringLiteral(" · ")));
}

void RunBar::end() {
    running_ = false;
    answered_ = whatIsAsked();
    showState();
}

/// How much: the cost without the time, which is known better after each run.
QString RunBar::whatIsAsked() const { return cost_->text().section(QStringLiteral(", "), 0, 0); }

void RunBar::showState() {
    run_->setVisible(!running_);
    cancel_->setVisible(running_);
    progress_->setVisible(running_);
    // What a run would take is no news beside what it gave, until something else is asked.
    cost_->setVisible(!running_ && !cost_->text().isEmpty() && (status_->text().isEmpty() || answered_ != whatIsAsked()));
    status_->setVisible(!status_->text().isEmpty());
}

} // namespace orrery
