// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/view_bench.hpp"
#include "tests/support/synthetic_result.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

using namespace orrery;

namespace {

struct Shown {
    ResultPtr result;
    TimelineRowsPtr rows;
};

/// About `millions` million bars over 8 stages: 80 layers, as many micro-batches as it takes.
const Shown& shown(int millions) {
    static std::map<int, Shown> made;
    Shown& one = made[millions];
    if (!one.result) {
        test::SyntheticOptions options;
        options.stages = 8;
        options.microBatches = millions * 1000000 / 2176;
        one.result = test::syntheticResult(options);
        one.rows = buildRows(one.result->timeline);
    }
    return one;
}

void buildRowsOffTheThread(benchmark::State& state) {
    const Shown& what = shown(static_cast<int>(state.range(0)));
    TimelineRowsPtr rows;
    for (auto _ : state) {
        rows = buildRows(what.result->timeline);
        benchmark::DoNotOptimize(rows);
    }
    state.counters["bars"] = static_cast<double>(rows->barCount);
    state.counters["bytes_per_bar"] = static_cast<double>(rows->byteSize()) / static_cast<double>(rows->barCount);
}

/// One frame: compose the lanes and paint the whole widget into a 1600×900 image, after a random zoom or pan.
void frame(benchmark::State& state) {
    const Shown& what = shown(static_cast<int>(state.range(0)));
    static Theme theme(ThemeVariant::dark);
    Selection selection;
    TimelineView view(theme, selection);
    view.resize(1600, 900);
    view.setTimeline(what.result, what.rows);
    if (state.range(1) != 0) selection.setOperator(QStringLiteral("mlp.down"), QStringLiteral("backward"));
    QImage target(1600, 900, QImage::Format_RGB32);
    view.render(&target); // fonts are loaded once a program, not once a frame

    std::mt19937 random(12345);
    std::uniform_real_distribution<double> unit(0, 1);
    const double duration = what.result->timeline.duration;
    std::vector<double> frames;
    for (auto _ : state) {
        // All zooms between the whole iteration and a microsecond are as likely; every other frame pans from there.
        if (frames.size() % 2 == 0) {
            const double span = duration * std::pow(1e-6 / duration, unit(random));
            const double from = unit(random) * (duration - span);
            view.setVisibleRange(from, from + span);
        } else {
            const Viewport now = view.viewport();
            const double shift = (unit(random) - 0.5) * now.span();
            const double from = std::clamp(now.from + shift, 0.0, duration - now.span());
            view.setVisibleRange(from, from + now.span());
        }
        const double before = threadSeconds();
        view.render(&target);
        frames.push_back(threadSeconds() - before);
    }
    std::sort(frames.begin(), frames.end());
    state.counters["bars"] = static_cast<double>(what.rows->barCount);
    state.counters["p50_ms"] = 1e3 * frames[frames.size() / 2];
    state.counters["p95_ms"] = 1e3 * frames[std::min(frames.size() - 1, frames.size() * 95 / 100)];
    state.counters["worst_ms"] = 1e3 * frames.back();
}

/// Hovering paints over what is composed.
void hover(benchmark::State& state) {
    const Shown& what = shown(1);
    static Theme theme(ThemeVariant::dark);
    Selection selection;
    TimelineView view(theme, selection);
    view.resize(1600, 900);
    view.setTimeline(what.result, what.rows);
    QImage target(1600, 900, QImage::Format_RGB32);
    double cursor = 0;
    for (auto _ : state) {
        selection.setCursor(cursor += 1e-3);
        view.render(&target);
    }
}

void chromeTrace(benchmark::State& state) {
    const Shown& what = shown(1);
    std::size_t bytes = 0;
    for (auto _ : state) {
        std::ostringstream out;
        writeChromeTrace(what.result->timeline, out);
        bytes = out.str().size();
    }
    state.counters["bytes"] = static_cast<double>(bytes);
}

BENCHMARK(buildRowsOffTheThread)->Arg(1)->Arg(5)->Unit(benchmark::kMillisecond)->Iterations(5);
BENCHMARK(frame)->ArgNames({"million", "marked"})->ArgsProduct({{1, 5}, {0, 1}})->Unit(benchmark::kMillisecond)->Iterations(400);
BENCHMARK(hover)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK(chromeTrace)->Unit(benchmark::kMillisecond)->Iterations(2);

} // namespace

int main(int argc, char** argv) { return orrery::runViewBenchmarks(argc, argv); }
