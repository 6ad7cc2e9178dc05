// SPDX-License-Identifier: GPL-3.0-or-later
// The examples by node, memory and network: what Kundu et al. 2024 (arXiv 2407.14645) conclude from such studies must hold in them.
#include "core/answers/study/run_study.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"
#include "resources/resources.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace orrery {
namespace {

const std::vector<double> nodesOfStudy{12, 10, 7, 5, 3, 2, 1.4, 1};

/// Numbers and words of one point, by the names of the study's plots.
struct Figures {
    std::map<std::string, double> numbers;
    std::string bottleneck;
    double operator[](const char* name) const { return numbers.at(name); }
};

class TechnologyStudy {
public:
    explicit TechnologyStudy(const std::string& name) {
        Problems problems;
        const auto document = parseJson(resourceText("examples/" + name + ".orrery-study.json"), name, problems);
        const auto study = document ? readStudy(*document, problems) : std::nullopt;
        for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
        study_ = study.value_or(Study{});
        points_ = studyPoints(study_);
    }

    std::size_t size() const { return points_.size(); }

    /// One point; `set` names the constants.
    Figures at(double node, const std::string& memory, const std::string& network, const std::string& set = "tsmc-mix") const {
        const std::string name = formatNumber(node) + " nm · " + memory + (network.empty() ? "" : " · " + network);
        const auto found = std::find_if(points_.begin(), points_.end(), [&](const StudyPoint& point) { return point.name == name; });
        if (found == points_.end()) throw std::runtime_error("no point " + name);
        StudyPoint point = *found;
        Json document = *point.document;
        document["cluster"]["accelerator"]["technology"]["set"] = set;
        point.document = document;
        const StudyOutcome outcome = runStudyPoint(study_, point, test::catalog(), {});
        for (const Problem& problem : outcome.problems) ADD_FAILURE() << name << ": " << toText(problem);
        Figures figures;
        for (std::size_t plot = 0; plot < study_.plots.size(); ++plot) {
            if (outcome.numbers.at(plot).value) figures.numbers[study_.plots[plot].name] = *outcome.numbers[plot].value;
            if (study_.plots[plot].name == "Bottleneck") figures.bottleneck = outcome.numbers[plot].word;
        }
        return figures;
    }

    Figures at(double node, int stacks) const { return at(node, formatNumber(stacks) + " stacks", ""); }

    /// The first node, from the largest, whose bottleneck is the network; 0 where there is none.
    double crossover(const std::string& memory, const std::string& network, const std::string& set) const {
        for (const double node : nodesOfStudy)
            if (at(node, memory, network, set).bottleneck == "network") return node;
        return 0;
    }

private:
    Study study_;
    std::vector<StudyPoint> points_;
};

TEST(TrainingByNode, LogicAlonePaysLessAndLess) {
    const TechnologyStudy study("gpt3-nodes-memory-network");
    EXPECT_EQ(study.size(), 8U * 4 * 3);
    std::vector<Figures> slow, fast;
    for (const double node : nodesOfStudy) {
        slow.push_back(study.at(node, "HBM2E", "NVLink 4, NDR"));
        fast.push_back(study.at(node, "HBM4", "NVLink 6, GDR"));
    }
    const auto gain = [](const std::vector<Figures>& by, std::size_t from, std::size_t to) { return by[from]["Iteration"] / by[to]["Iteration"]; };
    for (std::size_t i = 1; i < slow.size(); ++i) {
        EXPECT_GT(gain(slow, i - 1, i), 1) << nodesOfStudy[i];
        // What the node makes faster is what logic bounds; the network waits as long as before.
        EXPECT_LT(slow[i]["Bound by compute"], slow[i - 1]["Bound by compute"]);
        EXPECT_NEAR(slow[i]["Waits for the network"], slow[0]["Waits for the network"], 0.25 * slow[0]["Waits for the network"]) << nodesOfStudy[i];
    }
    // From 5 to 1 nm compute gains more than twice; the iteration by far less where memory and network stay, by more where they come along.
    const double compute = slow[3]["Bound by compute"] / slow[7]["Bound by compute"];
    EXPECT_GT(compute, 2);
    EXPECT_LT(std::log(gain(slow, 3, 7)), 0.6 * std::log(compute));
    EXPECT_GT(gain(fast, 3, 7), gain(slow, 3, 7));
    // Early steps are paid in full, late ones are not.
    EXPECT_GT(gain(slow, 0, 3) / (slow[0]["Bound by compute"] / slow[3]["Bound by compute"]), 1.2 * gain(slow, 3, 7) / compute);
}

TEST(TrainingByNode, FasterMemoryAndNetworkPayMoreTheFurtherTheLogicIs) {
    const TechnologyStudy study("gpt3-nodes-memory-network");
    const auto pays = [&](double node, const char* memory, const char* network) {
        return study.at(node, "HBM2E", "NVLink 4, NDR")["Iteration"] / study.at(node, memory, network)["Iteration"];
    };
    EXPECT_GT(pays(2, "HBM4", "NVLink 4, NDR"), pays(7, "HBM4", "NVLink 4, NDR"));
    EXPECT_GT(pays(2, "HBM2E", "NVLink 6, GDR"), pays(7, "HBM2E", "NVLink 6, GDR"));
    EXPECT_GT(pays(2, "HBM2E", "NVLink 6, GDR"), pays(2, "HBM4", "NVLink 4, NDR")) << "at this size the network binds before memory";
}

TEST(TrainingByNode, EachCrossoverIsPrintedWithItsBand) {
    const TechnologyStudy study("gpt3-nodes-memory-network");
    double last = 1e9;
    for (const char* network : {"NVLink 4, NDR", "NVLink 5, XDR", "NVLink 6, GDR"}) {
        std::string band;
        double earliest = 0, latest = 1e9, own = 0;
        for (const char* set : {"tsmc-mix", "tsmc-logic", "irds-2022", "deepflow"}) {
            const double node = study.crossover("HBM3", network, set);
            band += std::string(" ") + set + " " + (node > 0 ? formatNumber(node) + " nm" : "none");
            earliest = std::max(earliest, node);
            latest = std::min(latest, node);
            if (std::string(set) == "tsmc-mix") own = node;
        }
        std::printf("GPT-3 on HBM3 and %s: the network is the bottleneck from%s\n", network, band.c_str());
        EXPECT_LE(own, earliest);
        EXPECT_GE(own, latest);
        EXPECT_LE(own, last) << "a faster network binds later";
        last = own;
    }
    EXPECT_GT(study.crossover("HBM3", "NVLink 4, NDR", "tsmc-mix"), 0);
}

TEST(InferenceByNode, TokensFollowMemoryAndPromptsFollowLogic) {
    const TechnologyStudy study("llama-2-nodes-memory-network");
    const Figures five = study.at(5, "HBM3", "NVLink 4"), one = study.at(1, "HBM3", "NVLink 4"), memory = study.at(5, "HBM4", "NVLink 4");
    EXPECT_EQ(five.bottleneck, "memory");
    EXPECT_GT(five["Time to the first token"] / one["Time to the first token"], 1.3);
    EXPECT_LT(five["Time per output token"] / one["Time per output token"], 1.15);
    EXPECT_GT(five["Time per output token"] / memory["Time per output token"], 1.3);
    EXPECT_LT(five["Time to the first token"] / memory["Time to the first token"], 1.15);
    // Where memory is the bottleneck moves with the memory, not with the node.
    for (const double node : nodesOfStudy)
        for (const char* generation : {"HBM2E", "HBM3", "HBM4"}) {
            const Figures figures = study.at(node, generation, "NVLink 4");
            std::printf("Llama-2-70B, %g nm, %s: %s (%.2f s)\n", node, generation, figures.bottleneck.c_str(), figures["Whole request"]);
        }
}

TEST(SplitByNode, BetterLogicLeavesPowerForMemory) {
    const TechnologyStudy study("llama-2-power-split");
    int last = 0, first = 0;
    for (const double node : nodesOfStudy) {
        int best = 0;
        double least = 1e9;
        for (int stacks = 2; stacks <= 14; stacks += 2)
            if (const double time = study.at(node, stacks)["Whole request"]; time < least) least = time, best = stacks;
        std::printf("%g nm: best with %d stacks, %.2f s\n", node, best, least);
        EXPECT_GE(best, last) << node;
        last = best;
        if (first == 0) first = best;
    }
    EXPECT_GT(last, first);
}

} // namespace
} // namespace orrery
