// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/collectives/library.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace orrery {
namespace {

/// Bytes of useful data in what a protocol moves: LL stores a flag with every 4 bytes, LL128 one of 8 bytes with every 120
/// (NCCL, src/include/device.h). On the link this is part of the measured share; on the network it is applied to its share. Either way the
/// wire carries so much less of the data.
struct Protocol {
    std::string_view name;
    double payload;
};
constexpr Protocol lowLatency{wordOf(CollectiveProtocol::low_latency), 0.5};
constexpr Protocol lowLatency128{wordOf(CollectiveProtocol::low_latency_128), 120.0 / 128};
constexpr Protocol simple{wordOf(CollectiveProtocol::simple), 1};

/// Bytes of a slot of a connection's buffer, which must be full before the proxy sends it on: an eighth of 120 × 640 words of LL128, of the 4 MiB of
/// Simple (NCCL, src/include/device.h, NCCL_STEPS; src/init.cc, DEFAULT_BUFFSIZE).
constexpr double lowLatency128Slot = 614400;
constexpr double simpleSlot = 524288;

class Options {
public:
    Options(const LibraryConstants& constants, const LibraryRequest& request)
        : constants_(constants), request_(request), group_{request.ranks, request.domains, request.membersPerDomain} {
        if (request.domains <= 1) {
            group_.domains = 1;
            group_.membersPerDomain = request.ranks;
        }
    }

    std::vector<LibraryChoice> all() {
        constexpr std::size_t most = 16;
        options_.reserve(most);
        const double part = request_.kind == CollectiveKind::broadcast ? 0 : request_.bytes / group_.ranks;
        addThreads(wordOf(CollectiveAlgorithm::ring), ringForm(request_.kind, group_, request_.bytes), part, ringOutShare(), part / std::max(1, constants_.ringChannels));
        addThreads(wordOf(CollectiveAlgorithm::tree), treeForm(request_.kind, group_, request_.bytes), 0, constants_.outShare);
        addThreads(wordOf(CollectiveAlgorithm::hierarchical), hierarchicalForm(request_.kind, group_, request_.bytes), 0, constants_.outShare);
        addInSwitch();
        addPairwise();
        return std::move(options_);
    }

private:
    bool several() const { return group_.domains > 1; }

    /// A step within a domain, with the latency that the fabric has here.
    double within(double step) const { return std::max(0.0, step + request_.addedUpLatency); }

    /// A rank's own part goes from its input to its output by the same threads that feed the links; `own` bytes of it for
    /// `sent` that leave at `share` of the link. Gives the share left for the links.
    double besideOwnCopy(double share, double own, double sent) const {
        if (!(sent > 0)) return share;
        return share / (1 + own / sent * share * request_.upBandwidth / constants_.ownCopyRate);
    }

    /// The share of the port that leads to that many peers.
    double reaching(double peers) const {
        return constants_.meshLinks > 0 ? std::min(1.0, std::max(1.0, peers) / constants_.meshLinks) : 1;
    }

    void add(std::string_view algorithm, const Protocol& protocol, const ClosedForm& form, double start, double upShare, double outShare) {
        LibraryChoice option;
        option.algorithm = algorithm;
        option.protocol = protocol.name;
        option.form = form;
        option.start = start;
        option.upShare = upShare * request_.upKept;
        option.outShare = outShare * request_.outKept;
        option.upWire = constants_.upWire() * protocol.payload;
        option.outWire = constants_.outShare * protocol.payload;
        option.transfer = transferTime(form, option.upShare * request_.upBandwidth, option.outShare * request_.outBandwidth);
        option.time = option.start + option.transfer;
        options_.push_back(std::move(option));
    }

    /// The share of the interfaces between domains that a ring uses: no more of them carry it than it has channels, each channel that passes an
    /// interface over a connection of its own.
    double ringOutShare() const {
        const LibraryConstants& c = constants_;
        if (!several()) return c.outShare;
        const double channelsEach = static_cast<double>(c.ringChannels) / group_.membersPerDomain;
        const double connections = c.connectionRate > 0 ? std::max(1.0, channelsEach) * c.connectionRate / request_.outBandwidth : 1;
        return std::min(1.0, channelsEach) * std::min(c.outShare, connections);
    }

    /// Algorithms whose messages threads copy from buffer to buffer, in all three protocols; they copy `own` bytes of a
    /// rank's own part besides. `sent`: bytes that a channel sends in a step, 0: slots are full. Filling a slot is part of what a step between domains
    /// takes beyond one with flags in the data; the rings of a large job send a small part of a slot at a time.
    void addThreads(std::string_view algorithm, const std::optional<ClosedForm>& form, double own, double outShare, double sent = 0) {
        if (!form) return;
        const LibraryConstants& c = constants_;
        const double reach = reaching(group_.membersPerDomain - 1);
        const auto share = [&](double rate) { return besideOwnCopy(rate * reach, own, form->upBytes); };
        const auto between = [&](double step, double slot = 0) {
            const double filled = sent > 0 && slot > 0 ? std::min(1.0, sent / slot) : 1;
            return form->outSteps * (c.outStep + (step - c.outStep) * filled + request_.outLatency);
        };
        const double fast = c.launch + form->upSteps * within(c.upStep);
        const double slow = c.launch + form->upSteps * within(c.upSimpleStep);
        const double widest = !several() && group_.ranks == 2 && c.pairShare > 0 ? c.pairShare : c.ringShare;
        add(algorithm, lowLatency, *form, fast + between(c.outStep), share(c.llShare * c.lowLatencyShare), outShare * lowLatency.payload);
        if (!several() || c.outKeepsOrder)
            add(algorithm, lowLatency128, *form, c.ll128Startup * fast + between(c.outLowLatency128Step, lowLatency128Slot), share(c.lowLatencyShare),
                outShare * lowLatency128.payload);
        add(algorithm, simple, *form, slow + between(c.outSimpleStep, simpleSlot), share(widest), outShare);
    }

    /// NCCL's chunk of NVLS (calcCollChunking in src/enqueue.cc): smaller when there are few of them for each thread block
    /// and head.
    double inSwitchChunk() const {
        const double concurrent = double(constants_.inSwitchChannels) * group_.membersPerDomain;
        double chunk = 131072;
        if (request_.bytes < 64 * concurrent * chunk) chunk = 65536;
        if (chunk <= 65536 && request_.bytes < 8 * concurrent * chunk) chunk = 32768;
        if (chunk <= 32768 && request_.bytes < 2 * concurrent * chunk) chunk = 16384;
        return chunk;
    }

    void addInSwitch() {
        const LibraryConstants& c = constants_;
        if (!(c.inSwitchShare > 0) || group_.membersPerDomain < 2) return;
        const std::optional<ClosedForm> form = inSwitchForm(request_.kind, group_, request_.bytes);
        if (!form) return;
        const double chunk = inSwitchChunk();
        const double usualMembers = 8, members = group_.membersPerDomain;
        const double share = c.inSwitchShare * (1 + c.inSwitchChunkOverhead / 131072) / (1 + c.inSwitchChunkOverhead / chunk) *
                             (1 + (usualMembers - 1) * c.inSwitchMemberOverhead) / (1 + (members - 1) * c.inSwitchMemberOverhead) *
                             (several() ? c.inSwitchTreeShare : 1);
        // The first round of chunks must be added before anything is sent back.
        const double fill = c.inSwitchChannels * group_.membersPerDomain * chunk / (c.inSwitchShare * request_.upBandwidth);
        const double out = form->outSteps * (c.outSimpleStep + request_.outLatency);
        const double up = within(c.inSwitchStart / form->upSteps) * form->upSteps;
        add(wordOf(several() ? CollectiveWay::nvls_tree : CollectiveWay::nvls), simple, *form, c.launch + up + fill + out, share, c.outShare);
    }

    void addPairwise() {
        const std::optional<ClosedForm> form = pairwiseForm(request_.kind, group_, request_.bytes);
        if (!form) return;
        const LibraryConstants& c = constants_;
        const bool all = request_.kind == CollectiveKind::all_to_all;
        const double near = all ? group_.membersPerDomain - 1 : 1; // peers that a rank sends to
        const double far = !several() ? 0 : all ? group_.ranks - group_.membersPerDomain
                                                : 1;
        const double furtherSteps = std::max(0.0, near - 1) * c.peerGap * c.upStep;
        const double gaps = std::max(0.0, far - 1) * c.outMessageGap;
        const double outLatency = several() ? request_.outLatency : 0;

        const double driven = std::min(c.peerShare * reaching(near), all || several() ? 1 : sendShare());
        const double up = besideOwnCopy(driven, all ? request_.bytes / group_.ranks : 0, form->upBytes);
        double out = c.outShare;
        if (several() && c.connectionRate > 0) out = std::min(out, c.connectionRate / request_.outBandwidth);

        const double lowUp = std::min(up, std::max(1.0, near) * c.peerLowLatencyRate / request_.upBandwidth);
        const double lowOut = several() ? std::min(out, far * c.peerLowLatencyRate / request_.outBandwidth) : out;
        const std::string_view name = wordOf(all ? CollectiveWay::pairwise : CollectiveWay::direct);
        add(name, lowLatency, *form, c.launch + within(2 * c.upStep) + furtherSteps + (several() ? c.outStep : 0) + outLatency + gaps,
            lowUp, lowOut);
        add(name, simple, *form,
            c.launch + within(c.peerSimpleStart) + furtherSteps + (several() ? c.outStep : 0) + outLatency + gaps, up, out);
    }

    /// The share of the link that a send within a domain uses (NCCL, src/enqueue.cc, calcP2pChannelCount): its 32 channels are dealt out over the
    /// ranks, and their number doubles while each has more than 16 MiB. A larger send is never a shorter one: where the number
    /// doubles the time stays what it was.
    double sendShare() const {
        const double rate = constants_.peerChannelRate;
        if (!(rate > 0)) return 1;
        constexpr int channels = 32;
        constexpr double mostOfOne = 16.0 * 1024 * 1024;
        int fewest = channels;
        while (fewest > 1 && fewest * group_.ranks > channels) fewest /= 2;
        const double time = std::max(std::min(request_.bytes / fewest, mostOfOne) / rate, request_.bytes / (channels * rate));
        return request_.bytes / time / request_.upBandwidth;
    }

    const LibraryConstants& constants_;
    const LibraryRequest& request_;
    GroupShape group_;
    std::vector<LibraryChoice> options_;
};

bool takenUnforced(const LibraryConstants& constants, const LibraryChoice& option, const LibraryRequest& request) {
    if (option.algorithm == wordOf(CollectiveWay::nvls_tree)) return request.domains <= constants.inSwitchTreeDomains;
    if (option.algorithm == wordOf(CollectiveAlgorithm::hierarchical)) return false;
    if (option.algorithm == wordOf(CollectiveAlgorithm::tree)) return request.domains > 1 && request.kind == CollectiveKind::all_reduce;
    if (option.algorithm == wordOf(CollectiveAlgorithm::nvls)) return request.kind == CollectiveKind::all_reduce;
    return true;
}

} // namespace

const ExchangeLibrary* LibraryConstants::exchange(const std::string& id) const {
    const auto found = std::find_if(exchanges.begin(), exchanges.end(), [&id](const ExchangeLibrary& e) { return e.id == id; });
    return found == exchanges.end() ? nullptr : &*found;
}

double LibraryConstants::upWire() const { return std::max({lowLatencyShare, ringShare, pairShare, inSwitchShare, peerShare}); }

std::vector<LibraryChoice> libraryOptions(const LibraryConstants& constants, const LibraryRequest& request) {
    if (request.ranks < 2 || !(request.bytes > 0) || request.kind == CollectiveKind::none) return {};
    return Options(constants, request).all();
}

std::vector<LibraryChoice> allowedOptions(const LibraryConstants& constants, const LibraryRequest& request) {
    const std::vector<LibraryChoice> options = libraryOptions(constants, request);
    const auto allowed = [&options](auto isAllowed) {
        std::vector<LibraryChoice> kept;
        std::copy_if(options.begin(), options.end(), std::back_inserter(kept), isAllowed);
        std::stable_sort(kept.begin(), kept.end(), [](const LibraryChoice& a, const LibraryChoice& b) { return a.time < b.time; });
        return kept;
    };
    const auto isNamed = [&](const LibraryChoice& option) {
        const bool isTree = option.algorithm == wordOf(CollectiveWay::nvls_tree); // what NVLS is over several domains
        return (isTree ? std::string(wordOf(CollectiveWay::nvls)) : option.algorithm) == request.algorithm;
    };
    std::vector<LibraryChoice> found = allowed([&](const LibraryChoice& option) {
        if (request.algorithm.empty() ? !takenUnforced(constants, option, request) : !isNamed(option) && option.algorithm != request.algorithm) return false;
        return request.protocol.empty() || option.protocol == request.protocol;
    });
    if (!found.empty() || options.empty()) return found;
    found = allowed([&](const LibraryChoice& option) { return takenUnforced(constants, option, request); });
    for (LibraryChoice& option : found) option.asForced = false;
    return found;
}

LibraryChoice chooseAlgorithm(const LibraryConstants& constants, const LibraryRequest& request) {
    std::vector<LibraryChoice> options = allowedOptions(constants, request);
    return options.empty() ? LibraryChoice{} : std::move(options.front());
}

} // namespace orrery
