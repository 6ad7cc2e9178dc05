// SPDX-License-Identifier: GPL-3.0-or-later
// What Python sees of the extension; orrery_hook.py is its one user.
#include "app/live/extension/held_memory.hpp"
#include "app/live/extension/live_group.hpp"
#include "app/live/extension/live_store.hpp"
#include "app/live/extension/program_place.hpp"

#include <torch/csrc/utils/pybind.h>

#include <ctime>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace orrery::live {
namespace {

namespace py = pybind11;

std::int64_t clockOf(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

/// Whom a thread without the connection at hand speaks to.
std::shared_ptr<Connection>& connectionOfProcess() {
    static auto* connection = new std::shared_ptr<Connection>; // outlives the interpreter
    return *connection;
}

void tellRemark(Connection& connection, const std::string& text) {
    WireWriter writer(WireMessage::remark);
    writer.text(text);
    connection.send(writer);
}

void tellBeyondMemory(const std::string& text) {
    if (!connectionOfProcess()) return;
    const std::string line = programLine();
    tellRemark(*connectionOfProcess(), "out-of-memory: " + text + (line.empty() ? "" : ", at " + line));
}

std::shared_ptr<Connection> opened(const std::string& path, int rank, int world) {
    auto connection = std::make_shared<Connection>(path, rank, world);
    onNewPlace([connection](const ProgramPlace& place) {
        WireWriter writer(WireMessage::place);
        writer.put(place.number).text(place.file).put(place.line).text(place.function);
        connection->send(writer, {}, false);
    });
    connectionOfProcess() = connection;
    leaveGroup();
    return connection;
}

void tellGroup(Connection& connection, std::uint32_t number, const std::vector<int>& members) {
    WireWriter writer(WireMessage::group);
    writer.put(number).put(static_cast<std::uint32_t>(members.size()));
    for (const int member : members) writer.put(static_cast<std::int32_t>(member));
    connection.send(writer, {}, false);
}

void tellMemory(Connection& connection, bool urgent) {
    const HeldMemory held = heldMemory();
    WireWriter writer(WireMessage::memory);
    writer.put(held.current).put(held.peak).put(held.peakPlace).put(clockOf(CLOCK_PROCESS_CPUTIME_ID)).put(clockOf(CLOCK_THREAD_CPUTIME_ID));
    connection.send(writer, {}, urgent);
}

void tellStep(Connection& connection) {
    WireWriter writer(WireMessage::step);
    writer.put(computeSinceLeft());
    connection.send(writer, {}, false);
    tellMemory(connection, false); // a program that ends by itself may not say it at its end
    leaveGroup();
}

} // namespace
} // namespace orrery::live

PYBIND11_MODULE(orrery_live, module) {
    using namespace orrery::live;
    namespace py = pybind11;
    py::module_::import("torch"); // its classes are the bases of ours

    py::class_<Connection, std::shared_ptr<Connection>>(module, "Connection")
        .def(py::init(&opened), py::arg("path"), py::arg("rank"), py::arg("world"))
        .def("tell_group", &tellGroup)
        .def("rest", &Connection::rest, py::call_guard<py::gil_scoped_release>())
        .def("tell_step", &tellStep)
        .def("tell_memory", [](Connection& connection) { tellMemory(connection, true); })
        .def("remark", &tellRemark);

    py::class_<LiveStore, c10d::Store, c10::intrusive_ptr<LiveStore>>(module, "Store").def(py::init([](const std::shared_ptr<Connection>& connection) { return c10::make_intrusive<LiveStore>(connection); }));

    py::class_<LiveGroup, c10d::ProcessGroup, c10::intrusive_ptr<LiveGroup>>(module, "ProcessGroupOrrery")
        .def(py::init([](const std::shared_ptr<Connection>& connection, std::uint32_t number, int rank, std::vector<int> members, const std::vector<int>& real, bool zeros, std::uint64_t seed) {
                 ContentRules rules;
                 rules.contents = zeros ? Contents::zeros : Contents::own_share;
                 rules.seed = seed;
                 return c10::make_intrusive<LiveGroup>(connection, number, rank, std::move(members), real, rules);
             }),
             py::arg("connection"), py::arg("number"), py::arg("rank"), py::arg("members"), py::arg("real"), py::arg("zeros"), py::arg("seed"));

    module.def(
        "watch_memory", [](std::uint64_t limit) { watchMemory(limit, &programPlaceIfHeld, &tellBeyondMemory); }, py::arg("limit") = 0);
    module.def("held_memory", [] {
        const HeldMemory held = heldMemory();
        return std::make_tuple(held.current, held.peak);
    });
    module.def("reset_peak", &resetPeak);
}
