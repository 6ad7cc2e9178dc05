// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/forms/field_table.hpp"

#include <string_view>
#include <vector>

namespace orrery {

/// The choice of what runs: the first field of the workload.
FieldSpec workloadKindField();

/// Rows of the table that inference and serving have beside those of training, in the order of the form.
std::vector<FieldSpec> servedWorkloadFields();
std::vector<FieldSpec> servedParallelismFields();

/// Kinds of workload for which the field at a place says anything, of those in the table of training.
WorkloadKinds kindsOfField(std::string_view pointer);

} // namespace orrery
