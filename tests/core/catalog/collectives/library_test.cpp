// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/units.hpp"
#include "core/catalog/collectives/library_catalog.hpp"
#include "resources/resources.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery {
namespace {

constexpr CollectiveKind kinds[] = {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
                                    CollectiveKind::all_to_all, CollectiveKind::send_receive, CollectiveKind::broadcast};

LibraryConstants shipped(const std::string& accelerator) {
    return LibraryCatalog::fromText(resourceText("catalog/collectives.json")).constants(accelerator);
}

LibraryRequest request(CollectiveKind kind, int domains, int members, double bytes) {
    LibraryRequest result;
    result.kind = kind;
    result.ranks = domains * members;
    result.domains = domains;
    result.membersPerDomain = members;
    result.bytes = bytes;
    result.upBandwidth = 450 * units::gigabyte;
    result.outBandwidth = 50 * units::gigabyte;
    return result;
}

TEST(ChooseAlgorithm, IsTheFastestOfItsOptionsAndAddsUp) {
    const LibraryConstants constants = shipped("h100-sxm5-80gb");
    for (const CollectiveKind kind : kinds)
        for (const int domains : {1, 2, 3, 16})
            for (const int members : {1, 2, 8})
                for (double bytes = 8; bytes < 1e11; bytes *= 4) {
                    const LibraryRequest asked = request(kind, domains, members, bytes);
                    const LibraryChoice choice = chooseAlgorithm(constants, asked);
                    if (asked.ranks < 2) {
                        EXPECT_EQ(choice.algorithm, "none");
                        EXPECT_EQ(choice.time, 0);
                        continue;
                    }
                    EXPECT_GE(choice.start, constants.launch);
                    EXPECT_GT(choice.upShare, 0);
                    EXPECT_LE(choice.upShare, 1);
                    EXPECT_LE(choice.outShare, 1);
                    const double transfer = transferTime(choice.form, choice.upShare * asked.upBandwidth,
                                                         choice.outShare * asked.outBandwidth);
                    EXPECT_DOUBLE_EQ(choice.time, choice.start + transfer);
                    for (const LibraryChoice& option : libraryOptions(constants, asked)) {
                        LibraryRequest forced = asked;
                        forced.algorithm = option.algorithm;
                        forced.protocol = option.protocol;
                        const LibraryChoice obeyed = chooseAlgorithm(constants, forced);
                        EXPECT_TRUE(obeyed.asForced);
                        EXPECT_EQ(obeyed.algorithm, option.algorithm);
                        EXPECT_EQ(obeyed.protocol, option.protocol);
                        if (option.algorithm == choice.algorithm) {
                            EXPECT_LE(choice.time, obeyed.time);
                        }
                    }
                }
}

TEST(ChooseAlgorithm, LatencyDecidesSmallMessagesAndBytesLargeOnes) {
    const LibraryConstants constants = shipped("h100-sxm5-80gb");
    EXPECT_EQ(chooseAlgorithm(constants, request(CollectiveKind::all_reduce, 1, 8, 1024)).protocol, "LL");
    EXPECT_EQ(chooseAlgorithm(constants, request(CollectiveKind::all_reduce, 1, 8, 1e9)).algorithm, "nvls");
    EXPECT_EQ(chooseAlgorithm(constants, request(CollectiveKind::all_reduce, 64, 8, 1024)).algorithm, "tree");
    EXPECT_EQ(chooseAlgorithm(constants, request(CollectiveKind::all_gather, 2, 8, 1e9)).algorithm, "ring");
    EXPECT_EQ(chooseAlgorithm(shipped("a100-sxm4-80gb"), request(CollectiveKind::all_reduce, 1, 8, 1e9)).algorithm, "ring");
}

TEST(ChooseAlgorithm, InSwitchAdditionBeatsTheLinksRateInBusBandwidth) {
    // 480 GB/s of 450 on 8 H100 or H200 (measured); a ring stays below the link.
    LibraryRequest asked = request(CollectiveKind::all_reduce, 1, 8, 8e9);
    const auto busBandwidth = [&asked](const LibraryChoice& choice) { return 2 * 7.0 / 8 * asked.bytes / choice.time; };
    EXPECT_GT(busBandwidth(chooseAlgorithm(shipped("h200-sxm-141gb"), asked)), asked.upBandwidth);
    asked.algorithm = "ring";
    EXPECT_LT(busBandwidth(chooseAlgorithm(shipped("h200-sxm-141gb"), asked)), asked.upBandwidth);
}

TEST(ChooseAlgorithm, SaysWhenWhatWasForcedCannotBeDone) {
    LibraryRequest asked = request(CollectiveKind::all_gather, 2, 8, 1e6);
    asked.algorithm = "tree";
    const LibraryChoice choice = chooseAlgorithm(shipped("h100-sxm5-80gb"), asked);
    EXPECT_FALSE(choice.asForced);
    EXPECT_EQ(choice.algorithm, "ring");
    asked.algorithm.clear();
    asked.protocol = "LL128";
    EXPECT_EQ(chooseAlgorithm(shipped("h100-sxm5-80gb"), asked).protocol, "LL128");
}

TEST(ChooseAlgorithm, MoreBytesNeverTakeMuchLess) {
    // Chunks of in-switch additions grow with the size, so a little more may go faster, as it does in NCCL; but not by half.
    for (const char* accelerator : {"h100-sxm5-80gb", "b200-sxm-180gb", "mi355x", "tpu-v5p"}) {
        const LibraryConstants constants = shipped(accelerator);
        for (const CollectiveKind kind : kinds) {
            double before = 0;
            for (double bytes = 8; bytes < 1e11; bytes *= 2) {
                const double time = chooseAlgorithm(constants, request(kind, 1, 8, bytes)).time;
                EXPECT_GT(time, 0.95 * before) << accelerator << ' ' << bytes;
                before = time;
            }
        }
    }
}

/// Channels are added as a send grows; it is never shorter for that, and small ones keep to the rate of few (Vultr's 8 B200: 85 GB/s
/// up to 64 MiB, 627 at 512 MiB).
TEST(ChooseAlgorithm, ALargerSendIsNeverShorter) {
    LibraryRequest asked = request(CollectiveKind::send_receive, 1, 8, 0);
    asked.upBandwidth = 900 * units::gigabyte;
    const LibraryConstants constants = shipped("b200-sxm-180gb");
    double before = 0;
    for (double bytes = 8; bytes < 1e11; bytes *= 1.1) {
        asked.bytes = bytes;
        const double time = chooseAlgorithm(constants, asked).time;
        EXPECT_GE(time, before * (1 - 1e-12)) << bytes;
        before = time;
    }
    const auto rate = [&](double mebibytes) {
        asked.bytes = mebibytes * 1048576;
        return asked.bytes / chooseAlgorithm(constants, asked).transfer;
    };
    EXPECT_NEAR(rate(32), 4 * constants.peerChannelRate, 1);
    EXPECT_NEAR(rate(64), rate(32), 1);
    EXPECT_GT(rate(512), 6 * rate(64));
}

/// What the fabric takes longer here than where the constants were measured, once a step; never less than no time.
TEST(ChooseAlgorithm, AddedLatencyCountsOncePerStepWithinADomain) {
    const LibraryConstants constants = shipped("h100-sxm5-80gb");
    for (const CollectiveKind kind : kinds)
        for (const LibraryChoice& option : libraryOptions(constants, request(kind, 2, 8, 1e6))) {
            LibraryRequest asked = request(kind, 2, 8, 1e6);
            asked.algorithm = option.algorithm;
            asked.protocol = option.protocol;
            const double usual = chooseAlgorithm(constants, asked).time;
            asked.addedUpLatency = 3e-6;
            const double steps = std::max(1, option.form.upSteps); // a send or exchange is one
            const double startup = option.protocol == "LL128" ? constants.ll128Startup : 1;
            EXPECT_NEAR(chooseAlgorithm(constants, asked).time - usual, steps * startup * 3e-6, 1e-12) << option.algorithm << ' ' << option.protocol;
            asked.addedUpLatency = -1;
            EXPECT_LE(chooseAlgorithm(constants, asked).time, usual);
            EXPECT_GE(chooseAlgorithm(constants, asked).start, constants.launch);
        }
}

/// Two racks of 72: not 72 interfaces carry a ring, but one for each of its channels.
TEST(ChooseAlgorithm, ARingPassesAsManyInterfacesAsItHasChannels) {
    const LibraryConstants constants = shipped("gb200");
    LibraryRequest asked = request(CollectiveKind::all_gather, 2, 72, 64e9);
    asked.upBandwidth = 900 * units::gigabyte;
    for (const LibraryChoice& option : libraryOptions(constants, asked)) {
        if (option.algorithm != "ring" || option.protocol != "Simple") continue;
        EXPECT_NEAR(option.outShare * 72, constants.ringChannels * constants.outShare, 1e-9);
        EXPECT_LE(asked.bytes * 143 / 144 / option.transfer, constants.ringChannels * asked.outBandwidth);
    }
}

/// Near 1,000 GB/s a ring LL128 alone beats a ring Simple; beside kernels that leave half of the links it is bound by the links within.
TEST(ChooseAlgorithm, IsOfTheRatesThatAreKeptWhereItRuns) {
    LibraryRequest asked = request(CollectiveKind::all_gather, 16, 8, 2.8e9);
    asked.upBandwidth = 1200e9;
    asked.outBandwidth = 50e9;
    const LibraryConstants constants = shipped("b200-sxm-180gb");
    EXPECT_EQ(chooseAlgorithm(constants, asked).protocol, "LL128");
    asked.upKept = 0.5;
    const LibraryChoice choice = chooseAlgorithm(constants, asked);
    EXPECT_EQ(choice.protocol, "Simple");
    for (const LibraryChoice& option : allowedOptions(constants, asked)) EXPECT_GE(option.time, choice.time) << option.protocol;
}

/// 4 nodes of 8 H100 are as fast with NVLS as without (NVIDIA/nccl issue 1221).
TEST(ChooseAlgorithm, SumsInSwitchesReachAFewDomainsAlone) {
    const LibraryConstants constants = shipped("gb200");
    const auto sum = [](int domains) {
        LibraryRequest asked = request(CollectiveKind::all_reduce, domains, 72, 1e9);
        asked.upBandwidth = 900 * units::gigabyte;
        return asked;
    };
    EXPECT_EQ(chooseAlgorithm(constants, sum(2)).algorithm, "nvls_tree");
    const LibraryRequest many = sum(20);
    EXPECT_NE(chooseAlgorithm(constants, many).algorithm, "nvls_tree");
    LibraryRequest forced = many;
    forced.algorithm = "nvls";
    EXPECT_EQ(chooseAlgorithm(constants, forced).algorithm, "nvls_tree") << "who asks for it gets it";
}

TEST(ChooseAlgorithm, RouteLatencyCountsOncePerStepBetweenDomains) {
    const LibraryConstants constants = shipped("a100-sxm4-80gb");
    LibraryRequest asked = request(CollectiveKind::all_reduce, 8, 8, 1024);
    asked.algorithm = "ring";
    asked.protocol = "LL";
    const double near = chooseAlgorithm(constants, asked).time;
    asked.outLatency = 10e-6;
    const LibraryChoice far = chooseAlgorithm(constants, asked);
    EXPECT_NEAR(far.time - near, far.form.outSteps * 10e-6, 1e-12);
}

/// A slot that has to be full before it is sent holds a step up; a rank's part of a message gets smaller with every node, and fills less and less of it.
TEST(ChooseAlgorithm, StepsOfALargeRingDoNotWaitForSlotsThatNothingFills) {
    const LibraryConstants constants = shipped("h100-sxm5-80gb");
    const auto forced = [&](int domains, double bytes, const char* protocol) {
        LibraryRequest asked = request(CollectiveKind::reduce_scatter, domains, 4, bytes);
        asked.algorithm = "ring";
        asked.protocol = protocol;
        return chooseAlgorithm(constants, asked);
    };
    for (const char* protocol : {"LL128", "Simple"}) {
        const double step = protocol == std::string("Simple") ? constants.outSimpleStep : constants.outLowLatency128Step;
        // Bytes in plenty: a further node adds four steps at least, one of them between nodes with a full slot.
        EXPECT_GE(forced(17, 64e9, protocol).start - forced(16, 64e9, protocol).start, step) << protocol;
        // 400 MB over 1,024 ranks are 24 kB a channel, a twentieth of a slot or less.
        const double far = (forced(256, 400e6, protocol).start - constants.launch) / 255;
        const double inside = (forced(1, 400e6, protocol).start - constants.launch) / 3;
        EXPECT_LT(far - 3 * inside, constants.outStep + 0.15 * (step - constants.outStep)) << protocol;
        EXPECT_GE(far, constants.outStep) << protocol;
    }
    // More nodes take longer all the same.
    double before = 0;
    for (int domains = 1; domains <= 1024; domains *= 2) {
        const double time = chooseAlgorithm(constants, request(CollectiveKind::reduce_scatter, domains, 4, 400e6)).time;
        EXPECT_GT(time, before);
        before = time;
    }
}

TEST(ChooseAlgorithm, MeshReachesFewPeersOverFewLinks) {
    // 2 MI300X all-reduce at 47.7 GB/s bus bandwidth, 8 at 312.9: one of seven links against all.
    const LibraryConstants constants = shipped("mi300x");
    EXPECT_EQ(constants.inheritedFrom, "mi355x");
    LibraryRequest two = request(CollectiveKind::all_reduce, 1, 2, 4294967296.0);
    two.upBandwidth = 448 * units::gigabyte;
    LibraryRequest eight = two;
    eight.ranks = eight.membersPerDomain = 8;
    const double ofTwo = two.bytes / chooseAlgorithm(constants, two).time;
    const double ofEight = 1.75 * eight.bytes / chooseAlgorithm(constants, eight).time;
    EXPECT_NEAR(ofTwo, 47.671e9, 0.25 * 47.671e9);
    EXPECT_NEAR(ofEight, 312.912e9, 0.25 * 312.912e9);
}

} // namespace
} // namespace orrery
