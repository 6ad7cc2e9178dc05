// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/order/requests/request.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

inline constexpr double mostLogTokens = 1e9;   ///< of one prompt or answer; no context is longer
inline constexpr double mostLogSeconds = 1e12; ///< after 1970 or after the first request, tens of thousands of years
inline constexpr std::size_t mostLogProblems = 20;

/// What a line of a log says, as far as it was found.
struct RequestLogEntry {
    std::optional<double> arrival; ///< s
    std::optional<double> input, output;
    std::vector<std::uint64_t> hashes;
    bool wrongHashes = false;
};

inline bool isWholeTokens(const std::optional<double>& value) { return value && *value == std::floor(*value) && *value >= 0 && *value <= mostLogTokens; }

/// Entries made into requests.
class RequestLogBuilder {
public:
    RequestLogBuilder(const std::string& fileName, int hashBlockSize, Problems& problems) : fileName_(fileName), problems_(problems) { list_.hashBlockSize = hashBlockSize; }

    void report(const char* code, int line, std::string message, std::string mend) {
        ++found_;
        add(Severity::error, code, line, std::move(message), std::move(mend));
    }
    bool isFull() const { return found_ >= mostLogProblems; }

    void add(RequestLogEntry entry, int line) {
        if (!isWholeTokens(entry.input) || !isWholeTokens(entry.output)) return report("malformed-request", line, "The request has no whole numbers of tokens of its prompt and its answer.", "Correct the line, or leave it out.");
        if (entry.arrival && !(std::abs(*entry.arrival) <= mostLogSeconds)) return report("malformed-request", line, "The request has no time that can be read.", "Correct the line, or leave it out.");
        if (entry.wrongHashes) return report("malformed-request", line, "\"hash_ids\" holds something else than whole numbers from 0.", "Give each block a whole number from 0 to 2^64 − 1.");
        if (*entry.input < 1 || *entry.output < 1) {
            ++leftOut_;
            return;
        }
        (entry.arrival ? timed_ : untimed_) += 1;
        Request request;
        request.arrival = entry.arrival.value_or(0);
        request.input = static_cast<int>(*entry.input);
        request.output = static_cast<int>(*entry.output);
        request.hashes = std::move(entry.hashes);
        list_.requests.push_back(std::move(request));
    }

    std::optional<RequestList> take() {
        if (found_ == 0 && list_.requests.empty()) report("no-requests", 1, "The file holds no request with a prompt and an answer.", "Give a log with at least one.");
        if (found_ == 0 && timed_ > 0 && untimed_ > 0) report("malformed-request", 0, counted(untimed_, "request says", "requests say") + " nothing of when it came, the others do.", "Give each line a time, or none.");
        if (found_ == 0) findBlockSize();
        if (found_ > 0) return std::nullopt;
        std::stable_sort(list_.requests.begin(), list_.requests.end(), [](const Request& a, const Request& b) { return a.arrival < b.arrival; });
        const double first = list_.requests.front().arrival;
        for (Request& request : list_.requests) request.arrival -= first;
        if (timed_ == 0) add(Severity::warning, "no-arrivals", 0, "The log does not say when its requests came; all come at once.", "Add a column such as \"arrival_s\", or draw arrivals by a law.");
        if (leftOut_ > 0) add(Severity::warning, "failed-requests", 0, counted(leftOut_, "request has", "requests have") + " no prompt or no answer, as failed ones do; they are left out.", "Go on without them.");
        return std::move(list_);
    }

private:
    static std::string counted(std::int64_t count, const char* one, const char* many) { return std::to_string(count) + " " + (count == 1 ? one : many); }

    void add(Severity severity, const char* code, int line, std::string message, std::string mend) {
        Problem problem;
        problem.severity = severity;
        problem.code = code;
        problem.file = fileName_;
        problem.line = line;
        problem.message = std::move(message);
        problem.mend = std::move(mend);
        problems_.push_back(std::move(problem));
    }

    bool fits(int block) const {
        return std::all_of(list_.requests.begin(), list_.requests.end(), [block](const Request& request) {
            const auto count = static_cast<int>(request.hashes.size());
            const int whole = request.input / block;
            return count == 0 || count == whole || count == whole + (request.input % block != 0 ? 1 : 0);
        });
    }

    /// Logs hash blocks of their own length; where it is not the one that was said, their counts tell which.
    void findBlockSize() {
        if (fits(list_.hashBlockSize)) return;
        for (const int block : {512, 16, 32, 64, 128, 256, 1024, 2048, 4096}) {
            if (!fits(block)) continue;
            list_.hashBlockSize = block;
            add(Severity::warning, "hash-block-size", 0, "The hashes stand for blocks of " + std::to_string(block) + " tokens, as their counts say.", "Give the block size of this file as \"hash_block_size\".");
            return;
        }
        report("hash-count", 0, "\"hash_ids\" do not have one entry for each " + std::to_string(list_.hashBlockSize) + " tokens of the prompts.", "Give the block size of this file as \"hash_block_size\".");
    }

    const std::string& fileName_;
    Problems& problems_;
    RequestList list_;
    std::size_t found_ = 0;
    std::int64_t leftOut_ = 0, timed_ = 0, untimed_ = 0;
};

} // namespace orrery
