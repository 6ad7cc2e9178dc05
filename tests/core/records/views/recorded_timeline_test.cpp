// SPDX-License-Identifier: GPL-3.0-or-later
// Records as timelines: against the figures that the files are known to have, sums by brute force, the replay's own waits, and what a chain of causes must keep.
#include "core/base/json.hpp"
#include "core/records/ranks/replay_report.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "core/records/views/critical_path.hpp"
#include "core/records/views/span_sums.hpp"
#include "tests/support/generated_trace.hpp"
#include "tests/support/grouped_job.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

namespace orrery {
namespace {

std::optional<RecordedRank> recordAt(const std::string& path) {
    Problems problems;
    auto trace = readDeviceTrace(test::readWholeFile(path), path, problems);
    if (!trace) return std::nullopt;
    const auto rank = trace->rank;
    return RecordedRank{path, rank, std::make_shared<const KinetoTrace>(std::move(*trace))};
}

RecordedJob dlrmJob() {
    std::vector<RecordedRank> ranks;
    for (const auto& entry : std::filesystem::directory_iterator(test::sharedPath("traces/dlrm/kineto"))) ranks.push_back(recordAt(entry.path().string()).value());
    return recordedJob(std::move(ranks));
}

RecordedRank generatedRank(int rank, int world) {
    std::ostringstream out;
    test::writeGeneratedTrace(out, 300'000, rank, world);
    Problems problems;
    auto trace = readDeviceTrace(out.str(), "rank", problems);
    return {"rank" + std::to_string(rank), rank, std::make_shared<const KinetoTrace>(std::move(trace.value()))};
}

double by(const SpanSum& sum, RecordedWork work) { return sum.byWork[static_cast<std::size_t>(work)]; }

} // namespace

TEST(RecordTimeline, TheSummaryOfADeviceHasTheFiguresOfItsFile) {
    ORRERY_REQUIRE_SHARED("traces/expected.json");
    const Json expected = Json::parse(test::readWholeFile(test::sharedPath("traces/expected.json")));
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::sharedPath("traces"))) {
        const std::string name = std::filesystem::relative(entry.path(), test::sharedPath("traces")).string();
        const Json* figures = nullptr;
        for (const auto& [key, value] : (expected.contains("traces") ? expected.at("traces") : expected).items())
            if (key == name) figures = &value;
        if (!figures || figures->value("kind", "") != "kineto") continue;
        const auto rank = recordAt(entry.path().string());
        ASSERT_TRUE(rank) << name;
        const RecordedJob job = recordedJob({*rank});
        const RecordTimeline record = recordTimeline(job);
        const auto sums = spanSums(record, 0, record.timeline.duration, SumBy::rank, false);
        ASSERT_EQ(sums.size(), 1u);
        const double slack = 1e-6 + 1e-9 * record.timeline.duration; // µs: sums of doubles
        const double communication = by(sums[0], RecordedWork::communication) + by(sums[0], RecordedWork::waiting), both = by(sums[0], RecordedWork::beside);
        if (figures->contains("busy_us") && figures->at("busy_us").is_number()) {
            EXPECT_NEAR(1e6 * (by(sums[0], RecordedWork::kernel) + both + communication), figures->at("busy_us").get<double>(), 1e6 * slack) << name;
            EXPECT_NEAR(1e6 * communication, figures->at("exposed_comm_us").get<double>(), 1e6 * slack) << name;
            EXPECT_NEAR(1e6 * both, figures->at("overlapped_us").get<double>(), 1e6 * slack) << name;
        }
        // The rows of streams: as many events, as much time.
        double kernels = 0;
        for (const SpanSum& sum : spanSums(record, 0, record.timeline.duration, SumBy::operation, false))
            if (record.timeline.works[sum.op] != RecordedWork::copy) kernels += sum.time;
        if (figures->contains("kernel_time_sum_us")) {
            EXPECT_NEAR(1e6 * kernels, figures->at("kernel_time_sum_us").get<double>(), 1e6 * slack + 0.002 * figures->at("kernel_time_sum_us").get<double>()) << name;
        }
        ++files;
    }
    EXPECT_GE(files, 10);
}

TEST(RecordTimeline, RowsAreInOrderAndHoldEveryEvent) {
    ORRERY_REQUIRE_SHARED("traces/dlrm");
    const RecordedJob job = dlrmJob();
    const RecordTimeline record = recordTimeline(job);
    ASSERT_EQ(record.timeline.stages.size(), 8u);
    for (std::size_t place = 0; place < 8; ++place) {
        EXPECT_EQ(record.timeline.stages[place].ranks, std::to_string(place));
        std::map<std::int32_t, int> bars;
        for (std::size_t row = 0; row < record.rows[place].size(); ++row) {
            const auto& spans = record.timeline.stages[place].streams[row].spans;
            for (std::size_t i = 0; i < spans.size(); ++i) {
                EXPECT_LE(spans[i].start, spans[i].end);
                if (i > 0) {
                    EXPECT_LE(spans[i - 1].end, spans[i].start + 1e-12);
                    EXPECT_LE(spans[i - 1].end, spans[i].end);
                }
                if (record.rows[place][row] == RecordRow::device) ++bars[spans[i].layer];
            }
        }
        EXPECT_EQ(bars.size(), job.ranks[place].trace->device.size());
        for (const auto& [event, count] : bars) EXPECT_LE(count, job.ranks[place].trace->device[static_cast<std::size_t>(event)].communication ? 2 : 1);
    }
}

TEST(RecordTimeline, SumsOverAnyStretchAreThoseOfBruteForce) {
    const RecordedJob job = recordedJob({generatedRank(0, 2), generatedRank(1, 2)});
    const RecordTimeline record = recordTimeline(job);
    test::RandomSource random(7);
    for (int round = 0; round < 50; ++round) {
        const double a = random.unit() * record.timeline.duration, b = random.unit() * record.timeline.duration, from = std::min(a, b), to = std::max(a, b);
        double expected = 0, got = 0, byStream = 0;
        for (std::size_t place = 0; place < job.ranks.size(); ++place)
            for (const DeviceEvent& event : job.ranks[place].trace->device) {
                const double start = static_cast<double>(job.onClock(place, event.when.start) - job.begin) * 1e-9, end = static_cast<double>(job.onClock(place, event.when.end) - job.begin) * 1e-9;
                expected += std::max(0.0, std::min(to, end) - std::max(from, start));
            }
        for (const SpanSum& sum : spanSums(record, from, to, SumBy::operation, false)) got += sum.time;
        for (const SpanSum& sum : spanSums(record, from, to, SumBy::stream, false)) byStream += sum.time;
        EXPECT_NEAR(got, expected, 1e-9);
        EXPECT_NEAR(byStream, expected, 1e-9);
    }
}

TEST(RecordTimeline, WhoWaitsForWhomIsWhatTheReplaySays) {
    ORRERY_REQUIRE_SHARED("traces/dlrm");
    const RecordedJob job = dlrmJob();
    const auto waiting = waitingMatrix(job);
    ASSERT_EQ(waiting.size(), 8u);
    std::vector<ReplayedTrace> traces;
    for (const RecordedRank& rank : job.ranks) traces.push_back(replayedTrace(*rank.trace, rank.file, std::nullopt));
    Problems problems;
    const auto report = replayReport(std::move(traces), problems);
    ASSERT_TRUE(report);
    for (std::size_t place = 0; place < 8; ++place) {
        double sum = 0;
        for (const double time : waiting[place]) sum += time;
        EXPECT_NEAR(1e6 * sum, report->at("ranks").at(place).at("waiting_us").get<double>(), 1e-3) << place;
        EXPECT_EQ(waiting[place][place], 0);
    }
}

TEST(RecordTimeline, RanksThatNobodyKnowsOrThatDifferAreNotTakenTogether) {
    RecordedRank unknown = generatedRank(1, 2);
    unknown.rank.reset();
    const RecordedJob apart = recordedJob({generatedRank(0, 2), unknown});
    EXPECT_TRUE(apart.collectives.empty());
    EXPECT_NE(apart.whyApart.find("rank1"), std::string::npos);
    EXPECT_TRUE(waitingMatrix(apart).empty());
    const RecordedJob twice = recordedJob({generatedRank(0, 2), generatedRank(0, 2)});
    EXPECT_NE(twice.whyApart.find("twice"), std::string::npos);
    EXPECT_FALSE(recordedJob({generatedRank(0, 2), generatedRank(1, 2)}).collectives.empty());
}

// Held against made jobs that are played by themselves.
TEST(RecordTimeline, StagesOfAPipelineAreTakenTogetherByTheirGroups) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        test::RandomSource random(seed);
        const test::GroupedJob made(random, seed % 2 == 0);
        const auto runs = made.played({});
        std::vector<RecordedRank> ranks;
        Problems problems;
        for (int rank = 0; rank < made.ranks(); ++rank) {
            auto trace = readDeviceTrace(made.record(rank, runs), "rank" + std::to_string(rank), problems);
            ASSERT_TRUE(trace);
            ranks.push_back({"rank" + std::to_string(rank), rank, std::make_shared<const KinetoTrace>(std::move(*trace))});
        }
        const RecordedJob job = recordedJob(std::move(ranks));
        EXPECT_EQ(job.whyApart, "") << seed;
        const auto waiting = waitingMatrix(job);
        ASSERT_EQ(waiting.size(), static_cast<std::size_t>(made.ranks())) << seed;
        for (int rank = 0; rank < made.ranks(); ++rank) {
            const auto place = static_cast<std::size_t>(rank);
            double waited = 0, found = 0;
            for (const std::size_t action : made.communication(rank, runs)) waited += static_cast<double>(*runs[place][action].end - *runs[place][action].start - made.actions()[place][action].duration) * 1e-9;
            for (const double time : waiting[place]) found += time;
            EXPECT_NEAR(found, waited, 1e-9) << seed << ", rank " << rank;
            EXPECT_EQ(waiting[place][place], 0) << seed;
        }
        // Time is told once: at each moment of the critical path one rank works.
        const RecordTimeline record = recordTimeline(job);
        EXPECT_EQ(record.timeline.stages.size(), job.ranks.size());
        const auto path = criticalPath(job);
        for (std::size_t i = 1; i < path.size(); ++i) EXPECT_LE(path[i - 1].end, path[i].start) << seed;
    }
}

TEST(RecordLinks, LeadFromALaunchToItsKernelAndFromTheLastToThoseWhoWait) {
    const RecordedJob job = recordedJob({generatedRank(0, 3), generatedRank(1, 3), generatedRank(2, 3)});
    const RecordTimeline record = recordTimeline(job);
    const KinetoTrace& trace = *job.ranks[0].trace;
    for (const std::uint32_t event : {0u, 5u, 39u}) {
        const auto span = deviceSpan(record, job, 0, event);
        ASSERT_TRUE(span);
        const auto links = linksOf(record, job, *span);
        const auto launches = std::count_if(links.begin(), links.end(), [&](const RecordLink& link) { return record.rows[0][link.from.stream] == RecordRow::host; });
        EXPECT_EQ(launches, 1);
        EXPECT_EQ(links.size(), trace.device[event].communication ? 3u : 1u); // the launch, and the two others of its collective
        for (const RecordLink& link : links) {
            const auto& at = [&](const RecordSpan& place) -> const Span& { return record.timeline.stages[static_cast<std::size_t>(place.stage)].streams[place.stream].spans[place.span]; };
            if (record.rows[0][link.from.stream] == RecordRow::host) {
                EXPECT_LE(at(link.from).start, at(link.to).start);
            }
        }
    }
    // An operator leads to the kernels that it launches.
    const auto op = hostSpan(record, job, 0, 0);
    ASSERT_TRUE(op);
    EXPECT_EQ(linksOf(record, job, *op).size(), 1u);
}

TEST(CriticalPath, IsAChainThatEndsWithTheLastWork) {
    ORRERY_REQUIRE_SHARED("traces/dlrm");
    for (const RecordedJob& job : {dlrmJob(), recordedJob({generatedRank(0, 2), generatedRank(1, 2)}), recordedJob({generatedRank(0, 1)})}) {
        const auto path = criticalPath(job);
        ASSERT_FALSE(path.empty());
        std::int64_t last = 0;
        for (std::size_t place = 0; place < job.ranks.size(); ++place)
            for (const DeviceEvent& event : job.ranks[place].trace->device) last = std::max(last, job.onClock(place, event.when.end));
        EXPECT_EQ(path.back().end, last);
        EXPECT_GE(path.front().start, job.begin);
        for (std::size_t i = 0; i < path.size(); ++i) {
            EXPECT_LE(path[i].start, path[i].end);
            if (i > 0) {
                EXPECT_LE(path[i - 1].end, path[i].start);
            }
        }
        // Nobody's waiting is on it: in a collective only who came last is.
        for (const PathStep& step : path)
            for (const JobCollective& collective : job.collectives)
                if (step.deviceEvent != PathStep::onHost && collective.events[step.place] == step.deviceEvent) {
                    EXPECT_EQ(collective.last, step.place);
                }
    }
}

TEST(KernelNames, HoldEveryKernelOnceTheLongestFirst) {
    const RecordedJob job = recordedJob({generatedRank(0, 2), generatedRank(1, 2)});
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> wanted;
    for (const RecordedRank& rank : job.ranks)
        for (const DeviceEvent& event : rank.trace->device)
            if (event.work == DeviceWork::kernel) {
                auto& [count, time] = wanted[rank.trace->names[event.name]];
                ++count;
                time += event.when.end - event.when.start;
            }
    const std::vector<KernelName> names = kernelNames(job);
    ASSERT_EQ(names.size(), wanted.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(names[i].kernels, wanted[names[i].name].first);
        EXPECT_DOUBLE_EQ(names[i].seconds, static_cast<double>(wanted[names[i].name].second) * 1e-9);
        EXPECT_LE(names[i].seconds, names[i == 0 ? 0 : i - 1].seconds);
    }
    EXPECT_TRUE(kernelNames(recordedJob({})).empty());
}

TEST(ReadingTraces, TellsHowFarItIsAndStopsWhenAsked) {
    std::ostringstream out;
    const auto made = test::writeGeneratedTrace(out, 20'000'000);
    Problems problems;
    std::vector<double> fractions;
    RunControl control;
    control.progress = [&](double fraction) { fractions.push_back(fraction); };
    const auto trace = readDeviceTrace(out.str(), "large", problems, control);
    ASSERT_TRUE(trace);
    EXPECT_EQ(static_cast<std::int64_t>(trace->device.size()), made.kernels);
    EXPECT_EQ(static_cast<std::int64_t>(trace->memory.size()), made.memoryEvents);
    ASSERT_GT(fractions.size(), 5u);
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_LE(fractions.back(), 1);

    std::stop_source source;
    std::size_t reports = 0;
    control.stop = source.get_token();
    control.progress = [&](double) {
        if (++reports == 2) source.request_stop();
    };
    EXPECT_FALSE(readDeviceTrace(out.str(), "large", problems, control));
    EXPECT_EQ(reports, 2u);
    EXPECT_TRUE(problems.empty());
}

TEST(ReadingTraces, KnowsTracesByTheirStart) {
    std::ostringstream out;
    test::writeGeneratedTrace(out, 100'000);
    EXPECT_TRUE(looksLikeTrace(out.str().substr(0, 4000)));
    EXPECT_TRUE(looksLikeTrace(R"([{"ph": "X", "ts": 1}])"));
    EXPECT_TRUE(looksLikeTrace(R"({"schema": "1.0.1", "pid": 1, "nodes": []})"));
    EXPECT_FALSE(looksLikeTrace(R"({"format": "orrery-scenario/1", "model": {"traceEvents": 1}})"));
    EXPECT_FALSE(looksLikeTrace(R"({"model_type": "llama", "hidden_size": 4096})"));
    EXPECT_FALSE(looksLikeTrace("#!/bin/bash\ntorchrun train.py\n"));
    EXPECT_FALSE(looksLikeTrace(""));
}

} // namespace orrery
