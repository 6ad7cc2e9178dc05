// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are almost traces: each is read, or refused with what and where; none crashes or hangs. ORRERY_MUTANTS says how many (10,000 unless it does);
// a build of the preset `asan` was run with 100,000.
#include "core/base/json.hpp"
#include "core/model/recorded/recorded_workload.hpp"
#include "core/records/ranks/replay_report.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "tests/core/records/ranks/trace_seeds.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

namespace orrery {
namespace {

using test::RandomSource;
using test::TraceSeed;

/// What damages numbers, nesting and encodings.
const std::vector<std::string>& splinters() {
    static const std::vector<std::string> list{"-1", "0", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e999", "1e-999", "null", "[", "{", "\"", "\\", "\\ud800", "\xff\xfe", std::string(4, '\0'), std::string(4, '\xff'), std::string(1500, '['), "NaN", "\x80\x04", "e", "R", "c", "u", "\x93"};
    return list;
}

std::string mutated(std::string bytes, const std::vector<TraceSeed>& seeds, RandomSource& random) {
    for (std::size_t changes = 1 + random.below(5); changes > 0 && !bytes.empty(); --changes) {
        const std::size_t at = random.below(bytes.size());
        switch (random.below(8)) {
        case 0: bytes[at] = static_cast<char>(random.below(256)); break;
        case 1: bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << random.below(8))); break;
        case 2: bytes.erase(at, 1 + random.below(60)); break;
        case 3: bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(200))); break;
        case 4: bytes.insert(at, random.pick(splinters())); break;
        case 5: {
            const std::string& other = random.pick(seeds).bytes;
            bytes.insert(at, other.substr(random.below(other.size()), random.below(200)));
            break;
        }
        case 6: { // a number becomes another
            const std::size_t digit = bytes.find_first_of("0123456789", at);
            if (digit == std::string::npos) break;
            const std::size_t end = bytes.find_first_not_of("0123456789.", digit);
            bytes.replace(digit, end == std::string::npos ? end : end - digit, random.pick(splinters()));
            break;
        }
        default:
            if (random.chance(0.3)) bytes.resize(at);
        }
    }
    return bytes;
}

/// Everything that takes files.
void readWithAll(const std::string& bytes) {
    Problems problems;
    const auto figures = traceFigures(bytes, "mutant", problems);
    ASSERT_EQ(figures.has_value(), !hasErrors(problems));
    for (const Problem& problem : problems) {
        ASSERT_FALSE(problem.code.empty() || problem.file != "mutant" || problem.message.empty() || problem.mend.empty()) << toText(problem);
        ASSERT_NO_THROW((void)toErrorDocument({problem}).dump(-1, ' ', true, Json::error_handler_t::replace));
    }
    problems.clear();
    const auto trace = readDeviceTrace(bytes, "mutant", problems);
    ASSERT_EQ(trace.has_value(), !hasErrors(problems));
    if (trace) {
        problems.clear();
        (void)replayReport({replayedTrace(*trace, "mutant", 1'000'000)}, problems);
    }
    RecordingError error;
    const auto recording = readRecording(std::string_view(bytes), error);
    if (recording) (void)makeRecordedWorkload(*recording);
    else ASSERT_FALSE(error.message.empty() || error.mend.empty());
}

TEST(MutatedTraces, AreReadOrRefusedAndNeverCrash) {
    const char* asked = std::getenv("ORRERY_MUTANTS");
    const long count = asked != nullptr ? std::strtol(asked, nullptr, 10) : 10'000;
    const std::vector<TraceSeed> seeds = test::traceSeeds();
    for (const TraceSeed& seed : seeds) {
        Problems problems;
        EXPECT_TRUE(seed.name.ends_with("unpacked") || traceFigures(seed.bytes, seed.name, problems)) << seed.name;
    }
    RandomSource random(18);
    double longest = 0;
    for (long i = 0; i < count; ++i) {
        const TraceSeed& seed = seeds[static_cast<std::size_t>(i) % seeds.size()];
        std::string bytes = mutated(seed.bytes, seeds, random);
        if (random.chance(0.05)) bytes = test::gzipped(bytes); // damage inside a sound package
        const auto begin = std::chrono::steady_clock::now();
        readWithAll(bytes);
        if (HasFatalFailure()) FAIL() << "mutant " << i << " of " << seed.name;
        longest = std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::cout << count << " mutants of " << seeds.size() << " seeds, the longest took " << longest << " s\n";
    EXPECT_LT(longest, 5);
}

TEST(DamagedPackages, SayTheLimitOrWhereTheyBreak) {
    Problems problems;
    const std::string packed = test::gzipped(std::string(3'000'000, ' '));
    EXPECT_FALSE(unpackedTrace(packed.substr(0, packed.size() / 2), "cut.gz", problems));
    EXPECT_EQ(problems.back().code, "broken-gzip");
    EXPECT_NE(problems.back().message.find("breaks off after "), std::string::npos) << problems.back().message;
    // A bomb: many members of zeros, more than a GiB in a few MB.
    std::string bomb;
    const std::string member = test::gzipped(std::string(std::size_t{64} << 20, '\0'));
    for (int i = 0; i < 17; ++i) bomb += member;
    EXPECT_FALSE(unpackedTrace(bomb, "bomb.gz", problems));
    EXPECT_NE(problems.back().message.find("more than 1024 MiB"), std::string::npos) << problems.back().message;
}

} // namespace
} // namespace orrery
