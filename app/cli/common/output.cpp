// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"

#include "app/cli/common/kept_answer.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/made_by.hpp"
#include "core/base/json.hpp"

#include <iostream>
#include <utility>

namespace orrery {
namespace {

const char* label(Severity severity) {
    switch (severity) {
    case Severity::error: return "error: ";
    case Severity::warning: return "warning: ";
    case Severity::note: return "note: ";
    }
    return "";
}

void printOnError(const Problem& problem) { messageStream() << label(problem.severity) << toText(problem) << '\n'; }

} // namespace

std::ostream& messageStream() {
    KeptAnswer* const kept = KeptAnswer::ofThisThread();
    return kept ? static_cast<std::ostream&>(kept->messages) : std::cerr;
}

void printDocument(Json document) {
    if (KeptAnswer* const kept = KeptAnswer::ofThisThread()) {
        kept->document = withMaker(std::move(document));
        return;
    }
    // Text of a user's file may hold bytes that are no UTF-8; a replacement character beats no document.
    std::cout << withMaker(std::move(document)).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

int refuse(const Problems& problems, bool json) {
    for (const Problem& problem : problems) printOnError(problem);
    if (json) {
        Problems errors;
        for (const Problem& problem : problems) {
            if (problem.severity == Severity::error) errors.push_back(problem);
        }
        printDocument(toErrorDocument(errors));
    }
    return exit_bad_input;
}

int refuse(Problem problem, bool json) { return refuse(Problems{std::move(problem)}, json); }

void printWarnings(const Problems& problems) {
    for (const Problem& problem : problems) {
        if (problem.severity != Severity::error) printOnError(problem);
    }
}

} // namespace orrery
