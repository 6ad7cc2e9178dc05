// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/scene/rank_stages.hpp"

#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// Calls `visit(first, last)` for each part of "0-7,32-39".
template <typename Visit>
void forEachRange(const std::string& ranks, Visit&& visit) {
    for (const QString& part : QString::fromStdString(ranks).split(',', Qt::SkipEmptyParts)) {
        bool firstOk = false, lastOk = false;
        const int first = part.section('-', 0, 0).trimmed().toInt(&firstOk);
        const int last = part.section('-', -1, -1).trimmed().toInt(&lastOk);
        if (firstOk && lastOk && first >= 0 && last >= first) visit(first, last);
    }
}

} // namespace

QString RankStages::roleName(const std::string& role) {
    if (role == "prefill") return tr("prefill");
    if (role == "decode") return tr("decode");
    if (role == "rollout") return tr("rollout");
    return role == "training" ? tr("training") : QString();
}

void RankStages::setResult(const ResultPtr& result) {
    stageOfRank_.clear();
    roles_.clear();
    jobOfRank_.clear();
    jobs_.clear();
    serves_ = result && result->timeline.kind == TimelineKind::requests;
    loops_ = result && result->timeline.kind == TimelineKind::loop;
    if (result) {
        constexpr int mostRanks = 1 << 22;
        for (const StageTimeline& stage : result->timeline.stages) {
            roles_.push_back(loops_ && result->rl()->colocated ? tr("rollout and training") : roleName(stage.role));
            forEachRange(stage.ranks, [&](int first, int last) {
                if (last >= mostRanks) return;
                if (static_cast<std::size_t>(last) >= stageOfRank_.size()) stageOfRank_.resize(static_cast<std::size_t>(last) + 1, -1);
                for (int rank = first; rank <= last; ++rank)
                    stageOfRank_[static_cast<std::size_t>(rank)] = static_cast<std::int16_t>(stage.stage);
            });
        }
        for (const BesideJob& job : result->scenario.beside) {
            for (const int rank : job.placement) {
                if (static_cast<std::size_t>(rank) >= jobOfRank_.size()) jobOfRank_.resize(static_cast<std::size_t>(rank) + 1, -1);
                jobOfRank_[static_cast<std::size_t>(rank)] = static_cast<std::int16_t>(jobs_.size());
            }
            jobs_.push_back(QString::fromStdString(job.scenario->name.empty() ? job.file : job.scenario->name));
        }
    }
    stages_ = stageOfRank_.empty() ? 0 : *std::max_element(stageOfRank_.begin(), stageOfRank_.end()) + 1;
}

int RankStages::stageOf(int rank) const {
    const auto place = static_cast<std::size_t>(rank);
    return place < stageOfRank_.size() ? stageOfRank_[place] : -1;
}

int RankStages::jobOf(int rank) const {
    const auto place = static_cast<std::size_t>(rank);
    return place < jobOfRank_.size() ? jobOfRank_[place] : -1;
}

QString RankStages::jobsOf(int first, int last) const {
    for (int rank = first; rank <= last; ++rank)
        if (const int job = jobOf(rank); job >= 0) return tr("beside: %1").arg(jobs_[static_cast<std::size_t>(job)]);
    return {};
}

QColor RankStages::stageColour(int stage) const { return theme_.stageColor(stage, stages_ + static_cast<int>(jobs_.size())); }

QColor RankStages::jobColour(int job) const {
    const QColor full = stageColour(stages_ + job), panel = theme_.colors().panel;
    const auto half = [](int one, int other) { return (one + other) / 2; };
    return {half(full.red(), panel.red()), half(full.green(), panel.green()), half(full.blue(), panel.blue())};
}

QColor RankStages::rankColour(int rank) const {
    if (static_cast<std::size_t>(rank) < colours_.size()) return colours_[static_cast<std::size_t>(rank)];
    const int stage = stageOf(rank);
    if (stage < 0) {
        const int job = jobOf(rank);
        if (job < 0) return {};
        QColor colour = jobColour(job);
        if (shared_.stage() >= 0) colour.setAlphaF(0.3F);
        return colour;
    }
    QColor colour = stageColour(stage);
    // The stage chosen elsewhere stands out by the others stepping back.
    if (shared_.stage() >= 0 && shared_.stage() != stage) colour.setAlphaF(0.3F);
    return colour;
}

QString RankStages::roleOf(int low, int high) const {
    const auto first = roles_.begin() + low, last = roles_.begin() + std::min<std::ptrdiff_t>(high + 1, std::ssize(roles_));
    return first < last && std::all_of(first, last, [&](const QString& role) { return role == *first; }) ? *first : QString();
}

QStringList RankStages::groupLabel(int first, int last) const {
    if (!colours_.empty()) return {};
    QStringList texts{stagesOf(first, last)};
    if (texts.front().isEmpty()) return {};
    const auto [low, high] = stageRange(first, last);
    if (low < 0) return texts << tr("beside");
    if (const QString role = serves_ ? roleOf(low, high) : QString(); !role.isEmpty())
        texts << tr("%1 %2", "prefill or decode, instances").arg(role, low == high ? QString::number(low) : QStringLiteral("%1–%2").arg(low).arg(high)) << role;
    return texts;
}

std::pair<int, int> RankStages::stageRange(int first, int last) const {
    int low = -1, high = -1;
    for (int rank = first; rank <= last; ++rank) {
        const int stage = stageOf(rank);
        if (stage < 0) continue;
        low = low < 0 ? stage : std::min(low, stage);
        high = std::max(high, stage);
    }
    return {low, high};
}

QString RankStages::stagesOf(int first, int last) const {
    const auto [low, high] = stageRange(first, last);
    if (low < 0) return jobsOf(first, last);
    if (loops_) return roleOf(low, high);
    if (serves_) {
        const QString who = low == high ? tr("instance %1").arg(low) : tr("instances %1–%2").arg(low).arg(high);
        const QString role = roleOf(low, high);
        return role.isEmpty() ? who : tr("%1, %2", "prefill or decode, instances").arg(role, who);
    }
    return low == high ? tr("stage %1").arg(low) : tr("stages %1–%2").arg(low).arg(high);
}

} // namespace orrery
