// SPDX-License-Identifier: GPL-3.0-or-later
// Generated requests: the moments of their laws, and the same bytes from the same seed.
#include "core/base/json.hpp"
#include "core/order/requests/generate_requests.hpp"
#include "core/order/requests/random_stream.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

namespace orrery::test {
namespace {

struct Sample {
    double mean = 0, deviation = 0;
};

Sample sampleOf(int count, const std::function<double()>& draw) {
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
        const double x = draw();
        sum += x;
        squares += x * x;
    }
    return {sum / count, std::sqrt(std::max(0.0, squares / count - sum / count * (sum / count)))};
}

TEST(RandomStream, LogAndExpAreTheSystemsWithinAFewUnits) {
    RandomSource random(3);
    for (int i = 0; i < 100000; ++i) {
        const double x = random.logBetween(1e-18, 1e18);
        EXPECT_NEAR(portableLog(x), std::log(x), 5e-16 * std::max(1.0, std::abs(std::log(x))));
        const double y = random.between(-600.0, 600.0);
        EXPECT_NEAR(portableExp(y) / std::exp(y), 1, 2e-15) << y;
    }
    EXPECT_EQ(portableLog(1), 0);
    EXPECT_EQ(portableExp(0), 1);
}

TEST(RandomStream, DrawsHaveTheMomentsOfTheirLaws) {
    RandomStream random(7, 0);
    const int count = 400000;
    const auto expect = [&](const char* name, const Sample& sample, double mean, double deviation) {
        EXPECT_NEAR(sample.mean, mean, 4 * deviation / std::sqrt(count)) << name;
        EXPECT_NEAR(sample.deviation, deviation, 0.02 * deviation) << name;
    };
    expect("uniform", sampleOf(count, [&] { return random.uniform(); }), 0.5, std::sqrt(1.0 / 12));
    expect("normal", sampleOf(count, [&] { return random.normal(); }), 0, 1);
    expect("exponential", sampleOf(count, [&] { return random.exponential(); }), 1, 1);
    for (const double shape : {0.2, 0.7, 1.0, 3.5, 40.0}) expect("gamma", sampleOf(count, [&] { return random.gamma(shape); }), shape, std::sqrt(shape));
}

TEST(GenerateRequests, ArrivalsHaveTheRateAndTheBurstinessAskedFor) {
    RequestLaw law;
    law.count = 200000;
    law.ratePerSecond = 12.5;
    const auto gaps = [&] {
        const RequestList list = generateRequests(law);
        std::size_t i = 0;
        EXPECT_EQ(list.requests[0].arrival, 0);
        return sampleOf(law.count - 1, [&] {
            ++i;
            return list.requests[i].arrival - list.requests[i - 1].arrival;
        });
    };
    law.process = ArrivalProcess::poisson;
    EXPECT_NEAR(gaps().mean, 0.08, 0.001);
    EXPECT_NEAR(gaps().deviation, 0.08, 0.001);
    law.process = ArrivalProcess::gamma;
    law.shape = 0.25;
    EXPECT_NEAR(gaps().mean, 0.08, 0.002);
    EXPECT_NEAR(gaps().deviation, 0.16, 0.003);
    law.process = ArrivalProcess::uniform;
    EXPECT_NEAR(gaps().mean, 0.08, 1e-9);
    EXPECT_NEAR(gaps().deviation, 0, 1e-5);
    law.process = ArrivalProcess::all_at_once;
    EXPECT_EQ(gaps().mean, 0);
    law.process = ArrivalProcess::closed_loop;
    law.concurrency = 9;
    EXPECT_EQ(generateRequests(law).concurrency, 9);
}

/// Over a day of four parts at 0, 1, 4 and 3 times the same: each part gets its share, whatever the process, and by chance no more than chance allows.
TEST(GenerateRequests, ArrivalsFollowACurveOverTheDay) {
    RequestLaw law;
    law.count = 64000;
    law.ratePerSecond = 2;
    law.curve = {0, 1, 4, 3};
    law.curvePeriod = 1000;
    for (const ArrivalProcess process : {ArrivalProcess::poisson, ArrivalProcess::uniform, ArrivalProcess::gamma}) {
        law.process = process;
        law.shape = 2;
        const std::vector<Request> all = generateRequests(law).requests;
        double counts[4] = {};
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i > 0) {
                ASSERT_GE(all[i].arrival, all[i - 1].arrival);
            }
            ++counts[static_cast<int>(all[i].arrival / 250) % 4];
        }
        EXPECT_EQ(counts[0], 0);
        EXPECT_NEAR(counts[1], 8000, 5 * std::sqrt(8000.0));
        EXPECT_NEAR(counts[2], 32000, 5 * std::sqrt(32000.0));
        EXPECT_NEAR(counts[3], 24000, 5 * std::sqrt(24000.0));
        EXPECT_NEAR(all.back().arrival, 32000, 1000) << "the mean rate is the one asked for";
        EXPECT_EQ(all.front().arrival, 250);
    }
    // Equal parts are no curve; another period moves nothing but time.
    law.process = ArrivalProcess::poisson;
    law.curve = {3, 3};
    const std::vector<Request> even = generateRequests(law).requests;
    law.curve.clear();
    const std::vector<Request> none = generateRequests(law).requests;
    for (std::size_t i = 0; i < none.size(); ++i) ASSERT_NEAR(even[i].arrival, none[i].arrival, 1e-9 * (1 + none[i].arrival));
}

TEST(GenerateRequests, LengthsHaveTheMomentsOfTheirLaw) {
    RequestLaw law;
    law.count = 100000;
    law.process = ArrivalProcess::all_at_once;
    const auto inputs = [&] {
        const RequestList list = generateRequests(law);
        std::size_t i = 0;
        return sampleOf(law.count, [&] { return list.requests[i++].input; });
    };
    law.input = {LengthKind::constant, 512, 0, 1, 1, 4096};
    EXPECT_EQ(inputs().mean, 512);
    EXPECT_EQ(inputs().deviation, 0);
    law.input = {LengthKind::uniform, 1, 0, 1, 100, 300};
    EXPECT_NEAR(inputs().mean, 200, 0.6);
    EXPECT_NEAR(inputs().deviation, std::sqrt((201.0 * 201 - 1) / 12), 0.5);
    law.input = {LengthKind::normal, 1000, 100, 1, 1, 4096};
    EXPECT_NEAR(inputs().mean, 1000, 2);
    EXPECT_NEAR(inputs().deviation, 100, 2);
    law.input = {LengthKind::lognormal, 1000, 500, 1, 1, 1000000};
    EXPECT_NEAR(inputs().mean, 1000, 8);
    EXPECT_NEAR(inputs().deviation, 500, 15);
    law.input = {LengthKind::exponential, 1000, 0, 1, 1, 1000000};
    EXPECT_NEAR(inputs().mean, 1000, 15);
    EXPECT_NEAR(inputs().deviation, 1000, 20);
    law.input = {LengthKind::zipf, 1, 0, 1, 1, 3}; // chances 6/11, 3/11, 2/11
    EXPECT_NEAR(inputs().mean, 18.0 / 11, 0.01);
}

std::uint64_t digestOf(const RequestList& list) {
    std::uint64_t digest = 14695981039346656037ULL;
    const auto add = [&](std::uint64_t word) { digest = (digest ^ word) * 1099511628211ULL; };
    for (const Request& request : list.requests) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &request.arrival, sizeof bits);
        add(bits);
        add(static_cast<std::uint64_t>(request.input));
        add(static_cast<std::uint64_t>(request.output));
    }
    return digest;
}

TEST(GenerateRequests, TheSameSeedGivesTheSameBytesEverywhere) {
    RequestLaw law;
    law.count = 10000;
    law.process = ArrivalProcess::gamma;
    law.shape = 0.6;
    law.input = {LengthKind::lognormal, 800, 600, 1, 1, 8192};
    law.output = {LengthKind::normal, 200, 80, 1, 1, 1024};
    law.seed = 42;
    const std::uint64_t digest = digestOf(generateRequests(law));
    EXPECT_EQ(digest, digestOf(generateRequests(law)));
    EXPECT_EQ(digest, 103783558315827035ULL); // what every machine must give
    law.seed = 43;
    EXPECT_NE(digest, digestOf(generateRequests(law)));
}

TEST(GenerateRequests, AnotherRateLeavesTheLengths) {
    RequestLaw law;
    law.count = 100;
    law.input = law.output = {LengthKind::exponential, 100, 0, 1, 1, 10000};
    const RequestList slow = generateRequests(law);
    law.ratePerSecond = 50;
    const RequestList fast = generateRequests(law);
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(slow.requests[i].input, fast.requests[i].input);
        EXPECT_EQ(slow.requests[i].output, fast.requests[i].output);
    }
}

TEST(LengthLaw, IsReadFromAScenario) {
    Problems problems;
    const auto read = [&](const char* text) {
        problems.clear();
        return readLengthLaw(Json::parse(text), "/workload/requests/input_tokens", problems);
    };
    ASSERT_TRUE(read("512"));
    EXPECT_EQ(read("512")->mean, 512);
    ASSERT_TRUE(read(R"({"distribution": "lognormal", "mean": 700, "std": 300, "max": 4096})"));
    EXPECT_EQ(read(R"({"distribution": "lognormal", "mean": 700, "std": 300, "max": 4096})")->most, 4096);
    for (const char* wrong : {"0", "1.5", "\"512\"", "{}", R"({"distribution": "pareto"})", R"({"distribution": "normal", "mean": 5})", R"({"distribution": "uniform", "min": 5, "max": 3})", R"({"distribution": "exponential", "mean": 5, "sdt": 3})"}) {
        EXPECT_FALSE(read(wrong)) << wrong;
        ASSERT_EQ(problems.size(), 1u) << wrong;
        EXPECT_TRUE(problems[0].pointer.starts_with("/workload/requests/input_tokens")) << wrong;
        EXPECT_FALSE(problems[0].mend.empty()) << wrong;
    }
}

} // namespace
} // namespace orrery::test
