// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What a list of edits did to a document.
///
/// `inverse` undoes `edits` exactly, key order included: applied to `document` it gives the document from before, byte for byte.
/// With `error` set nothing was changed: `document` is the one given and `inverse` is empty.
struct EditOutcome {
    BoxedJson document;
    std::vector<ScenarioEdit> inverse;
    std::string error; ///< names the pointer that could not be followed
};

/// Applies `edits` in order. A value replaces or adds what is at its pointer (missing objects on the way are made, `-` or the
/// length appends to an array); null removes the key or array element, and removing what is not there changes nothing.
EditOutcome applyEdits(const Json& document, const std::vector<ScenarioEdit>& edits);

/// True when both lists touch the same pointers in the same order: the later one can take the earlier one's place.
bool samePlaces(const std::vector<ScenarioEdit>& a, const std::vector<ScenarioEdit>& b);

/// The value at a pointer, or null when nothing is there.
const Json* valueAt(const Json& document, const std::string& pointer);

/// The number at a place; nothing where there is none.
std::optional<double> numberAt(const Json& document, const std::string& pointer);

/// The members of a JSON pointer, unescaped; nothing for the whole document.
std::vector<std::string> pointerParts(const std::string& pointer);

/// A pointer from its members, escaped.
std::string joinPointer(const std::vector<std::string>& parts);

} // namespace orrery
