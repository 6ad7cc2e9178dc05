// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/extension/program_place.hpp"

#include <torch/csrc/utils/pybind.h>

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orrery::live {
namespace {

/// Guarded by the GIL.
struct Places {
    std::unordered_map<PyCodeObject*, bool> ofProgram; ///< keeps a reference to each, so that no other gets its address
    std::map<std::pair<PyCodeObject*, int>, std::uint32_t> numbers;
    std::vector<ProgramPlace> met;
    std::function<void(const ProgramPlace&)> tell;
};

Places& places() {
    static Places* known = new Places; // outlives the interpreter
    return *known;
}

bool isOfProgram(PyCodeObject* code) {
    const auto [found, isNew] = places().ofProgram.try_emplace(code, true);
    if (isNew) {
        Py_INCREF(code);
        const char* file = PyUnicode_AsUTF8(code->co_filename);
        const std::string name = file == nullptr ? "" : file;
        const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
        found->second = !name.empty() && name[0] != '<' && !has("/dist-packages/") && !has("/site-packages/") && !has("/usr/lib/python") && !has("/orrery_hook.py") && !has("/orrery_cpu_for_cuda.py") && !has("/sitecustomize.py");
    }
    return found->second;
}

std::uint32_t numberOf(PyCodeObject* code, int line) {
    const auto [found, isNew] = places().numbers.try_emplace({code, line}, 0);
    if (isNew) {
        found->second = static_cast<std::uint32_t>(places().numbers.size());
        const char *file = PyUnicode_AsUTF8(code->co_filename), *function = PyUnicode_AsUTF8(code->co_name);
        places().met.push_back({found->second, file == nullptr ? "" : file, function == nullptr ? "" : function, static_cast<std::uint32_t>(line)});
        if (places().tell) places().tell(places().met.back());
    }
    return found->second;
}

std::uint32_t placeOfFrames() {
    PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
    std::uint32_t number = 0;
    while (frame != nullptr && number == 0) {
        PyCodeObject* code = PyFrame_GetCode(frame);
        if (isOfProgram(code)) number = numberOf(code, PyFrame_GetLineNumber(frame));
        Py_DECREF(code);
        PyFrameObject* back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    Py_XDECREF(frame);
    return number;
}

} // namespace

std::uint32_t programPlace() {
    if (!Py_IsInitialized()) return 0;
    const pybind11::gil_scoped_acquire held;
    return placeOfFrames();
}

std::uint32_t programPlaceIfHeld() {
    if (!Py_IsInitialized()) return 0;
    // A thread that made its own state may take the GIL; operators release it only where no Python object is at hand.
    if (PyGILState_Check()) return placeOfFrames();
    if (PyGILState_GetThisThreadState() == nullptr) return 0;
    const pybind11::gil_scoped_acquire held;
    return placeOfFrames();
}

std::string programLine() {
    const std::uint32_t number = programPlaceIfHeld();
    if (number == 0) return "";
    const pybind11::gil_scoped_acquire held;
    const ProgramPlace& place = places().met[number - 1];
    return place.file.substr(place.file.rfind('/') + 1) + ":" + std::to_string(place.line) + " in " + place.function;
}

void onNewPlace(std::function<void(const ProgramPlace&)> tell) {
    const pybind11::gil_scoped_acquire held;
    for (const ProgramPlace& place : places().met) tell(place);
    places().tell = std::move(tell);
}

} // namespace orrery::live
