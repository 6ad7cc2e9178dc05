// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/verb.hpp"

#include "app/cli/common/kept_answer.hpp"
#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/document/schema_check.hpp"

#include <exception>
#include <utility>

namespace orrery {

VerbAnswer answerOf(const Verb& verb, const Json& arguments, const std::stop_token& stop) {
    Problems problems;
    checkShape(arguments, verb.arguments, "", problems);
    if (hasErrors(problems)) return {toErrorDocument(problems), "", true};
    try {
        const StoppedBy stoppedBy(stop);
        return verb.run(arguments);
    } catch (const std::exception& fault) {
        Problem problem;
        problem.code = "internal-error";
        problem.message = std::string("Orrery itself is at fault: ") + fault.what() + ".";
        problem.mend = "Please report this with the arguments of \"" + verb.name + "\".";
        return {toErrorDocument({std::move(problem)}), "", true};
    }
}

} // namespace orrery
