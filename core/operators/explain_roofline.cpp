// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/roofline.hpp"

#include <utility>

namespace orrery {
namespace {

Quantity levelQuantity(const RooflineMachine& machine, const RooflineTime& time, MemoryLevel level) {
    const std::size_t i = indexOf(level);
    const double share = level == MemoryLevel::dram ? machine.shares.memory : machine.shares.caches;
    Quantity quantity{std::string(toString(level)), time.levelTime[i], "s", Source::roofline, level == MemoryLevel::dram ? "traffic/(bandwidth × share)" : "traffic of the busiest multiprocessor/(its bandwidth × share)", "", {}};
    quantity.inputs = {{"traffic", time.traffic[i], "bytes", Source::derived, "sum over tiles that the next level holds", "Kundu et al. 2024, arXiv 2407.14645, section III", {}},
                       {"bandwidth", machine.bandwidth[i], "bytes/s", Source::given, "", "data sheet, or multiprocessors × clock × bytes a clock", {}},
                       {"share", share, "1", Source::assumed, "", level == MemoryLevel::dram ? "physics.json, roofline_memory_share" : "physics.json, roofline_cache_share", {}},
                       {"arithmetic intensity", time.intensity(level), "FLOP/byte", Source::derived, "FLOP/traffic", "", {}}};
    return quantity;
}

} // namespace

Quantity explainRoofline(const RooflineMachine& machine, const RooflineTime& time, std::string name) {
    Quantity matrix{"matrix units", time.matrix, "s", Source::roofline, "waves × 2 tile_m tile_n k/(peak × share/multiprocessors)", "", {}};
    matrix.inputs = {{"work", time.flops, "FLOP", Source::derived, "", "operator graph", {}},
                     {"share", machine.shares.matrix, "1", Source::assumed, "", "physics.json, roofline_matrix_share", {}},
                     {"multiprocessors", machine.multiprocessors, "1", Source::given, "", "data sheet", {}},
                     {"tile m", time.tiling.m, "1", Source::derived, "fastest of the tiles that fit", "", {}},
                     {"tile n", time.tiling.n, "1", Source::derived, "fastest of the tiles that fit", "", {}},
                     {"parts of k", time.tiling.split, "1", Source::derived, "fastest of 1 to 16", "", {}},
                     {"waves", time.tiling.waves, "1", Source::derived, "tiles × parts/multiprocessors, whole", "", {}}};
    Quantity whole{std::move(name), time.time, "s", Source::roofline, "max(matrix, vector, DRAM, L2, shared memory, registers) + latency", std::string(toString(time.bound)) + " bound", {}};
    whole.inputs.push_back(std::move(matrix));
    whole.inputs.push_back({"vector units", time.vector, "s", Source::roofline, "FLOP/(vector peak × share)", "", {}});
    for (std::size_t i = 0; i < memoryLevels; ++i) whole.inputs.push_back(levelQuantity(machine, time, static_cast<MemoryLevel>(i)));
    whole.inputs.push_back({"latency", time.latency, "s", Source::assumed, "launch + way to DRAM and back", "physics.json, roofline_launch and roofline_fill", {}});
    return whole;
}

} // namespace orrery
