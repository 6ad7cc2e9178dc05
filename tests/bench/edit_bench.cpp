// SPDX-License-Identifier: GPL-3.0-or-later
// Wall time from the key that ends an edit until the window shows its numbers, with a baseline pinned: 100 ms are what a hand doesn't wait for.
// Run: build/release/tests/bench/edit_bench
#include "resources/shipped_catalog.hpp"
#include "tests/bench/view_bench.hpp"
#include "tests/desktop/window_fixture.hpp"
#include "tests/support/folders.hpp"

#include <QElapsedTimer>
#include <QLineEdit>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

using namespace orrery;

namespace {

struct Edit {
    const char* example; ///< in resources/examples, without extension
    const char* field;
    const char *first, *second; ///< typed in turn
};

constexpr Edit edits[] = {
    {"llama-3-8b-dgx-h100", "/parallelism/tensor", "4", "2"},
    {"llama-3.1-70b-8xdgx-h100", "/parallelism/tensor", "4", "8"},
    {"megatron-22b-korthikanti", "/workload/global_batch_size", "8", "4"},
    {"gpt3-175b-1024xa100", "/workload/micro_batch_size", "2", "1"},
    {"gpt3-175b-1024xa100", "/parallelism/tensor", "4", "8"},
    {"gpt3-175b-1024xa100", "/parallelism/tensor", "16", "8"},
    {"gpt3-175b-10240xa100-jitter", "/workload/micro_batch_size", "2", "1"},
    {"llama-3.1-8b-h100-chat", "/workload/requests/arrival/rate_per_s", "12", "8"},
    {"llama-3.3-70b-2xh100-long-prompts", "/parallelism/tensor", "1", "2"},
    {"llama-3.1-70b-2xdgx-h100-disaggregated", "/parallelism/tensor", "2", "4"},
    {"llama-3.1-70b-h100-batch", "/parallelism/tensor", "2", "4"},
    {"deepseek-v3-6xdgx-h200-wide-experts", "/workload/engine/max_num_seqs", "128", "64"},
    {"llama-3-70b-16xh100-which-plan", "/parallelism/tensor", "8", "4"},
};

constexpr double mostWaited = 20000; ///< ms

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Types what is to be typed and waits. What the headline took is told apart from what all of the window took, painted.
void editWithABaseline(benchmark::State& state) {
    const Edit& edit = edits[state.range(0)];
    state.SetLabel(std::string(edit.example) + " " + edit.field + " " + edit.second + " → " + edit.first);
    static const Catalog catalog = shippedCatalog();
    test::Window window(catalog);
    if (!window.start(QString::fromStdString(test::sourcePath("resources/examples/" + std::string(edit.example) + ".orrery.json")))) return state.SkipWithError("the example does not open");
    window.trigger(QStringLiteral("simulate.pin"));
    auto* line = window->findChild<QLineEdit*>(QString::fromLatin1(edit.field));
    if (!line) return state.SkipWithError("no such field");
    std::vector<double> simulated, headline, all;
    bool first = true;
    for (auto _ : state) {
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, QString::fromLatin1(first ? edit.first : edit.second));
        QElapsedTimer clock;
        const auto elapsed = [&clock] { return 1e-6 * static_cast<double>(clock.nsecsElapsed()); };
        const ResultPtr before = window->result();
        double shown = 0;
        QSignalSpy simulatedIn(&window->worker(), &SimulationWorker::resultReady), done(window.window.get(), &MainWindow::resultShown);
        clock.start();
        QTest::keyClick(line, Qt::Key_Return);
        while (done.isEmpty() && elapsed() < mostWaited) {
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            if (shown == 0 && window->result() != before) shown = elapsed();
        }
        QCoreApplication::processEvents(); // paints
        const double took = elapsed();
        if (done.isEmpty() || simulatedIn.isEmpty()) return state.SkipWithError("no result");
        state.SetIterationTime(1e-3 * took);
        if (first) {
            simulated.push_back(simulatedIn.front().at(1).toDouble());
            headline.push_back(shown);
            all.push_back(took);
        }
        first = !first;
    }
    state.counters["simulated_ms"] = median(simulated);
    state.counters["figures_ms"] = median(headline);
    state.counters["all_ms"] = median(all);
}
BENCHMARK(editWithABaseline)->DenseRange(0, std::size(edits) - 1)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(10);

} // namespace

int main(int argc, char** argv) { return runViewBenchmarks(argc, argv); }
