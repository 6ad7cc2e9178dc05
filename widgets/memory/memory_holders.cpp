// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/memory_holders.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr int frame = 33; ///< ms

const StageMemory* stageOf(const Result& result, int wanted) {
    const StageMemory* fullest = nullptr;
    for (const StageMemory& stage : result.memory.stages) {
        if (stage.stage == wanted) return &stage;
        if (!fullest || stage.peakBytes > fullest->peakBytes) fullest = &stage;
    }
    return fullest;
}

} // namespace

MemoryHolders::MemoryHolders(Selection& selection, Source source, QObject* parent)
    : QObject(parent), selection_(selection), source_(std::move(source)) {
    pause_.setSingleShot(true);
    pause_.setInterval(frame);
    connect(&pause_, &QTimer::timeout, this, &MemoryHolders::lookUpNow);
    connect(&selection_, &Selection::cursorChanged, this, &MemoryHolders::lookUpSoon);
    connect(&selection_, &Selection::momentChanged, this, &MemoryHolders::lookUpSoon);
    connect(&selection_, &Selection::stageChanged, this, &MemoryHolders::lookUpSoon);
}

void MemoryHolders::setResult(const ResultPtr& result) {
    result_ = result;
    due_ = true;
    if (active_) lookUpNow();
}

void MemoryHolders::setActive(bool active) {
    active_ = active;
    if (active_ && due_) lookUpNow();
}

void MemoryHolders::lookUpSoon() {
    due_ = true;
    if (active_ && !pause_.isActive()) pause_.start();
}

void MemoryHolders::lookUpNow() {
    pause_.stop();
    due_ = false;
    const StageMemory* stage = result_ ? stageOf(*result_, selection_.stage()) : nullptr;
    stage_ = stage ? stage->stage : -1;
    holders_.clear();
    if (stage) {
        const double duration = result_->timeline.duration;
        const double wanted = selection_.cursor() >= 0 ? selection_.cursor() : selection_.moment();
        atPeak_ = wanted < 0 || wanted > duration;
        time_ = atPeak_ ? stage->peakTime : wanted;
        holders_ = source_(*result_, stage_, time_);
    }
    tree_ = HolderTree(holders_);
    emit changed();
    emit chosenChanged();
}

void MemoryHolders::lookUpIfDue() {
    if (due_) lookUpNow();
}

QString MemoryHolders::subtitle() const {
    if (stage_ < 0) return {};
    // An engine's stages are all accounted as its fullest accelerator is.
    if (!result_->training()) return tr("the fullest accelerator");
    const QString when = readableTime(time_).text();
    return atPeak_ ? tr("stage %1 at its peak, %2").arg(stage_).arg(when) : tr("stage %1 at %2").arg(stage_).arg(when);
}

int MemoryHolders::chosen() const { return tree_.find(chosenPath_); }

void MemoryHolders::choose(int node) {
    const QString path = tree_.isEmpty() || node < 0 ? QString() : tree_.path(node);
    if (path == chosenPath_) return;
    chosenPath_ = path;
    emit chosenChanged();
}

} // namespace orrery
