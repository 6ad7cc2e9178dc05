#include "core/collectives/library_catalog.hpp"
#include "core/base/json.hpp"
#include "core/units.hpp"
#include "resources/resources.hpp"
#include "resources/shipped_catalog.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <vector>

/// The shipped constants against every measured table of collectives.
namespace orrery {
namespace {

constexpr double mebibyte = 1048576;

CollectiveKind kindOf(const std::string& name) {
    if (name == "all_reduce") return CollectiveKind::all_reduce;
    if (name == "all_gather") return CollectiveKind::all_gather;
    if (name == "reduce_scatter") return CollectiveKind::reduce_scatter;
    if (name == "alltoall") return CollectiveKind::all_to_all;
    if (name == "sendrecv") return CollectiveKind::send_receive;
    if (name == "broadcast") return CollectiveKind::broadcast;
    return CollectiveKind::none;
}

double quantile(std::vector<double> values, double q) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const double at = q * double(values.size() - 1);
    const auto below = std::size_t(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - double(below)) * (values[above] - values[below]);
}

/// Percent errors of a table or of all, by message size.
struct Errors {
    std::vector<double> large; ///< from 1 MiB up
    std::vector<double> small;
    void add(double bytes, double percent) { (bytes >= mebibyte ? large : small).push_back(percent); }
    void add(const Errors& more) {
        large.insert(large.end(), more.large.begin(), more.large.end());
        small.insert(small.end(), more.small.begin(), more.small.end());
    }
};

std::vector<double> magnitudes(std::vector<double> values) {
    for (double& value : values) value = std::fabs(value);
    return values;
}

std::string line(const Errors& errors) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(1);
    const auto part = [&out](const char* name, const std::vector<double>& values) {
        out << "  " << name << ' ';
        if (values.empty()) {
            out << "-";
            return;
        }
        out << "median " << quantile(magnitudes(values), 0.5) << " p90 " << quantile(magnitudes(values), 0.9) << " bias "
            << std::showpos << quantile(values, 0.5) << std::noshowpos;
    };
    part("from 1 MiB:", errors.large);
    part(" below:", errors.small);
    return out.str();
}

const Json* platformOf(const Json& platforms, const Json& table) {
    for (const Json& platform : platforms.at("platforms"))
        if (platform.at("hardware") == table.at("hardware") && platform.at("interconnect") == table.at("interconnect"))
            return &platform;
    return nullptr;
}

TEST(NcclTables, AreMetFromTheDataSheetAndFewConstants) {
    ORRERY_REQUIRE_SHARED("reference/nccl.json");
    const Json reference = Json::parse(test::readWholeFile(test::sharedPath("reference/nccl.json")));
    const Json platforms = Json::parse(test::readWholeFile(std::string(ORRERY_SOURCE_DIR) + "/tests/data/nccl_platforms.json"));
    const Catalog catalog = shippedCatalog();
    const LibraryCatalog libraries = LibraryCatalog::fromText(resourceText("catalog/collectives.json"));
    Errors all;
    for (const Json& table : reference.at("tables")) {
        const std::string id = table.at("id").get<std::string>();
        const Json* platform = platformOf(platforms, table);
        ASSERT_NE(platform, nullptr) << "no platform for the hardware of " << id;
        const std::string accelerator = platform->at("accelerator").get<std::string>();
        const Platform* usual = catalog.usualPlatform(accelerator);
        ASSERT_NE(usual, nullptr) << accelerator;
        const LibraryConstants constants = libraries.constants(accelerator, platform->value("network", std::string()));
        EXPECT_TRUE(constants.measured && constants.inheritedFrom.empty()) << accelerator;

        LibraryRequest request;
        request.kind = kindOf(table.at("collective").get<std::string>());
        ASSERT_NE(request.kind, CollectiveKind::none) << id;
        request.ranks = table.at("ranks").get<int>();
        const int domain = platform->at("scale_up_domain").get<int>();
        request.domains = (request.ranks + domain - 1) / domain;
        request.membersPerDomain = request.ranks / request.domains;
        request.upBandwidth = usual->scaleUpBandwidth;
        if (request.domains > 1) {
            request.outBandwidth = platform->at("scale_out_gb_per_s").get<double>() * units::gigabyte;
            request.outLatency = 2 * usual->scaleOutLatency; // through one switch
        }
        Errors errors;
        for (const Json& row : table.at("rows")) {
            request.bytes = row.at(0).get<double>();
            const double measured = row.at(1).get<double>() * units::microsecond;
            errors.add(request.bytes, 100 * (chooseAlgorithm(constants, request).time / measured - 1));
        }
        std::cout << std::left << std::setw(44) << id << line(errors) << '\n';
        all.add(errors);
    }
    std::cout << std::left << std::setw(44) << "all rows" << line(all) << '\n';
    EXPECT_LE(quantile(magnitudes(all.large), 0.5), 10);
    EXPECT_LE(quantile(magnitudes(all.large), 0.9), 25);
    EXPECT_LE(quantile(magnitudes(all.small), 0.5), 25);
}

} // namespace
} // namespace orrery
