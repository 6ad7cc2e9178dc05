// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/operation_rows.hpp"

namespace orrery {

void OperationRows::add(const TimedOperator& timed, double count, double time) {
    const Phase phase = timed.op.kind == OperatorKind::collective ? Phase::communication : timed.op.phase;
    const auto [at, fresh] = index_.try_emplace({timed.op.name, phase}, rows_.size());
    if (fresh) {
        OperationRow row;
        row.kind = timed.op.name;
        row.phase = toString(phase);
        row.bound = timed.bound;
        row.source = timed.source;
        row.work = timed.op.kind;
        row.group = timed.op.group;
        rows_.push_back(std::move(row));
    }
    OperationRow& row = rows_[at->second];
    row.count += count;
    row.time += time;
    row.flops += count * timed.op.flops;
    row.bytes += count * (timed.op.messageBytes > 0 ? timed.op.messageBytes : timed.op.bytesRead + timed.op.bytesWritten);
}

} // namespace orrery
