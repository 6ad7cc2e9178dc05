// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/served/inference/step_model.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace orrery {

/// The model of an engine's steps, which keeps the times of steps of decodes alone where several scenarios ask for them: they are the same for
/// the same number and the same sum of contexts. Not for several threads at once.
class KnownSteps {
public:
    KnownSteps(const EngineModel& engine, bool keepsDecodes) : model_(engine), keeps_(keepsDecodes && engine.parallelism.pipeline == 1) {}

    const StepModel& model() const { return model_; }
    /// The same as model().seconds().
    double seconds(const StepBatch& batch) const;

private:
    static constexpr std::int64_t pageSize = 512; ///< sums of contexts
    using Page = std::array<double, pageSize>;    ///< s; negative: not asked for yet

    StepModel model_;
    bool keeps_;
    mutable std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    mutable std::uint64_t lastKey_ = 0;
    mutable Page* last_ = nullptr; ///< of `pages_`, by `lastKey_`
};

/// The engine of a scenario's instances with what its options add: copies of experts, and the model that drafts.
EngineModel servedEngine(const Scenario& scenario, const Parallelism& plan, const EngineOptions& options, const std::vector<int>& ranks);

/// Engines by what their steps depend on, kept from scenario to scenario of a search. One thread's.
class EngineShelf {
public:
    /// `hardware`: scenarios with the same number differ in nothing but plans, limits of engines and requests.
    std::shared_ptr<const KnownSteps> engine(const Scenario& scenario, std::size_t hardware, const Parallelism& plan, const EngineOptions& options, const std::vector<int>& ranks);

private:
    using Plan = std::tuple<std::size_t, int, int, int, int, int, int, int, int, std::string, std::vector<int>, Precision, bool, std::string>;
    using Network = std::tuple<int, double, double, double, double>;
    std::map<std::tuple<Plan, std::vector<int>>, std::shared_ptr<const KnownSteps>> byPlace_; ///< and ranks
    std::map<std::tuple<Plan, Network>, std::shared_ptr<const KnownSteps>> known_;
};

} // namespace orrery
