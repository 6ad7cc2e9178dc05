// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What resources/catalog/physics.json says of one of its constants.
struct PhysicsEntry {
    std::string id; ///< "permute_rate_of_stream"
    double value = 0;
    double low = 0, high = 0; ///< what is possible
    std::string unit;         ///< "1", "s", "bytes", "bytes/s", "1/s", "Hz"
    std::string source;       ///< paper, table or document; "assumed: " with the reason
    std::string explanation;  ///< one sentence
};

/// Figures of hardware and software that are no single accelerator's, framework's or library's. Values, ranges and sources stand in
/// resources/catalog/physics.json and nowhere else; what each means is written there. Without a catalogue they are neutral: shares are
/// whole, latencies nothing, the data sheet itself.
struct PhysicsConstants {
    // Kernels in training (core/training/cost, core/training/rank_work).
    double fullWaveOverMedian = 1;
    double accumulationShown = 1;
    double rowScaledRate = 1;             ///< of products scaled by tensors
    double rowQuantisingBytes = 5;        ///< an element: read for the largest of its row, read and written
    double columnQuantisingBytes = 5;     ///< an element
    double permuteRate = 1;               ///< of kernels that read and write in order
    double attentionBackwardStartups = 1; ///< of the forward's
    double eightBitAttentionRate = 1;     ///< of the 16-bit kernel's
    double vectorFlopsPerByte = 1;
    double alignmentBytes = 1;
    double misalignedShare = 1;
    double muonMatrixSide = 1;
    double cutUnitsRate = 1;
    double inlineEccShare = 1;      ///< of the bandwidth
    double softmaxFlops = 1;        ///< FLOP a pair of query and key
    double ungroupedCacheFlops = 1; ///< FLOP an element of keys and values
    // What runs beside kernels (core/training/segments, core/training/plan, core/answers/simulation).
    double sendShareOfOverlap = 1;
    double backwardHostShare = 1;
    double collectiveHostLaunches = 0;
    double hostAdamParametersPerSecond = 1;
    double swiftHostLink = 0; ///< bytes/s and direction
    // Platforms that no one lists.
    double assumedScaleUpLatency = 0, assumedScaleOutLatency = 0; ///< s
    double unknownLatency = 0;                                    ///< s
    double assumedNic = 0;                                        ///< bytes/s
    double assumedNodeSize = 1;
    // Shares that kernels reach where no table was fitted (core/operators).
    double rooflineMatrixShare = 1, rooflineVectorShare = 1, rooflineMemoryShare = 1, rooflineCacheShare = 1;
    double rooflineLaunch = 0, rooflineFill = 0; ///< s
    // What a data sheet leaves out.
    double usualMultiprocessors = 1;
    double usualClock = 1; ///< Hz
    double usualL2 = 1, usualShared = 1, usualRegisters = 1;
    // A multiprocessor's, each clock.
    double sharedBytesPerClock = 1, l2BytesPerClock = 1, portBytesPerClock = 1, registerBytesPerClock = 1;
    double exponentialsPerClock = 1;
    double productClocks = 1;
    double fewCores = 0;
    // How libraries cut matrix products.
    double instructionBytes = 1, slabBytes = 1, slabsAtOnce = 1;
    double accumulatorShare = 1, groupShare = 1;
    double warmShare = 1;
    double largestCluster = 1;
    // Engines that serve (core/served/inference).
    double servedFp8Share = 1, servedFp4Share = 1; ///< of the tables' rate of narrow products
    double longestBesideProduct = 0;               ///< s
    double olderHostSpeed = 1;                     ///< what one thread of older hosts gets done, over a DGX H100's
    double coherentHostLaunches = 1;               ///< launches of one thread of a host on a swift link, likewise

    std::shared_ptr<const std::vector<PhysicsEntry>> entries; ///< in the order of `physicsNames`; null without a catalogue

    /// What the catalogue says of a constant; null without a catalogue.
    const PhysicsEntry* entry(double PhysicsConstants::*constant) const;
    /// Where a constant is from; empty without a catalogue.
    std::string sourceOf(double PhysicsConstants::*constant) const;

    /// Reads `orrery-physics/1`. Throws std::runtime_error that names the JSON pointer where a constant is missing or unknown, its value
    /// is no number or out of its range, its unit is another than the code reckons in, or its source or explanation is missing.
    static PhysicsConstants fromText(std::string_view text);
};

/// A constant as the file names it.
struct PhysicsName {
    const char* id;
    const char* unit;
    double PhysicsConstants::*member;
};

/// All of them. To add one: a row there, a member above, an entry in physics.json.
const std::vector<PhysicsName>& physicsNames();

} // namespace orrery
