// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/technology.hpp"

#include "core/base/json.hpp"
#include "core/base/units.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>

namespace orrery {
namespace {

constexpr double squareMicrometre = 1e-12, picojoule = 1e-12;

std::string plainName(std::string_view name) {
    std::string plain;
    for (const char c : name)
        if (c != ' ' && c != '-' && c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
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

} // namespace orrery
