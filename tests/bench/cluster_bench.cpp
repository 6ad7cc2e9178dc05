// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/bench/view_bench.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/synthetic_result.hpp"
#include "tests/widgets/network_fixture.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/network/network_traffic.hpp"

#include <QImage>

#include <algorithm>
#include <string>
#include <vector>

using namespace orrery;

namespace {

/// Hosts of 8 accelerators on 8 leaves, every cable drawn.
Json hostsOnLeaves(int hosts) {
    constexpr int leaves = 8;
    Json nodes = Json::array(), links = Json::array();
    for (int h = 0; h < hosts; ++h) {
        nodes.push_back({{"id", "host-" + std::to_string(h)}, {"kind", "host"}, {"accelerator", "h100-sxm"}, {"count", 8}});
        for (int l = 0; l < leaves; ++l) links.push_back({{"from", "host-" + std::to_string(h)}, {"to", "leaf-" + std::to_string(l)}, {"bandwidth_gb_s", 50}, {"count", 1}});
    }
    for (int l = 0; l < leaves; ++l) nodes.push_back({{"id", "leaf-" + std::to_string(l)}, {"kind", "switch"}});
    return {{"cluster", {{"topology", {{"nodes", nodes}, {"links", links}}}}}};
}

/// One frame of the drawing with its traffic at another moment: 16 ms are 60 frames a second.
void frameUnderLoad(benchmark::State& state) {
    Theme theme(ThemeVariant::light);
    Selection shared;
    NetworkTraffic traffic(shared);
    ClusterCanvas canvas(theme, shared, test::catalog());
    canvas.resize(900, 520);
    canvas.setTraffic(&traffic);
    canvas.setDocument(hostsOnLeaves(static_cast<int>(state.range(0))));
    QImage target(900, 520, QImage::Format_RGB32);
    const ResultPtr result = test::syntheticResult();
    traffic.setResult(result, test::syntheticNetwork(canvas.document(), result->timeline));
    const double moments = static_cast<double>(state.max_iterations);
    std::vector<double> frames;
    for (auto _ : state) {
        shared.setCursor(result->timeline.duration * (static_cast<double>(frames.size()) + 0.5) / moments);
        traffic.updateNow();
        const double begin = threadSeconds();
        canvas.render(&target);
        frames.push_back(threadSeconds() - begin);
    }
    std::sort(frames.begin(), frames.end());
    state.counters["p95_ms"] = 1e3 * frames[frames.size() * 95 / 100];
}

BENCHMARK(frameUnderLoad)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond)->Iterations(40);

} // namespace

int main(int argc, char** argv) { return orrery::runViewBenchmarks(argc, argv); }
