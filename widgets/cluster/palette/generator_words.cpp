// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/palette/generator_words.hpp"

#include <QCoreApplication>

namespace orrery {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(GeneratorDialog)
};

} // namespace

ParameterWords parameterWords(const std::string& key) {
    if (key == "hosts") return {Words::tr("Number of hosts"), {}, {}, {}};
    if (key == "racks") return {Words::tr("Number of racks"), {}, {}, {}};
    if (key == "hosts_per_unit") return {Words::tr("Hosts of a scalable unit"), Words::tr("They share the leaves, one for each rail"), {}, {}};
    if (key == "switch_ports") return {Words::tr("Ports of a switch"), Words::tr("Decides how many spines there are, and whether a third level"), {}, {}};
    if (key == "oversubscription")
        return {Words::tr("Oversubscription"), Words::tr("r: the links up from a leaf carry 1/r of those down; 1 is full bandwidth"), {}, {}};
    if (key == "stacks") return {Words::tr("Draw equal hosts as one card"), Words::tr("The network is the same"), {}, {}};
    if (key == "hosts_per_leaf") return {Words::tr("Hosts on a leaf"), {}, {}, {}};
    if (key == "spines") return {Words::tr("Spines"), {}, {}, Words::tr("as many as suit")};
    if (key == "k") return {Words::tr("Ports of a switch (k)"), Words::tr("k pods; k³/4 hosts and 5k²/4 switches. Even"), {}, {}};
    if (key == "rails")
        return {Words::tr("Each interface on an edge switch of its own"), Words::tr("Rail-optimised: interface i of a host on edge switch i"), {}, {}};
    if (key == "hosts_per_router") return {Words::tr("Hosts on a router (p)"), {}, {}, {}};
    if (key == "routers_per_group") return {Words::tr("Routers in a group (a)"), Words::tr("All joined to one another. Balanced at a = 2p = 2h"), {}, {}};
    if (key == "global_links_per_router") return {Words::tr("Global links of a router (h)"), Words::tr("They lead to other groups"), {}, {}};
    if (key == "groups") return {Words::tr("Groups"), Words::tr("Up to a·h + 1, each joined to every other"), {}, Words::tr("all a·h + 1")};
    if (key == "valiant") return {Words::tr("Route by way of a third group"), Words::tr("Valiant: evens out traffic that would crowd one link"), {}, {}};
    if (key == "x" || key == "y" || key == "z") return {Words::tr("Along %1").arg(QString::fromStdString(key)), {}, {}, {}};
    if (key == "cables") return {Words::tr("Cables to a neighbour"), {}, {}, Words::tr("all interfaces shared out")};
    if (key == "wrap") return {Words::tr("Join the last to the first"), Words::tr("A torus; without, a mesh"), {}, {}};
    if (key == "chip_bandwidth_gb_s")
        return {Words::tr("Interconnect of a chip"), Words::tr("Each direction, over its six links together"), Words::tr("GB/s"), {}};
    return {QString::fromStdString(key), {}, {}, {}};
}

QString generatorDescription(const std::string& id) {
    if (id == "superpod")
        return Words::tr("Scalable units whose hosts have interface i on leaf i, spines above, and a third level where one pod can't hold all.");
    if (id == "racks") return Words::tr("Racks whose hosts share one scale-up fabric, each with a leaf for every rail, and spines above.");
    if (id == "leaf-spine") return Words::tr("All interfaces of a host on one leaf, every leaf joined to every spine.");
    if (id == "fat-tree") return Words::tr("Three levels of switches with k ports: edge, aggregation, core.");
    if (id == "sized-fat-tree") return Words::tr("A three-level fat tree for a number of hosts.");
    if (id == "dragonfly") return Words::tr("Groups of routers that are all joined to one another, with a link between any two groups.");
    if (id == "torus-2d" || id == "torus-3d") return Words::tr("Hosts joined to their neighbours in each dimension, without switches.");
    if (id == "tpu-torus") return Words::tr("Chips in a 3D torus, four to a host. Dimensions are in chips; multiples of 4 close to a ring.");
    return {};
}

} // namespace orrery
