// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <string>
#include <vector>

namespace orrery {

enum class Severity { error,
                      warning,
                      note };

/// One change to a scenario document: replaces (or adds) the value at a JSON pointer; a null value removes the key.
struct ScenarioEdit {
    std::string pointer;
    BoxedJson value;
};

/// Something wrong with what the user gave us: what, where, and the mend.
///
/// Either `pointer` (a place in a scenario document) or `file` with `line` (a place in a text) says where.
struct Problem {
    Severity severity = Severity::error;
    std::string code;                ///< stable, kebab-case: "unknown-key", "batch-not-divisible"
    std::string pointer;             ///< JSON pointer into the scenario, "" for the whole document
    std::string file;                ///< set for text problems only
    int line = 0;                    ///< from 1; 0 when unknown
    int column = 0;                  ///< from 1; 0 when unknown
    std::string message;             ///< one sentence that names the objects involved
    std::string mend;                ///< what would do, one sentence; shown as a link when `edits` is not empty
    std::vector<ScenarioEdit> edits; ///< applying these performs the mend
};

using Problems = std::vector<Problem>;

/// True when at least one problem is an error.
bool hasErrors(const Problems& problems);

/// The contract's error document, `{"format": "orrery-error/1", "problems": [...]}`.
Json toErrorDocument(const Problems& problems);

/// "scenario.orrery.json:12:5: message (mend)" for a terminal.
std::string toText(const Problem& problem);

} // namespace orrery
