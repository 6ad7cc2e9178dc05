// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"
#include "core/network/cluster.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/scenario.hpp"

// The words of a scenario document. Those of schedules, precisions and drawn topologies stand with these: schedule_traits.hpp,
// precisions.hpp, network_words.hpp.

namespace orrery {

template <> struct WordsOf<WorkloadKind> {
    static constexpr std::array table{Word{WorkloadKind::training, "training"}, Word{WorkloadKind::inference, "inference"},
                                      Word{WorkloadKind::serving, "serving"}, Word{WorkloadKind::rl, "rl"}};
};

template <> struct WordsOf<OptimizerKind> {
    static constexpr std::array table{Word{OptimizerKind::adam, "adam"}, Word{OptimizerKind::sgd, "sgd"}, Word{OptimizerKind::muon, "muon"}};
};

template <> struct WordsOf<Fp8Recipe> {
    static constexpr std::array table{Word{Fp8Recipe::tensorwise, "tensorwise"}, Word{Fp8Recipe::rowwise, "rowwise"}, Word{Fp8Recipe::block, "block"}};
};

template <> struct WordsOf<TaskKind> {
    static constexpr std::array table{Word{TaskKind::pretrain, "pretrain"}, Word{TaskKind::sft, "sft"}, Word{TaskKind::lora, "lora"}};
};

template <> struct WordsOf<AdapterTarget> {
    static constexpr std::array table{Word{AdapterTarget::q_proj, "q_proj"}, Word{AdapterTarget::k_proj, "k_proj"}, Word{AdapterTarget::v_proj, "v_proj"},
                                      Word{AdapterTarget::o_proj, "o_proj"}, Word{AdapterTarget::gate_proj, "gate_proj"}, Word{AdapterTarget::up_proj, "up_proj"},
                                      Word{AdapterTarget::down_proj, "down_proj"}};
};

template <> struct WordsOf<ContextMethod> {
    static constexpr std::array table{Word{ContextMethod::ring, "ring"}, Word{ContextMethod::all_gather, "all_gather"},
                                      Word{ContextMethod::all_to_all, "all_to_all"}};
};

template <> struct WordsOf<RecomputeKind> {
    static constexpr std::array table{Word{RecomputeKind::none, "none"}, Word{RecomputeKind::selective, "selective"},
                                      Word{RecomputeKind::full, "full"}, Word{RecomputeKind::automatic, "auto"},
                                      Word{RecomputeKind::modules, "modules", WordForm::key},
                                      Word{RecomputeKind::every, "every", WordForm::key}};
};

template <> struct WordsOf<RecomputeModule> {
    static constexpr std::array table{Word{RecomputeModule::core_attention, "core_attn"}, Word{RecomputeModule::norms, "layernorm"},
                                      Word{RecomputeModule::latent_up_projections, "mla_up_proj"}, Word{RecomputeModule::feed_forward, "mlp"},
                                      Word{RecomputeModule::experts, "moe"}, Word{RecomputeModule::expert_activation, "moe_act"},
                                      Word{RecomputeModule::shared_experts, "shared_experts"}};
};

template <> struct WordsOf<AttentionKind> {
    static constexpr std::array table{Word{AttentionKind::flash, "flash"}, Word{AttentionKind::unfused, "unfused"},
                                      Word{AttentionKind::fa2, "fa2"}, Word{AttentionKind::fa3, "fa3"},
                                      Word{AttentionKind::fa4, "fa4"}, Word{AttentionKind::cudnn, "cudnn"}};
};

template <> struct WordsOf<AttentionPrecision> {
    static constexpr std::array table{Word{AttentionPrecision::fp8, "fp8"}};
};

template <> struct WordsOf<ExpertDispatch> {
    static constexpr std::array table{Word{ExpertDispatch::dropless, "dropless"}, Word{ExpertDispatch::capacity, "capacity_factor", WordForm::key}};
};

template <> struct WordsOf<ExpertDispatcher> {
    static constexpr std::array table{Word{ExpertDispatcher::alltoall, "alltoall"}, Word{ExpertDispatcher::allgather, "allgather"},
                                      Word{ExpertDispatcher::deepep, "deepep"}, Word{ExpertDispatcher::hybridep, "hybridep"}};
};

template <> struct WordsOf<GraphsHeld> {
    static constexpr std::array table{Word{GraphsHeld::full_iteration, "full_iteration"}, Word{GraphsHeld::parts, "scope", WordForm::key}};
};

template <> struct WordsOf<GraphPart> {
    static constexpr std::array table{Word{GraphPart::attention, "attention"}, Word{GraphPart::mlp, "mlp"}, Word{GraphPart::moe, "moe"},
                                      Word{GraphPart::moe_router, "moe_router"}, Word{GraphPart::moe_preprocess, "moe_preprocess"},
                                      Word{GraphPart::mamba, "mamba"}};
};

template <> struct WordsOf<ExpertLoad> {
    static constexpr std::array table{Word{ExpertLoad::balanced, "balanced"}, Word{ExpertLoad::zipf, "zipf", WordForm::key},
                                      Word{ExpertLoad::histogram, "histogram", WordForm::key}};
};

template <> struct WordsOf<CollectiveTiming> {
    static constexpr std::array table{Word{CollectiveTiming::measured, "measured"}, Word{CollectiveTiming::stated, "stated"}};
};

template <> struct WordsOf<JitterMethod> {
    static constexpr std::array table{Word{JitterMethod::sampled, "sampled"}, Word{JitterMethod::analytic, "analytic"}};
};

template <> struct WordsOf<JitterClass> {
    static constexpr std::array table{Word{JitterClass::compute, "compute"}, Word{JitterClass::memory, "memory"},
                                      Word{JitterClass::communication, "communication"}};
};

} // namespace orrery
