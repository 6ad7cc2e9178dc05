// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/results/report/result.hpp"
#include "core/scenario/scenario.hpp"
#include "core/training/estimate/estimator.hpp"
#include "tests/support/random_source.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orrery::test {

/// A source of random numbers for a law. ORRERY_LAW_SAMPLE=N of the environment gives the Nth sample of it, which is another for each N.
RandomSource lawSource(std::uint64_t seed);
/// So many plans, times ORRERY_LAW_WIDTH of the environment where that is set: 20 tries a law on some thousands of plans.
std::size_t wide(std::size_t plans);

inline const std::size_t plansOfALaw = wide(200);
/// Of a law that hangs on what is known of a chip: some eight of each of the catalogue's.
inline const std::size_t plansOfEveryChip = wide(400);
/// Of a law that simulates every plan several times.
inline const std::size_t plansOfSimulations = wide(120);

/// A training plan over every model, accelerator and training profile of the catalogue, all dimensions, schedules, ZeRO stages,
/// recomputations and tasks. Many break a rule of the contract.
Json anyPlan(RandomSource& random);

/// The first `count` sound ones of a seed.
std::vector<Json> soundPlans(std::uint64_t seed, std::size_t count);

/// The same plan with its accelerator as `orrery-cli list accelerators --json` prints it, in place of its id.
Json withAcceleratorWrittenOut(Json plan);

/// The plan with nothing beside anything else.
Json oneAfterTheOther(Json plan);

/// A figure of a document's data sheet, or all of a list of them, times so much; nothing where it isn't stated.
void scaleFigure(Json& entry, const char* pointer, double factor);

/// A model, chip and inference profile on one host, each drawn from the catalogue; `workload` names the precision alone.
Json engineOnOneHost(RandomSource& random);

/// What a document's simulation gives, or null where a rule refuses it or it can't run.
ResultPtr simulatedPlan(const Json& document);

/// A plan's name, and its document to run it again.
std::string described(const Json& plan);

/// The scenario of a document, or nothing where a rule refuses it.
std::optional<Scenario> readPlan(const Json& document);

/// Nothing where the cluster can't run it.
std::optional<Estimate> estimated(const Json& document);

/// Its iteration time alone, s, or nothing where the cluster can't run it: a law of time asks for no memory.
std::optional<double> estimatedTime(const Json& document);

/// Its peak of what PyTorch allocates alone, bytes.
double estimatedPeak(const Scenario& scenario);
std::optional<double> estimatedPeak(const Json& document);

/// A law over many plans: what broke it, worst first.
class Law {
public:
    explicit Law(const char* says) : says_(says) {}

    /// `larger` must be at least `smaller`, but for a share of `slack`. Numbers that are no numbers break it too.
    void atLeast(double larger, double smaller, double slack, const std::function<std::string()>& what);
    void holds(bool condition, const std::function<std::string()>& what) { atLeast(condition ? 1 : 0, 1, 0, what); }

    /// A plan is held to less than the law, for a reason that stands where this is called: no more than one in two hundred may be.
    void judge() { ++judged_; }

    std::size_t tried() const { return tried_; }

    /// Prints how often it was tried; fails the test where it broke or was tried less than `least` times.
    void settle(std::size_t least) const;

private:
    struct Breach {
        double excess; ///< share
        std::string what;
    };
    const char* says_;
    std::size_t tried_ = 0, judged_ = 0;
    std::vector<Breach> breaches_;
};

} // namespace orrery::test
