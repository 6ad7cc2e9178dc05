// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/json_forward.hpp"
#include "core/scenario/document/schema_table.hpp"

#include <functional>
#include <stop_token>
#include <string>

namespace orrery {

/// What a verb found.
struct VerbAnswer {
    BoxedJson document;   ///< an object; of an error an "orrery-error/1" document with pointers and mends
    std::string notes;    ///< what the command said beside it, such as warnings; empty: nothing
    bool isError = false; ///< the question could not be answered
};

/// Something that another program may ask for: a command of the command line whose options are one JSON object, and whose answer is its --json document.
struct Verb {
    std::string name, title, description;
    Shape arguments; ///< an object
    std::function<VerbAnswer(const Json& arguments)> run;
};

/// Runs the verb with these arguments; those that don't fit its shape are answered with what is wrong, and so is a fault of Orrery's own. Commands in it
/// end early when `stop` is requested; the answer means nothing then. Any number of threads may ask at once.
VerbAnswer answerOf(const Verb& verb, const Json& arguments, const std::stop_token& stop = {});

} // namespace orrery
