#include "core/simulation/mends.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/edits.hpp"
#include "core/simulation/mend_candidates.hpp"
#include "core/simulation/simulate.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t mendsShown = 3;
constexpr std::size_t mostTogether = 3;
constexpr std::size_t triedTogether = 48; ///< combinations of one size that are simulated while nothing fits
constexpr std::size_t triedBesides = 12;  ///< where something does and only the choice is narrow
constexpr double mostWork = 300'000;      ///< layers × micro-batches that a round of combinations may simulate: seconds, not minutes
constexpr double doubt = 1.2;             ///< how far an expected peak may lie above the capacity and still be tried

using Bytes = std::array<double, memoryKindCount>;

/// One change or several, once they are simulated.
struct Trial {
    std::vector<std::size_t> parts; ///< indices into the candidates, ascending
    TriedMend mend;
    std::optional<Scenario> scenario; ///< until it is simulated
    bool runs = false;
    Bytes bytes{};                             ///< at the peak, by kind
    double expectedPeak = 0, expectedTime = 0; ///< of several: as if each changed every kind, and the time, by the factor it does alone
};

/// What the fullest stage holds at its peak.
Bytes bytesAtPeak(const MemoryReport& memory) {
    const auto fullest = std::max_element(memory.stages.begin(), memory.stages.end(),
                                          [](const StageMemory& a, const StageMemory& b) { return a.peakBytes < b.peakBytes; });
    return fullest == memory.stages.end() ? Bytes{} : fullest->bytes;
}

class Search {
public:
    Search(const Json& document, const Result& failed, const Catalog& catalog, const FileReader& readFile, const RunControl& control)
        : document_(document), capacity_(failed.memory.capacityBytes), peak_(failed.memory.peakBytes),
          bytes_(bytesAtPeak(failed.memory)), time_(failed.training ? failed.training->iterationTime : 1), catalog_(catalog), readFile_(readFile),
          control_(control), candidates_(mendCandidates(document, failed.scenario)) {}

    std::vector<TriedMend> run() {
        std::vector<Trial> round;
        for (std::size_t i = 0; i < candidates_.size(); ++i) round.push_back(trialOf({i}));
        std::vector<TriedMend> fitting;
        for (std::size_t together = 1; together <= mostTogether && fitting.size() < mendsShown; ++together) {
            if (together > 1) round = combined(together, fitting.empty() ? triedTogether : triedBesides);
            readAll(round, together == 1 ? std::numeric_limits<double>::infinity() : mostWork);
            simulateAll(round);
            if (control_.stop.stop_requested()) return {};
            for (Trial& trial : round) {
                if (!trial.runs) continue;
                if (trial.mend.peakBytes <= capacity_) fitting.push_back(trial.mend);
                else if (together == 1 && trial.mend.peakBytes < peak_) helping_.push_back(std::move(trial));
            }
        }
        std::stable_sort(fitting.begin(), fitting.end(), [](const TriedMend& a, const TriedMend& b) {
            return std::pair(a.iterationTime, a.edits.size()) < std::pair(b.iterationTime, b.edits.size());
        });
        if (fitting.size() > mendsShown) fitting.resize(mendsShown);
        return fitting;
    }

private:
    static Trial trialOf(std::vector<std::size_t> parts) {
        Trial trial;
        trial.parts = std::move(parts);
        return trial;
    }

    /// Combinations of changes that helped alone, those first that should fit and cost least, then those that come nearest.
    std::vector<Trial> combined(std::size_t together, std::size_t most) const {
        std::vector<Trial> all;
        std::vector<const Trial*> chosen;
        const auto choose = [&](const auto& self, std::size_t from) -> void {
            if (chosen.size() == together) {
                Trial trial;
                trial.expectedTime = time_;
                for (const Trial* single : chosen) {
                    trial.parts.push_back(single->parts.front());
                    trial.expectedTime *= single->mend.iterationTime / time_;
                }
                for (std::size_t kind = 0; kind < bytes_.size(); ++kind) {
                    double expected = bytes_[kind];
                    for (const Trial* single : chosen) expected *= bytes_[kind] > 0 ? single->bytes[kind] / bytes_[kind] : 1;
                    trial.expectedPeak += expected;
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

    void simulateAll(std::vector<Trial>& trials) const {
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (std::size_t i = next++; i < trials.size() && !control_.stop.stop_requested(); i = next++) simulateOne(trials[i]);
        };
        std::vector<std::jthread> others;
        for (int i = 1; i < control_.threads; ++i) others.emplace_back(work);
        work();
    }

    /// Puts the trials into words and reads them, in their order, as far as the work allows.
    void readAll(std::vector<Trial>& trials, double most) const {
        double work = 0;
        for (Trial& trial : trials) {
            if (work > most || control_.stop.stop_requested()) return;
            for (const std::size_t part : trial.parts) {
                const MendCandidate& candidate = candidates_[part];
                trial.mend.text += (trial.mend.text.empty() ? "" : " and ") + candidate.text;
                for (const ScenarioEdit& edit : candidate.edits) {
                    const bool known = std::any_of(trial.mend.edits.begin(), trial.mend.edits.end(),
                                                   [&](const ScenarioEdit& other) { return other.pointer == edit.pointer; });
                    if (!known) trial.mend.edits.push_back(edit);
                }
            }
            trial.scenario = readScenario(edited(document_, trial.mend.edits), catalog_, readFile_).scenario;
            if (trial.scenario) work += double(trial.scenario->microBatches()) * double(trial.scenario->model.layers);
        }
    }

    void simulateOne(Trial& trial) const {
        if (!trial.scenario) return;
        RunControl control;
        control.stop = control_.stop;
        const Outcome outcome = simulate(*trial.scenario, control);
        trial.scenario.reset();
        if (!outcome.result || !outcome.result->training) return;
        trial.runs = true;
        trial.mend.iterationTime = outcome.result->training->iterationTime;
        trial.mend.peakBytes = outcome.result->memory.peakBytes;
        trial.bytes = bytesAtPeak(outcome.result->memory);
    }

    const Json& document_;
    double capacity_;
    double peak_;
    Bytes bytes_;
    double time_;
    const Catalog& catalog_;
    const FileReader& readFile_;
    const RunControl& control_;
    std::vector<MendCandidate> candidates_;
    std::vector<Trial> helping_; ///< single changes that leave less than before, but too much
};

} // namespace

std::vector<TriedMend> tryMends(const Json& document, const Result& failed, const Catalog& catalog, const FileReader& readFile,
                                const RunControl& control) {
    if (failed.scenario.recorded) return {}; // no plan changes what was recorded
    return Search(document, failed, catalog, readFile, control).run();
}

ResultPtr withTriedMends(ResultPtr result, const Json& document, const Catalog& catalog, const FileReader& readFile, const RunControl& control) {
    if (!result || !result->outOfMemory) return result;
    auto mended = std::make_shared<Result>(*result);
    mended->outOfMemory->mends = tryMends(document, *result, catalog, readFile, control);
    return mended;
}

} // namespace orrery
