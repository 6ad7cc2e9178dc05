// SPDX-License-Identifier: GPL-3.0-or-later
// The words of a scenario: each value of an enum has one, and the schema lists those of the table.
#include "core/base/json.hpp"
#include "core/catalog/collectives/library.hpp"
#include "core/order/serving/policy_traits.hpp"
#include "core/scenario/document/schema_document.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/scenario/scenario_words.hpp"
#include "core/scenario/serving_words.hpp"
#include "tests/support/enumerators.hpp"

#include <gtest/gtest.h>

#include <set>

namespace orrery::test {
namespace {

template <class Enum> class EveryWord : public testing::Test {};
using Spelled = testing::Types<PipelineOrder, Precision, WorkloadKind, OptimizerKind, Fp8Recipe, TaskKind, ContextMethod, RecomputeKind, RecomputeModule,
                               AttentionKind, ExpertDispatch, ExpertDispatcher, GraphsHeld, GraphPart, ExpertLoad, ArrivalProcess, LengthKind, SchedulerPolicy, QueueOrder, RouterKind, DraftMethod, ActivationScales, CollectiveAlgorithm, CollectiveWay, CollectiveProtocol, CollectiveTiming, JitterMethod,
                               JitterClass, NodeKind, RoutingKind>;
TYPED_TEST_SUITE(EveryWord, Spelled);

TYPED_TEST(EveryWord, BelongsToOneValueAndComesBackFromIt) {
    const std::size_t values = enumeratorCount<TypeParam>();
    EXPECT_EQ(WordsOf<TypeParam>::table.size(), values);
    std::set<std::string_view> words;
    for (std::size_t number = 0; number < values; ++number) {
        const auto value = static_cast<TypeParam>(number);
        const std::string_view word = wordOf(value);
        EXPECT_FALSE(word.empty()) << number;
        EXPECT_TRUE(words.insert(word).second) << word;
        EXPECT_EQ(fromWord<TypeParam>(word), value) << word;
    }
    EXPECT_FALSE(fromWord<TypeParam>(""));
    EXPECT_FALSE(fromWord<TypeParam>("no such word"));
    for (const std::string& text : textWords<TypeParam>()) EXPECT_EQ(fromText<TypeParam>(text), fromWord<TypeParam>(text));
}

TEST(Words, AKeyIsNoText) {
    EXPECT_EQ(fromWord<RecomputeKind>("every"), RecomputeKind::every);
    EXPECT_FALSE(fromText<RecomputeKind>("every"));
    EXPECT_EQ(fromText<RecomputeKind>("auto"), RecomputeKind::automatic);
}

/// The words that the schema allows below a section, or in a choice's first alternative.
Json listed(const std::string& pointer) { return scenarioSchema().at(Json::json_pointer("/properties/" + pointer + "/enum")); }

TEST(Words, AreThoseOfTheSchema) {
    EXPECT_EQ(listed("parallelism/properties/schedule"), Json(textWords<PipelineOrder>()));
    EXPECT_EQ(listed("parallelism/properties/context_method"), Json(textWords<ContextMethod>()));
    const std::string training = "workload/oneOf/0/properties/";
    EXPECT_EQ(listed(training + "precision"), Json(precisionWords(PrecisionUse::training)));
    EXPECT_EQ(listed(training + "gradient_precision"), Json(precisionWords(PrecisionUse::gradients)));
    EXPECT_EQ(listed(training + "optimizer_precision"), Json(precisionWords(PrecisionUse::optimizer_states)));
    EXPECT_EQ(listed("workload/oneOf/1/properties/precision"), Json(precisionWords(PrecisionUse::inference)));
    EXPECT_EQ(listed(training + "optimizer"), Json(textWords<OptimizerKind>()));
    EXPECT_EQ(listed(training + "fp8_recipe"), Json(textWords<Fp8Recipe>()));
    EXPECT_EQ(listed(training + "task"), Json(textWords<TaskKind>()));
    EXPECT_EQ(listed("workload/oneOf/2/properties/requests/properties/arrival/properties/process"), Json(textWords<ArrivalProcess>()));
    EXPECT_EQ(listed("execution/properties/recompute/anyOf/0"), Json(textWords<RecomputeKind>()));
    EXPECT_EQ(listed("execution/properties/attention"), Json(textWords<AttentionKind>()));
    EXPECT_EQ(listed("execution/properties/moe_dispatch/anyOf/0"), Json(textWords<ExpertDispatch>()));
    EXPECT_EQ(listed("execution/properties/moe_dispatcher"), Json(textWords<ExpertDispatcher>()));
    EXPECT_EQ(listed("execution/properties/cuda_graphs/anyOf/1"), Json(textWords<GraphsHeld>()));
    EXPECT_EQ(listed("execution/properties/cuda_graphs/anyOf/2/properties/scope/items"), Json(textWords<GraphPart>()));
    EXPECT_EQ(listed("execution/properties/expert_load/anyOf/0"), Json(textWords<ExpertLoad>()));
    for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter", "broadcast"})
        EXPECT_EQ(listed(std::string("execution/properties/collectives/properties/") + operation), Json(textWords<CollectiveAlgorithm>()));
    EXPECT_EQ(listed("execution/properties/collectives/properties/protocol"), Json(textWords<CollectiveProtocol>()));
    EXPECT_EQ(listed("execution/properties/collectives/properties/timing"), Json(textWords<CollectiveTiming>()));
    EXPECT_EQ(listed("execution/properties/jitter/anyOf/1/properties/method"), Json(textWords<JitterMethod>()));
    EXPECT_EQ(listed("cluster/properties/topology/properties/nodes/items/properties/kind"), Json(textWords<NodeKind>()));
    EXPECT_EQ(listed("cluster/properties/topology/properties/routing"), Json(textWords<RoutingKind>()));
}

/// The words are the contract's (section 1), whoever spells them in the program.
TEST(Words, AreThoseOfTheContract) {
    const auto words = [](auto... one) { return std::vector<std::string>{one...}; };
    EXPECT_EQ(textWords<PipelineOrder>(), words("gpipe", "1f1b", "interleaved", "zb-h1", "zb-v", "v-half", "v-min", "dualpipe"));
    EXPECT_EQ(textWords<ExpertDispatcher>(), words("alltoall", "allgather", "deepep", "hybridep"));
    EXPECT_EQ(textWords<GraphsHeld>(), words("full_iteration"));
    EXPECT_EQ(textWords<RecomputeKind>(), words("none", "selective", "full", "auto"));
    EXPECT_EQ(precisionWords(PrecisionUse::training), words("bf16", "fp16", "fp8", "mxfp8", "nvfp4", "int8", "int4")); // the last two of frozen weights
    EXPECT_EQ(precisionWords(PrecisionUse::inference), words("bf16", "fp16", "fp8", "mxfp8", "nvfp4", "int8", "int4", "mxfp4"));
    EXPECT_EQ(textWords<RecomputeModule>(), words("core_attn", "layernorm", "mla_up_proj", "mlp", "moe", "moe_act", "shared_experts"));
}

/// A format's name ends in its bits.
TEST(Words, APrecisionHasAsManyBitsAsItSays) {
    for (const PrecisionTraits& traits : precisionTable) {
        const std::string word(traits.word);
        const std::size_t digits = word.find_last_not_of("0123456789") + 1;
        EXPECT_EQ(traits.bits(), std::stoi(word.substr(digits))) << word;
    }
}

} // namespace
} // namespace orrery::test
