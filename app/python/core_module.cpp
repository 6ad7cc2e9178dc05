// SPDX-License-Identifier: GPL-3.0-or-later
// The package's compiled part: the verbs by name, and prepared estimates. orrery/__init__.py makes functions of them.
#include "app/cli/verbs/prepared_estimates.hpp"
#include "app/cli/verbs/verb_arguments.hpp"
#include "app/cli/verbs/verbs.hpp"
#include "app/python/python_json.hpp"
#include "core/base/json.hpp"
#include "resources/program_version.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace orrery {
namespace {

/// Runs work beside the interpreter, so that other threads of Python go on and Ctrl-C is heard: it stops the work, and KeyboardInterrupt is raised when it has
/// ended. Python's lock is given back by hand, not by an object: while the interpreter ends, taking it again ends this thread, which no destructor may.
void runBeside(const std::function<void(std::stop_token)>& work) {
    std::mutex one;
    std::condition_variable changed;
    bool isDone = false, isInterrupted = false;
    std::exception_ptr fault;
    std::jthread worker([&](const std::stop_token& stop) {
        try {
            work(stop);
        } catch (...) {
            fault = std::current_exception();
        }
        const std::lock_guard lock(one);
        isDone = true;
        changed.notify_all();
    });
    constexpr std::chrono::milliseconds betweenLooks(50);
    for (bool waits = true; waits && !isInterrupted;) {
        PyThreadState* const state = PyEval_SaveThread();
        {
            std::unique_lock lock(one);
            waits = !changed.wait_for(lock, betweenLooks, [&] { return isDone; });
        }
        PyEval_RestoreThread(state);
        isInterrupted = waits && PyErr_CheckSignals() != 0;
    }
    if (isInterrupted) {
        py::error_already_set interrupt;
        worker.request_stop();
        PyThreadState* const state = PyEval_SaveThread();
        worker.join();
        PyEval_RestoreThread(state);
        throw interrupt;
    }
    worker.join();
    if (fault) std::rethrow_exception(fault);
}

const std::vector<Verb>& knownVerbs() {
    static const std::vector<Verb> known = verbs();
    return known;
}

py::tuple ask(const std::string& name, const py::dict& arguments) {
    const std::vector<Verb>& known = knownVerbs();
    const auto verb = std::find_if(known.begin(), known.end(), [&](const Verb& one) { return one.name == name; });
    if (verb == known.end()) throw py::key_error(name);
    const Json given = jsonOf(arguments);
    VerbAnswer answer;
    runBeside([&](const std::stop_token& stop) { answer = answerOf(*verb, given, stop); });
    return py::make_tuple(pythonOf(*answer.document), answer.notes, answer.isError);
}

py::dict describedVerbs() {
    py::dict described;
    for (const Verb& verb : knownVerbs()) described[py::str(verb.name)] = verb.description;
    return described;
}

py::str writtenAs(const py::handle document) { return py::str(jsonOf(document).dump(2, ' ', false, Json::error_handler_t::replace)); }

Problem noEstimate() {
    Problem problem;
    problem.code = "no-estimate";
    problem.message = "There is no estimate of this: it is no training, or links above the hosts hold several stages back.";
    problem.mend = "Use orrery.simulate.";
    return problem;
}

/// Prepared estimates for threads of Python, one after the other.
class Estimates {
public:
    /// Gives problems where the scenario is none.
    py::object prepare(const py::dict& given) {
        const Json arguments = jsonOf(given);
        Problems problems;
        runBeside([&](const std::stop_token&) {
            const std::lock_guard lock(one_);
            VerbArguments named(arguments);
            const std::string path = named.input("scenario", problems);
            if (!hasErrors(problems)) estimates_ = PreparedEstimates::of(path, problems);
        });
        return pythonOf(estimates_ ? Json() : toErrorDocument(problems));
    }

    py::tuple at(const py::dict& given) {
        std::vector<ScenarioEdit> changes;
        const Json document = jsonOf(given);
        for (const auto& [pointer, value] : document.items()) changes.push_back({pointer, value});
        Problems problems;
        std::optional<Json> estimate;
        std::exception_ptr fault;
        // This thread makes the call itself: it is too short for another.
        PyThreadState* const state = PyEval_SaveThread();
        try {
            const std::lock_guard lock(one_);
            if (estimates_) estimate = estimates_->at(changes, problems);
        } catch (...) {
            fault = std::current_exception();
        }
        PyEval_RestoreThread(state);
        if (fault) std::rethrow_exception(fault);
        if (estimate) return py::make_tuple(pythonOf(*estimate), false);
        if (problems.empty()) problems.push_back(noEstimate());
        return py::make_tuple(pythonOf(toErrorDocument(problems)), true);
    }

private:
    std::mutex one_;
    std::unique_ptr<PreparedEstimates> estimates_; ///< null: not prepared
};

} // namespace
} // namespace orrery

PYBIND11_MODULE(_core, module) {
    module.doc() = "The compiled part of orrery; use the functions of the package.";
    module.def("ask", &orrery::ask, py::arg("verb"), py::arg("arguments"), "Asks a verb; gives (document, notes, is_error).");
    module.def("verbs", &orrery::describedVerbs, "Names of the verbs, with what each tells.");
    module.def("to_json", &orrery::writtenAs, py::arg("document"), "The document as the command line prints it, without the last line end.");
    py::class_<orrery::Estimates>(module, "Estimates", "Estimates of one scenario; what is found out is kept.")
        .def(py::init<>())
        .def("prepare", &orrery::Estimates::prepare, py::arg("arguments"), "Reads the scenario; gives None, or an error document.")
        .def("at", &orrery::Estimates::at, py::arg("changes"), "Estimates after some changes; gives (document, is_error).");
    module.attr("version") = orrery::programVersion().version;
}
