// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/python/python_json.hpp"

#include "core/base/json.hpp"

#include <cmath>
#include <cstdint>
#include <string>

namespace py = pybind11;

namespace orrery {
namespace {

constexpr int deepest = 100;

py::object checked(PyObject* made) {
    if (!made) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(made);
}

py::object textOf(const std::string& text) { return checked(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace")); }

/// Raised with the place of the fault in the document.
[[noreturn]] void refuse(PyObject* kind, const std::string& place, const std::string& why) {
    PyErr_SetString(kind, ((place.empty() ? "The document" : "\"" + place + "\"") + ' ' + why).c_str());
    throw py::error_already_set();
}

class Reader {
public:
    Json read(py::handle value, int depth) {
        if (value.is_none()) return nullptr;
        if (PyBool_Check(value.ptr())) return value.is(py::handle(Py_True));
        if (PyUnicode_Check(value.ptr())) return text(value);
        if (depth > deepest) refuse(PyExc_ValueError, place_, "is deeper than 100: does it hold itself?");
        if (PyDict_Check(value.ptr())) return dict(py::reinterpret_borrow<py::dict>(value), depth);
        if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr())) return sequence(value, depth);
        return number(value);
    }

private:
    std::string text(py::handle value) {
        Py_ssize_t size = 0;
        const char* const bytes = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
        if (bytes) return {bytes, static_cast<std::size_t>(size)};
        PyErr_Clear(); // a half of a surrogate pair
        refuse(PyExc_ValueError, place_, "is a str that UTF-8 can't hold.");
    }

    Json dict(const py::dict& value, int depth) {
        Json document = Json::object();
        // A copy: what reads a value may run code that changes the dict.
        const py::dict copy = py::reinterpret_steal<py::dict>(checked(PyDict_Copy(value.ptr())).release());
        for (const auto& [key, member] : copy) {
            if (!PyUnicode_Check(key.ptr())) refuse(PyExc_TypeError, place_, "has a key that is no str.");
            const std::string name = text(key);
            const std::size_t length = place_.size();
            place_.append("/").append(name);
            document[name] = read(member, depth + 1);
            place_.resize(length);
        }
        return document;
    }

    Json sequence(py::handle value, int depth) {
        Json document = Json::array();
        const py::object copy = checked(PySequence_Tuple(value.ptr()));
        const Py_ssize_t count = PyTuple_GET_SIZE(copy.ptr());
        for (Py_ssize_t i = 0; i < count; ++i) {
            const std::size_t length = place_.size();
            place_.append("/").append(std::to_string(i));
            document.push_back(read(PyTuple_GET_ITEM(copy.ptr(), i), depth + 1));
            place_.resize(length);
        }
        return document;
    }

    Json number(py::handle value) {
        if (PyFloat_Check(value.ptr())) return finite(PyFloat_AS_DOUBLE(value.ptr()));
        if (PyIndex_Check(value.ptr())) return whole(checked(PyNumber_Index(value.ptr())));
        if (PyObject_HasAttrString(value.ptr(), "__fspath__")) return text(checked(PyOS_FSPath(value.ptr())));
        if (PyObject_HasAttrString(value.ptr(), "__float__")) {
            const double number = PyFloat_AsDouble(value.ptr());
            if (number == -1 && PyErr_Occurred()) throw py::error_already_set();
            return finite(number);
        }
        refuse(PyExc_TypeError, place_, std::string("is a ") + Py_TYPE(value.ptr())->tp_name + ", which no JSON document holds.");
    }

    Json finite(double number) {
        if (!std::isfinite(number)) refuse(PyExc_ValueError, place_, "is no finite number.");
        return number;
    }

    Json whole(const py::object& value) {
        int beyond = 0;
        const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &beyond);
        if (number == -1 && PyErr_Occurred()) throw py::error_already_set();
        if (beyond == 0) return static_cast<std::int64_t>(number);
        const unsigned long long large = PyLong_AsUnsignedLongLong(value.ptr());
        if (!PyErr_Occurred()) return static_cast<std::uint64_t>(large);
        PyErr_Clear();
        refuse(PyExc_ValueError, place_, "is an int that 64 bits can't hold.");
    }

    std::string place_;
};

} // namespace

py::object pythonOf(const Json& value) {
    switch (value.type()) {
    case Json::value_t::boolean: return py::bool_(value.get<bool>());
    case Json::value_t::number_integer: return checked(PyLong_FromLongLong(value.get<std::int64_t>()));
    case Json::value_t::number_unsigned: return checked(PyLong_FromUnsignedLongLong(value.get<std::uint64_t>()));
    case Json::value_t::number_float: {
        const double number = value.get<double>();
        return std::isfinite(number) ? checked(PyFloat_FromDouble(number)) : py::none();
    }
    case Json::value_t::string: return textOf(value.get_ref<const std::string&>());
    case Json::value_t::array: {
        py::object list = checked(PyList_New(static_cast<Py_ssize_t>(value.size())));
        for (std::size_t i = 0; i < value.size(); ++i) PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), pythonOf(value[i]).release().ptr());
        return list;
    }
    case Json::value_t::object: {
        py::object dict = checked(PyDict_New());
        for (const auto& [key, member] : value.items())
            if (PyDict_SetItem(dict.ptr(), textOf(key).ptr(), pythonOf(member).ptr()) != 0) throw py::error_already_set();
        return dict;
    }
    default: return py::none();
    }
}

Json jsonOf(py::handle value) { return Reader().read(value, 0); }

} // namespace orrery
