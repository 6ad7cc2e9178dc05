// SPDX-License-Identifier: GPL-3.0-or-later
// Holds finishTimes() against SimGrid, which runs as a program of its own.

#include "core/base/json.hpp"
#include "tests/support/max_min_property.hpp"
#include "tests/support/process.hpp"
#include "tests/support/random_flows.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>
#include <sstream>

namespace orrery {
namespace {

using namespace orrery::test;

constexpr int casesAFamily = 40; // of six families

/// Both sides are exact but for rounding, which a few thousand changes of rate add up; anything more is a mistake of one.
/// Relative to the time that a flow takes, which is stricter than of the time at which it ends.
constexpr double tolerance = 1e-6;

std::vector<FlowCase> casesOf(TopologyFamily family) {
    std::vector<FlowCase> cases;
    for (int seed = 0; seed < casesAFamily; ++seed) {
        CaseSize size;
        if (seed == 0) size.mostHosts = size.fewestHosts; // the ends of the range are always there
        if (seed == 1) size.fewestHosts = size.mostHosts;
        cases.push_back(randomFlowCase(family, static_cast<std::uint64_t>(seed), size));
    }
    return cases;
}

std::string asLine(const FlowCase& given) {
    nlohmann::json flows = nlohmann::json::array();
    for (const PointFlow& flow : given.flows) {
        nlohmann::json entry{{"start", flow.start}, {"bytes", static_cast<std::uint64_t>(flow.bytes)}, {"path", flow.path}};
        if (flow.cap < unlimitedRate) entry["cap"] = flow.cap;
        flows.push_back(std::move(entry));
    }
    return nlohmann::json{{"capacities", given.capacities}, {"flows", flows}}.dump() + "\n";
}

/// One row of finish times a case; fails the test when SimGrid gives no answer.
std::vector<std::vector<double>> askSimgrid(const std::vector<FlowCase>& cases) {
    ProcessOptions options;
    for (const FlowCase& given : cases) options.input += asLine(given);
    const ProcessResult run = runProcess({ORRERY_SIMGRID_ORACLE}, options);
    EXPECT_EQ(run.status, 0) << run.err;
    std::vector<std::vector<double>> answers;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) answers.push_back(nlohmann::json::parse(line).at("finish"));
    return answers;
}

class OverTopologies : public testing::TestWithParam<TopologyFamily> {};

TEST_P(OverTopologies, FinishTimesEqualSimgrids) {
    if (std::string(ORRERY_SIMGRID_ORACLE).empty()) {
        constexpr const char* why = "SimGrid was not found when this was built (Debian: libsimgrid-dev)";
        if (sharedDataIsRequired()) FAIL() << why;
        GTEST_SKIP() << why;
    }
    const std::vector<FlowCase> cases = casesOf(GetParam());
    const std::vector<std::vector<double>> answers = askSimgrid(cases);
    ASSERT_EQ(answers.size(), cases.size());
    double largest = 0;
    std::size_t compared = 0;
    for (std::size_t c = 0; c < cases.size(); ++c) {
        const FlowCase& given = cases[c];
        const std::vector<double> finish = finishTimes(given.capacities, given.flows);
        ASSERT_EQ(finish.size(), given.flows.size()) << given.what;
        ASSERT_EQ(answers[c].size(), given.flows.size()) << given.what;
        for (std::size_t i = 0; i < finish.size(); ++i) {
            const double start = given.flows[i].start;
            const double difference = std::abs(finish[i] - answers[c][i]) / (answers[c][i] - start);
            ++compared;
            if (difference > largest) largest = difference;
            ASSERT_LE(difference, tolerance) << given.what << ", flow " << i << ": from " << start << " to " << finish[i]
                                             << " s, by SimGrid to " << answers[c][i] << " s";
        }
    }
    std::ostringstream found;
    found << largest;
    RecordProperty("largest_relative_difference", found.str());
    std::cout << cases.size() << " cases, " << compared << " flows; largest relative difference " << largest << std::endl;
}

TEST_P(OverTopologies, RatesOfOneMomentAreMaxMinFair) {
    for (const FlowCase& given : casesOf(GetParam())) {
        const std::vector<FlowDemand> demands = demandsOf(given.flows);
        ASSERT_EQ(whyNotMaxMin(given.capacities, demands, maxMinRates(given.capacities, demands)), "") << given.what;
    }
}

/// The generator must not have quietly shrunk: what the comparison is worth hangs on what it covers.
TEST_P(OverTopologies, CasesReachFromTenHostsToThousands) {
    std::size_t fewest = 1000000, most = 0, mostFlows = 0;
    int capped = 0, late = 0;
    for (const FlowCase& given : casesOf(GetParam())) {
        fewest = std::min(fewest, given.hosts);
        most = std::max(most, given.hosts);
        mostFlows = std::max(mostFlows, given.flows.size());
        capped += given.what.find("capped") != std::string::npos ? 1 : 0;
        late += given.what.find("at once") == std::string::npos ? 1 : 0;
    }
    EXPECT_LE(fewest, 16U);
    EXPECT_GE(most, 1000U);
    EXPECT_LE(most, 2100U);
    EXPECT_GE(mostFlows, 1000U);
    EXPECT_GE(capped, 5);
    EXPECT_GE(late, 10);
}

std::string familyName(const testing::TestParamInfo<TopologyFamily>& info) {
    const std::string what = randomFlowCase(info.param, 0, {10, 10, 3}).what;
    return what.substr(0, what.find(' '));
}

INSTANTIATE_TEST_SUITE_P(Simgrid, OverTopologies,
                         testing::Values(TopologyFamily::fat_tree, TopologyFamily::leaf_spine, TopologyFamily::random_graph,
                                         TopologyFamily::ring, TopologyFamily::torus, TopologyFamily::dragonfly),
                         familyName);

} // namespace
} // namespace orrery
