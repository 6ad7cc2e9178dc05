// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/records/comparison/record_difference.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "core/records/views/recorded_job.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery::test {

/// Writes a record event by event; times in µs. Every kernel has a launch of its own inside an operator, where `launched` says so.
class MadeRecord {
public:
    struct Kernel {
        std::string name;
        double start = 0, length = 0;
        int stream = 7;
        std::string op{}, module{};       ///< empty: none
        std::optional<double> launched{}; ///< when the host launched it; nothing: no launch was recorded
        std::string category = "kernel";
    };

    MadeRecord& add(const Kernel& kernel) {
        Json event = {{"ph", "X"}, {"cat", kernel.category}, {"name", kernel.name}, {"pid", 0}, {"tid", kernel.stream}, {"ts", kernel.start}, {"dur", kernel.length}, {"args", {{"device", 0}, {"stream", kernel.stream}}}};
        if (kernel.launched) {
            const int number = ++launches_;
            const double at = *kernel.launched;
            event["args"]["correlation"] = number;
            if (!kernel.module.empty()) host("python_function", "nn.Module: " + kernel.module, at - 0.02, 0.04);
            if (!kernel.op.empty()) host("cpu_op", kernel.op, at - 0.01, 0.02);
            host("cuda_runtime", "cudaLaunchKernel", at, 0.005);
            events_.back()["args"]["correlation"] = number;
        }
        events_.push_back(std::move(event));
        return *this;
    }
    MadeRecord& step(const std::string& name) {
        host("user_annotation", name, 0, 1);
        return *this;
    }
    MadeRecord& rank(int number, int world) {
        document_["distributedInfo"] = {{"backend", "nccl"}, {"rank", number}, {"world_size", world}};
        return *this;
    }
    std::shared_ptr<const KinetoTrace> trace() const {
        Json document = document_;
        document["traceEvents"] = events_;
        Problems problems;
        auto read = readDeviceTrace(document.dump(), "made.json", problems);
        for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
        return std::make_shared<const KinetoTrace>(read.value_or(KinetoTrace()));
    }
    RecordedJob job() const {
        auto read = trace();
        const auto rank = read->rank;
        return recordedJob({{"made.json", rank, std::move(read)}});
    }

private:
    void host(const char* category, const std::string& name, double start, double length) { events_.push_back({{"ph", "X"}, {"cat", category}, {"name", name}, {"pid", 1}, {"tid", 1}, {"ts", start}, {"dur", length}, {"args", Json::object()}}); }

    Json document_ = Json::object();
    std::vector<Json> events_;
    int launches_ = 0;
};

/// Compares two jobs, whose parts must sum to their difference.
inline RecordDifference differenceOf(const RecordedJob& a, const RecordedJob& b) {
    Problems problems;
    auto difference = compareRecords(a, b, problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    RecordDifference found = difference.value_or(RecordDifference());
    double sum = 0;
    for (const auto& part : found.parts) sum += part.delta;
    EXPECT_NEAR(sum, found.difference, 1e-9 * std::abs(found.difference) + 1e-18) << found.summary;
    EXPECT_NEAR(found.b - found.a, found.difference, 1e-15 * (found.a + found.b)) << found.summary; // both sides are rounded
    return found;
}

} // namespace orrery::test
