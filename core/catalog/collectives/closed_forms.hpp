// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"

#include <optional>

namespace orrery {

/// How the ranks of a group lie over scale-up domains: n ranks in D domains, at least g in each that has any.
struct GroupShape {
    int ranks = 1;            ///< n
    int domains = 1;          ///< D
    int membersPerDomain = 1; ///< g; equals `ranks` in one domain
};

/// What an algorithm sends, before any constant of a machine: the bytes that leave (or enter, whichever is more) an
/// accelerator on each level, and the latency steps of its longest chain of messages.
struct ClosedForm {
    double upBytes = 0;      ///< per accelerator and direction inside its domain
    double outBytes = 0;     ///< per accelerator and direction between domains; every member drives its own share of the interfaces
    double throughBytes = 0; ///< that leave the domain and pass an accelerator's port on their way, at W = min(W_up, g W_out)
    int upSteps = 0;
    int outSteps = 0;
    bool levelsInTurn = false; ///< the levels follow one another; else they run at once and the slower one counts
};

/// s: the part of the time that grows with the bytes. Bandwidths in bytes/s per accelerator and direction; one that carries
/// nothing is not looked at.
double transferTime(const ClosedForm& form, double upBandwidth, double outBandwidth);
/// s: the part that grows with the steps.
double stepTime(const ClosedForm& form, double upStep, double outStep);

/// `bytes` (S) as nccl-tests counts its size: the whole buffer that every rank ends with (all-gather), begins with
/// (reduce-scatter) or both (all-reduce, broadcast); what one rank sends in all (all-to-all) or to its peer (send-receive).
/// No value: the algorithm does not do that operation. One rank, or nothing to send, gives zeros.

/// Pipelined ring, domain after domain (Thakur, Rabenseifner, Gropp 2005, section 4; Patarasu, Yuan 2009):
///   all-reduce                  2(n − 1)/n S over every port, 2(n − 1) steps
///   reduce-scatter, all-gather  (n − 1)/n S, n − 1 steps
///   broadcast                   S, n − 1 steps
/// Between domains the ring is striped over the interfaces of g members, so the transfer is that over W = min(W_up, g W_out);
/// what leaves a domain passes an accelerator's port on its way. min(D, n − 1) of each n − 1 steps cross domains when D > 1.
std::optional<ClosedForm> ringForm(CollectiveKind kind, const GroupShape& group, double bytes);

/// Double binary tree between domains, a chain inside each (Sanders, Speck, Träff 2009; NCCL since 2.4): two trees over the
/// domains, each for half of the bytes, inner nodes of one being leaves of the other.
///   all-reduce  between domains min(2, D/2) S/g, 2 ⌈log2 D⌉ steps: an inner node sends S/2 up and S/2 to each of two children,
///               and S/2 as a leaf of the other tree; among two or three domains nobody has that many neighbours.
///               Inside, the chain carries S both ways over g − 1 of g hops; chains of other channels begin elsewhere, so each
///               port carries 2(g − 1)/g S; 2(g − 1) steps.
///   broadcast   half of all that, but S/g between domains whatever D: the root sends all of it.
/// One domain: the tree is over its members, each on its own port: min(2, n/2) S (broadcast S), 2 ⌈log2 n⌉ (⌈log2 n⌉) steps.
std::optional<ClosedForm> treeForm(CollectiveKind kind, const GroupShape& group, double bytes);

/// Level by level (Cho et al. 2019, BlueConnect), rings on both: reduce-scatter in the domain, all-reduce of S/g between
/// members of equal place, all-gather in the domain.
///   all-reduce      2(g − 1)/g S inside, 2(D − 1)/D S/g between; 2(g − 1) and 2(D − 1) steps
///   reduce-scatter, all-gather   half of that
std::optional<ClosedForm> hierarchicalForm(CollectiveKind kind, const GroupShape& group, double bytes);

/// The switch of the domain adds and copies (Klenk et al. 2020, ISCA; NCCL's NVLS). Each member owns S/g: it lets the switch
/// fetch and add that part from all members, its own among them, and send the sum to all.
///   all-reduce      (g + 1)/g S per port and direction: all of S leaves for the additions, and S/g as the result sent out
///   reduce-scatter, all-gather   S: the switch serves a member's own part as well
/// Two steps (one for half of an all-reduce). Over several domains the owners of equal parts all-reduce them by double
/// binary tree meanwhile (NCCL's NVLSTree): min(2, D/2) S/g, 2 ⌈log2 D⌉ steps; other operations stay in one domain.
std::optional<ClosedForm> inSwitchForm(CollectiveKind kind, const GroupShape& group, double bytes);

/// Every pair on its own, all at once. All-to-all: (g − 1)/n S inside, (n − g)/n S between domains; one step, on the farther
/// level. Send-receive: S inside and, when the pair is in two domains, out through one interface; one step.
std::optional<ClosedForm> pairwiseForm(CollectiveKind kind, const GroupShape& group, double bytes);

} // namespace orrery
