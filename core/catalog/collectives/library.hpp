// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"
#include "core/catalog/collectives/closed_forms.hpp"
#include "core/catalog/collectives/expert_exchange.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

/// Algorithms of a communication library that a scenario can ask for.
enum class CollectiveAlgorithm : std::uint8_t { ring,
                                                tree,
                                                hierarchical,
                                                nvls };

template <> struct WordsOf<CollectiveAlgorithm> {
    static constexpr std::array table{Word{CollectiveAlgorithm::ring, "ring"}, Word{CollectiveAlgorithm::tree, "tree"},
                                      Word{CollectiveAlgorithm::hierarchical, "hierarchical"}, Word{CollectiveAlgorithm::nvls, "nvls"}};
};

/// What carries a collective or a transfer, in results and in what is asked of patterns. All-to-all and sends have ways of their own.
enum class CollectiveWay : std::uint8_t { none, ///< nothing is sent
                                          ring,
                                          tree,
                                          hierarchical,
                                          nvls,
                                          nvls_tree, ///< NVLS in each domain, trees between them
                                          pairwise,
                                          deduplicated, ///< a token goes once to each domain that has any of its experts
                                          direct };

template <> struct WordsOf<CollectiveWay> {
    static constexpr std::array table{Word{CollectiveWay::none, "none"}, Word{CollectiveWay::ring, wordOf(CollectiveAlgorithm::ring)},
                                      Word{CollectiveWay::tree, wordOf(CollectiveAlgorithm::tree)},
                                      Word{CollectiveWay::hierarchical, wordOf(CollectiveAlgorithm::hierarchical)},
                                      Word{CollectiveWay::nvls, wordOf(CollectiveAlgorithm::nvls)}, Word{CollectiveWay::nvls_tree, "nvls_tree"},
                                      Word{CollectiveWay::pairwise, "pairwise"}, Word{CollectiveWay::deduplicated, "deduplicated"},
                                      Word{CollectiveWay::direct, "direct"}};
};

/// Protocols that NCCL moves data by: 4 of every 8 bytes are data, 120 of 128, all.
enum class CollectiveProtocol : std::uint8_t { low_latency,
                                               low_latency_128,
                                               simple };

template <> struct WordsOf<CollectiveProtocol> {
    static constexpr std::array table{Word{CollectiveProtocol::low_latency, "LL"}, Word{CollectiveProtocol::low_latency_128, "LL128"},
                                      Word{CollectiveProtocol::simple, "Simple"}};
};

/// How a communication library (NCCL, RCCL) drives one family of machines; see resources/catalog/collectives.json, which
/// defines every number and says where it was measured. Shares are of the data-sheet rate per accelerator and direction.
struct LibraryConstants {
    std::string accelerator;   ///< whose constants these are
    std::string inheritedFrom; ///< set when taken from a relative or from "default"
    bool measured = false;     ///< false: no table of this family was seen; the numbers are assumed
    std::string source;

    double launch = 0;                 ///< s: kernel launch and first synchronisation
    double upStep = 0;                 ///< s a step with flags in the data (LL) within a domain
    double upSimpleStep = 0;           ///< s a step of protocol Simple within a domain: buffer hand-over and fence
    double lowLatencyShare = 0;        ///< of the link, by ring LL128
    double ringShare = 0;              ///< of the link, by ring Simple
    double pairShare = 0;              ///< the same of two ranks alone, who share nothing of the way between them with others
    double inSwitchShare = 0;          ///< of the link, by NVLS with its largest chunk; 0: the switch does not add
    int inSwitchChannels = 16;         ///< thread blocks that serve NVLS
    double inSwitchStart = 0;          ///< s beyond launch before NVLS flows
    double inSwitchMemberOverhead = 0; ///< of a chunk's time, for each further member: inSwitchShare is that of 8
    int inSwitchTreeDomains = 2;       ///< the most that NVLS's sums go out to
    double inSwitchTreeShare = 1;      ///< of NVLS's rate, where sums go out to other domains before they are sent to all
    double peerShare = 0;              ///< of the link, by send-receive and all-to-all
    double peerChannelRate = 0;        ///< bytes/s of one channel of send-receive; 0: not known
    double ownCopyRate = 0;            ///< bytes/s at which the threads that feed the links copy a rank's own part to its output
    int meshLinks = 0;                 ///< k: the port is k links, each to one other accelerator; 0: all of it reaches a switch
    double connectionRate = 0;         ///< bytes/s: what one connection between domains carries between a pair; 0: no limit known

    double outStep = 0;              ///< s a step between domains, LL, without the route's own latency
    double outLowLatency128Step = 0; ///< s, protocol LL128, likewise
    double outSimpleStep = 0;        ///< s, protocol Simple, likewise
    int ringChannels = 16;           ///< that a ring between domains has; so many interfaces of a domain carry it at most
    double outShare = 0;             ///< of the network interface's rate
    double outMessageGap = 0;        ///< s between messages that a rank posts to peers in other domains
    bool outKeepsOrder = true;       ///< a message's bytes arrive in order, without which LL128 cannot be used between domains

    double ll128Startup = 1;          ///< start of LL128 over that of LL, within a domain
    double llShare = 0;               ///< rate of LL over that of LL128
    double peerSimpleStart = 0;       ///< s beyond launch before a Simple send flows
    double peerGap = 0;               ///< steps that each further peer in the domain adds to an all-to-all
    double peerLowLatencyRate = 0;    ///< bytes/s to one peer, LL
    double inSwitchChunkOverhead = 0; ///< bytes that could have been sent while one chunk of NVLS is handed over

    std::vector<ExchangeLibrary> exchanges; ///< libraries that exchange tokens between experts
    const ExchangeLibrary* exchange(const std::string& id) const;

    /// What the wire within a domain carries, as a share of the link: the most that any of the library's algorithms drives.
    double upWire() const;
};

/// What is asked of the library. Empty `algorithm` or `protocol`: the library chooses.
struct LibraryRequest {
    CollectiveKind kind = CollectiveKind::none;
    int ranks = 1;
    int domains = 1;
    int membersPerDomain = 1;
    double bytes = 0;          ///< as nccl-tests counts, see closed_forms.hpp
    double upBandwidth = 0;    ///< bytes/s per accelerator and direction, data sheet
    double addedUpLatency = 0; ///< s a step within a domain, more (or less) than where the constants were measured
    double outBandwidth = 0;   ///< likewise, between domains; not looked at in one domain
    double outLatency = 0;     ///< s: one way over the whole route between domains
    double upKept = 1;         ///< of the library's own rates, what it keeps within a domain where this runs, beside a job's kernels
    double outKept = 1;        ///< the same between domains
    std::string algorithm;
    std::string protocol;
};

/// One way to do it. `time` = start + transferTime(form, upShare × upBandwidth, outShare × outBandwidth).
struct LibraryChoice {
    std::string algorithm{wordOf(CollectiveWay::none)}; ///< a word of CollectiveWay
    std::string protocol;                               ///< "LL", "LL128", "Simple"
    ClosedForm form;
    double start = 0;   ///< s: launch, the protocol's steps, for NVLS the first round of chunks
    double upShare = 1; ///< of the data-sheet rate that this algorithm and protocol can drive here, whatever the size; NVLS alone
                        ///< has four of them (and of `start`), one for each chunk size that NCCL takes by message size
    double outShare = 1;
    double upWire = 1, outWire = 1; ///< of the same rates, all that the wires carry of what this protocol sends, whoever sends it: what the
                                    ///< algorithm falls short of that by itself, it leaves to others
    double transfer = 0;            ///< s, alone on its links
    double time = 0;                ///< s: start + transfer
    bool asForced = true;           ///< false: what was forced cannot do this operation here, so the library chose
};

/// Every algorithm and protocol that can do the operation on such a group, in a fixed order, forced or not.
std::vector<LibraryChoice> libraryOptions(const LibraryConstants& constants, const LibraryRequest& request);

/// Gives the options that the request allows, sorted by the time predicted for each, equals in their order; NCCL's tuning predicts so too
/// (ncclTopoTuneModel). Trees inside one domain, level-by-level rings and in-switch all-gathers are allowed only when forced: NCCL has no
/// hierarchical algorithm, and uses the others only between nodes and with registered buffers. Nor is NVLS's tree over more than a few domains:
/// NCCL reckons with twice the interfaces' rate for two of them alone. None for a group with nothing to send.
std::vector<LibraryChoice> allowedOptions(const LibraryConstants& constants, const LibraryRequest& request);

/// The fastest of them.
LibraryChoice chooseAlgorithm(const LibraryConstants& constants, const LibraryRequest& request);

} // namespace orrery
