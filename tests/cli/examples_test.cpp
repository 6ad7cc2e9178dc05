// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <fstream>
#include <optional>

namespace orrery {
namespace {

/// A validator that is not ours, reading the schema that the command line prints.
class SchemaCheck {
public:
    SchemaCheck() {
        const ProcessResult run = runCli({"schema"});
        EXPECT_EQ(run.status, 0) << run.err;
        document_ = nlohmann::json::parse(run.out);
        valijson::SchemaParser parser;
        parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(document_), schema_);
    }

    /// Nothing, or what the validator says.
    std::optional<std::string> complaint(const nlohmann::json& scenario) const {
        valijson::Validator validator;
        valijson::ValidationResults results;
        if (validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(scenario), &results)) return std::nullopt;
        std::string text;
        valijson::ValidationResults::Error error;
        while (results.popError(error)) {
            for (const std::string& place : error.context) text += place;
            text += ": " + error.description + "\n";
        }
        return text;
    }

private:
    nlohmann::json document_;
    valijson::Schema schema_;
};

nlohmann::json load(const std::string& path) { return nlohmann::json::parse(std::ifstream(path)); }

TEST(Examples, EveryOneValidatesAgainstTheSchema) {
    const SchemaCheck schema;
    ASSERT_GE(examplePaths().size(), 4u);
    for (const std::string& path : examplePaths()) {
        const auto complaint = schema.complaint(load(path));
        EXPECT_FALSE(complaint) << path << "\n"
                                << *complaint;
    }
}

TEST(Examples, SchemaRefusesWhatTheReaderRefuses) {
    const SchemaCheck schema;
    const auto changed = [](const char* pointer, const nlohmann::json& value) {
        nlohmann::json scenario = load(mainExample());
        scenario[nlohmann::json::json_pointer(pointer)] = value;
        return scenario;
    };
    EXPECT_TRUE(schema.complaint(changed("/cluster/nodez", 3)));
    EXPECT_TRUE(schema.complaint(changed("/parallelism/tensor", "eight")));
    EXPECT_TRUE(schema.complaint(changed("/parallelism/tensor", -1)));
    EXPECT_TRUE(schema.complaint(changed("/format", "orrery-scenario/2")));
    EXPECT_TRUE(schema.complaint(changed("/cluster/topology/links/0/bandwidth_gb_s", 0)));
    EXPECT_FALSE(schema.complaint(changed("/view/anything", 1)));
}

TEST(Examples, EveryOneSimulatesAndFits) {
    for (const std::string& path : examplePaths()) {
        const ProcessResult run = runCli({"simulate", path, "--json"});
        ASSERT_EQ(run.status, 0) << path << "\n"
                                 << run.err;
        EXPECT_EQ(Json::parse(run.out)["fits"], true) << path;
    }
}

TEST(Examples, TheDrawnClusterIsSixtyFourAcceleratorsOnRails) {
    const nlohmann::json topology = load(mainExample())["cluster"]["topology"];
    int accelerators = 0;
    std::map<std::string, double> bandwidth;
    for (const auto& node : topology["nodes"]) accelerators += node.value("count", 0);
    for (const auto& link : topology["links"]) {
        bandwidth[link["from"]] += link["bandwidth_gb_s"].get<double>() * link.value("count", 1);
        bandwidth[link["to"]] += link["bandwidth_gb_s"].get<double>() * link.value("count", 1);
    }
    EXPECT_EQ(accelerators, 64);
    EXPECT_EQ(bandwidth["dgx-0"], 400);  // eight 400 Gb/s interfaces
    EXPECT_EQ(bandwidth["leaf-0"], 800); // as much up as down: no oversubscription
    EXPECT_EQ(bandwidth["spine-0"], 800);
    const nlohmann::json positions = load(mainExample())["view"]["cluster"]["positions"];
    for (const auto& node : topology["nodes"]) EXPECT_TRUE(positions.contains(node["id"])) << node["id"];
}

} // namespace
} // namespace orrery
