// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/selection.hpp"

#include <algorithm>

namespace orrery {

void Selection::setCursor(double seconds) {
    if (seconds == cursor_) return;
    cursor_ = seconds;
    emit cursorChanged(cursor_);
}

void Selection::setMoment(double seconds) {
    if (seconds == moment_) return;
    moment_ = seconds;
    emit momentChanged(moment_);
}

void Selection::setRange(double start, double end) {
    if (start > end) std::swap(start, end);
    if (start == rangeStart_ && end == rangeEnd_) return;
    rangeStart_ = start;
    rangeEnd_ = end;
    emit rangeChanged(rangeStart_, rangeEnd_);
}

void Selection::setOperator(const QString& name, const QString& phase, int stage) {
    if (name == operatorName_ && phase == operatorPhase_ && stage == operatorStage_) return;
    operatorName_ = name;
    operatorPhase_ = phase;
    operatorStage_ = stage;
    emit operatorChanged(operatorName_, operatorPhase_);
}

void Selection::setStage(int stage) {
    if (stage == stage_) return;
    stage_ = stage;
    emit stageChanged(stage_);
}

void Selection::setHint(const QString& text) { emit hintChanged(text); }

void Selection::clear() {
    setCursor(-1);
    setMoment(-1);
    setRange(0, 0);
    setOperator({}, {});
    setStage(-1);
    setHint({});
}

} // namespace orrery
