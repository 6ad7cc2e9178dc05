// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/requests/read_requests.hpp"

#include "core/base/gzip.hpp"
#include "core/base/text.hpp"
#include "core/order/requests/foreign_requests.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace orrery {
namespace {

constexpr double mostTokens = 1e9;

/// What is wrong with a line; thrown out of the middle of it and caught at its end.
struct LineMistake {
    std::string code, message, mend;
};

[[noreturn]] void malformed(const std::string& message) {
    throw LineMistake{"malformed-request", message, R"(write one JSON object a line, such as {"arrival_s": 0.5, "input_tokens": 512, "output_tokens": 128})"};
}

/// The rest of a line. A general JSON parser takes some ten times as long, and a log has up to millions of lines.
class LineReader {
public:
    explicit LineReader(std::string_view line) : begin_(line.data()), at_(line.data()), end_(line.data() + line.size()) {}

    void expect(char wanted) {
        if (!tryTake(wanted)) malformed(std::string("expected \"") + wanted + "\" " + place());
    }
    bool tryTake(char wanted) {
        skipSpace();
        if (at_ == end_ || *at_ != wanted) return false;
        ++at_;
        return true;
    }
    bool isAtEnd() {
        skipSpace();
        return at_ == end_;
    }
    /// Between its quotes, as it stands there: keys that matter have no escapes.
    std::string_view text() {
        expect('"');
        const char* begin = at_;
        while (at_ != end_ && *at_ != '"') at_ += *at_ == '\\' && at_ + 1 != end_ ? 2 : 1;
        if (at_ == end_) malformed("a text has no closing quote");
        return {begin, static_cast<std::size_t>(at_++ - begin)};
    }
    double number(std::string_view key) {
        skipSpace();
        double value = 0;
        const auto [stop, error] = std::from_chars(at_, end_, value);
        const bool isJson = at_ != end_ && (*at_ == '-' || (*at_ >= '0' && *at_ <= '9')); // no "inf", no "nan"
        if (error != std::errc() || !isJson || !std::isfinite(value)) throw LineMistake{"malformed-request", "\"" + std::string(key) + "\" is not a number", "write a number such as 12 or 0.5, without quotes"};
        at_ = stop;
        return value;
    }
    std::uint64_t hash() {
        skipSpace();
        std::uint64_t value = 0;
        const auto [stop, error] = std::from_chars(at_, end_, value);
        if (error != std::errc() || (stop != end_ && (*stop == '.' || *stop == 'e' || *stop == 'E'))) throw LineMistake{"malformed-request", "\"hash_ids\" holds something else than whole numbers from 0", "give each block a whole number from 0 to 2^64 − 1"};
        at_ = stop;
        return value;
    }
    /// A value of whatever kind.
    void skipValue() {
        int depth = 0;
        do {
            skipSpace();
            if (at_ == end_) malformed("the line ends inside a value");
            const char c = *at_;
            if (c == '"') text();
            else if (c == '{' || c == '[') {
                ++depth;
                ++at_;
            } else if (c == '}' || c == ']') {
                if (depth == 0) malformed("a value is missing " + place());
                --depth;
                ++at_;
            } else if (c == ',' || c == ':') {
                if (depth == 0) malformed("a value is missing " + place());
                ++at_;
            } else {
                const char* begin = at_;
                while (at_ != end_ && ((*at_ >= '0' && *at_ <= '9') || (*at_ >= 'a' && *at_ <= 'z') || *at_ == '-' || *at_ == '+' || *at_ == '.' || *at_ == 'E')) ++at_;
                if (at_ == begin) malformed("a value is missing " + place());
            }
        } while (depth > 0);
    }
    /// Where, without a word of what stands there: a scenario may name a file that its reader was never meant to see.
    std::string place() const {
        if (at_ == end_) return "where the line ends";
        return "at its character " + std::to_string(at_ - begin_ + 1);
    }

private:
    void skipSpace() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
    }

    const char* begin_;
    const char* at_;
    const char* end_;
};

int wholeNumber(double value, std::string_view key, double least, double most) {
    if (value == std::floor(value) && value >= least && value <= most) return static_cast<int>(value);
    if (key == "output_tokens" && value == 0) throw LineMistake{"no-output", "the request generates no token: \"output_tokens\" is 0", "leave the line out, or give it at least 1 output token"};
    throw LineMistake{"value-out-of-range", "\"" + std::string(key) + "\" is " + formatNumber(value) + ", but it is a whole number from " + formatNumber(least) + " to " + formatNumber(most), "correct the number, or leave the line out"};
}

void checkHashes(const Request& request, int hashBlockSize) {
    const auto count = static_cast<int>(request.hashes.size());
    const int whole = request.input / hashBlockSize, begun = whole + (request.input % hashBlockSize != 0 ? 1 : 0);
    if (count == 0 || count == whole || count == begun) return;
    throw LineMistake{"hash-count", "\"hash_ids\" has " + std::to_string(count) + " entries, but a prompt of " + counted(request.input, "token") + " has " + std::to_string(begun) + " blocks of " + counted(hashBlockSize, "token"), "give the block size of this file as \"hash_block_size\""};
}

enum LineKey : unsigned { arrivalKey = 1,
                          inputKey = 2,
                          outputKey = 4,
                          otherKey = 8 };

void checkComplete(unsigned seen, const std::vector<std::string>& unknown) {
    const std::pair<unsigned, std::string> needed[] = {{arrivalKey, "arrival_s"}, {inputKey, "input_tokens"}, {outputKey, "output_tokens"}};
    for (const auto& [bit, name] : needed) {
        if ((seen & bit) != 0) continue;
        const auto nearest = nearestWord(name, unknown);
        throw LineMistake{"missing-key", "the request has no \"" + name + "\"", nearest && nearest->likely ? "rename \"" + nearest->word + "\" to \"" + name + "\"" : "add \"" + name + "\""};
    }
}

/// Reads what a line says into `request`; gives the keys that mean nothing here.
void readLine(std::string_view line, int hashBlockSize, Request& request) {
    LineReader reader(line);
    unsigned seen = 0;
    std::vector<std::string> unknown;
    reader.expect('{');
    if (!reader.tryTake('}')) {
        do {
            const std::string_view key = reader.text();
            reader.expect(':');
            unsigned bit = otherKey;
            if (key == "arrival_s") {
                bit = arrivalKey;
                request.arrival = reader.number(key);
            } else if (key == "input_tokens") {
                bit = inputKey;
                request.input = wholeNumber(reader.number(key), key, 1, mostTokens);
            } else if (key == "output_tokens") {
                bit = outputKey;
                request.output = wholeNumber(reader.number(key), key, 1, mostTokens);
            } else if (key == "priority") {
                request.priority = wholeNumber(reader.number(key), key, -mostTokens, mostTokens);
            } else if (key == "hash_ids") {
                reader.expect('[');
                if (!reader.tryTake(']')) {
                    request.hashes.reserve(static_cast<std::size_t>(request.input / hashBlockSize) + 1);
                    do request.hashes.push_back(reader.hash());
                    while (reader.tryTake(','));
                    reader.expect(']');
                }
            } else {
                reader.skipValue();
                unknown.emplace_back(key);
            }
            if (bit != otherKey && (seen & bit) != 0) throw LineMistake{"repeated-key", "\"" + std::string(key) + "\" stands twice", "keep one of them"};
            seen |= bit;
        } while (reader.tryTake(','));
        reader.expect('}');
    }
    if (!reader.isAtEnd()) malformed("something follows the request " + reader.place());
    checkComplete(seen, unknown);
    checkHashes(request, hashBlockSize);
}

void checkArrival(const Request& request, double before) {
    if (request.arrival < 0) throw LineMistake{"negative-arrival", "the request arrives " + formatNumber(-request.arrival) + " s before the start", "count \"arrival_s\" from the first request"};
    if (request.arrival < before) throw LineMistake{"unsorted-arrivals", "the request arrives at " + formatNumber(request.arrival) + " s, before the one above it at " + formatNumber(before) + " s", "sort the lines by \"arrival_s\""};
}

Problem damaged(const std::string& fileName, const std::string& reason) {
    Problem problem;
    problem.code = "broken-gzip";
    problem.file = fileName;
    problem.message = "The compressed file can't be read: " + reason;
    problem.mend = "Fetch or compress it anew.";
    return problem;
}

bool isBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

std::string asSentence(std::string words) {
    if (!words.empty() && words.front() >= 'a' && words.front() <= 'z') words.front() = static_cast<char>(words.front() - 'a' + 'A');
    return words + '.';
}

} // namespace

std::optional<RequestList> readRequests(std::string_view bytes, const std::string& fileName, int hashBlockSize, Problems& problems) {
    std::optional<std::string> unpacked;
    if (isGzip(bytes)) {
        std::string reason;
        unpacked = inflateGzip(bytes, reason);
        if (!unpacked) {
            problems.push_back(damaged(fileName, reason));
            return std::nullopt;
        }
        bytes = *unpacked;
    }
    if (isForeignRequestLog(bytes)) return readForeignRequests(bytes, fileName, hashBlockSize, problems);
    if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);

    RequestList list;
    list.hashBlockSize = hashBlockSize;
    std::size_t found = 0;
    const auto report = [&](LineMistake mistake, int line) {
        Problem problem;
        problem.code = std::move(mistake.code);
        problem.file = fileName;
        problem.line = line;
        problem.message = asSentence(std::move(mistake.message));
        problem.mend = asSentence(std::move(mistake.mend));
        problems.push_back(std::move(problem));
        ++found;
    };
    double before = 0;
    int number = 0;
    while (!bytes.empty() && found < mostRequestProblems) {
        ++number;
        const std::size_t length = std::min(bytes.find('\n'), bytes.size());
        const std::string_view line = bytes.substr(0, length);
        bytes.remove_prefix(std::min(length + 1, bytes.size()));
        if (isBlank(line)) continue;
        try {
            Request request;
            readLine(line, hashBlockSize, request);
            checkArrival(request, before);
            before = request.arrival;
            list.requests.push_back(std::move(request));
        } catch (LineMistake& mistake) {
            report(std::move(mistake), number);
        }
    }
    if (found == 0 && list.requests.empty()) report({"no-requests", "the file holds no request", "write one JSON object a line, with \"arrival_s\", \"input_tokens\" and \"output_tokens\""}, 1);
    if (found > 0) return std::nullopt;
    return list;
}

} // namespace orrery
