// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/physics_constants.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace orrery {
namespace {

constexpr const char* physicsFormat = "orrery-physics/1";

[[noreturn]] void refusePhysics(const std::string& pointer, const std::string& why) {
    throw std::runtime_error("catalogue physics.json, " + pointer + ": " + why);
}

/// One object of `constants`.
class PhysicsRecord {
public:
    PhysicsRecord(const Json& record, std::string pointer) : record_(record), pointer_(std::move(pointer)) {
        if (!record.is_object()) refusePhysics(pointer_, "must be an object");
        for (const auto& [key, value] : record.items())
            if (key != "value" && key != "range" && key != "unit" && key != "source" && key != "explanation") refusePhysics(pointer_ + "/" + key, "is not known");
    }

    std::string text(const char* key) const {
        const Json& value = at(key);
        if (!value.is_string() || value.get_ref<const std::string&>().find_first_not_of(' ') == std::string::npos)
            refusePhysics(place(key), "must be a text that is not empty");
        return value.get<std::string>();
    }
    double number(const char* key) const { return numberOf(at(key), place(key)); }
    std::pair<double, double> range() const {
        const Json& ends = at("range");
        if (!ends.is_array() || ends.size() != 2) refusePhysics(place("range"), "must be the least and the greatest value");
        const double low = numberOf(ends[0], place("range") + "/0"), high = numberOf(ends[1], place("range") + "/1");
        if (!(low < high)) refusePhysics(place("range"), "holds nothing");
        return {low, high};
    }
    std::string place(const char* key) const { return pointer_ + "/" + key; }

private:
    const Json& at(const char* key) const {
        const auto found = record_.find(key);
        if (found == record_.end()) refusePhysics(place(key), "is missing");
        return *found;
    }
    static double numberOf(const Json& value, const std::string& pointer) {
        if (!value.is_number()) refusePhysics(pointer, "must be a number");
        return value.get<double>();
    }

    const Json& record_;
    std::string pointer_;
};

PhysicsEntry readPhysicsEntry(const Json& constants, const PhysicsName& name) {
    const std::string pointer = std::string("/constants/") + name.id;
    const auto found = constants.find(name.id);
    if (found == constants.end()) refusePhysics(pointer, "is missing");
    const PhysicsRecord record(*found, pointer);
    PhysicsEntry entry;
    entry.id = name.id;
    entry.value = record.number("value");
    std::tie(entry.low, entry.high) = record.range();
    if (!(entry.value >= entry.low && entry.value <= entry.high)) refusePhysics(record.place("value"), found->at("value").dump() + " is out of its range");
    entry.unit = record.text("unit");
    if (entry.unit != name.unit) refusePhysics(record.place("unit"), "must be \"" + std::string(name.unit) + "\"");
    entry.source = record.text("source");
    entry.explanation = record.text("explanation");
    return entry;
}

/// The document; a key that stands twice in an object is an error, not the last one's.
Json parsedPhysics(std::string_view text) {
    std::vector<std::vector<std::string>> open;
    const auto once = [&open](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) open.emplace_back();
        if (event == Json::parse_event_t::object_end) open.pop_back();
        if (event == Json::parse_event_t::key) {
            const std::string& key = parsed.get_ref<const std::string&>();
            if (std::find(open.back().begin(), open.back().end(), key) != open.back().end()) throw std::runtime_error("\"" + key + "\" stands twice");
            open.back().push_back(key);
        }
        return true;
    };
    try {
        return Json::parse(text, once);
    } catch (const std::exception& error) {
        throw std::runtime_error(std::string("catalogue physics.json: ") + error.what());
    }
}

} // namespace

const std::vector<PhysicsName>& physicsNames() {
    using P = PhysicsConstants;
    static const std::vector<PhysicsName> names{
        {"full_wave_over_median", "1", &P::fullWaveOverMedian},
        {"accumulation_shown", "1", &P::accumulationShown},
        {"row_scaled_rate", "1", &P::rowScaledRate},
        {"row_quantising_bytes", "bytes", &P::rowQuantisingBytes},
        {"column_quantising_bytes", "bytes", &P::columnQuantisingBytes},
        {"permute_rate_of_stream", "1", &P::permuteRate},
        {"attention_backward_startups", "1", &P::attentionBackwardStartups},
        {"eight_bit_attention_rate", "1", &P::eightBitAttentionRate},
        {"vector_flops_per_byte", "1", &P::vectorFlopsPerByte},
        {"matrix_alignment_bytes", "bytes", &P::alignmentBytes},
        {"misaligned_share", "1", &P::misalignedShare},
        {"muon_matrix_side", "1", &P::muonMatrixSide},
        {"cut_units_rate_of_peak", "1", &P::cutUnitsRate},
        {"inline_ecc_share", "1", &P::inlineEccShare},
        {"softmax_flops_per_pair", "1", &P::softmaxFlops},
        {"ungrouped_cache_flops_per_element", "1", &P::ungroupedCacheFlops},
        {"send_share_of_overlap", "1", &P::sendShareOfOverlap},
        {"backward_host_share", "1", &P::backwardHostShare},
        {"collective_host_launches", "1", &P::collectiveHostLaunches},
        {"host_adam_parameters_per_s", "1/s", &P::hostAdamParametersPerSecond},
        {"swift_host_link", "bytes/s", &P::swiftHostLink},
        {"assumed_scale_up_latency", "s", &P::assumedScaleUpLatency},
        {"assumed_scale_out_latency", "s", &P::assumedScaleOutLatency},
        {"unknown_latency", "s", &P::unknownLatency},
        {"assumed_nic_bandwidth", "bytes/s", &P::assumedNic},
        {"assumed_node_size", "1", &P::assumedNodeSize},
        {"roofline_matrix_share", "1", &P::rooflineMatrixShare},
        {"roofline_vector_share", "1", &P::rooflineVectorShare},
        {"roofline_memory_share", "1", &P::rooflineMemoryShare},
        {"roofline_cache_share", "1", &P::rooflineCacheShare},
        {"roofline_launch", "s", &P::rooflineLaunch},
        {"roofline_fill", "s", &P::rooflineFill},
        {"usual_multiprocessors", "1", &P::usualMultiprocessors},
        {"usual_clock", "Hz", &P::usualClock},
        {"usual_l2_bytes", "bytes", &P::usualL2},
        {"usual_shared_bytes", "bytes", &P::usualShared},
        {"usual_register_bytes", "bytes", &P::usualRegisters},
        {"shared_bytes_per_clock", "bytes", &P::sharedBytesPerClock},
        {"l2_bytes_per_clock", "bytes", &P::l2BytesPerClock},
        {"port_bytes_per_clock", "bytes", &P::portBytesPerClock},
        {"register_bytes_per_clock", "bytes", &P::registerBytesPerClock},
        {"exponentials_per_clock", "1", &P::exponentialsPerClock},
        {"product_clocks", "1", &P::productClocks},
        {"few_cores", "1", &P::fewCores},
        {"instruction_bytes", "bytes", &P::instructionBytes},
        {"slab_bytes", "bytes", &P::slabBytes},
        {"slabs_at_once", "1", &P::slabsAtOnce},
        {"accumulator_share", "1", &P::accumulatorShare},
        {"group_share", "1", &P::groupShare},
        {"warm_share", "1", &P::warmShare},
        {"largest_cluster", "1", &P::largestCluster},
        {"served_fp8_share", "1", &P::servedFp8Share},
        {"served_fp4_share", "1", &P::servedFp4Share},
        {"longest_beside_product", "s", &P::longestBesideProduct},
        {"older_host_speed", "1", &P::olderHostSpeed},
        {"coherent_host_launches", "1", &P::coherentHostLaunches},
    };
    return names;
}

const PhysicsEntry* PhysicsConstants::entry(double PhysicsConstants::*constant) const {
    if (!entries) return nullptr;
    const std::vector<PhysicsName>& names = physicsNames();
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i].member == constant) return &entries->at(i);
    return nullptr;
}

std::string PhysicsConstants::sourceOf(double PhysicsConstants::*constant) const {
    const PhysicsEntry* known = entry(constant);
    return known ? known->source : std::string();
}

PhysicsConstants PhysicsConstants::fromText(std::string_view text) {
    const Json document = parsedPhysics(text);
    if (!document.is_object() || !document.contains("format") || document.at("format") != physicsFormat)
        refusePhysics("/format", std::string("must be \"") + physicsFormat + "\"");
    const auto constants = document.find("constants");
    if (constants == document.end() || !constants->is_object()) refusePhysics("/constants", "must be an object");
    PhysicsConstants result;
    auto entries = std::make_shared<std::vector<PhysicsEntry>>();
    for (const PhysicsName& name : physicsNames()) {
        entries->push_back(readPhysicsEntry(*constants, name));
        result.*name.member = entries->back().value;
    }
    const auto known = [&entries](const std::string& id) {
        return std::any_of(entries->begin(), entries->end(), [&id](const PhysicsEntry& entry) { return id == entry.id; });
    };
    for (const auto& [id, record] : constants->items())
        if (!known(id)) refusePhysics("/constants/" + id, "is not known");
    result.entries = std::move(entries);
    return result;
}

} // namespace orrery
