// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"
#include "core/catalog/accelerator.hpp"
#include "core/catalog/technology.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

class Catalog;
struct Accelerator;

/// An accelerator as technology describes it, relative to a chip of the catalogue, the anchor. What a document leaves out is the anchor's.
/// Pointers lead into the Technology and the Catalog, which must outlive it.
struct TechnologyDesign {
    const TechnologyAnchor* anchor = nullptr;
    const Accelerator* chip = nullptr; ///< the anchor in the catalogue
    const TechnologySet* set = nullptr;
    const TechnologyNode* node = nullptr;
    double die = 0; ///< m², all dies together
    int dies = 1;
    double power = 0; ///< W
    const DramGeneration* dram = nullptr;
    int stacks = 0;
    double pinRate = 0;         ///< bits/s
    double memoryBytes = 0;     ///< bytes
    double sram = 0;            ///< bytes of the last-level cache
    double scaleUp = 0;         ///< bytes/s per direction
    double scaleUpEnergy = 0;   ///< J a bit
    double scaleOut = 0;        ///< bytes/s per direction
    double flopsPerCore = 0;    ///< 16-bit, a core and clock
    double enabledFraction = 0; ///< part of the die's cores that is switched on
    double coreArea = 1;        ///< of a core over the anchor's, on the same node; its power grows alike
};

/// What follows from a design.
struct DerivedChip {
    int cores = 0;
    double clockGain = 1;                                 ///< over the anchor's
    double flopsGain = 1;                                 ///< of every peak over the anchor's
    double bandwidth = 0;                                 ///< bytes/s of memory
    double memoryPower = 0, linkPower = 0, corePower = 0; ///< W; they add up to the design's
    double sramArea = 0, coreArea = 0;                    ///< m² of the cache, and of cores with what else is on the die
};

/// The constants in a catalogue.
Technology technologyOf(const Catalog& catalog);

/// Reads `technology` of an accelerator object; problems point below `pointer`. Keys: `anchor` (id of the catalogue; `usualAnchor` where
/// it is one, else the H100 SXM), `set`, `node_nm`, `die_mm2`, `dies`, `power_w`, `dram` ("hbm3x5", or {"generation", "stacks",
/// "pin_gbps"}), `sram_mb`, `links` ("nvlink4+ndr", a list of names, or {"scale_up", "scale_out"}), `flops_per_core_clock`,
/// `enabled_fraction`, `core_area`. Budgets that contradict each other are problems: memory and links that leave cores no power, a cache
/// that leaves them no area, more stacks than the edge has wires for, a die larger than its reticles.
std::optional<TechnologyDesign> readTechnologyDesign(const Json& object, const std::string& usualAnchor, const Technology& technology, const Catalog& catalog,
                                                     const std::string& pointer, Problems& problems);

/// Cores by density and the area that the cache leaves, whole ones; their clock from P = P_memory + P_links + N k f^x, relative to the
/// anchor, whose budget is split by the same law; memory by stacks, pins and their rate. Without a core or power left for them it has 0
/// cores. The exponent and k are TSMC's statements of power and speed from node to node (resources/catalog/technology.json).
DerivedChip deriveChip(const TechnologyDesign& design, const Technology& technology);

/// A field of the catalogue that follows.
struct DerivedField {
    std::string pointer; ///< below the accelerator: "/peak_dense_tflops/bf16"
    BoxedJson value;
    std::string why; ///< formula with its numbers; what sets of constants make of it
};

/// The catalogue's fields of a design, over those of its anchor.
std::vector<DerivedField> derivedFields(const TechnologyDesign& design, const Technology& technology);

/// The accelerator object with `technology` replaced by what follows from it; what the object states itself stays. Nothing, with problems,
/// where that is not sound.
std::optional<BoxedJson> withoutTechnology(const Json& object, const Catalog& catalog, const std::string& pointer, Problems& problems);

/// The same fields with their reasons, without those that the object states itself; empty where it is not sound.
std::vector<DerivedField> fieldsByTechnology(const Json& object, const Catalog& catalog);

/// Whether the multiprocessors of both are of one design: the same maker, shared memory, registers and formats of their matrix units.
/// False where a data sheet leaves the sizes out.
bool sameMultiprocessor(const Accelerator& a, const Accelerator& b);

/// The part of a relative's matrix units that a chip of the same design has left: 16-bit FLOPs a multiprocessor and clock over the
/// relative's. Makers cut units by half (GeForce with fp32 sums) or by far more (H20, for export). 1 where nothing is known to be cut.
double matrixUnitsLeft(const Accelerator& chip, const Accelerator& relative);

} // namespace orrery
