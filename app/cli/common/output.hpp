// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <iosfwd>

namespace orrery {

/// Prints a document on standard output, indented, keys in the document's order; results say which program made them (app/common/made_by.hpp).
void printDocument(Json document);

/// Where a command says what stands beside its answer: standard error, unless somebody keeps it (app/cli/common/kept_answer.hpp).
std::ostream& messageStream();

/// Reports why a command cannot do its work: messages on standard error and, with `json`, the error document on
/// standard output. Gives exit_bad_input.
int refuse(const Problems& problems, bool json);

/// Same for a single problem.
int refuse(Problem problem, bool json);

/// Warnings and notes on standard error.
void printWarnings(const Problems& problems);

} // namespace orrery
