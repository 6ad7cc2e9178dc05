// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {
namespace units {

inline constexpr double squareMillimetre = 1e-6; ///< m²

} // namespace units

/// A manufacturing process.
struct TechnologyNode {
    double nm = 0; ///< as it is called: 5, 3, 1.4
    std::string name;
    double sramCell = 0;  ///< m² of a bit cell
    std::string unstated; ///< why its figures are no foundry's; empty where they are
};

/// From one node to another, by one set of constants.
struct TechnologyStep {
    double from = 0, to = 0; ///< nm
    double density = 1;      ///< cores an area, the new over the old
    double power = 1;        ///< of a core at the same clock, the new over the old
    double speed = 0;        ///< clock at the same power, the new over the old; 0 where nobody states it
};

/// Whose word is taken for what a node brings.
struct TechnologySet {
    std::string id;
    std::string name;
    std::vector<TechnologyStep> steps; ///< every node hangs on the others by them, without a ring
};

/// A generation of memory. A stack of GDDR is one device.
struct DramGeneration {
    std::string id;
    std::string name;
    int pins = 0;            ///< data pins a stack
    double pinRate = 0;      ///< bits/s a pin, as standard or maker state
    double capacity = 0;     ///< marketed GB a stack
    double energyPerBit = 0; ///< J
};

/// A generation of links between accelerators (scale-up) or of the network (scale-out).
struct LinkGeneration {
    std::string id;
    std::string name;
    bool scaleUp = false;
    double bandwidth = 0;    ///< bytes/s an accelerator and direction
    double energyPerBit = 0; ///< J; 0 for networks, whose interfaces are not on the accelerator's budget
};

/// A chip of the catalogue with what its data sheet leaves out.
struct TechnologyAnchor {
    std::string accelerator;
    double nodeNm = 0;
    double die = 0; ///< m², all dies together
    int dies = 1;
    int coresOfDie = 0; ///< with those switched off
    double clock = 0;   ///< Hz, that its peak is stated at
    std::string dram;
    int stacks = 0; ///< that are enabled
    std::string scaleUp;
};

/// The constants of resources/catalog/technology.json. Immutable.
class Technology {
public:
    /// Throws std::runtime_error that names the place where the file is malformed: a fault of the shipped file.
    static Technology fromText(std::string_view text);

    const std::vector<TechnologyNode>& nodes() const { return nodes_; }
    const std::vector<TechnologySet>& sets() const { return sets_; } ///< the first is taken unless one is named
    const std::vector<DramGeneration>& dram() const { return dram_; }
    const std::vector<LinkGeneration>& links() const { return links_; }
    const std::vector<TechnologyAnchor>& anchors() const { return anchors_; }

    const TechnologyNode* node(double nm) const;
    const TechnologySet* set(std::string_view id) const;
    /// Finds one by its id; case, spaces, dashes and underscores make no difference: "HBM3E", "hbm3e", "NVLink-5".
    const DramGeneration* dramNamed(std::string_view name) const;
    const LinkGeneration* linkNamed(std::string_view name) const;
    const TechnologyAnchor* anchor(std::string_view accelerator) const;

    /// What lies between two nodes by one set: the product of its steps, inverted where they go back. A node to itself is all 1.
    /// `speed` is 0 where a step on the way states none.
    TechnologyStep between(const TechnologySet& set, double fromNm, double toNm) const;

    /// x of P = N k f^x: at the same power the clock rises by g where at the same clock the power falls by c, so that
    /// x = 1 + ln(1 / ((1 + g) (1 - c))) / ln(1 + g).
    double powerExponent() const { return powerExponent_; }
    double reticle() const { return reticle_; }                 ///< m², the most that one die can have
    double sramBitOverCell() const { return sramBitOverCell_; } ///< area of a bit of a cache over its cell's
    double dramWires() const { return dramWires_; }             ///< data wires to memory a metre of the die's edge
    double dramEdgeShare() const { return dramEdgeShare_; }     ///< part of the edge that is for memory

private:
    std::vector<TechnologyNode> nodes_;
    std::vector<TechnologySet> sets_;
    std::vector<DramGeneration> dram_;
    std::vector<LinkGeneration> links_;
    std::vector<TechnologyAnchor> anchors_;
    double powerExponent_ = 0, reticle_ = 0, sramBitOverCell_ = 0, dramWires_ = 0, dramEdgeShare_ = 0;
};

} // namespace orrery
