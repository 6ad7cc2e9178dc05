// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/technology.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/technology_design.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace orrery {
namespace {

constexpr double squareMicrometre = 1e-12, picojoule = 1e-12;

std::string plainName(std::string_view name) {
    std::string plain;
    for (const char c : name)
        if (c != ' ' && c != '-' && c != '_') plain += lowered(c);
    return plain;
}

double positiveNumber(const Json& record, const char* key) {
    const double value = record.at(key).get<double>();
    if (!(value > 0 && value < 1e12)) throw std::runtime_error(std::string(key) + " must be greater than zero");
    return value;
}

template <class Record, class Read>
std::vector<Record> readAll(const Json& document, const char* key, Read read) {
    std::vector<Record> all;
    for (const Json& record : document.at(key)) {
        try {
            if (record.at("source").get_ref<const std::string&>().empty()) throw std::runtime_error("source is empty");
            all.push_back(read(record));
        } catch (const std::exception& error) {
            throw std::runtime_error("/" + std::string(key) + "/" + std::to_string(all.size()) + ": " + error.what());
        }
    }
    if (all.empty()) throw std::runtime_error("/" + std::string(key) + ": nothing is listed");
    return all;
}

TechnologyStep readStep(const Json& record) {
    TechnologyStep step;
    step.from = positiveNumber(record, "from");
    step.to = positiveNumber(record, "to");
    step.density = positiveNumber(record, "density");
    step.power = positiveNumber(record, "power");
    if (record.contains("speed")) step.speed = positiveNumber(record, "speed");
    return step;
}

/// The set with the steps of the one that its `like` names, where it has none itself.
TechnologySet readSet(const Json& record, const std::vector<TechnologySet>& before) {
    TechnologySet set;
    set.id = record.at("id").get<std::string>();
    set.name = record.at("name").get<std::string>();
    set.steps = readAll<TechnologyStep>(record, "steps", readStep);
    if (!record.contains("like")) return set;
    const std::string like = record.at("like").get<std::string>();
    const auto elder = std::find_if(before.begin(), before.end(), [&](const TechnologySet& other) { return other.id == like; });
    if (elder == before.end()) throw std::runtime_error("like names no set before it");
    for (const TechnologyStep& step : elder->steps) {
        const auto same = [&](const TechnologyStep& own) { return own.from == step.from && own.to == step.to; };
        if (std::none_of(set.steps.begin(), set.steps.end(), same)) set.steps.push_back(step);
    }
    return set;
}

template <class Record, class Same>
const Record* firstOf(const std::vector<Record>& all, Same same) {
    const auto found = std::find_if(all.begin(), all.end(), same);
    return found == all.end() ? nullptr : &*found;
}

/// Follows the steps from one node to another; `came` is the node that must not be gone back to.
bool followSteps(const std::vector<TechnologyStep>& steps, double at, double to, double came, TechnologyStep& way) {
    if (at == to) return true;
    for (const TechnologyStep& step : steps) {
        const bool forward = step.from == at;
        if (!forward && step.to != at) continue;
        const double next = forward ? step.to : step.from;
        if (next == came) continue;
        TechnologyStep rest = way;
        rest.density *= forward ? step.density : 1 / step.density;
        rest.power *= forward ? step.power : 1 / step.power;
        rest.speed = step.speed > 0 ? rest.speed * (forward ? step.speed : 1 / step.speed) : 0;
        if (!followSteps(steps, next, to, at, rest)) continue;
        way = rest;
        return true;
    }
    return false;
}

} // namespace

Technology Technology::fromText(std::string_view text) {
    Technology technology;
    try {
        const Json document = Json::parse(text);
        if (document.at("format") != "orrery-technology/1") throw std::runtime_error("/format: must be orrery-technology/1");
        technology.nodes_ = readAll<TechnologyNode>(document, "nodes", [](const Json& record) {
            return TechnologyNode{positiveNumber(record, "node_nm"), record.at("name").get<std::string>(),
                                  positiveNumber(record, "sram_bitcell_um2") * squareMicrometre, record.value("unstated", "")};
        });
        for (const Json& record : document.at("sets")) technology.sets_.push_back(readSet(record, technology.sets_));
        if (technology.sets_.empty()) throw std::runtime_error("/sets: nothing is listed");
        technology.dram_ = readAll<DramGeneration>(document, "dram", [](const Json& record) {
            return DramGeneration{record.at("id").get<std::string>(), record.at("name").get<std::string>(), record.at("pins").get<int>(),
                                  positiveNumber(record, "pin_gbps") * 1e9, positiveNumber(record, "capacity_gb"),
                                  positiveNumber(record, "pj_per_bit") * picojoule};
        });
        technology.links_ = readAll<LinkGeneration>(document, "links", [](const Json& record) {
            const bool up = record.at("fabric") == "scale_up";
            return LinkGeneration{record.at("id").get<std::string>(), record.at("name").get<std::string>(), up,
                                  positiveNumber(record, "gb_per_s_per_direction") * units::gigabyte, up ? positiveNumber(record, "pj_per_bit") * picojoule : 0};
        });
        technology.anchors_ = readAll<TechnologyAnchor>(document, "anchors", [&technology](const Json& record) {
            TechnologyAnchor anchor{record.at("accelerator").get<std::string>(), positiveNumber(record, "node_nm"),
                                    positiveNumber(record, "die_mm2") * units::squareMillimetre, record.at("dies").get<int>(), record.at("cores_of_die").get<int>(),
                                    positiveNumber(record, "clock_ghz") * 1e9, record.at("dram").get<std::string>(), record.at("stacks").get<int>(),
                                    record.at("scale_up").get<std::string>()};
            if (!technology.node(anchor.nodeNm) || !technology.dramNamed(anchor.dram) || !technology.linkNamed(anchor.scaleUp))
                throw std::runtime_error("its node, memory or link is not listed");
            return anchor;
        });
        const Json& law = document.at("law");
        const auto value = [&law](const char* key) { return positiveNumber(law.at(key), "value"); };
        const double faster = 1 + value("speed_gain"), left = 1 - value("power_cut");
        technology.powerExponent_ = 1 + std::log(1 / (faster * left)) / std::log(faster);
        technology.reticle_ = value("reticle_mm2") * units::squareMillimetre;
        technology.sramBitOverCell_ = value("sram_bit_over_cell");
        technology.dramWires_ = value("dram_wires_per_mm") * 1e3;
        technology.dramEdgeShare_ = value("dram_edge_share");
        for (const TechnologySet& set : technology.sets_)
            for (const TechnologyNode& node : technology.nodes_) technology.between(set, technology.nodes_.front().nm, node.nm);
    } catch (const std::exception& error) {
        throw std::runtime_error(std::string("catalogue technology.json, ") + error.what());
    }
    return technology;
}

const TechnologyNode* Technology::node(double nm) const {
    return firstOf(nodes_, [nm](const TechnologyNode& node) { return node.nm == nm; });
}
const TechnologySet* Technology::set(std::string_view id) const {
    return firstOf(sets_, [id](const TechnologySet& set) { return set.id == id; });
}
const DramGeneration* Technology::dramNamed(std::string_view name) const {
    return firstOf(dram_, [plain = plainName(name)](const DramGeneration& generation) { return generation.id == plain; });
}
const LinkGeneration* Technology::linkNamed(std::string_view name) const {
    return firstOf(links_, [plain = plainName(name)](const LinkGeneration& link) { return link.id == plain; });
}
const TechnologyAnchor* Technology::anchor(std::string_view accelerator) const {
    return firstOf(anchors_, [accelerator](const TechnologyAnchor& anchor) { return anchor.accelerator == accelerator; });
}

TechnologyStep Technology::between(const TechnologySet& set, double fromNm, double toNm) const {
    TechnologyStep way{fromNm, toNm, 1, 1, 1};
    if (!followSteps(set.steps, fromNm, toNm, 0, way)) throw std::runtime_error("/sets: " + set.id + " has no way between two nodes");
    way.from = fromNm;
    way.to = toNm;
    return way;
}

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
