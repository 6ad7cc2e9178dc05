// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/timeline.hpp"
#include "widgets/timeline/columns.hpp"
#include "widgets/timeline/lanes.hpp"

#include <QString>

namespace orrery {

/// What the timeline calls things. All of it is translated.

QString stageTitle(const Timeline& timeline, const StageTimeline& stage); ///< "Stage 0", "Instance 0", "Batch", "Rank 0"
QString stageSubtitle(const StageTimeline& stage);                        ///< "ranks 0–31"
QString laneTitle(const Timeline& timeline, const TimelineLane& lane);    ///< "tensor", "memory"; empty for compute, which carries the stage's title

/// "F0", "B12", "R3"; with chunks "F0.1"; a segment's name for work of no micro-batch ("optimizer") and for steps of an engine ("prefill").
QString passLabel(const Pass& pass, const Timeline& timeline, bool chunked);

/// "backward 3", "decode, token 12", "mixed, step 801"; a segment's name for work of no micro-batch.
QString spanName(const Timeline& timeline, const Span& span);

QString phaseName(Phase phase); ///< "forward", as a person reads it
QString boundName(Bound bound); ///< "compute-bound"
QString sourceName(Source source);
QString workName(RecordedWork work); ///< "kernel", "waiting"

/// "1.284 s — stage 0 · backward 7 · layer 31 · mlp.down · 3.21 ms · compute-bound (predicted)"
QString describeOperator(const Timeline& timeline, int stage, const OperatorInstance& instance, double time);
/// "1.284 s — stage 0 · 12.3 GiB activations · 0.5 GiB temporary · 61 GiB in all"
QString describeMemory(const Timeline& timeline, int stage, double time);
/// "1.284 s — stage 1 · compute idle for 42 ms · next is backward 3; it waits for backward 3 of stage 2, done in 12 ms"
QString describeIdle(const Timeline& timeline, int stage, const TimelineLane& lane, double time);

/// "one iteration, 2 classes of ranks · 41,216 events"
QString summaryOf(const TimelineRows& rows);

} // namespace orrery
