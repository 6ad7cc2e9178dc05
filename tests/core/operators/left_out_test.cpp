// SPDX-License-Identifier: GPL-3.0-or-later
// The predictor on shapes it never saw, from the measured tables themselves: fitted without a fifth of the weight shapes, head shapes,
// grid cells and models, then held against exactly those.

#include "app/common/operator_tables.hpp"
#include "core/operators/fitting.hpp"
#include "resources/shipped_catalog.hpp"

#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <thread>

namespace orrery {
namespace {

struct Limit {
    double median, p90;
};

constexpr double any = 1e9; // of latent attention the median is asked for alone

/// Percent, for each system and number format.
const std::map<std::string, Limit>& limits() {
    static const std::map<std::string, Limit> all{{"gemm", {3, 10}}, {"context_attention", {3, 10}}, {"generation_attention", {3.5, 16}}, {"context_mla", {3, any}}, {"generation_mla", {3, any}}, {"moe", {11, 36}}, {"nccl", {13, 36}}};
    return all;
}

/// Cells that do not keep their limit today; they are printed. Blackwell's bf16 products choose among more kernels than shapes explain;
/// A100's quantised ones err as much on single rows of shapes that a fit has seen; one in nine of Hopper's rows of experts in bf16 and
/// fp8 took a kernel three to five times slower than the same shape's other rows; of 4-bit weights with 8-bit rows two models were measured.
bool knownToFail(const OperatorErrors& row) {
    const bool blackwell = row.system[0] == 'b' || row.system[0] == 'g';
    if (row.kind == "moe") return row.format.starts_with("w4a8") || (row.system[0] == 'h' && (row.format == "bf16" || row.format == "fp8"));
    if (row.kind == "gemm") return (blackwell && row.format == "bf16") || (row.system == "a100_sxm" && row.format != "bf16");
    return false;
}

class LeftOut : public testing::Test {
protected:
    static constexpr std::size_t folds = 5;
    Catalog catalog = shippedCatalog();
    std::vector<SystemTables> systems;

    void load() {
        Problems problems;
        systems = loadOperatorTables(test::sharedPath("reference/operators"), catalog, problems);
        for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    }

    /// Kinds whose fits take long: one fold stands for all.
    static bool isLarge(KernelKind kind) { return kind == KernelKind::gemm || kind == KernelKind::moe; }
    void keep(bool large) {
        for (SystemTables& system : systems)
            std::erase_if(system.tables, [large](const KernelTable& table) { return isLarge(table.kind) != large; });
    }

    OperatorPredictor fitWithout(const RowFilter& leftOut) const {
        const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
        return fitPredictor(systems, threads, [&](const SystemTables& system, const MeasuredCall& measured) { return !leftOut(system, measured); });
    }

    static void hold(const std::vector<OperatorErrors>& rows) {
        std::map<std::string, std::vector<double>> medians;
        for (const OperatorErrors& row : rows) {
            if (row.system == "l40s" || row.count == 0) continue;
            const auto limit = limits().find(row.kind);
            if (limit == limits().end()) continue;
            medians[row.kind].push_back(row.median);
            const bool kept = row.median <= limit->second.median && row.p90 <= limit->second.p90;
            if (!kept) std::cout << row.system << ' ' << row.kind << ' ' << row.format << ": " << row.median << " % / " << row.p90 << " %\n";
            EXPECT_TRUE(kept || knownToFail(row)) << row.system << ' ' << row.kind << ' ' << row.format << ": " << row.median << " % / " << row.p90 << " %";
        }
        for (auto& [kind, values] : medians) {
            std::sort(values.begin(), values.end());
            EXPECT_LE(values[values.size() / 2], limits().at(kind).median) << kind;
        }
    }
};

TEST_F(LeftOut, ShapesOfProductsNeverSeen) {
    ORRERY_REQUIRE_SHARED("reference/operators");
    load();
    ASSERT_EQ(systems.size(), 8U);
    keep(true);
    const ShapePart partOf = dealShapes(systems, folds);
    const RowFilter leftOut = [&](const SystemTables&, const MeasuredCall& measured) { return partOf(measured.call) == 0; };
    const OperatorPredictor predictor = fitWithout(leftOut);
    hold(operatorErrors(systems, timesOf(predictor, systems, catalog), leftOut));
}

/// Each row of the others is left out once: a fifth of a latent attention's table is 90 to 300 rows, of an attention's few heads.
TEST_F(LeftOut, CellsOfAttentionAndCollectives) {
    ORRERY_REQUIRE_SHARED("reference/operators");
    load();
    keep(false);
    const ShapePart partOf = dealShapes(systems, folds);
    std::vector<OperatorPredictor> predictors;
    for (std::size_t fold = 0; fold < folds; ++fold)
        predictors.push_back(fitWithout([fold, &partOf](const SystemTables&, const MeasuredCall& measured) { return partOf(measured.call) == fold; }));
    std::vector<CallTime> times;
    for (const OperatorPredictor& predictor : predictors) times.push_back(timesOf(predictor, systems, catalog));
    hold(operatorErrors(systems, [&](const SystemTables& system, const KernelCall& call) { return times[partOf(call)](system, call); }));
}

/// A constant factor on a whole machine's times moves its errors by that factor and no other machine's: nothing is averaged away.
TEST_F(LeftOut, ErrorsAreEachMachinesOwn) {
    ORRERY_REQUIRE_SHARED("reference/operators");
    load();
    const auto exact = [&](const SystemTables& system, const KernelCall&) -> std::optional<double> { return system.name == "gb200" ? 2.0 : 1.0; };
    for (SystemTables& system : systems)
        for (KernelTable& table : system.tables)
            for (MeasuredCall& measured : table.calls) measured.seconds = 1;
    for (const OperatorErrors& row : operatorErrors(systems, exact)) {
        EXPECT_DOUBLE_EQ(row.median, row.system == "gb200" ? 100 : 0);
        EXPECT_EQ(row.refused, 0U);
    }
}

} // namespace
} // namespace orrery
