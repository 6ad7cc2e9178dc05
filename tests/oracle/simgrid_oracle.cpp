// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"

// Finish times of flows by SimGrid (Casanova et al., JPDC 2014): a second opinion that shares no code with Orrery.
//
// Reads one case a line on standard input and answers each with one line on standard output:
//   {"capacities": [bytes/s of each link], "flows": [{"start": s, "bytes": n, "path": [link, ...], "cap": bytes/s}, ...]}
//   {"finish": [s, ...]}
// "cap" may be left out. A link named k times in a path is used k times over. Bytes are a whole number from 1 up: SimGrid ends a
// transfer of nothing only with the next event.

#include <nlohmann/json.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace s4u = simgrid::s4u;
using nlohmann::json;

struct Flow {
    double start = 0;
    std::uint64_t bytes = 0;
    std::vector<std::size_t> path;
    double cap = 0; ///< bytes/s; 0: none
};

struct Case {
    std::vector<double> capacities;
    std::vector<Flow> flows;
};

Case readCase(const json& document) {
    Case result;
    document.at("capacities").get_to(result.capacities);
    for (const json& entry : document.at("flows")) {
        Flow flow;
        entry.at("start").get_to(flow.start);
        entry.at("bytes").get_to(flow.bytes);
        entry.at("path").get_to(flow.path);
        flow.cap = entry.value("cap", 0.0);
        result.flows.push_back(std::move(flow));
    }
    return result;
}

/// Pure max-min sharing: no traffic of acknowledgements, no window, every link at its nominal rate, every flow of weight 1.
/// (With zero latency SimGrid applies no window whatever its size.)
void configure() {
    s4u::Engine::set_config("network/model:CM02");
    s4u::Engine::set_config("network/crosstraffic:0");
    s4u::Engine::set_config("network/TCP-gamma:0");
    s4u::Engine::set_config("network/bandwidth-factor:1");
    s4u::Engine::set_config("network/latency-factor:1");
    s4u::Engine::set_config("network/weight-S:0");
    s4u::Engine::set_config("maxmin/precision:1e-12");  // relative to a link's capacity
    s4u::Engine::set_config("surf/precision:1e-12");    // s
    s4u::Engine::set_config("contexts/factory:thread"); // the one that sanitizers understand
}

/// The hosts of every flow. SimGrid routes between hosts, so a path of its own needs a pair of its own: n sources and n
/// targets give n * n of them, far fewer hosts than one pair a flow.
class Platform {
public:
    explicit Platform(const Case& given) {
        s4u::NetZone* zone = s4u::create_full_zone("cluster");
        std::vector<s4u::LinkInRoute> links;
        for (std::size_t i = 0; i < given.capacities.size(); ++i)
            links.emplace_back(zone->create_link("link" + std::to_string(i), given.capacities[i])->set_latency(0)->seal());
        side_ = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(given.flows.size()))));
        for (std::size_t i = 0; i < side_; ++i) {
            sources_.push_back(zone->create_host("from" + std::to_string(i), 1e9)->seal());
            targets_.push_back(zone->create_host("to" + std::to_string(i), 1e9)->seal());
        }
        for (std::size_t i = 0; i < given.flows.size(); ++i) {
            std::vector<s4u::LinkInRoute> route;
            for (const std::size_t link : given.flows[i].path) route.push_back(links.at(link));
            // SimGrid 3.32 forgets set_rate() of a transfer between hosts; a link that nobody else uses caps as well.
            if (given.flows[i].cap > 0)
                route.emplace_back(zone->create_link("cap" + std::to_string(i), given.flows[i].cap)->set_latency(0)->seal());
            zone->add_route(source(i)->get_netpoint(), target(i)->get_netpoint(), nullptr, nullptr, route, false);
        }
        zone->seal();
    }

    s4u::Host* source(std::size_t flow) const { return sources_[flow / side_]; }
    s4u::Host* target(std::size_t flow) const { return targets_[flow % side_]; }

private:
    std::size_t side_ = 0;
    std::vector<s4u::Host*> sources_;
    std::vector<s4u::Host*> targets_;
};

/// Starts every flow at its time, waits for all of them.
std::vector<double> startAll(const Case& given, const Platform& platform) {
    std::vector<std::size_t> order(given.flows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return given.flows[a].start < given.flows[b].start; });
    std::vector<s4u::CommPtr> transfers(given.flows.size());
    for (const std::size_t i : order) {
        const Flow& flow = given.flows[i];
        if (flow.start > s4u::Engine::get_clock()) s4u::this_actor::sleep_until(flow.start);
        transfers[i] = s4u::Comm::sendto_init();
        transfers[i]->set_payload_size(flow.bytes);
        transfers[i]->set_source(platform.source(i))->set_destination(platform.target(i)); // which starts it
    }
    std::vector<double> finish;
    for (const s4u::CommPtr& transfer : transfers) {
        transfer->wait();
        finish.push_back(transfer->get_finish_time());
    }
    return finish;
}

std::vector<double> solve(const Case& given) {
    if (given.flows.empty()) return {};
    std::string name = "oracle", quiet = "--log=root.thresh:error";
    std::vector<char*> argv{name.data(), quiet.data(), nullptr};
    int argc = 2;
    s4u::Engine engine(&argc, argv.data());
    configure();
    const Platform platform(given);
    std::vector<double> finish;
    s4u::Actor::create("driver", platform.source(0), [&] { finish = startAll(given, platform); });
    engine.run();
    return finish;
}

/// SimGrid has one platform a process, so every case gets a process; it writes its answer itself and leaves without
/// SimGrid's clean-up, which the end of the process does faster.
[[noreturn]] void answer(const std::string& line) {
    int status = EXIT_FAILURE;
    try {
        const std::vector<double> finish = solve(readCase(json::parse(line)));
        std::cout << json{{"finish", finish}}.dump() << std::endl;
        status = std::cout ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception& problem) {
        std::cerr << "case is not sound: " << problem.what() << std::endl;
    }
    std::_Exit(status);
}

} // namespace

int main() {
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        const pid_t child = ::fork();
        if (child == 0) answer(line);
        int status = 0;
        if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS) {
            std::cerr << "no answer to case: " << line.substr(0, 200) << std::endl;
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
