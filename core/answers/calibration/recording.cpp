// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/calibration/recording.hpp"

#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/document/schema_shapes.hpp"

#include <utility>

namespace orrery {
namespace {

constexpr const char* recordAnew = "Record anew with the script of \"orrery-cli record-script\".";

Shape recordingShape() {
    using namespace schema;
    constexpr double longest = 1e6, fastest = 1e9; // s; TFLOP/s and GB/s
    const auto open = [] {
        Shape shape = object({});
        shape.open = true;
        return shape;
    };
    const Shape machine = object({
        required("kind", word({"cpu", "gpu"}), "What it is."),
        required("name", text(), "What it calls itself."),
        required("memory_bytes", positive(1e15), "Its memory."),
        field("processors", integer(0, 1e6), "Multiprocessors, or threads of a CPU."),
        field("ranks", integer(1, mostRanks), "Processes that measured collectives."),
        required("peak_tflops", positive(fastest), "The best rate of a matrix product in 16 bit, TFLOP/s."),
        required("memory_gb_per_s", positive(fastest), "Rate of a large copy, read and written, GB/s."),
        required("vector_tflops", positive(fastest), "Rate of an activation function at 8 FLOP an element, TFLOP/s."),
    });
    const Shape operation = object({
        required("kinds", list(text(), 1), "Operators of the result whose time it is together."),
        required("phase", text(), "forward, backward or optimizer."),
        required("seconds", positive(longest), "Of one call."),
    });
    const Shape run = object({
        required("name", text(), "What it is called."),
        required("use", word({"fit", "check"}), "Whether constants are fitted to it, or it shows how good they are."),
        required("scenario", open(), "What was run, without the cluster."),
        field("operations", list(operation), "Kernels by themselves."),
        field("step_seconds", list(positive(longest)), "Whole steps, one after the other."),
    });
    return object({
        required("format", text(), recordingFormat),
        required("machine", machine, "Where it was recorded."),
        field("software", open(), "Versions."),
        field("products", list(open()), "Matrix products of three sides."),
        required("runs", list(run, 1), "What was measured."),
        field("collectives", list(open()), "Of a process group."),
        field("job", object({
                         field("file", text(), "The user's."),
                         required("step_seconds", list(positive(longest), 1), "Its steps."),
                         field("scenario", open(), "What Orrery is to hold beside it."),
                     }),
              "Steps of the user's own job."),
    });
}

} // namespace

bool saysRecording(const std::string& text) {
    constexpr std::size_t near = 400; // bytes in which the script says the format
    return text.substr(0, near).find(recordingFormat) != std::string::npos;
}

std::optional<Json> readRecording(const std::string& text, const std::string& fileName, Problems& problems) {
    Problems found;
    std::optional<Json> recording = parseJsonText(text, fileName, found);
    if (recording) checkShape(*recording, recordingShape(), "", found);
    for (Problem& problem : found) {
        if (problem.severity != Severity::error) continue;
        if (!problem.pointer.empty()) problem.message = problem.pointer + ": " + problem.message;
        problem.pointer.clear();
        problem.file = fileName;
        problem.edits.clear();
        if (problem.mend.empty()) problem.mend = recordAnew;
        problems.push_back(std::move(problem));
    }
    if (hasErrors(found)) return std::nullopt;
    return recording;
}

} // namespace orrery
