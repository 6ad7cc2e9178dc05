// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/plan_reader.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/reader/scenario_parts.hpp"
#include "core/scenario/reader/sections.hpp"
#include "core/scenario/reader/training_ground.hpp"
#include "core/scenario/reader/what_ifs.hpp"
#include "core/scenario/rules/broken_rule.hpp"
#include "core/scenario/rules/rules.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace orrery {
namespace {

/// What a key sets. Chunks and schedule have their defaults from each other, and are looked up together.
enum class KeyKind { tensor,
                     pipeline,
                     context,
                     expert,
                     expert_tensor,
                     chunks,
                     schedule,
                     sequence,
                     zero_stage,
                     shard_group,
                     context_method,
                     micro_batch,
                     recompute,
                     overlap_data,
                     overlap_tensor,
                     overlap_pipeline,
                     overlap_expert,
                     offload_weights,
                     offload_activations,
                     offload_optimizer };

constexpr std::array planKeys{std::pair{"/parallelism/tensor", KeyKind::tensor},
                              std::pair{"/parallelism/pipeline", KeyKind::pipeline},
                              std::pair{"/parallelism/context", KeyKind::context},
                              std::pair{"/parallelism/expert", KeyKind::expert},
                              std::pair{"/parallelism/expert_tensor", KeyKind::expert_tensor},
                              std::pair{"/parallelism/virtual_pipeline", KeyKind::chunks},
                              std::pair{"/parallelism/schedule", KeyKind::schedule},
                              std::pair{"/parallelism/sequence", KeyKind::sequence},
                              std::pair{"/parallelism/zero_stage", KeyKind::zero_stage},
                              std::pair{"/parallelism/shard_group", KeyKind::shard_group},
                              std::pair{"/parallelism/context_method", KeyKind::context_method},
                              std::pair{"/workload/micro_batch_size", KeyKind::micro_batch},
                              std::pair{"/execution/recompute", KeyKind::recompute},
                              std::pair{"/execution/overlap/data", KeyKind::overlap_data},
                              std::pair{"/execution/overlap/tensor", KeyKind::overlap_tensor},
                              std::pair{"/execution/overlap/pipeline", KeyKind::overlap_pipeline},
                              std::pair{"/execution/overlap/expert", KeyKind::overlap_expert},
                              std::pair{"/execution/offload/weights", KeyKind::offload_weights},
                              std::pair{"/execution/offload/activations", KeyKind::offload_activations},
                              std::pair{"/execution/offload/optimizer", KeyKind::offload_optimizer}};

std::optional<KeyKind> kindOf(const std::string& pointer) {
    for (const auto& [known, kind] : planKeys)
        if (pointer == known) return kind;
    return std::nullopt;
}

/// All that the keys of a plan say; each value of a key brings one member.
struct PlanSays {
    PlanNumbers numbers; ///< without the model
    Execution execution;
    ContextMethod contextMethod = ContextMethod::ring;
    int zeroStage = 0, shardGroup = 0;
    std::int64_t recomputeEvery = 0; ///< that a rule looks at
    bool unknownModule = false;
};

PlanSays saidBy(const FilledDocument& document, const TrainingGround& ground) {
    PlanSays says;
    says.numbers = numbersOf(document, std::nullopt, *ground.cluster, ground.profile.get());
    says.execution = readExecution(document, *ground.profile);
    says.contextMethod = document.word("/parallelism/context_method", ContextMethod::ring);
    says.zeroStage = document.integer("/parallelism/zero_stage");
    says.shardGroup = document.integer("/parallelism/shard_group", 0);
    says.recomputeEvery = document.integer("/execution/recompute/every", 0);
    says.unknownModule = std::any_of(says.execution.recomputeModules.begin(), says.execution.recomputeModules.end(), [](const std::string& name) { return !fromText<RecomputeModule>(name); });
    return says;
}

struct ChunksAndSchedule {
    std::int64_t chunksPerStage = 1;
    ScheduleKind schedule = ScheduleKind::one_f_one_b;
};

class DirectPlanReader : public PlanReader {
public:
    struct Key {
        KeyKind kind = KeyKind::tensor;
        PlanKey given;
        std::vector<PlanSays> says; ///< by value
    };

    DirectPlanReader(Json document, std::vector<Key> keys, TrainingGround ground, const Catalog& catalog, FileReader readFile)
        : document_(std::move(document)), keys_(std::move(keys)), ground_(std::move(ground)), catalog_(catalog), readFile_(std::move(readFile)),
          said_(saidBy(ground_.filled, ground_)), numbers_(numbersOf(ground_.filled, ground_.model, *ground_.cluster, ground_.profile.get())) {
        facts_.givenData = ground_.filled.integer("/parallelism/data", 0);
        expertOverlapFollows_ = ground_.profile->experts.overlapsBetweenDomains && !ground_.filled.has("/execution/overlap/expert");
        for (const Key& key : keys_) {
            if (key.kind == KeyKind::chunks) chunksKey_ = &key;
            if (key.kind == KeyKind::schedule) scheduleKey_ = &key;
        }
        readSchedules();
    }

    std::string_view read(const std::vector<std::size_t>& values) override {
        std::size_t chunks = 0, schedule = 0;
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            if (&keys_[i] == chunksKey_) chunks = values[i];
            else if (&keys_[i] == scheduleKey_) schedule = values[i];
            else take(keys_[i].kind, keys_[i].says[values[i]]);
        }
        const ChunksAndSchedule& both = schedules_[schedule * chunkChoices() + chunks];
        numbers_.chunksPerStage = both.chunksPerStage;
        numbers_.schedule = both.schedule;
        numbers_.shardGroup = said_.zeroStage > 0 ? said_.shardGroup : 0;
        facts_.recomputeEvery = said_.recomputeEvery;
        facts_.unknownModule = said_.unknownModule;
        facts_.offloadsWithoutLink = said_.execution.offload.any() && ground_.cluster->accelerator.hostLinkBandwidth <= 0;
        const std::string_view broken = brokenRule(numbers_, facts_);
        if (!broken.empty()) return broken;
        if (!scenario_ && !readWhole(values)) return wholeBroken_;
        put(scenario_->parallelism);
        put(scenario_->execution);
        scenario_->training().microBatch = static_cast<int>(numbers_.microBatch);
        return {};
    }

    const Scenario& scenario() const override { return *scenario_; }

private:
    void take(KeyKind kind, const PlanSays& says) {
        Execution& execution = said_.execution;
        switch (kind) {
        case KeyKind::tensor: numbers_.tensor = says.numbers.tensor; break;
        case KeyKind::pipeline: numbers_.pipeline = says.numbers.pipeline; break;
        case KeyKind::context: numbers_.context = says.numbers.context; break;
        case KeyKind::expert: numbers_.expert = says.numbers.expert; break;
        case KeyKind::expert_tensor: numbers_.expertTensor = says.numbers.expertTensor; break;
        case KeyKind::chunks:
        case KeyKind::schedule: break; // see readSchedules
        case KeyKind::sequence: numbers_.sequence = says.numbers.sequence; break;
        case KeyKind::zero_stage: said_.zeroStage = says.zeroStage; break;
        case KeyKind::shard_group: said_.shardGroup = says.shardGroup; break;
        case KeyKind::context_method:
            said_.contextMethod = says.contextMethod;
            numbers_.exchangesHeads = says.numbers.exchangesHeads;
            break;
        case KeyKind::micro_batch: numbers_.microBatch = says.numbers.microBatch; break;
        case KeyKind::recompute:
            execution.recompute = says.execution.recompute;
            execution.recomputeModules = says.execution.recomputeModules;
            execution.recomputeEvery = says.execution.recomputeEvery;
            said_.recomputeEvery = says.recomputeEvery;
            said_.unknownModule = says.unknownModule;
            break;
        case KeyKind::overlap_data: execution.overlap.data = says.execution.overlap.data; break;
        case KeyKind::overlap_tensor: execution.overlap.tensor = says.execution.overlap.tensor; break;
        case KeyKind::overlap_pipeline: execution.overlap.pipeline = says.execution.overlap.pipeline; break;
        case KeyKind::overlap_expert: execution.overlap.expert = says.execution.overlap.expert; break;
        case KeyKind::offload_weights: execution.offload.weights = says.execution.offload.weights; break;
        case KeyKind::offload_activations: execution.offload.activations = says.execution.offload.activations; break;
        case KeyKind::offload_optimizer: execution.offload.optimizer = says.execution.offload.optimizer; break;
        }
    }

    std::size_t chunkChoices() const { return chunksKey_ ? chunksKey_->given.values.size() : 1; }

    /// Every pair of both keys' values, with the defaults filled in anew.
    void readSchedules() {
        const std::size_t schedules = scheduleKey_ ? scheduleKey_->given.values.size() : 1;
        for (std::size_t schedule = 0; schedule < schedules; ++schedule)
            for (std::size_t chunks = 0; chunks < chunkChoices(); ++chunks) {
                std::vector<ScenarioEdit> edits;
                if (scheduleKey_) edits.push_back({scheduleKey_->given.pointer, scheduleKey_->given.values[schedule]});
                if (chunksKey_) edits.push_back({chunksKey_->given.pointer, chunksKey_->given.values[chunks]});
                FilledDocument filled(*applyEdits(*document_, edits).document);
                fillDefaults(filled, *ground_.profile);
                schedules_.push_back({filled.integer("/parallelism/virtual_pipeline", 1), readSchedule(filled)});
            }
    }

    /// False, with the code, where readScenario knows better.
    bool readWhole(const std::vector<std::size_t>& values) {
        std::vector<ScenarioEdit> edits;
        for (std::size_t i = 0; i < keys_.size(); ++i) edits.push_back({keys_[i].given.pointer, keys_[i].given.values[values[i]]});
        ScenarioReading reading = readScenario(*applyEdits(*document_, edits).document, catalog_, readFile_);
        for (const Problem& problem : reading.problems) {
            if (problem.severity != Severity::error) continue;
            wholeBroken_ = problem.code;
            return false;
        }
        scenario_ = std::move(reading.scenario);
        return true;
    }

    void put(Parallelism& plan) {
        plan.tensor = static_cast<int>(numbers_.tensor);
        plan.pipeline = static_cast<int>(numbers_.pipeline);
        plan.virtualPipeline = static_cast<int>(numbers_.chunksPerStage);
        plan.data = static_cast<int>(numbers_.data());
        plan.context = static_cast<int>(numbers_.context);
        plan.expert = static_cast<int>(numbers_.expert);
        plan.expertTensor = static_cast<int>(numbers_.expertTensor);
        plan.contextMethod = said_.contextMethod;
        plan.sequence = numbers_.sequence && numbers_.tensor > 1;
        plan.zeroStage = said_.zeroStage;
        plan.shardGroup = said_.shardGroup;
        plan.schedule = scheduleRun(numbers_);
        const auto chunks = static_cast<int>(numbers_.chunks());
        if (static_cast<int>(plan.layout.size()) != chunks) plan.layout = layoutOf(chunks);
    }

    const std::vector<int>& layoutOf(int chunks) {
        std::vector<int>& layout = layouts_[chunks];
        if (layout.empty()) layout = pipelineLayout(*ground_.model, *ground_.profile, chunks).layers;
        return layout;
    }

    void put(Execution& execution) {
        const Execution& said = said_.execution;
        execution.recompute = said.recompute;
        execution.recomputeModules = said.recomputeModules;
        execution.recomputeEvery = said.recomputeEvery;
        execution.offload = said.offload;
        execution.overlap = said.overlap;
        if (expertOverlapFollows_) execution.overlap.expert = expertsCross();
        if (waitsForKernels(execution)) execution.overlap = Overlap{};
        if (scenario_->model.experts) execution.expertLoad = expertLoad();
    }

    bool expertsCross() {
        const Parallelism& plan = scenario_->parallelism;
        const auto [known, fresh] = crosses_.try_emplace({plan.tensor, plan.context, plan.pipeline, plan.expert, plan.expertTensor});
        if (fresh) known->second = expertsCrossDomains(plan, *ground_.cluster);
        return known->second;
    }

    double expertLoad() {
        const auto [known, fresh] = loads_.try_emplace(scenario_->parallelism.expert);
        if (fresh) known->second = readExpertLoad(ground_.filled, scenario_->model.experts->count, scenario_->parallelism.expert);
        return known->second;
    }

    BoxedJson document_;
    std::vector<Key> keys_;
    TrainingGround ground_;
    const Catalog& catalog_;
    FileReader readFile_;
    PlanSays said_;       ///< of the plan read last; chunks, schedule and ranks are in `numbers_`
    PlanNumbers numbers_; ///< likewise, with the model
    PlanFacts facts_;
    bool expertOverlapFollows_ = false; ///< from where the ranks lie
    const Key *chunksKey_ = nullptr, *scheduleKey_ = nullptr;
    std::vector<ChunksAndSchedule> schedules_; ///< by value of the schedule, then of the chunks
    std::map<int, std::vector<int>> layouts_;  ///< by chunks
    std::map<std::tuple<int, int, int, int, int>, bool> crosses_;
    std::map<int, double> loads_; ///< by expert ranks
    std::optional<Scenario> scenario_;
    std::string wholeBroken_;
};

bool keepsToSchema(const Json& document) {
    Problems problems;
    checkShape(document, scenarioShape(), "", problems);
    return !hasErrors(problems);
}

/// Whether a mistake stands that no plan mends, or something that only the whole reading looks at.
bool needsWholeReading(const Json& document, const TrainingGround& ground, Problems problems) {
    if (hasErrors(problems) || !ground.profile || !ground.model || !ground.cluster || ground.model->recorded) return true;
    FilledDocument filled = ground.filled;
    const Json* passes = filled.find("/execution/passes");
    if ((passes && !passes->empty()) || filled.has("/parallelism/pipeline_layout")) return true;
    if (sharesExpertsAsLayers(*ground.profile) && ground.model->architecture.experts && !valueAt(document, "/parallelism/expert_tensor")) return true;
    refuseUnsupported(document, problems);
    const PlanNumbers plan = numbersOf(filled, ground.model, *ground.cluster, ground.profile.get());
    checkTensorRules(plan, problems);
    checkRankRules(plan, filled, problems);
    checkPipelineRules(plan, filled, problems);
    checkWorkloadRules(plan, filled, ground.cluster->accelerator, problems);
    checkExpertRules(plan, filled, problems);
    checkStateRules(plan, filled, problems);
    readWhatIfs(filled, *ground.cluster, problems);
    return std::any_of(problems.begin(), problems.end(), [](const Problem& problem) { return problem.severity == Severity::error && !isPlanRule(problem.code); });
}

} // namespace

std::unique_ptr<PlanReader> PlanReader::of(const Json& document, std::vector<PlanKey> keys, const Catalog& catalog, const FileReader& readFile) {
    std::vector<ScenarioEdit> first;
    std::vector<DirectPlanReader::Key> read;
    for (PlanKey& key : keys) {
        const std::optional<KeyKind> kind = kindOf(key.pointer);
        if (!kind || key.values.empty()) return nullptr;
        first.push_back({key.pointer, key.values.front()});
        read.push_back({*kind, std::move(key), {}});
    }
    const EditOutcome edited = applyEdits(document, first);
    const Json* kind = edited.error.empty() ? valueAt(*edited.document, "/workload/kind") : nullptr;
    if (!kind || *kind != Json(wordOf(WorkloadKind::training)) || !keepsToSchema(*edited.document)) return nullptr;
    Problems problems;
    TrainingGround ground = readGround(*edited.document, catalog, readFile, problems);
    if (needsWholeReading(*edited.document, ground, std::move(problems))) return nullptr;
    for (DirectPlanReader::Key& key : read)
        for (const BoxedJson& value : key.given.values) {
            if (value->is_null() || !keepsToSchema(*applyEdits(*edited.document, {{key.given.pointer, value}}).document)) return nullptr;
            FilledDocument filled = ground.filled;
            filled.replace(key.given.pointer, *value);
            key.says.push_back(saidBy(filled, ground));
        }
    return std::make_unique<DirectPlanReader>(document, std::move(read), std::move(ground), catalog, readFile);
}

} // namespace orrery
