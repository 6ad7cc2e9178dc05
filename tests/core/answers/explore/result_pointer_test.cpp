// SPDX-License-Identifier: GPL-3.0-or-later
// Pointers into results: JSON's own, and steps that choose an entry by what it holds.
#include "core/base/json.hpp"
#include "core/results/report/result_pointer.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

const Json& result() {
    static const Json document = Json::parse(R"({
      "iteration_time_s": 1.5, "fits": true, "memory": {"peak_bytes": 7, "stages": [{"stage": 0}, {"stage": 1, "weights": 3}]},
      "operations": [{"kind": "mlp.down", "phase": "prefill", "bound": "compute"}, {"kind": "mlp.down", "phase": "decode", "bound": "memory"},
                     {"kind": "mlp.down", "phase": "decode", "bound": "second"}]
    })");
    return document;
}

TEST(ResultPointer, LeadsWhereJsonPointersLead) {
    for (const char* pointer : {"", "/iteration_time_s", "/memory", "/memory/stages/1/weights", "/operations/0/kind"}) {
        const Json* value = resultAt(result(), pointer);
        ASSERT_NE(value, nullptr) << pointer;
        EXPECT_EQ(*value, result().at(Json::json_pointer(pointer))) << pointer;
    }
    for (const char* pointer : {"iteration_time_s", "/nothing", "/memory/stages/2", "/memory/stages/-1", "/iteration_time_s/0", "/operations/01x"}) EXPECT_EQ(resultAt(result(), pointer), nullptr) << pointer;
}

TEST(ResultPointer, AStepIntoAListTakesTheFirstEntryThatHasAllConditions) {
    EXPECT_EQ(*resultAt(result(), "/operations/kind=mlp.down,phase=decode/bound"), "memory");
    EXPECT_EQ(*resultAt(result(), "/operations/kind=mlp.down/bound"), "compute");
    EXPECT_EQ(*resultAt(result(), "/memory/stages/stage=1/weights"), 3);
    EXPECT_EQ(resultAt(result(), "/operations/kind=mlp.up/bound"), nullptr);
    EXPECT_EQ(resultAt(result(), "/operations/kind=/bound"), nullptr);
    EXPECT_EQ(resultAt(result(), "/memory/peak_bytes=7"), nullptr);
}

TEST(ResultPointer, AMissingFigureIsToldWithTheNearestOne) {
    EXPECT_NE(noSuchFigure(result(), "/iteration_tme_s").mend.find("\"/iteration_time_s\""), std::string::npos);
    EXPECT_NE(noSuchFigure(result(), "/memory/peak_byte").mend.find("\"/memory/peak_bytes\""), std::string::npos);
    for (const char* pointer : {"mfu", "/x", "/operations/kind=no/bound", "/iteration_time_s/more"}) {
        const Problem problem = noSuchFigure(result(), pointer);
        EXPECT_NE(problem.message.find(pointer), std::string::npos);
        EXPECT_FALSE(problem.mend.empty());
    }
}

} // namespace
} // namespace orrery
