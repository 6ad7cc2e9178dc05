// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/planner/asked_machine.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace orrery {
namespace {

Problem machineProblem(const char* code, std::string message, std::string mend) {
    Problem problem;
    problem.code = code;
    problem.pointer = "/cluster";
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

Problem unknownMachine(const std::string& word, const Catalog& catalog) {
    std::vector<std::string> known;
    for (const Platform& platform : catalog.platforms()) known.push_back(platform.id);
    for (const Accelerator& accelerator : catalog.accelerators()) known.push_back(accelerator.id);
    return machineProblem("unknown-machine", "\"" + word + "\" is no platform and no accelerator of the catalogue.",
                          "The nearest are " + joinWords(nearestNames(word, std::move(known)), "and") + "; \"orrery-cli list platforms\" lists all.");
}

/// The number in front of the "x"; 1 where there is none, nothing where it is no count.
std::optional<int> countOf(const std::string& text, std::string& word) {
    const auto digits = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; }) - text.begin());
    word = text;
    if (digits == 0 || digits >= text.size() || (text[digits] != 'x' && text[digits] != '*')) return 1;
    word = text.substr(digits + 1);
    constexpr int most = 1'000'000;
    int count = 0;
    const auto read = std::from_chars(text.data(), text.data() + digits, count);
    return read.ec == std::errc() && count > 0 && count <= most ? std::optional(count) : std::nullopt;
}

/// The platform's fabrics, where an accelerator alone would be given those of another.
void writeFabrics(Json& cluster, const Platform& platform) {
    cluster["scale_up"] = {{"bandwidth_gb_s", platform.scaleUpBandwidth / units::gigabyte}, {"latency_us", platform.scaleUpLatency / units::microsecond}, {"domain_size", platform.scaleUpDomain}};
    cluster["scale_out"] = {{"bandwidth_gb_s", platform.scaleOutBandwidth / units::gigabyte}, {"latency_us", platform.scaleOutLatency / units::microsecond}};
}

} // namespace

std::string AskedMachine::text() const {
    const std::string all = std::to_string(accelerators());
    if (countsHosts) return counted(hosts, "host") + " " + word + " of " + counted(perHost, "accelerator") + ", " + all + " in all";
    return counted(accelerators(), "accelerator") + " " + word + " on " + counted(hosts, "host");
}

std::optional<AskedMachine> askedMachine(const std::string& text, std::optional<double> network, const Catalog& catalog, Problems& problems) {
    std::string word;
    const std::optional<int> count = countOf(text, word);
    if (!count) {
        problems.push_back(machineProblem("bad-machine", "\"" + text + "\" does not say how many hosts or accelerators there are.", "Write a number from 1 to 1,000,000 and a name, as 32xdgx-h100."));
        return std::nullopt;
    }
    const Platform* platform = catalog.platform(word);
    AskedMachine machine;
    machine.word = word;
    machine.countsHosts = platform != nullptr;
    if (!platform) platform = catalog.usualPlatform(word);
    const Accelerator* const accelerator = platform ? catalog.accelerator(platform->accelerator) : nullptr;
    if (!accelerator) {
        problems.push_back(unknownMachine(word, catalog));
        return std::nullopt;
    }
    machine.perHost = machine.countsHosts ? platform->acceleratorsPerNode : std::min(*count, platform->acceleratorsPerNode);
    if (!machine.countsHosts && *count % machine.perHost != 0) {
        const int whole = *count / machine.perHost * machine.perHost;
        problems.push_back(machineProblem("machine-not-whole", std::to_string(*count) + " accelerators do not fill hosts of " + std::to_string(machine.perHost) + ", which is how many a " + platform->id + " has.",
                                          "Ask for " + std::to_string(whole) + " or " + std::to_string(whole + machine.perHost) + "."));
        return std::nullopt;
    }
    machine.domain = std::max(platform->scaleUpDomain, machine.perHost);
    machine.capacity = accelerator->memoryBytes;
    Json cluster{{"accelerator", platform->accelerator}, {"accelerators_per_node", machine.perHost}, {"nodes", 1}};
    if (!platform->usual) writeFabrics(cluster, *platform);
    if (network) cluster["scale_out"]["bandwidth_gb_s"] = *network / units::gigabyte;
    machine.cluster = std::move(cluster);
    const int hosts = machine.countsHosts ? *count : *count / machine.perHost;
    return ofHosts(std::move(machine), hosts);
}

std::vector<std::string> nearestNames(const std::string& word, std::vector<std::string> known) {
    constexpr std::size_t most = 3;
    std::vector<std::string> names;
    while (names.size() < most) {
        const auto nearest = nearestWord(word, known);
        if (!nearest) break;
        names.push_back(nearest->word);
        known.erase(std::remove(known.begin(), known.end(), nearest->word), known.end());
    }
    return names;
}

AskedMachine ofHosts(AskedMachine machine, int hosts) {
    machine.hosts = hosts;
    Json cluster = *machine.cluster;
    cluster["nodes"] = hosts;
    machine.cluster = std::move(cluster);
    return machine;
}

} // namespace orrery
