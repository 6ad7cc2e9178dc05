// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/technology_design.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double roundingRoom = 1e-9; ///< a chip's own figures give its own cores back

double cacheArea(double bytes, const TechnologyNode& node, const Technology& technology) { return bytes * 8 * node.sramCell * technology.sramBitOverCell(); }

/// W of so many bytes a second, moved at so much a bit.
double powerOf(double bytesPerSecond, double energyPerBit) { return bytesPerSecond * 8 * energyPerBit; }

double rounded(double value, double digits) { return std::round(value * digits) / digits; }

std::string figure(double value) { return formatNumber(rounded(value, value < 10 ? 1e3 : 10)); }

/// How far sets of constants are apart in what a design's peak is: "0.98 to 1.9".
std::string bandOfSets(TechnologyDesign design, const Technology& technology, double peak) {
    double least = 0, most = 0;
    const TechnologySet* lowest = nullptr;
    const TechnologySet* highest = nullptr;
    for (const TechnologySet& set : technology.sets()) {
        design.set = &set;
        const double gain = deriveChip(design, technology).flopsGain;
        if (!lowest || gain < least) lowest = &set, least = gain;
        if (!highest || gain > most) highest = &set, most = gain;
    }
    if (!lowest || most - least < 1e-6 * most) return " All sets of constants say the same.";
    return " Sets of constants: " + figure(peak * least / units::tera) + " (" + lowest->id + ") to " + figure(peak * most / units::tera) + " (" + highest->id + ").";
}

std::string anchorsName(const TechnologyDesign& design) { return design.chip->name; }

} // namespace

Technology technologyOf(const Catalog& catalog) {
    const std::string* text = catalog.record("technology", "constants");
    return Technology::fromText(text ? *text : std::string());
}

DerivedChip deriveChip(const TechnologyDesign& design, const Technology& technology) {
    const TechnologyAnchor& anchor = *design.anchor;
    const Accelerator& chip = *design.chip;
    const TechnologyStep way = technology.between(*design.set, anchor.nodeNm, design.node->nm);
    DerivedChip derived;
    derived.bandwidth = design.stacks * design.pinRate * design.dram->pins / 8;
    derived.memoryPower = powerOf(derived.bandwidth, design.dram->energyPerBit);
    derived.linkPower = powerOf(2 * design.scaleUp, design.scaleUpEnergy);
    derived.corePower = design.power - derived.memoryPower - derived.linkPower;
    derived.sramArea = cacheArea(design.sram, *design.node, technology);
    derived.coreArea = design.die - derived.sramArea;
    if (derived.corePower <= 0 || derived.coreArea <= 0) return derived;
    const double anchorsArea = anchor.die - cacheArea(chip.l2Bytes, *technology.node(anchor.nodeNm), technology);
    const double ofDie = anchor.coresOfDie * way.density * derived.coreArea / anchorsArea / design.coreArea;
    derived.cores = static_cast<int>(std::floor(design.enabledFraction * ofDie * (1 + roundingRoom)));
    if (derived.cores < 1) return derived;
    const double anchorsPower = chip.tdpWatts - powerOf(chip.memoryBandwidth, technology.dramNamed(anchor.dram)->energyPerBit) -
                                powerOf(2 * chip.scaleUpBandwidth, technology.linkNamed(anchor.scaleUp)->energyPerBit);
    const double coreGain = static_cast<double>(derived.cores) / chip.multiprocessors;
    derived.clockGain = std::pow(derived.corePower / anchorsPower / (way.power * coreGain * design.coreArea), 1 / technology.powerExponent());
    const auto peak = chip.peakDense.count("bf16") ? chip.peakDense.at("bf16") : chip.peakDense.at("fp16");
    const double flopsPerCore = peak / chip.multiprocessors / anchor.clock;
    derived.flopsGain = coreGain * derived.clockGain * design.flopsPerCore / flopsPerCore;
    return derived;
}

std::vector<DerivedField> derivedFields(const TechnologyDesign& design, const Technology& technology) {
    const DerivedChip derived = deriveChip(design, technology);
    const Accelerator& chip = *design.chip;
    const TechnologyStep way = technology.between(*design.set, design.anchor->nodeNm, design.node->nm);
    const std::string unstated = design.node->unstated.empty() ? "" : " At this node " + design.node->unstated + ".";
    std::vector<DerivedField> fields;
    const auto add = [&fields](std::string pointer, Json value, std::string why) { fields.push_back({std::move(pointer), std::move(value), std::move(why)}); };
    add("/sm_or_cu_count", derived.cores,
        anchorsName(design) + ": " + std::to_string(design.anchor->coresOfDie) + " cores of its die × density " + figure(way.density) + " (" + design.set->id + ", " +
            formatNumber(design.anchor->nodeNm) + " to " + formatNumber(design.node->nm) + " nm) × area beside the cache of " +
            figure(derived.coreArea / units::squareMillimetre) + " mm² / core area " + figure(design.coreArea) + " × " + figure(design.enabledFraction) + " enabled." + unstated);
    const std::string clock = "(" + figure(design.power) + " W − memory " + figure(derived.memoryPower) + " W − links " + figure(derived.linkPower) +
                              " W, over what is left so for the cores of " + anchorsName(design) + ", over cores' gain and k " + figure(way.power) + ") to the power 1/" +
                              figure(technology.powerExponent()) + " = " + figure(derived.clockGain) + " times its clock." + unstated;
    if (chip.boostClock > 0) add("/boost_clock_mhz", rounded(chip.boostClock * derived.clockGain / 1e6, 1e3), clock);
    for (const auto& [precision, peak] : chip.peakDense)
        add("/peak_dense_tflops/" + precision, rounded(peak * derived.flopsGain / units::tera, 1e6),
            figure(derived.flopsGain) + " times that of " + anchorsName(design) + ": cores × clock × FLOPs a core and clock." + unstated +
                bandOfSets(design, technology, peak));
    if (chip.vectorFp32 > 0)
        add("/vector_tflops/fp32",
            rounded(chip.vectorFp32 * derived.cores / chip.multiprocessors * derived.clockGain / units::tera, 1e6),
            "Cores × clock over those of " + anchorsName(design) + "." + unstated);
    add("/memory_bytes", std::round(design.memoryBytes), counted(design.stacks, "stack") + " of " + design.dram->name + ".");
    add("/memory_gb_per_s", rounded(derived.bandwidth / units::gigabyte, 1e6),
        counted(design.stacks, "stack") + " of " + design.dram->name + " × " + std::to_string(design.dram->pins) + " pins × " + figure(design.pinRate / 1e9) + " Gb/s / 8.");
    add("/l2_mb", rounded(design.sram / 1e6, 1e6), "Stated as `sram_mb`, or that of " + anchorsName(design) + ".");
    if (chip.l2Bandwidth > 0)
        add("/l2_gb_per_s", rounded(chip.l2Bandwidth * derived.cores / chip.multiprocessors * derived.clockGain / units::gigabyte, 1e6),
            "It grows with cores and clock from that of " + anchorsName(design) + ".");
    add("/scale_up/gb_per_s_per_direction", design.scaleUp / units::gigabyte, "By the name of the link, or that of " + anchorsName(design) + ".");
    add("/typical_nic_gbps_per_accelerator", design.scaleOut * 8 / units::gigabyte, "By the name of the network, or that of " + anchorsName(design) + ".");
    add("/tdp_w", design.power, "Stated as `power_w`, or that of " + anchorsName(design) + ".");
    add("/process_node", design.node->name, "The node's name." + unstated);
    add("/name", chip.name + " on " + design.node->name + ", " + figure(design.die / units::squareMillimetre) + " mm², " + figure(design.power) + " W",
        "What it is derived from and by.");
    return fields;
}

namespace {

std::optional<std::vector<DerivedField>> fieldsOf(const Json& object, const Catalog& catalog, const std::string& pointer, Problems& problems, std::string& anchor) {
    const Technology technology = technologyOf(catalog);
    const auto id = object.find("id");
    const auto design = readTechnologyDesign(object.at("technology"), id != object.end() && id->is_string() ? id->get<std::string>() : "", technology, catalog,
                                             pointer + "/technology", problems);
    if (!design) return std::nullopt;
    anchor = design->anchor->accelerator;
    return derivedFields(*design, technology);
}

} // namespace

std::optional<BoxedJson> withoutTechnology(const Json& object, const Catalog& catalog, const std::string& pointer, Problems& problems) {
    std::string anchor;
    const auto fields = fieldsOf(object, catalog, pointer, problems, anchor);
    if (!fields) return std::nullopt;
    const std::string* record = catalog.record("accelerators", anchor);
    Json whole = record ? Json::parse(*record) : Json::object();
    for (const DerivedField& field : *fields) whole[Json::json_pointer(field.pointer)] = *field.value;
    whole["source"] = "derived from " + whole.value("name", anchor) + " by resources/catalog/technology.json, which has its own sources";
    if (object.contains("memory_gb") && !object.contains("memory_bytes")) whole.erase("memory_bytes");
    whole.merge_patch(object);
    whole.erase("technology");
    return whole;
}

std::vector<DerivedField> fieldsByTechnology(const Json& object, const Catalog& catalog) {
    if (!object.is_object() || !object.contains("technology")) return {};
    Problems problems;
    std::string anchor;
    auto fields = fieldsOf(object, catalog, "", problems, anchor);
    if (!fields) return {};
    std::erase_if(*fields, [&](const DerivedField& field) { return object.contains(Json::json_pointer(field.pointer)); });
    return std::move(*fields);
}

} // namespace orrery
