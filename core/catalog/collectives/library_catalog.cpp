// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/collectives/library_catalog.hpp"

#include "core/base/json.hpp"
#include "core/base/units.hpp"

#include <algorithm>
#include <stdexcept>

namespace orrery {
namespace {

[[noreturn]] void malformed(const std::string& record, const std::string& what) {
    throw std::runtime_error("catalogue collectives.json, " + record + ": " + what);
}

/// One record of the file: its fields, and how to name it in an error.
class Record {
public:
    Record(const Json& json, std::string name) : json_(json), name_(std::move(name)) {
        if (!json.is_object()) malformed(name_, "must be an object");
    }

    const Json& at(const char* key) const {
        const auto found = json_.find(key);
        if (found == json_.end()) malformed(name_, std::string("\"") + key + "\" is missing");
        return *found;
    }
    std::string text(const char* key) const {
        const Json& value = at(key);
        if (!value.is_string() || value.get_ref<const std::string&>().empty())
            malformed(name_, std::string("\"") + key + "\" must be a text that is not empty");
        return value.get<std::string>();
    }
    /// From `least` to `most`, both allowed; `least` itself not when `above`.
    double number(const char* key, double least, double most, bool above = true) const {
        const Json& value = at(key);
        if (!value.is_number()) malformed(name_, std::string("\"") + key + "\" must be a number");
        const double result = value.get<double>();
        if (!(result >= least && result <= most) || (above && result <= least))
            malformed(name_, std::string("\"") + key + "\" is out of range");
        return result;
    }
    double microseconds(const char* key) const { return number(key, 0, 1e6, false) * units::microsecond; }
    double share(const char* key) const { return number(key, 0, 1); }
    bool truth(const char* key) const {
        const Json& value = at(key);
        if (!value.is_boolean()) malformed(name_, std::string("\"") + key + "\" must be true or false");
        return value.get<bool>();
    }
    bool has(const char* key) const { return json_.contains(key); }
    std::vector<std::string> texts(const char* key) const {
        const Json& value = at(key);
        std::vector<std::string> list;
        if (!value.is_array() || value.empty()) malformed(name_, std::string("\"") + key + "\" must be a list that is not empty");
        for (const Json& entry : value) {
            if (!entry.is_string()) malformed(name_, std::string("\"") + key + "\" must list texts");
            list.push_back(entry.get<std::string>());
        }
        return list;
    }

private:
    const Json& json_;
    std::string name_;
};

LibraryConstants readLibrary(const Record& record) {
    LibraryConstants constants;
    constants.ll128Startup = record.number("ll128_start_over_ll", 0, 10);
    constants.llShare = record.share("ll_rate_over_ll128");
    constants.peerSimpleStart = record.microseconds("peer_simple_start_us");
    constants.peerGap = record.number("peer_gap_steps", 0, 10, false);
    constants.peerLowLatencyRate = record.number("peer_ll_gb_per_s", 0, 1e4) * units::gigabyte;
    constants.inSwitchChunkOverhead = record.number("in_switch_chunk_overhead_bytes", 0, 1e9, false);
    constants.inSwitchMemberOverhead = record.number("in_switch_member_overhead", 0, 1, false);
    constants.inSwitchTreeDomains = int(record.number("in_switch_tree_domains", 1, 1e6, false));
    constants.inSwitchTreeShare = record.share("in_switch_tree_share");
    constants.ringChannels = int(record.number("ring_channels", 1, 1024, false));
    return constants;
}

LibraryConstants readFamily(const Record& record, LibraryConstants constants) {
    constants.accelerator = record.text("accelerator");
    constants.source = record.text("source");
    constants.measured = constants.accelerator != "default";
    constants.launch = record.microseconds("launch_us");
    constants.upStep = record.microseconds("step_us");
    constants.upSimpleStep = record.microseconds("simple_step_us");
    constants.lowLatencyShare = record.share("ll128_share");
    constants.ringShare = record.share("ring_share");
    if (record.has("pair_share")) constants.pairShare = record.share("pair_share");
    constants.peerShare = record.share("peer_share");
    if (record.has("peer_channel_gb_per_s")) constants.peerChannelRate = record.number("peer_channel_gb_per_s", 0, 1e4) * units::gigabyte;
    constants.ownCopyRate = record.number("own_copy_gb_per_s", 0, 1e5) * units::gigabyte;
    if (record.has("in_switch_share")) {
        constants.inSwitchShare = record.share("in_switch_share");
        constants.inSwitchChannels = int(record.number("in_switch_channels", 1, 1024, false));
        constants.inSwitchStart = record.microseconds("in_switch_start_us");
    }
    if (record.has("mesh_links")) constants.meshLinks = int(record.number("mesh_links", 1, 1024, false));
    if (record.has("connection_gb_per_s")) constants.connectionRate = record.number("connection_gb_per_s", 0, 1e4) * units::gigabyte;
    return constants;
}

ExchangeLibrary readExchange(const Record& record) {
    ExchangeLibrary exchange;
    exchange.id = record.text("id");
    exchange.start = record.microseconds("start_us");
    exchange.upShare = record.share("scale_up_share");
    if (record.has("copies_gb_per_s")) exchange.copyRate = record.number("copies_gb_per_s", 0, 1e5) * units::gigabyte;
    if (record.has("tokens_gb_per_s")) exchange.tokenRate = record.number("tokens_gb_per_s", 0, 1e5) * units::gigabyte;
    if (record.has("scale_out_share")) exchange.outShare = record.share("scale_out_share");
    exchange.source = record.text("source");
    return exchange;
}

const Json& list(const Json& document, const char* key) {
    const auto found = document.find(key);
    if (found == document.end() || !found->is_array() || found->empty()) malformed(key, "must be a list that is not empty");
    return *found;
}

std::string nameOf(const char* key, std::size_t index) { return std::string(key) + "[" + std::to_string(index) + "]"; }

} // namespace

LibraryCatalog LibraryCatalog::fromText(std::string_view text) {
    Json document;
    try {
        document = Json::parse(text);
    } catch (const Json::exception& error) {
        malformed("the file", error.what());
    }
    const Record file(document, "the file");
    LibraryConstants common = readLibrary(Record(file.at("library"), "library"));
    std::size_t index = 0;
    if (file.has("expert_exchange"))
        for (const Json& entry : list(document, "expert_exchange")) {
            const std::string name = nameOf("expert_exchange", index++);
            ExchangeLibrary exchange = readExchange(Record(entry, name));
            if (common.exchange(exchange.id)) malformed(name, "\"id\" is there twice");
            common.exchanges.push_back(std::move(exchange));
        }

    LibraryCatalog catalog;
    index = 0;
    for (const Json& entry : list(document, "networks")) {
        const Record record(entry, nameOf("networks", index++));
        Network network;
        network.id = record.text("id");
        network.step = record.microseconds("step_us");
        network.lowLatency128Step = record.microseconds("ll128_step_us");
        network.simpleStep = record.microseconds("simple_step_us");
        network.share = record.share("share");
        network.messageGap = record.microseconds("message_gap_us");
        network.keepsOrder = record.truth("keeps_order");
        if (record.has("accelerators")) network.accelerators = record.texts("accelerators");
        for (const Network& earlier : catalog.networks_)
            if (earlier.id == network.id && earlier.accelerators.empty() == network.accelerators.empty())
                malformed(nameOf("networks", index - 1), "\"id\" is there twice");
        catalog.networks_.push_back(std::move(network));
    }
    index = 0;
    for (const Json& entry : list(document, "families")) {
        const std::string name = nameOf("families", index++);
        LibraryConstants family = readFamily(Record(entry, name), common);
        for (const LibraryConstants& earlier : catalog.families_)
            if (earlier.accelerator == family.accelerator) malformed(name, "\"accelerator\" is there twice");
        if (const auto relatives = entry.find("stands_for"); relatives != entry.end()) {
            if (!relatives->is_array()) malformed(name, "\"stands_for\" must be a list");
            for (const Json& relative : *relatives) {
                if (!relative.is_string()) malformed(name, "\"stands_for\" must list texts");
                if (!catalog.standIns_.emplace(relative.get<std::string>(), family.accelerator).second)
                    malformed(name, "\"stands_for\" lists " + relative.get<std::string>() + ", which another record stands for");
            }
        }
        catalog.families_.push_back(std::move(family));
    }
    const auto isDefault = [](const LibraryConstants& family) { return family.accelerator == "default"; };
    if (std::none_of(catalog.families_.begin(), catalog.families_.end(), isDefault)) malformed("families", "no \"default\"");
    return catalog;
}

LibraryConstants LibraryCatalog::constants(std::string_view accelerator, std::string_view network) const {
    const auto named = [this](std::string_view id) {
        return std::find_if(families_.begin(), families_.end(), [id](const LibraryConstants& f) { return f.accelerator == id; });
    };
    auto found = named(accelerator);
    if (found == families_.end())
        if (const auto standIn = standIns_.find(accelerator); standIn != standIns_.end()) found = named(standIn->second);
    if (found == families_.end()) found = named("default");
    LibraryConstants constants = *found;
    if (constants.accelerator != accelerator) {
        constants.inheritedFrom = constants.accelerator;
        constants.accelerator = std::string(accelerator);
    }
    const auto generation = [&](bool listed) {
        return std::find_if(networks_.begin(), networks_.end(), [&](const Network& n) {
            const bool names = std::find(n.accelerators.begin(), n.accelerators.end(), accelerator) != n.accelerators.end();
            return n.id == network && (listed ? names : n.accelerators.empty());
        });
    };
    auto link = generation(true);
    if (link == networks_.end()) link = generation(false);
    if (link == networks_.end()) link = networks_.begin();
    constants.outStep = link->step;
    constants.outLowLatency128Step = link->lowLatency128Step;
    constants.outSimpleStep = link->simpleStep;
    constants.outShare = link->share;
    constants.outMessageGap = link->messageGap;
    constants.outKeepsOrder = link->keepsOrder;
    return constants;
}

std::vector<std::string> LibraryCatalog::networks() const {
    std::vector<std::string> ids;
    for (const Network& network : networks_)
        if (network.accelerators.empty()) ids.push_back(network.id);
    return ids;
}

} // namespace orrery
