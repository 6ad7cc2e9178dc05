// SPDX-License-Identifier: GPL-3.0-or-later
// Two records side by side: where the wall clock goes, which kernels belong together, and what explains a difference that was made on purpose.
#include "core/records/comparison/record_difference.hpp"
#include "core/records/comparison/record_wall.hpp"
#include "core/records/traces/intervals.hpp"
#include "tests/core/records/comparison/made_records.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

namespace orrery {
namespace {

using test::differenceOf;
using test::MadeRecord;
using Kernel = MadeRecord::Kernel;

constexpr double microsecond = 1e-6;

RecordDifference ofRecords(const MadeRecord& a, const MadeRecord& b) { return differenceOf(a.job(), b.job()); }

double partOf(const RecordDifference& difference, const std::string& name) {
    for (const auto& part : difference.parts)
        if (part.name == name) return part.delta;
    return 0;
}

/// A step of a layer: product, norm, product, each launched well before it runs.
MadeRecord layers(int count, double product, const std::string& productName = "gemm", bool named = true) {
    MadeRecord record;
    double now = 100;
    for (int layer = 0; layer < count; ++layer) {
        const std::string module = "Layer_" + std::to_string(layer);
        const auto add = [&](const std::string& name, double length, const std::string& op) {
            record.add({name, now, length, 7, named ? op : "", named ? module : "", named ? std::optional(1.0 + 0.1 * (now - 100)) : std::nullopt});
            now += length;
        };
        add(productName, product, "aten::mm");
        add("norm", 3, "aten::layer_norm");
        add("other_gemm", 20, "aten::addmm");
    }
    return record;
}

TEST(RecordWall, givesEachMomentToOneEventOrAGap) {
    // Computing 100 to 200; a collective 150 to 260, of which 60 have nothing beside them; a copy 250 to 300, of which 40; idle until 330, launched at 320.
    const auto trace = MadeRecord().add({"gemm", 100, 100}).add({"ncclDevKernel_AllReduce", 150, 110, 9}).add({"Memcpy HtoD", 250, 50, 11, "", "", std::nullopt, "gpu_memcpy"}).add({"late", 330, 10, 7, "", "", 320.0}).trace();
    const RecordWall wall = wallOf(*trace);
    std::map<std::string, std::int64_t> charged;
    for (std::size_t i = 0; i < trace->device.size(); ++i) charged[trace->names[trace->device[i].name]] = wall.charged[i];
    EXPECT_EQ(charged["gemm"], 100'000);
    EXPECT_EQ(charged["ncclDevKernel_AllReduce"], 60'000);
    EXPECT_EQ(charged["Memcpy HtoD"], 40'000);
    EXPECT_EQ(charged["late"], 10'000);
    ASSERT_EQ(wall.gaps.size(), 1U);
    EXPECT_EQ(wall.gaps[0].length, 30'000);
    EXPECT_EQ(wall.gaps[0].kind, GapKind::launch);
    EXPECT_EQ(wall.span(), 240'000);
}

TEST(RecordWall, tellsAHostThatIsLateFromAKernelThatWaits) {
    const auto trace = MadeRecord().add({"first", 100, 10}).add({"queued", 120, 10, 7, "", "", 90.0}).add({"late", 150, 10, 7, "", "", 145.0}).add({"silent", 170, 10}).trace();
    const RecordWall wall = wallOf(*trace);
    ASSERT_EQ(wall.gaps.size(), 3U);
    EXPECT_EQ(wall.gaps[0].kind, GapKind::queued);
    EXPECT_EQ(wall.gaps[1].kind, GapKind::launch);
    EXPECT_EQ(wall.gaps[2].kind, GapKind::unknown);
}

/// Events of any kind at any time on three streams.
KinetoTrace randomTrace(test::RandomSource& random, std::size_t count) {
    KinetoTrace trace;
    trace.names = {"gemm", "norm", "softmax", "ncclDevKernel_AllReduce", "ncclDevKernel_AllGather", "Memcpy HtoD"};
    trace.streams = {{"0", "7"}, {"0", "9"}, {"0", "11"}};
    for (std::size_t i = 0; i < count; ++i) {
        const auto name = static_cast<std::uint32_t>(random.below(trace.names.size()));
        const auto start = static_cast<std::int64_t>(random.below(100 * count)), length = static_cast<std::int64_t>(random.below(200));
        trace.device.push_back({{start, start + length}, name == 5 ? DeviceWork::copy : DeviceWork::kernel, name == 3 || name == 4, static_cast<std::uint32_t>(random.below(3)), name, -1});
    }
    return trace;
}

RecordedJob jobOf(KinetoTrace trace) { return recordedJob({{"random.json", std::nullopt, std::make_shared<const KinetoTrace>(std::move(trace))}}); }

TEST(RecordWall, agreesWithUnionsOfIntervals) {
    test::RandomSource random(45);
    for (int round = 0; round < 200; ++round) {
        const KinetoTrace trace = randomTrace(random, 1 + random.below(60));
        const RecordWall wall = wallOf(trace);
        std::vector<Interval> computing, kernels, all;
        std::int64_t ofComputing = 0, ofCommunication = 0, ofCopies = 0, idle = 0;
        for (std::size_t i = 0; i < trace.device.size(); ++i) {
            const DeviceEvent& event = trace.device[i];
            all.push_back(event.when);
            if (event.work == DeviceWork::kernel) kernels.push_back(event.when);
            if (event.work == DeviceWork::kernel && !event.communication) computing.push_back(event.when);
            (event.work != DeviceWork::kernel ? ofCopies : event.communication ? ofCommunication
                                                                               : ofComputing) += wall.charged[i];
            EXPECT_GE(wall.charged[i], 0);
            EXPECT_LE(wall.charged[i], event.when.end - event.when.start);
        }
        for (const DeviceGap& gap : wall.gaps) idle += gap.length;
        EXPECT_EQ(ofComputing, coveredBy(computing));
        EXPECT_EQ(ofCommunication, coveredBy(kernels) - coveredBy(computing));
        EXPECT_EQ(ofCopies, coveredBy(all) - coveredBy(kernels));
        EXPECT_EQ(idle, spanOf(all) - coveredBy(all));
        EXPECT_EQ(wall.span(), spanOf(all));
    }
}

TEST(RecordComparison, partsSumToTheDifferenceOfAnyTwoRecords) {
    test::RandomSource random(2026);
    for (int round = 0; round < 200; ++round) {
        const RecordedJob a = jobOf(randomTrace(random, 1 + random.below(80))), b = jobOf(randomTrace(random, 1 + random.below(80)));
        const RecordDifference there = differenceOf(a, b), back = differenceOf(b, a);
        EXPECT_DOUBLE_EQ(there.difference, -back.difference);
        EXPECT_TRUE(differenceOf(a, a).parts.empty());
        std::size_t matched = std::accumulate(there.matched.begin(), there.matched.end(), std::size_t{0}), ofA = 0, ofB = 0;
        for (const DeviceEvent& event : a.ranks[0].trace->device) ofA += event.work == DeviceWork::kernel && !event.communication ? 1 : 0;
        for (const DeviceEvent& event : b.ranks[0].trace->device) ofB += event.work == DeviceWork::kernel && !event.communication ? 1 : 0;
        EXPECT_EQ(matched + there.replacedA + there.gone, ofA); // each kernel is somewhere, and once
        EXPECT_EQ(matched + there.replacedB + there.added, ofB);
    }
}

TEST(RecordComparison, saysNothingOfTheSameRecord) {
    const MadeRecord record = layers(8, 50);
    const RecordDifference difference = ofRecords(record, record);
    EXPECT_EQ(difference.difference, 0);
    EXPECT_TRUE(difference.parts.empty());
    EXPECT_TRUE(difference.causes.empty());
    EXPECT_EQ(difference.summary, "Nothing differs.");
}

TEST(RecordComparison, namesTheSlowerKernel) {
    const RecordDifference difference = ofRecords(layers(8, 50), layers(8, 75));
    EXPECT_NEAR(difference.difference, 8 * 25 * microsecond, 1e-12);
    ASSERT_EQ(difference.causes.size(), 1U);
    EXPECT_EQ(difference.causes[0].name, "gemm");
    EXPECT_EQ(difference.causes[0].where, "Layer, aten::mm");
    EXPECT_EQ(difference.causes[0].part, "kernels.slower");
    EXPECT_NEAR(difference.causes[0].delta, 8 * 25 * microsecond, 1e-12);
    EXPECT_EQ(difference.causes[0].countA, 8);
}

TEST(RecordComparison, knowsAKernelThatIsCalledOtherwiseByItsPlaceInTheProgram) {
    const RecordDifference difference = ofRecords(layers(8, 50), layers(8, 40, "ampere_gemm_128x64"));
    EXPECT_EQ(difference.matched[1], 8U);
    EXPECT_EQ(difference.added + difference.gone, 0U);
    ASSERT_FALSE(difference.causes.empty());
    EXPECT_EQ(difference.causes[0].name, "gemm");
    EXPECT_EQ(difference.causes[0].nameB, "ampere_gemm_128x64");
    EXPECT_NEAR(partOf(difference, "kernels.faster"), -8 * 10 * microsecond, 1e-12);
}

TEST(RecordComparison, knowsItByItsNeighboursWhereNoProgramWasRecorded) {
    const RecordDifference difference = ofRecords(layers(8, 50, "gemm", false), layers(8, 40, "ampere_gemm_128x64", false));
    EXPECT_EQ(difference.matched[4], 8U);
    EXPECT_EQ(difference.added + difference.gone, 0U);
    EXPECT_NEAR(partOf(difference, "kernels.faster"), -8 * 10 * microsecond, 1e-12);
}

TEST(RecordComparison, seesOneKernelInPlaceOfThree) {
    const auto run = [](bool fused) {
        MadeRecord record;
        double now = 0;
        const auto add = [&](const char* name, double length) {
            record.add({name, now, length});
            now += length;
        };
        for (int layer = 0; layer < 6; ++layer) {
            add("gemm", 50);
            if (fused) {
                add("triton_fused_add_mul_norm", 6);
            } else {
                for (const char* name : {"add", "mul", "norm"}) add(name, 4);
            }
        }
        add("loss", 5);
        return record;
    };
    const RecordDifference difference = ofRecords(run(false), run(true));
    ASSERT_EQ(difference.causes.size(), 1U);
    EXPECT_EQ(difference.causes[0].part, "kernels.replaced");
    EXPECT_NEAR(difference.causes[0].delta, -6 * 6 * microsecond, 1e-12);
    EXPECT_EQ(difference.replacedA, 18U);
    EXPECT_EQ(difference.replacedB, 6U);
    EXPECT_NE(difference.summary.find("1 kernel (triton_fused_add_mul_norm) in place of 3 kernels (add, mul, norm)"), std::string::npos) << difference.summary;
}

TEST(RecordComparison, countsWhatOneRecordAloneHas) {
    const auto with = MadeRecord().add({"gemm", 0, 50}).add({"check_nan", 50, 7}).add({"gemm", 57, 50}), without = MadeRecord().add({"gemm", 0, 50}).add({"gemm", 50, 50});
    const RecordDifference difference = ofRecords(without, with);
    ASSERT_EQ(difference.parts.size(), 1U);
    EXPECT_EQ(difference.parts[0].name, "kernels.new");
    EXPECT_NEAR(difference.parts[0].delta, 7 * microsecond, 1e-15);
    EXPECT_NEAR(partOf(ofRecords(with, without), "kernels.gone"), -7 * microsecond, 1e-15);
}

TEST(RecordComparison, blamesTheHostForLaunchGaps) {
    const auto run = [](double late) {
        MadeRecord record;
        double now = 100;
        for (int i = 0; i < 10; ++i) {
            record.add({"gemm", now, 5, 7, "aten::mm", "Linear_0", now - 2});
            now += 5 + 3 + late;
        }
        return record;
    };
    const RecordDifference difference = ofRecords(run(0), run(4));
    ASSERT_EQ(difference.parts.size(), 1U);
    EXPECT_EQ(difference.parts[0].name, "gaps.launch");
    EXPECT_NEAR(difference.difference, 9 * 4 * microsecond, 1e-12);
    EXPECT_EQ(difference.causes[0].where, "Linear, aten::mm");
}

TEST(RecordComparison, callsCommunicationACauseOnlyAsFarAsItIsWaitedFor) {
    const auto run = [](double collective, double end) { return MadeRecord().add({"gemm", 0, 100}).add({"ncclDevKernel_AllReduce", 20, collective, 9}).add({"gemm", end, 10}); };
    // Twice as long, and still hidden.
    EXPECT_TRUE(ofRecords(run(40, 100), run(80, 100)).parts.empty());
    // 30 of the 80 stick out.
    const RecordDifference longer = ofRecords(run(40, 100), run(110, 130));
    ASSERT_EQ(longer.parts.size(), 1U);
    EXPECT_EQ(longer.parts[0].name, "communication.all_reduce");
    EXPECT_NEAR(longer.parts[0].delta, 30 * microsecond, 1e-12);
    // As long as before, and nothing beside it.
    const RecordDifference apart = ofRecords(run(40, 100), MadeRecord().add({"gemm", 0, 100}).add({"ncclDevKernel_AllReduce", 100, 40, 9}).add({"gemm", 140, 10}));
    ASSERT_EQ(apart.parts.size(), 1U);
    EXPECT_EQ(apart.parts[0].name, "overlap");
    EXPECT_NEAR(apart.parts[0].delta, 40 * microsecond, 1e-12);
}

TEST(RecordComparison, seesAClockThatSlowsEverything) {
    const auto run = [](double pace) {
        MadeRecord record;
        double now = 0;
        for (int i = 0; i < 10; ++i)
            for (const auto& [name, length] : {std::pair("gemm", 40.0), {"norm", 10.0}, {"softmax", 20.0}, {"gelu", 10.0}, {"add", 5.0}}) {
                record.add({name, now, length * pace});
                now += length * pace;
            }
        return record;
    };
    const RecordDifference difference = ofRecords(run(1), run(1.25));
    ASSERT_EQ(difference.causes.size(), 1U);
    EXPECT_EQ(difference.causes[0].name, "all kernels");
    EXPECT_NEAR(difference.causes[0].delta, 850 * 0.25 * microsecond, 1e-9);
    EXPECT_NE(difference.causes[0].text.find("1.25 times"), std::string::npos) << difference.causes[0].text;
}

TEST(RecordComparison, dividesByStepsWhereTheyDiffer) {
    const auto run = [](int steps, double length) {
        MadeRecord record;
        for (int i = 0; i < steps; ++i) record.step("ProfilerStep#" + std::to_string(i)).add({"gemm", i * length, length});
        return record;
    };
    const RecordDifference difference = ofRecords(run(2, 100), run(5, 130));
    EXPECT_EQ(difference.metric, "device_span_per_step_s");
    EXPECT_NEAR(difference.difference, 30 * microsecond, 1e-12);
    ASSERT_FALSE(difference.causes.empty());
    EXPECT_EQ(difference.causes[0].name, "gemm");
}

TEST(RecordComparison, namesTheRankThatIsWaitedFor) {
    // Two ranks whose collective ends at once; in B rank 1 computes for 60 more.
    const auto job = [](double late) {
        std::vector<RecordedRank> ranks;
        for (int rank = 0; rank < 2; ++rank) {
            const double work = 100 + (rank == 1 ? late : 0), ends = 120 + late;
            ranks.push_back({"rank" + std::to_string(rank), rank, MadeRecord().rank(rank, 2).add({"gemm", 0, work}).add({"ncclDevKernel_AllReduce", work, ends - work, 9}).trace()});
        }
        return recordedJob(std::move(ranks));
    };
    const RecordDifference difference = differenceOf(job(0), job(60));
    EXPECT_EQ(difference.ranks, 2U);
    EXPECT_NEAR(difference.difference, 60 * microsecond, 1e-12);
    EXPECT_NEAR(partOf(difference, "waits.peers"), 30 * microsecond, 1e-12); // one rank of two waits
    EXPECT_NEAR(partOf(difference, "kernels.slower"), 30 * microsecond, 1e-12);
    EXPECT_NE(difference.summary.find("rank 1"), std::string::npos) << difference.summary;
}

TEST(RecordComparison, saysWhyItCannotCompare) {
    Problems problems;
    EXPECT_FALSE(compareRecords(jobOf(KinetoTrace()), layers(1, 5).job(), problems));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].code, "no-kernels");
    EXPECT_EQ(problems[0].file, "random.json");
    EXPECT_FALSE(problems[0].mend.empty());
    problems.clear();
    const auto ranks = [](int first) {
        std::vector<RecordedRank> list;
        for (int rank = first; rank < first + 2; ++rank) list.push_back({"rank", rank, MadeRecord().rank(rank, 8).add({"gemm", 0, 5}).trace()});
        return recordedJob(std::move(list));
    };
    EXPECT_FALSE(compareRecords(ranks(0), ranks(4), problems));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].code, "no-common-rank");
}

} // namespace
} // namespace orrery
