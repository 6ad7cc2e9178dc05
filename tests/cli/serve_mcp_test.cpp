// SPDX-License-Identifier: GPL-3.0-or-later
// A client of the Model Context Protocol, written from its pages, drives the program as an agent does.
#include "core/base/json.hpp"
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace orrery {
namespace {

using namespace test;

/// One session: asks all, then reads the answers by their ids.
class McpClient {
public:
    McpClient() {
        ask("initialize", {{"protocolVersion", "2025-06-18"}, {"capabilities", Json::object()}, {"clientInfo", {{"name", "test client"}, {"version", "1"}}}});
        input_ += Json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}.dump() + "\n";
    }
    int ask(const std::string& method, const Json& parameters = Json::object()) {
        input_ += Json{{"jsonrpc", "2.0"}, {"id", ++last_}, {"method", method}, {"params", parameters}}.dump() + "\n";
        return last_;
    }
    int call(const std::string& tool, const Json& arguments) { return ask("tools/call", {{"name", tool}, {"arguments", arguments}}); }
    void write(const std::string& text) { input_ += text; }
    void run(unsigned secondsAtMost = 0) {
        ProcessOptions options;
        options.secondsAtMost = secondsAtMost;
        options.input = input_;
        const ProcessResult done = runCli({"serve-mcp"}, options);
        EXPECT_EQ(done.status, 0) << done.err;
        std::istringstream lines(done.out);
        for (std::string line; std::getline(lines, line);) {
            const Json answer = Json::parse(line, nullptr, false);
            ASSERT_FALSE(answer.is_discarded()) << line.substr(0, 300);
            if (answer.is_object() && answer.value("id", Json()).is_number_integer()) answers_[answer["id"].get<int>()] = answer;
            ++lines_;
        }
    }
    bool isAnswered(int id) const { return answers_.contains(id); }
    const Json& answer(int id) const {
        static const Json none;
        const auto found = answers_.find(id);
        if (found != answers_.end()) return found->second;
        ADD_FAILURE() << "no answer to " << id;
        return none;
    }
    /// What a tool gave; the text says the same.
    Json document(int id, bool isError = false) const {
        const Json result = answer(id).value("result", Json::object());
        EXPECT_EQ(result.value("isError", Json()), isError) << answer(id).dump().substr(0, 600);
        if (!result.contains("content")) return {};
        EXPECT_EQ(Json::parse(result["content"][0]["text"].get<std::string>()), result["structuredContent"]);
        return result["structuredContent"];
    }
    int lines() const { return lines_; }
    int last() const { return last_; }

private:
    std::string input_;
    int last_ = 0, lines_ = 0;
    std::map<int, Json> answers_;
};

TEST(ServeMcp, plansSimulatesAndCompares) {
    McpClient client;
    Json other = smallScenario();
    other["parallelism"]["tensor"] = 4;
    const int plan = client.call("plan", {{"model", "llama-3.1-8b"}, {"machine", "2xdgx-h100"}, {"train", {{"sequence", 4096}, {"batch", 64}}}});
    const int simulate = client.call("simulate", {{"scenario", smallScenario()}, {"detail", "full"}});
    const int headline = client.call("simulate", {{"scenario", smallScenario()}});
    const int estimate = client.call("estimate", {{"scenario", smallScenario()}});
    const int compare = client.call("compare", {{"a", smallScenario()}, {"b", other}});
    const int explain = client.call("explain", {{"scenario", smallScenario()}, {"pointers", {"/iteration_time_s"}}});
    const int list = client.call("list", {{"what", "platforms"}}), one = client.call("list", {{"what", "platforms"}, {"match", "DGX-h100"}, {"detail", "full"}});
    client.run();
    EXPECT_EQ(client.document(plan)["format"], "orrery-plan/1");

    // The same document as the command line's.
    const ScratchFolder folder;
    const ProcessResult run = runCli({"simulate", folder.write("s.json", smallScenario().dump()), "--json"});
    const Json result = printedBy(run);
    EXPECT_EQ(client.document(simulate), result);
    EXPECT_EQ(client.document(headline)["iteration_time_s"], result["iteration_time_s"]);
    EXPECT_LT(client.document(headline)["operations"].size(), result["operations"].size());
    EXPECT_EQ(client.document(headline)["shortened_lists"]["/operations"], result["operations"].size());
    EXPECT_NEAR(client.document(estimate)["iteration_time_s"].get<double>() / result["iteration_time_s"].get<double>(), 1, 0.1);
    EXPECT_NEAR(client.document(estimate)["memory"]["peak_bytes"].get<double>() / result["memory"]["peak_bytes"].get<double>(), 1, 0.1);

    const Json comparison = client.document(compare);
    EXPECT_EQ(comparison["format"], "orrery-comparison/1");
    EXPECT_EQ(comparison["a"], result["iteration_time_s"]);
    double sum = 0;
    for (const Json& part : comparison["parts"]) sum += part["delta"].get<double>();
    EXPECT_NEAR(sum, comparison["difference"].get<double>(), 1e-9);
    EXPECT_EQ(client.document(explain)["explanations"]["/iteration_time_s"]["value"], result["iteration_time_s"]);
    EXPECT_GT(client.document(list)["platforms"].size(), 20U);
    EXPECT_EQ(client.document(list)["platforms"][0].size(), 2U);
    ASSERT_EQ(client.document(one)["platforms"].size(), 1U);
    EXPECT_EQ(client.document(one)["platforms"][0]["accelerator"], "h100-sxm5-80gb");
}

/// A search of minutes is taken back; what was asked beside it is answered, and the program ends.
TEST(ServeMcp, stopsALongSearchThatIsCancelled) {
    McpClient client;
    Json batches = Json::array(), lengths = Json::array();
    for (int i = 1; i <= 400; ++i) batches.push_back(64 * i);
    for (int i = 1; i <= 400; ++i) lengths.push_back(1000 + i);
    const Json space = {{"vary", {{"/workload/global_batch_size", batches}, {"/workload/sequence_length", lengths}, {"/parallelism/tensor", {1, 2, 4}}}}, {"objective", {{"minimize", "/iteration_time_s"}}}};
    const int search = client.call("search", {{"scenario", smallScenario()}, {"search", space}, {"exhaustive", true}});
    const int ping = client.ask("ping");
    client.write(Json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", search}}}}.dump() + "\n");
    const int estimate = client.call("estimate", {{"scenario", smallScenario()}});
    client.run(60);
    EXPECT_EQ(client.answer(ping)["result"], Json::object());
    EXPECT_EQ(client.document(estimate)["method"], "estimate");
    EXPECT_FALSE(client.isAnswered(search));
}

TEST(ServeMcp, sweepsAndReadsTraces) {
    McpClient client;
    const int sweep = client.call("sweep", {{"scenario", smallScenario()}, {"vary", {{"/workload/micro_batch_size", {1, 2}}, {"/parallelism/tensor", "1,2"}}}, {"metrics", {"/iteration_time_s"}}});
    const int plan = client.call("traces", {{"what", "plan"}, {"scenario", smallScenario()}}), none = client.call("traces", {{"what", "info"}}), missing = client.call("traces", {{"files", {"nowhere.json"}}});
    client.run();
    EXPECT_EQ(client.document(sweep)["points"].size(), 4U);
    EXPECT_FALSE(client.document(plan).empty());
    EXPECT_EQ(client.document(none, true)["problems"][0]["code"], "missing-key");
    EXPECT_EQ(client.document(missing, true)["problems"][0]["pointer"], "/files/0");
}

TEST(ServeMcp, searchesImportsLaunchesAndChecks) {
    McpClient client;
    const Json space = {{"vary", {{"/parallelism/tensor", {1, 2, 4}}}}, {"objective", {{"minimize", "/iteration_time_s"}}}};
    const int search = client.call("search", {{"scenario", smallScenario()}, {"search", space}});
    const int import = client.call("import_launch", {{"text", "vllm serve meta-llama/Llama-3.1-8B-Instruct --tensor-parallel-size 2 --max-num-seqs 64\n"}});
    const int launch = client.call("launch", {{"scenario", smallScenario()}, {"for", "megatron-lm"}});
    const int check = client.call("validate_input", {{"scenario", smallScenario()}});
    const int schema = client.call("scenario_schema", {{"section", "parallelism"}});
    client.run();
    const Json found = client.document(search);
    EXPECT_EQ(found["format"], "orrery-search/1");
    EXPECT_EQ(found["best"][0]["changes"].size(), 1U);
    const Json imported = client.document(import);
    EXPECT_EQ(imported["format"], "orrery-scenario/1");
    EXPECT_EQ(imported["parallelism"]["tensor"], 2);
    EXPECT_NE(client.document(launch)["text"].get<std::string>().find("--tensor-model-parallel-size 2"), std::string::npos);
    EXPECT_EQ(client.document(check)["valid"], true);
    EXPECT_TRUE(client.document(schema)["properties"].contains("tensor"));
}

TEST(ServeMcp, takesScenariosByPathAndAsText) {
    const ScratchFolder folder;
    const std::string path = folder.write("s.json", smallScenario().dump());
    McpClient client;
    const int byPath = client.call("simulate", {{"scenario", path}}), inline_ = client.call("simulate", {{"scenario", smallScenario()}});
    const int missing = client.call("simulate", {{"scenario", folder.path("nowhere.json")}}), input = client.call("simulate", {{"scenario", "-"}}), device = client.call("simulate", {{"scenario", "/dev/zero"}});
    client.run();
    EXPECT_EQ(client.document(byPath), client.document(inline_));
    for (const int id : {missing, input, device}) {
        const Json problem = client.document(id, true)["problems"][0];
        EXPECT_EQ(problem["code"], "cannot-read-file");
        EXPECT_EQ(problem["pointer"], "/scenario");
        EXPECT_FALSE(problem["mend"].get<std::string>().empty());
    }
}

TEST(ServeMcp, answersWithPointersAndMends) {
    McpClient client;
    Json misspelt = smallScenario(), impossible = smallScenario();
    misspelt["parallelism"]["tensr"] = 2;
    impossible["parallelism"]["tensor"] = 3;
    const int unknownKey = client.call("simulate", {{"scenario", misspelt}}), rule = client.call("validate_input", {{"scenario", impossible}}), model = client.call("plan", {{"model", "lama-3.1-8b"}, {"machine", "2xdgx-h100"}});
    const int argument = client.call("simulate", {{"scenaro", smallScenario()}}), pointer = client.call("explain", {{"scenario", smallScenario()}, {"pointers", {"/iteration_time"}}}), both = client.call("import_launch", Json::object());
    client.run();
    const Json unknown = client.document(unknownKey, true)["problems"][0];
    EXPECT_EQ(unknown["pointer"], "/parallelism/tensr");
    EXPECT_NE(unknown["mend"].get<std::string>().find("tensor"), std::string::npos);
    EXPECT_EQ(unknown.dump().find("orrery:"), std::string::npos) << unknown;
    const Json checked = client.document(rule);
    EXPECT_EQ(checked["valid"], false);
    EXPECT_EQ(checked["problems"][0]["severity"], "error");
    EXPECT_FALSE(checked["problems"][0]["pointer"].get<std::string>().empty());
    EXPECT_FALSE(checked["problems"][0]["mend"].get<std::string>().empty());
    EXPECT_NE(client.document(model, true)["problems"][0]["mend"].get<std::string>().find("llama-3.1-8b"), std::string::npos);
    EXPECT_FALSE(client.document(argument, true)["problems"].empty());
    EXPECT_EQ(client.document(pointer, true)["problems"][0]["pointer"], "/pointers/0");
    EXPECT_NE(client.document(pointer, true)["problems"][0]["mend"].get<std::string>().find("/iteration_time_s"), std::string::npos);
    EXPECT_EQ(client.document(both, true)["problems"][0]["code"], "missing-key");
}

TEST(ServeMcp, describesItsArgumentsInJsonSchema) {
    McpClient client;
    const int list = client.ask("tools/list");
    client.run();
    const Json tools = client.answer(list)["result"]["tools"];
    const std::map<std::string, std::pair<Json, Json>> examples{
        {"simulate", {{{"scenario", smallScenario()}}, {{"detail", "full"}}}},
        {"plan", {{{"model", "llama-3.1-8b"}, {"machine", "2xdgx-h100"}, {"serve", {{"rate", 2}}}}, {{"model", 5}, {"machine", "x"}}}},
        {"launch", {{{"scenario", "s.json"}, {"for", "vllm"}}, {{"scenario", "s.json"}, {"for", "nothing"}}}},
        {"compare", {{{"a", "a.json"}, {"b", smallScenario()}}, {{"a", "a.json"}}}},
        {"explain", {{{"scenario", "s.json"}, {"pointers", {"/mfu"}}}, {{"scenario", "s.json"}, {"pointers", "/mfu"}}}}};
    std::size_t checked = 0;
    for (const std::string name : {"simulate", "estimate", "plan", "search", "compare", "explain", "import_launch", "launch", "validate_input"}) {
        const auto tool = std::find_if(tools.begin(), tools.end(), [&](const Json& one) { return one["name"] == name; });
        ASSERT_NE(tool, tools.end()) << name;
        EXPECT_FALSE((*tool)["description"].get<std::string>().empty());
        valijson::Schema schema;
        const nlohmann::json plain = nlohmann::json::parse((*tool)["inputSchema"].dump());
        valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(valijson::adapters::NlohmannJsonAdapter(plain), schema);
        const auto example = examples.find(name);
        if (example == examples.end()) continue;
        const nlohmann::json sound = nlohmann::json::parse(example->second.first.dump()), unsound = nlohmann::json::parse(example->second.second.dump());
        EXPECT_TRUE(valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(sound), nullptr)) << name;
        EXPECT_FALSE(valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(unsound), nullptr)) << name;
        ++checked;
    }
    EXPECT_EQ(checked, examples.size());
}

TEST(ServeMcp, isEndedByNoMalformedMessage) {
    McpClient client;
    RandomSource random(12);
    const std::string seed = Json{{"jsonrpc", "2.0"}, {"id", "fuzz"}, {"method", "tools/call"}, {"params", {{"name", "validate_input"}, {"arguments", {{"scenario", smallScenario()}}}}}}.dump();
    int sent = 0;
    for (int i = 0; i < 300; ++i) {
        std::string line = seed;
        for (std::size_t change = 0; change <= random.below(5); ++change) {
            const std::size_t at = random.below(line.size());
            if (random.chance(0.5)) line[at] = static_cast<char>(random.below(256));
            else line.erase(at, 1 + random.below(20));
        }
        std::erase(line, '\n');
        client.write(line + "\n");
        ++sent;
    }
    client.write(std::string(100'000, '[') + "\n" + std::string("\0\0\0\n", 4) + "\xff\xfe{}\n");
    const int ping = client.ask("ping");
    client.run();
    EXPECT_EQ(client.answer(ping)["result"], Json::object());
    EXPECT_GT(client.lines(), sent / 2);
}

} // namespace
} // namespace orrery
