// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/technology_design.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace orrery {
namespace {

constexpr const char* commonAnchor = "h100-sxm5-80gb";
constexpr double leastPinShare = 0.1, mostPinShare = 2; ///< of a pin's stated rate; Rubin's HBM4 runs 1.4 times JEDEC's

template <class Record>
std::vector<std::string> idsOf(const std::vector<Record>& records) {
    std::vector<std::string> ids;
    ids.reserve(records.size());
    for (const Record& record : records) ids.push_back(record.id);
    return ids;
}

/// Reads `technology` into a design, problem by problem.
class DesignReader {
public:
    DesignReader(const Json& object, const Technology& technology, const std::string& pointer, Problems& problems)
        : object_(object), technology_(technology), pointer_(pointer), problems_(problems) {}

    void fail(const char* code, const std::string& key, std::string message, std::string mend) {
        Problem problem;
        problem.code = code;
        problem.pointer = pointer_ + key;
        problem.message = std::move(message);
        problem.mend = std::move(mend);
        problems_.push_back(std::move(problem));
    }

    /// The number of a key, or what it is without; a problem where it leaves its bounds.
    double number(const Json& object, const std::string& at, const char* key, double usual, double least, double most, const char* unit) {
        const auto found = object.find(key);
        if (found == object.end() || found->is_null()) return usual;
        const std::string place = at + "/" + key;
        if (!found->is_number()) {
            fail("wrong-type", place, "`" + std::string(key) + "` is not a number.", "Give a number.");
            return usual;
        }
        const double value = found->get<double>();
        if (value >= least && value <= most) return value;
        fail("out-of-range", place, "`" + std::string(key) + "` is " + formatNumber(value) + ", which no accelerator has.",
             "Give a number from " + formatNumber(least) + " to " + formatNumber(most) + unit + ".");
        return usual;
    }
    double number(const char* key, double usual, double least, double most, const char* unit) { return number(object_, "", key, usual, least, most, unit); }

    /// The text of a key; empty without one.
    std::string text(const Json& object, const std::string& at, const char* key) {
        const auto found = object.find(key);
        if (found == object.end() || found->is_null()) return {};
        if (found->is_string()) return found->get<std::string>();
        fail("wrong-type", at + "/" + key, "`" + std::string(key) + "` is not a text.", "Write it in quotes.");
        return {};
    }
    std::string text(const char* key) { return text(object_, "", key); }

    void unknown(const std::string& at, const std::string& what, const std::string& word, const std::vector<std::string>& known) {
        const auto nearest = nearestWord(word, known);
        fail("unknown-technology", at, "No " + what + " is called " + inQuotes(shortened(word, 60)) + ".",
             nearest && nearest->likely ? "Did you mean " + inQuotes(nearest->word) + "?" : "Known are " + joinWords(known, "and") + ".");
    }

    void readNode(TechnologyDesign& design) {
        design.node = technology_.node(number("node_nm", design.anchor->nodeNm, 0, 1000, " nm"));
        if (design.node) return;
        std::vector<std::string> known;
        known.reserve(technology_.nodes().size());
        for (const TechnologyNode& node : technology_.nodes()) known.push_back(formatNumber(node.nm));
        fail("unknown-technology", "/node_nm", "Nothing is known of a node of " + object_.at("node_nm").dump() + " nm.", "Use " + joinWords(known, "or") + ".");
    }

    void readDram(TechnologyDesign& design) {
        const TechnologyAnchor& anchor = *design.anchor;
        const DramGeneration& anchored = *technology_.dramNamed(anchor.dram);
        const double anchoredRate = design.chip->memoryBandwidth * 8 / (anchor.stacks * anchored.pins);
        std::string name;
        double stacks = anchor.stacks, pins = 0, capacity = 0;
        std::string at = "/dram";
        if (const auto found = object_.find("dram"); found != object_.end() && found->is_object()) {
            name = text(*found, "/dram", "generation");
            at = "/dram/generation";
            stacks = number(*found, "/dram", "stacks", anchor.stacks, 1, 64, " stacks");
            pins = number(*found, "/dram", "pin_gbps", 0, 0.1, 1000, " Gb/s") * 1e9;
            capacity = number(*found, "/dram", "capacity_gb", 0, 0.1, 1e4, " GB");
        } else if (found != object_.end() && !found->is_null()) {
            name = stacksIn(text("dram"), stacks);
        }
        design.dram = name.empty() ? &anchored : technology_.dramNamed(name);
        if (!design.dram) return unknown(at, "generation of memory", name, idsOf(technology_.dram()));
        if (stacks != std::floor(stacks)) return fail("out-of-range", "/dram", formatNumber(stacks) + " stacks are no whole number.", "Give whole stacks.");
        design.stacks = static_cast<int>(stacks);
        // A chip that drives its pins below what their generation allows is taken to do so with another.
        design.pinRate = pins > 0 ? pins : design.dram->pinRate * anchoredRate / anchored.pinRate;
        const double share = design.pinRate / design.dram->pinRate;
        if (share < leastPinShare || share > mostPinShare)
            fail("out-of-range", "/dram/pin_gbps", formatNumber(design.pinRate / 1e9) + " Gb/s a pin is far from what " + design.dram->name + " runs at.",
                 "Its standard has " + formatNumber(design.dram->pinRate / 1e9) + " Gb/s.");
        const double ofAnchor = design.chip->memoryBytes / anchor.stacks;
        const double ofGeneration = design.dram == &anchored ? ofAnchor : design.dram->capacity * units::gibibyte;
        design.memoryBytes = design.stacks * (capacity > 0 ? capacity * units::gibibyte : ofGeneration);
    }

    void readLinks(TechnologyDesign& design) {
        design.scaleUp = design.chip->scaleUpBandwidth;
        design.scaleUpEnergy = technology_.linkNamed(design.anchor->scaleUp)->energyPerBit;
        design.scaleOut = design.chip->nicBandwidth;
        const auto found = object_.find("links");
        if (found == object_.end() || found->is_null()) return;
        if (found->is_object()) {
            for (const char* fabric : {"scale_up", "scale_out"})
                if (const std::string name = text(*found, "/links", fabric); !name.empty()) takeLink(design, "/links/" + std::string(fabric), name);
        } else if (found->is_array()) {
            for (std::size_t i = 0; i < found->size(); ++i) {
                const std::string at = "/links/" + std::to_string(i);
                if ((*found)[i].is_string()) takeLink(design, at, (*found)[i].get<std::string>());
                else fail("wrong-type", at, "A link is not a text.", "Name it in quotes.");
            }
        } else {
            const std::string all = text("links");
            for (std::size_t from = 0; from < all.size();) {
                const std::size_t end = std::min(all.find_first_of("+,", from), all.size());
                takeLink(design, "/links", all.substr(from, end - from));
                from = end + 1;
            }
        }
    }

private:
    /// "hbm3x5": the generation, and five stacks.
    static std::string stacksIn(const std::string& word, double& stacks) {
        const std::size_t end = word.find_last_not_of("0123456789");
        if (end == std::string::npos || end == 0 || end + 1 == word.size() || (word[end] != 'x' && word[end] != 'X')) return word;
        int count = 0;
        const auto read = std::from_chars(word.data() + end + 1, word.data() + word.size(), count);
        if (read.ec != std::errc{} || count < 1 || count > 64) return word;
        stacks = count;
        return word.substr(0, end);
    }

    void takeLink(TechnologyDesign& design, const std::string& at, const std::string& name) {
        const LinkGeneration* link = technology_.linkNamed(name);
        if (!link) return unknown(at, "generation of links", name, idsOf(technology_.links()));
        if (at.ends_with("/scale_up") != link->scaleUp && at.find("/scale_") != std::string::npos)
            return fail("contradiction", at, link->name + " is no " + (link->scaleUp ? "network." : "link between accelerators of one node."),
                        "Name it under `" + std::string(link->scaleUp ? "scale_up" : "scale_out") + "`.");
        if (link->scaleUp) design.scaleUp = link->bandwidth, design.scaleUpEnergy = link->energyPerBit;
        else design.scaleOut = link->bandwidth;
    }

    const Json& object_;
    const Technology& technology_;
    const std::string& pointer_;
    Problems& problems_;
};

/// What no derivation can mend: parts that together are more than their whole.
void checkBudgets(const TechnologyDesign& design, const Technology& technology, DesignReader& reader) {
    if (design.die > technology.reticle() * design.dies)
        reader.fail("contradictory-budget", "/die_mm2",
                    formatNumber(design.die / units::squareMillimetre) + " mm² are more than " + counted(design.dies, "die") + " can have: a reticle holds " +
                        formatNumber(technology.reticle() / units::squareMillimetre) + " mm².",
                    "Give less area or more `dies`.");
    // Dies side by side have the edge of one rectangle.
    const double edge = 4 * std::sqrt(design.die);
    const double wires = edge * technology.dramEdgeShare() * technology.dramWires();
    if (design.stacks * static_cast<double>(design.dram->pins) > wires)
        reader.fail("contradictory-budget", "/dram",
                    counted(design.stacks, "stack") + " of " + design.dram->name + " need " + formatNumber(design.stacks * static_cast<double>(design.dram->pins)) +
                        " wires; half the edge of the die has " + formatNumber(std::floor(wires)) + ".",
                    "Use fewer stacks or a larger die.");
    const DerivedChip derived = deriveChip(design, technology);
    if (derived.corePower <= 0)
        reader.fail("contradictory-budget", "/power_w",
                    "Memory takes " + formatNumber(std::round(derived.memoryPower)) + " W and links " + formatNumber(std::round(derived.linkPower)) + " W of " +
                        formatNumber(design.power) + " W: nothing is left for cores.",
                    "Give more power, fewer stacks or slower links.");
    else if (derived.cores < 1)
        reader.fail("contradictory-budget", "/die_mm2",
                    "The cache takes " + formatNumber(std::round(derived.sramArea / units::squareMillimetre)) + " mm² of " + formatNumber(design.die / units::squareMillimetre) +
                        " mm²: no core has room.",
                    "Give more area, less `sram_mb` or more of the die `enabled_fraction`.");
}

} // namespace

std::optional<TechnologyDesign> readTechnologyDesign(const Json& object, const std::string& usualAnchor, const Technology& technology, const Catalog& catalog,
                                                     const std::string& pointer, Problems& problems) {
    const std::size_t before = problems.size();
    DesignReader reader(object, technology, pointer, problems);
    if (!object.is_object()) {
        reader.fail("wrong-type", "", "`technology` is not an object.", "Write it as {\"node_nm\": 3, …}.");
        return std::nullopt;
    }
    TechnologyDesign design;
    std::string anchor = reader.text("anchor");
    if (anchor.empty()) anchor = technology.anchor(usualAnchor) ? usualAnchor : commonAnchor;
    design.anchor = technology.anchor(anchor);
    design.chip = catalog.accelerator(anchor);
    if (!design.anchor || !design.chip) {
        std::vector<std::string> known;
        known.reserve(technology.anchors().size());
        for (const TechnologyAnchor& one : technology.anchors()) known.push_back(one.accelerator);
        reader.unknown("/anchor", "anchor", anchor, known);
        return std::nullopt;
    }
    const std::string set = reader.text("set");
    design.set = set.empty() ? &technology.sets().front() : technology.set(set);
    if (!design.set) reader.unknown("/set", "set of constants", set, idsOf(technology.sets()));
    reader.readNode(design);
    design.die = reader.number("die_mm2", design.anchor->die / units::squareMillimetre, 10, 1e5, " mm²") * units::squareMillimetre;
    const double dies = std::max(1.0, std::ceil(design.die / technology.reticle() - 1e-9));
    design.dies = static_cast<int>(reader.number("dies", std::max(dies, object.contains("die_mm2") ? 1.0 : design.anchor->dies), 1, 64, " dies"));
    design.power = reader.number("power_w", design.chip->tdpWatts, 1, 1e5, " W");
    design.sram = reader.number("sram_mb", design.chip->l2Bytes / 1e6, 0, 1e5, " MB") * 1e6;
    reader.readDram(design);
    reader.readLinks(design);
    const auto peak = design.chip->peakDense.count("bf16") ? design.chip->peakDense.at("bf16") : design.chip->peakDense.at("fp16");
    design.flopsPerCore = reader.number("flops_per_core_clock", peak / design.chip->multiprocessors / design.anchor->clock, 1, 1e7, " FLOPs");
    design.enabledFraction = reader.number("enabled_fraction", static_cast<double>(design.chip->multiprocessors) / design.anchor->coresOfDie, 1e-3, 1, "");
    design.coreArea = reader.number("core_area", 1, 0.01, 100, " times the anchor's");
    if (problems.size() == before) checkBudgets(design, technology, reader);
    if (problems.size() != before) return std::nullopt;
    return design;
}

namespace {

/// Peaks of chips of one design are stated at clocks that differ by up to a fifth from the boost clock beside them: less than this part of
/// the units is a cut.
constexpr double wholeDespiteClocks = 0.75;

/// 16-bit FLOPs that one multiprocessor does a clock; 0 when unknown.
double flopsPerClock(const Accelerator& chip) {
    if (chip.multiprocessors <= 0 || chip.boostClock <= 0) return 0;
    for (const char* format : {"bf16", "fp16"})
        if (const auto peak = chip.peakDense.find(format); peak != chip.peakDense.end()) return peak->second / chip.multiprocessors / chip.boostClock;
    return 0;
}

} // namespace

bool sameMultiprocessor(const Accelerator& a, const Accelerator& b) {
    if (a.vendor != b.vendor || a.sharedBytes <= 0 || a.registerBytes <= 0) return false;
    if (a.sharedBytes != b.sharedBytes || a.registerBytes != b.registerBytes) return false;
    for (const char* format : {"fp8", "fp4"})
        if (a.peakDense.count(format) != b.peakDense.count(format)) return false;
    return true;
}

double matrixUnitsLeft(const Accelerator& chip, const Accelerator& relative) {
    const double own = flopsPerClock(chip), its = flopsPerClock(relative);
    if (own <= 0 || its <= 0 || !sameMultiprocessor(chip, relative)) return 1;
    return own < wholeDespiteClocks * its ? own / its : 1;
}

} // namespace orrery
