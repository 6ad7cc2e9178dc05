// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/mends/mends.hpp"
#include "core/answers/mends/rl_mends.hpp"
#include "core/answers/mends/served_mends.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/parallel.hpp"
#include "core/catalog/catalog.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/edits.hpp"
#include "core/training/estimate/estimated_plan.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

namespace orrery {
namespace {

constexpr const char* recomputeAt = "/execution/recompute";

class Candidates {
public:
    Candidates(const Json& document, const Scenario& scenario) : document_(document), scenario_(scenario), plan_(scenario.parallelism) {}

    std::vector<MendCandidate> run() {
        recompute();
        if (plan_.tensor > 1 && !plan_.sequence) add(MendKind::sequence, "sequence parallelism", {{"/parallelism/sequence", true}});
        microBatch();
        for (int stage = plan_.zeroStage + 1; stage <= 3 && plan_.replicas() > 1; ++stage)
            add(MendKind::zero, "ZeRO " + std::to_string(stage), {{"/parallelism/zero_stage", stage}});
        for (const int factor : {2, 4, 8}) degrees(factor);
        experts();
        schedule();
        if (scenario_.execution.attention == AttentionKind::unfused)
            add(MendKind::attention, "flash attention", {{"/execution/attention", "flash"}});
        offload();
        return std::move(list_);
    }

private:
    void add(MendKind kind, std::string text, std::vector<ScenarioEdit> edits) { list_.push_back({kind, std::move(text), std::move(edits)}); }

    /// Removes keys that the document has.
    void without(std::initializer_list<const char*> pointers) {
        for (const char* pointer : pointers)
            if (document_.contains(Json::json_pointer(pointer))) list_.back().edits.push_back({pointer, nullptr});
    }

    void recompute() {
        const Execution& execution = scenario_.execution;
        const auto every = [&](int n) { add(MendKind::recompute, n == 2 ? "every second layer recomputed" : "every layer recomputed", {{recomputeAt, Json{{"every", n}}}}); };
        switch (execution.recompute) {
        case RecomputeKind::none: add(MendKind::recompute, "recompute selective", {{recomputeAt, "selective"}}); [[fallthrough]];
        case RecomputeKind::selective:
        case RecomputeKind::modules: every(2); break;
        case RecomputeKind::every:
            if (execution.recomputeEvery > 2) every(2);
            break;
        case RecomputeKind::full:
        case RecomputeKind::automatic: return;
        }
        add(MendKind::recompute, "recompute full", {{recomputeAt, "full"}});
    }

    void microBatch() {
        const int now = scenario_.training().microBatch;
        for (int smaller = now / 2; smaller >= 1; smaller /= 2)
            if (now % smaller == 0) add(MendKind::micro_batch, "micro-batch " + std::to_string(smaller), {{"/workload/micro_batch_size", smaller}});
    }

    void degrees(int factor) {
        const auto more = [&](MendKind kind, const char* name, int now) {
            add(kind, std::string(name) + " " + std::to_string(factor * now), {{std::string("/parallelism/") + name, factor * now}});
        };
        more(MendKind::tensor, "tensor", plan_.tensor);
        without({"/parallelism/data"});
        more(MendKind::pipeline, "pipeline", plan_.pipeline);
        without({"/parallelism/data", "/parallelism/pipeline_layout"});
        more(MendKind::context, "context", plan_.context);
        without({"/parallelism/data"});
    }

    /// Up to an expert a rank: where experts are most of the parameters, that is what makes room, and their exchange costs the same.
    void experts() {
        if (!scenario_.model.experts) return;
        const std::int64_t most = std::min<std::int64_t>(scenario_.model.experts->count, plan_.ranks());
        for (std::int64_t degree = 2 * std::int64_t{plan_.expert}; degree <= most; degree *= 2)
            add(MendKind::expert, "expert " + std::to_string(degree), {{"/parallelism/expert", degree}});
    }

    void schedule() {
        const ScheduleKind usual = usualOrder(1);
        if (plan_.schedule == usual || plan_.pipeline == 1) return;
        const std::string word(wordOf(usual));
        add(MendKind::schedule, "schedule " + word, {{"/parallelism/schedule", word}});
        without({"/parallelism/virtual_pipeline", "/parallelism/pipeline_layout"});
    }

    void offload() {
        add(MendKind::offload_optimizer, "optimizer states in host memory", {{"/execution/offload/optimizer", 1}});
        for (const double share : {0.5, 1.0})
            add(MendKind::offload_activations, share < 1 ? "half of the activations in host memory" : "activations in host memory",
                {{"/execution/offload/activations", share}});
    }

    const Json& document_;
    const Scenario& scenario_;
    const Parallelism& plan_;
    std::vector<MendCandidate> list_;
};

} // namespace

std::vector<MendCandidate> mendCandidates(const Json& document, const Scenario& scenario) { return Candidates(document, scenario).run(); }

namespace {

constexpr std::size_t mendsShown = 3;
constexpr std::size_t mostTogether = 3;
constexpr std::size_t triedTogether = 48; ///< combinations of one size that are estimated while nothing fits
constexpr std::size_t triedBesides = 24;  ///< where something does, to find what is faster
constexpr double doubt = 1.2;             ///< how far an expected peak may lie above the capacity and still be tried
constexpr double worthwhile = 0.99;       ///< of the time of a part that fits by itself, what more changes must reach
/// How far an estimated peak may lie below a simulated one (tests/core/training/estimate/agreement_test.cpp holds it to this).
constexpr double estimatesAgree = 0.02;

// What fits by estimate is simulated as well where that takes a moment: ranks of the job, layers × micro-batches of all that is simulated,
// bytes of one run.
constexpr int mostRanksSimulated = 128;
constexpr double mostSimulated = 60'000;
constexpr double simulationCeiling = 100e6;

/// One change or several, once they are estimated.
struct Trial {
    std::vector<std::size_t> parts; ///< indices into the candidates, ascending
    TriedMend mend;
    bool runs = false, fits = false;
    double expectedPeak = 0, expectedTime = 0; ///< of several: as if each changed peak and time by the factor it does alone
};

/// Estimators that are lent to one thread at a time: each keeps what it has found out.
class LentEstimates {
public:
    std::optional<Estimate> estimate(const Scenario& scenario) {
        std::unique_ptr<PlanEstimates> mine = take();
        std::optional<Estimate> result = mine->estimate(scenario);
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(mine));
        return result;
    }

private:
    std::unique_ptr<PlanEstimates> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<PlanEstimates>();
        std::unique_ptr<PlanEstimates> one = std::move(free_.back());
        free_.pop_back();
        return one;
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<PlanEstimates>> free_;
};

bool isCheaper(const TriedMend& a, const TriedMend& b) {
    return std::pair(a.iterationTime, a.edits.size()) < std::pair(b.iterationTime, b.edits.size());
}

class Search {
public:
    Search(const Json& document, const Result& failed, const Catalog& catalog, const FileReader& readFile, const RunControl& control)
        : document_(document), capacity_(failed.memory.capacityBytes), peak_(failed.memory.peakBytes),
          time_(failed.training() ? failed.training()->iterationTime : 1), catalog_(catalog), readFile_(readFile), control_(control),
          candidates_(mendCandidates(document, failed.scenario)) {}

    std::vector<TriedMend> run() {
        std::vector<Trial> round;
        for (std::size_t i = 0; i < candidates_.size(); ++i) round.push_back(trialOf({i}));
        for (std::size_t together = 1; together <= mostTogether; ++together) {
            if (together > 1) round = combined(together, fitting_.empty() ? triedTogether : triedBesides);
            estimateAll(round, together);
            if (control_.stop.stop_requested()) return {};
            for (Trial& trial : round) {
                if (!trial.runs) continue;
                if (trial.fits && isWorthwhile(trial)) fitting_.push_back(trial);
                if (together == 1 && trial.mend.peakBytes < peak_) helping_.push_back(std::move(trial));
            }
            if (together > 1 && fitting_.size() >= mendsShown) break;
        }
        std::stable_sort(fitting_.begin(), fitting_.end(), [](const Trial& a, const Trial& b) { return isCheaper(a.mend, b.mend); });
        keepPlainest();
        std::vector<TriedMend> shown = simulatedWhereQuick();
        if (control_.stop.stop_requested()) return {};
        if (control_.progress) control_.progress(1);
        return shown;
    }

private:
    /// Several changes are often faster than one of them; the best single one is shown all the same, for it is the easiest to take.
    void keepPlainest() {
        const auto single = std::find_if(fitting_.begin(), fitting_.end(), [](const Trial& trial) { return trial.parts.size() == 1; });
        if (single == fitting_.end() || single - fitting_.begin() < std::ptrdiff_t{mendsShown}) return;
        std::rotate(fitting_.begin() + (mendsShown - 1), single, single + 1);
    }

    static Trial trialOf(std::vector<std::size_t> parts) {
        Trial trial;
        trial.parts = std::move(parts);
        return trial;
    }

    /// Nobody wants two changes where one of them does as well.
    bool isWorthwhile(const Trial& trial) const {
        return std::none_of(fitting_.begin(), fitting_.end(), [&](const Trial& known) {
            return known.parts.size() < trial.parts.size() && std::includes(trial.parts.begin(), trial.parts.end(), known.parts.begin(), known.parts.end()) &&
                   trial.mend.iterationTime > worthwhile * known.mend.iterationTime;
        });
    }

    /// Combinations of changes that helped alone, those first that should fit and cost least, then those that come nearest.
    std::vector<Trial> combined(std::size_t together, std::size_t most) const {
        std::vector<Trial> all;
        std::vector<const Trial*> chosen;
        const auto choose = [&](const auto& self, std::size_t from) -> void {
            if (chosen.size() == together) {
                Trial trial;
                trial.expectedTime = time_;
                trial.expectedPeak = peak_;
                for (const Trial* single : chosen) {
                    trial.parts.push_back(single->parts.front());
                    trial.expectedTime *= single->mend.iterationTime / time_;
                    trial.expectedPeak *= single->mend.peakBytes / peak_;
                }
                all.push_back(std::move(trial));
                return;
            }
            for (std::size_t i = from; i < helping_.size(); ++i) {
                const MendKind kind = candidates_[helping_[i].parts.front()].kind;
                const bool taken = std::any_of(chosen.begin(), chosen.end(),
                                               [&](const Trial* single) { return candidates_[single->parts.front()].kind == kind; });
                if (taken) continue;
                chosen.push_back(&helping_[i]);
                self(self, i + 1);
                chosen.pop_back();
            }
        };
        choose(choose, 0);
        std::stable_sort(all.begin(), all.end(), [&](const Trial& a, const Trial& b) {
            const bool aFits = a.expectedPeak <= doubt * capacity_, bFits = b.expectedPeak <= doubt * capacity_;
            if (aFits != bFits) return aFits;
            return aFits ? a.expectedTime < b.expectedTime : a.expectedPeak < b.expectedPeak;
        });
        if (all.size() > most) all.resize(most);
        return all;
    }

    void estimateAll(std::vector<Trial>& trials, std::size_t together) {
        std::size_t done = 0;
        std::mutex counted;
        forEachIndex(trials.size(), control_.threads, [&](std::size_t index) {
            if (control_.stop.stop_requested()) return;
            estimateOne(trials[index]);
            if (!control_.progress) return;
            const std::lock_guard lock(counted);
            control_.progress((double(together) - 1 + double(++done) / double(trials.size())) / double(mostTogether + 1));
        });
    }

    /// What can't be read or estimated is not offered, whatever stands in its way: the others still are.
    void estimateOne(Trial& trial) {
        for (const std::size_t part : trial.parts) {
            const MendCandidate& candidate = candidates_[part];
            trial.mend.text += (trial.mend.text.empty() ? "" : " and ") + candidate.text;
            for (const ScenarioEdit& edit : candidate.edits) {
                const bool known = std::any_of(trial.mend.edits.begin(), trial.mend.edits.end(),
                                               [&](const ScenarioEdit& other) { return other.pointer == edit.pointer; });
                if (!known) trial.mend.edits.push_back(edit);
            }
        }
        try {
            const std::optional<Scenario> scenario = readMended(trial.mend);
            const std::optional<Estimate> estimate = scenario ? estimates_.estimate(*scenario) : std::nullopt;
            if (!estimate) return;
            trial.runs = true;
            trial.mend.iterationTime = estimate->iterationTime;
            trial.mend.peakBytes = estimate->devicePeak;
            trial.fits = estimate->devicePeak <= capacity_;
        } catch (const std::exception&) {
            trial.runs = false;
        }
    }

    std::optional<Scenario> readMended(const TriedMend& mend) const { return readScenario(edited(document_, mend.edits), catalog_, readFile_).scenario; }

    /// The cheapest that fit, with the figures of a simulation where that takes a moment. An estimate alone must leave room for what the two
    /// may differ by.
    std::vector<TriedMend> simulatedWhereQuick() {
        std::vector<TriedMend> shown;
        double left = mostSimulated;
        for (Trial& trial : fitting_) {
            if (shown.size() == mendsShown || control_.stop.stop_requested()) break;
            if (simulateOne(trial, left) ? trial.fits : trial.mend.peakBytes <= (1 - estimatesAgree) * capacity_) shown.push_back(std::move(trial.mend));
        }
        std::stable_sort(shown.begin(), shown.end(), isCheaper);
        return shown;
    }

    bool simulateOne(Trial& trial, double& left) const {
        try {
            const std::optional<Scenario> scenario = readMended(trial.mend);
            if (!scenario) return false;
            const double work = double(scenario->microBatches()) * double(scenario->model.layers) * (scenario->execution.recompute == RecomputeKind::automatic ? 4 : 1);
            if (work > left || scenario->parallelism.ranks() > mostRanksSimulated) return false;
            left -= work;
            RunControl control;
            control.stop = control_.stop;
            control.memoryCeiling = simulationCeiling;
            const Outcome outcome = simulate(*scenario, control);
            if (!outcome.result || !outcome.result->training()) return false;
            trial.mend.iterationTime = outcome.result->training()->iterationTime;
            trial.mend.peakBytes = outcome.result->memory.peakBytes;
            trial.mend.simulated = true;
            trial.fits = outcome.result->fits;
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

    const Json& document_;
    double capacity_;
    double peak_;
    double time_;
    const Catalog& catalog_;
    const FileReader& readFile_;
    const RunControl& control_;
    std::vector<MendCandidate> candidates_;
    LentEstimates estimates_;
    std::vector<Trial> helping_; ///< single changes that leave less than before
    std::vector<Trial> fitting_;
};

} // namespace

std::vector<TriedMend> tryMends(const Json& document, const Result& failed, const Catalog& catalog, const FileReader& readFile,
                                const RunControl& control) {
    if (failed.rl()) return tryRlMends(document, failed, catalog, readFile, control);
    if (!failed.scenario.isTraining()) return tryServedMends(document, failed, catalog, readFile, control);
    if (failed.scenario.recorded()) return {}; // no plan changes what was recorded
    return Search(document, failed, catalog, readFile, control).run();
}

ResultPtr withTriedMends(ResultPtr result, const Json& document, const Catalog& catalog, const FileReader& readFile, const RunControl& control) {
    if (!result || !result->outOfMemory) return result;
    try {
        auto mended = std::make_shared<Result>(*result);
        mended->outOfMemory->mends = tryMends(document, *result, catalog, readFile, control);
        return mended;
    } catch (const std::bad_alloc&) {
        return result; // the result stands without them
    }
}

} // namespace orrery
