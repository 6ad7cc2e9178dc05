// SPDX-License-Identifier: GPL-3.0-or-later
// The closed form of an exchange that sends each token once, with DeepEP's constants, against DeepEP's measured kernels.

#include "app/common/operator_tables.hpp"
#include "core/catalog/collectives/expert_exchange.hpp"
#include "resources/shipped_catalog.hpp"

#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <map>

namespace orrery {
namespace {

constexpr double multiprocessors = 20; ///< Megatron-Core's default, what the constants hold for
constexpr double fewestTokens = 512;   ///< below, launches alone count

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

TEST(ExchangeTables, DeepEpIsMetByItsClosedFormAndFiveConstants) {
    ORRERY_REQUIRE_SHARED("reference/operators");
    const Catalog catalog = shippedCatalog();
    Problems problems;
    std::map<std::string, std::vector<double>> errors; // of combine, which is in bf16, as training's exchanges are
    for (const SystemTables& system : loadOperatorTables(test::sharedPath("reference/operators"), catalog, problems)) {
        const Platform* platform = catalog.usualPlatform(system.accelerator->id);
        const LibraryConstants library = catalog.library().constants(system.accelerator->id);
        const ExchangeLibrary* deepEp = library.exchange("deepep");
        ASSERT_NE(deepEp, nullptr);
        for (const KernelTable& table : system.tables) {
            if (table.kind != KernelKind::deepep_normal) continue;
            for (const MeasuredCall& measured : table.calls) {
                const std::array<double, 9>& sizes = measured.call.sizes; // sizeColumns(deepep_normal)
                const double nodes = sizes[0], hidden = sizes[1], tokens = sizes[2], perToken = sizes[3], experts = sizes[4], sms = sizes[5];
                const bool combine = (measured.call.variant & combineBit) != 0;
                if (!combine || sms != multiprocessors || tokens < fewestTokens) continue;
                const int ranks = static_cast<int>(nodes) * platform->acceleratorsPerNode;
                const ExchangeForm form = exchangeForm({static_cast<int>(experts), static_cast<int>(perToken), 1, 1}, ranks, static_cast<int>(nodes));
                const double bytes = tokens * hidden * 2;
                const double up = form.up * bytes / (upShareOf(*deepEp, form, platform->scaleUpBandwidth) * platform->scaleUpBandwidth);
                const double out = form.out * bytes / (deepEp->outShare * platform->scaleOutBandwidth);
                const double time = deepEp->start + std::max(up, out);
                errors[system.name + ", " + std::to_string(static_cast<int>(nodes)) + " nodes"].push_back(100 * (time / measured.seconds - 1));
            }
        }
    }
    ASSERT_FALSE(errors.empty());
    for (const auto& [name, of] : errors) {
        std::vector<double> magnitudes;
        for (const double error : of) magnitudes.push_back(std::abs(error));
        std::cout << std::left << std::setw(24) << name << of.size() << " rows, median error " << std::setprecision(3) << median(of)
                  << " %, median magnitude " << median(magnitudes) << " %\n";
        // Two nodes are between the limits of links and multiprocessors, which the form takes one at a time; on eight the fabric
        // measured is congested (22 GB/s of 50).
        if (name.find("2 nodes") != std::string::npos || name.find("8 nodes") != std::string::npos) continue;
        // The constants were fitted to nodes of eight; on trays of four the same multiprocessors serve fewer channels.
        EXPECT_LE(median(magnitudes), name.starts_with("gb") ? 20 : 10) << name;
    }
}

} // namespace
} // namespace orrery
