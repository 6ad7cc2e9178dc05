// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/operators/kernel_call.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A kernel's measured time.
struct MeasuredCall {
    KernelCall call;
    double seconds = 0;
    std::uint32_t row = 0; ///< of its table, from 0; both halves of an exchange stand in one row
};

struct KernelTable {
    KernelKind kind = KernelKind::gemm;
    std::vector<MeasuredCall> calls;
};

/// Reads one table of comma-separated values, header line first. Columns may stand in any order and unknown ones are passed over;
/// a missing one, a number that is none, a time that is not positive or a format nobody knows is a problem at its line, and the row
/// is left out. `file` names the table in messages. At most 20 problems are given.
KernelTable readKernelTable(KernelKind kind, std::string_view text, const std::string& file, Problems& problems);

/// The kind whose columns the header has; for files whose name does not say.
std::optional<KernelKind> kindFromHeader(std::string_view header);

} // namespace orrery
