// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <pybind11/pybind11.h>

namespace orrery {

/// A document as Python holds it: dicts in the order of the keys, lists, str, int, float, bool, None. Numbers that JSON can't write become None, bytes that are
/// no UTF-8 replacement characters: as the command line prints them.
pybind11::object pythonOf(const Json& value);

/// A document from Python: dicts with str as keys, lists, tuples, str, bool, None, what counts as an int or a float (numpy's too), and paths.
/// Raises TypeError or ValueError, which say where, for anything else: numbers that are not finite or have no place in 64 bits, documents deeper than 100.
Json jsonOf(pybind11::handle value);

} // namespace orrery
