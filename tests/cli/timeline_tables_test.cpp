// SPDX-License-Identifier: GPL-3.0-or-later
// `trace export --sqlite`: what SQL answers is what the result and the record's figures say.
#include "tests/cli/cli_documents.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sqlite3.h>

namespace orrery {
namespace {

using namespace test;

/// An exported database, opened as any program opens it.
class Database {
public:
    explicit Database(const std::string& path) { EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database_, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK); }
    ~Database() { sqlite3_close(database_); }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    std::vector<std::vector<std::string>> rows(const std::string& question) const {
        std::vector<std::vector<std::string>> rows;
        sqlite3_stmt* statement = nullptr;
        EXPECT_EQ(sqlite3_prepare_v2(database_, question.c_str(), -1, &statement, nullptr), SQLITE_OK) << question << ": " << sqlite3_errmsg(database_);
        while (statement != nullptr && sqlite3_step(statement) == SQLITE_ROW) {
            rows.emplace_back();
            for (int i = 0; i < sqlite3_column_count(statement); ++i) {
                const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
                rows.back().emplace_back(text == nullptr ? "" : text);
            }
        }
        sqlite3_finalize(statement);
        return rows;
    }
    std::string text(const std::string& question) const {
        const auto found = rows(question);
        return found.empty() ? std::string() : found[0][0];
    }
    double number(const std::string& question) const {
        const std::string found = text(question);
        return found.empty() ? std::nan("") : std::stod(found);
    }

private:
    sqlite3* database_ = nullptr;
};

struct Exported {
    ScratchFolder folder;
    Json result;
    std::string database;
    explicit Exported(const Json& scenario) {
        const std::string file = folder.write("s.json", scenario.dump());
        database = folder.path("t.sqlite");
        result = printedBy(runCli({"simulate", file, "--json"}));
        const ProcessResult run = runCli({"trace", "export", file, "--sqlite", database});
        EXPECT_EQ(run.status, 0) << run.err;
    }
};

void expectSame(double found, double expected, const std::string& what) { EXPECT_NEAR(found, expected, 1e-9 * std::abs(expected) + 1e-15) << what; }

TEST(TimelineTables, answerAsTheResultOfATrainingDoes) {
    Json scenario = smallScenario();
    scenario["execution"] = {{"recompute", "none"}};
    const Exported exported(scenario);
    const Database database(exported.database);
    const Json& result = exported.result;
    EXPECT_EQ(database.text("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(database.text("SELECT value FROM about WHERE key = 'format'"), "orrery-timeline/1");
    EXPECT_EQ(database.text("SELECT value FROM about WHERE key = 'source'"), "simulated");
    expectSame(database.number("SELECT value FROM about WHERE key = 'duration_s'"), result["iteration_time_s"].get<double>(), "duration");
    expectSame(database.number("SELECT value FROM figure WHERE pointer = '/iteration_time_s'"), result["iteration_time_s"].get<double>(), "iteration");
    expectSame(database.number("SELECT value FROM figure WHERE pointer = '/memory/stages/1/activations'"), result["memory"]["stages"][1]["activations"].get<double>(), "activations");
    EXPECT_EQ(database.number("SELECT COUNT(*) FROM lane"), static_cast<double>(result["stages"].size()));

    // Operations of an iteration, mean over the stages, for each has as many accelerators: kernels as if nothing ran beside them, communication as it ran.
    std::size_t compared = 0;
    for (const Json& row : result["operations"]) {
        const std::string where = " FROM event JOIN operation ON operation.id = event.operation WHERE name = '" + row["kind"].get<std::string>() + "' AND phase = '" + row["phase"].get<std::string>() + "'";
        if (database.number("SELECT COUNT(*)" + where) == 0) continue; // the host's and copies have no bars
        const double stages = static_cast<double>(result["stages"].size());
        const std::string time = row["phase"] == "communication" ? "end_s - start_s" : "alone_s";
        expectSame(database.number("SELECT SUM(" + time + ")" + where) / stages, row["time_s"].get<double>(), row.dump());
        expectSame(database.number("SELECT COUNT(*)" + where) / stages, row["count"].get<double>(), row.dump());
        expectSame(database.number("SELECT SUM(flops)" + where) / stages, row["flops"].get<double>(), row.dump());
        ++compared;
    }
    EXPECT_GT(compared, 10U);
    EXPECT_EQ(database.number("SELECT COUNT(*) FROM event JOIN operation ON operation.id = event.operation WHERE class = 'computation' AND end_s - start_s < alone_s * (1 - 1e-9)"), 0); // what runs beside a kernel may slow it
    EXPECT_LE(database.number("SELECT MAX(end_s) FROM event"), result["iteration_time_s"].get<double>() * (1 + 1e-12));
}

TEST(TimelineTables, shareOutTheWallClockOfEachLane) {
    const Exported exported(smallScenario());
    const Database database(exported.database);
    for (const auto& lane : database.rows("SELECT lane, SUM(exposed_s), MAX(end_s) - MIN(start_s) FROM event GROUP BY lane")) {
        const double gaps = database.number("SELECT TOTAL(end_s - start_s) FROM gap WHERE lane = " + lane[0]);
        expectSame(std::stod(lane[1]) + gaps, std::stod(lane[2]), "lane " + lane[0]);
    }
    EXPECT_EQ(database.number("SELECT COUNT(*) FROM event WHERE exposed_s > end_s - start_s + 1e-12 OR exposed_s < 0"), 0);
    expectSame(database.number("SELECT SUM(duration_s) FROM time_by_operation"), database.number("SELECT SUM(end_s - start_s) FROM event"), "view");
}

TEST(TimelineTables, knowTheBytesOfEachLink) {
    Json scenario = smallScenario();
    scenario["cluster"]["nodes"] = 2;
    const Exported exported(scenario);
    const Database database(exported.database);
    EXPECT_GT(database.number("SELECT COUNT(*) FROM link WHERE bytes > 0"), 0);
    // What the operations send is all that the links carry.
    EXPECT_EQ(database.number("SELECT COUNT(*) FROM link WHERE ABS(bytes - (SELECT TOTAL(bytes) FROM link_use WHERE link = id)) > 1e-9 * bytes"), 0);
    // What a host sends into its network, the network sends on.
    EXPECT_EQ(database.number("SELECT COUNT(*) FROM bytes_by_link"), database.number("SELECT COUNT(*) FROM link"));
}

TEST(TimelineTables, holdServedRequests) {
    Json scenario = smallScenario();
    scenario["model"] = {{"preset", "llama-3.1-8b"}};
    scenario["workload"] = {{"kind", "serving"}, {"precision", "bf16"}, {"requests", {{"count", 20}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 10}}}, {"input_tokens", 200}, {"output_tokens", 20}, {"seed", 1}}}};
    scenario["parallelism"] = {{"tensor", 8}};
    const Exported exported(scenario);
    const Database database(exported.database);
    EXPECT_EQ(database.text("SELECT value FROM about WHERE key = 'kind'"), "serving");
    expectSame(database.number("SELECT value FROM figure WHERE pointer = '/ttft_s/p90'"), exported.result["ttft_s"]["p90"].get<double>(), "ttft");
    EXPECT_GT(database.number("SELECT COUNT(DISTINCT micro_batch) FROM event"), 10);
}

TEST(TimelineTables, answerAsTheFiguresOfRecordsDo) {
    ORRERY_REQUIRE_SHARED("traces/hta/trace_diff");
    const ScratchFolder folder;
    for (const char* name : {"traces/hta/trace_diff/control/control.json.gz", "traces/hta/nccl_parser_config/nccl_data.json.gz", "traces/tracelens/b200/eager_trace.json.gz", "traces/pairs/h100/gaunernst_bert-small-uncased__1016001.json.gz"}) {
        const std::string file = sharedPath(name), path = folder.path("t.sqlite");
        ASSERT_EQ(runCli({"trace", "export", file, "--sqlite", path}).status, 0);
        const Json figures = printedBy(runCli({"trace", "info", file, "--json"}))["traces"][file];
        const Database database(path);
        const auto us = [&](const std::string& question) { return database.number(question) * 1e6; };
        const auto same = [&](double found, const char* key) { EXPECT_NEAR(found, figures[key].get<double>(), 1e-4) << name << " " << key; };
        same(database.number("SELECT COUNT(*) FROM event_named WHERE class <> 'copy'"), "kernels");
        same(database.number("SELECT COUNT(*) FROM event_named WHERE class = 'communication'"), "comm_kernels");
        same(us("SELECT TOTAL(duration_s) FROM event_named WHERE class <> 'copy'"), "kernel_time_sum_us");
        same(us("SELECT TOTAL(exposed_s) FROM event_named WHERE class = 'computation'"), "compute_union_us");
        same(us("SELECT TOTAL(exposed_s) FROM event_named WHERE class = 'communication'"), "exposed_comm_us");
        same(us("SELECT MAX(end_s) - MIN(start_s) FROM event"), "device_span_us");
        same(database.number("SELECT COUNT(*) FROM call WHERE kind = 'operator'"), "cpu_ops");
        same(database.number("SELECT value FROM figure WHERE pointer = '/traces/0/busy_us'"), "busy_us");
        EXPECT_EQ(database.text("PRAGMA foreign_key_check"), "") << name;
    }
}

TEST(TimelineTables, knowHowLongRanksWait) {
    const ScratchFolder folder;
    Json scenario = smallScenario();
    scenario["execution"] = {{"recompute", "none"}, {"stragglers", {{{"rank", 3}, {"slowdown", 1.2}}}}};
    ASSERT_EQ(runCli({"trace", "simulate", folder.write("s.json", scenario.dump()), "--out", folder.path("ranks")}).status, 0);
    const std::string path = folder.path("t.sqlite");
    ASSERT_EQ(runCli({"trace", "export", folder.path("ranks"), "--sqlite", path}).status, 0);
    const Database database(path);
    EXPECT_EQ(database.number("SELECT COUNT(*) FROM lane"), 8);
    // Whoever waits for another rank does so at the begin of the collective; the last one to come doesn't.
    EXPECT_EQ(database.number("SELECT COUNT(*) FROM event WHERE waiting_s > end_s - start_s + 1e-12 OR waiting_s < 0"), 0);
    EXPECT_GT(database.number("SELECT SUM(waiting_s) FROM event_named WHERE lane = '0'"), 2 * database.number("SELECT TOTAL(waiting_s) FROM event_named WHERE lane = '3'"));
    EXPECT_EQ(database.number("SELECT COUNT(*) FROM event_named WHERE waiting_s IS NOT NULL AND class <> 'communication'"), 0);
}

TEST(TimelineTables, sayWhereKernelsComeFrom) {
    ORRERY_REQUIRE_SHARED("traces/pairs");
    const ScratchFolder folder;
    const std::string path = folder.path("t.sqlite");
    ASSERT_EQ(runCli({"trace", "export", sharedPath("traces/pairs/h100/gaunernst_bert-small-uncased__1016001.json.gz"), "--sqlite", path}).status, 0);
    const Database database(path);
    // Four layers of attention, each with a kernel of its own; each kernel starts after its launch.
    EXPECT_EQ(database.number("SELECT COUNT(*) FROM event WHERE operator = 'aten::_flash_attention_forward'"), 4);
    EXPECT_EQ(database.number("SELECT COUNT(*) FROM event WHERE segment LIKE 'LayerNorm%'"), 10);
    EXPECT_EQ(database.number("SELECT COUNT(*) FROM event JOIN call ON call.id = event.launch WHERE event.start_s < call.start_s"), 0);
    EXPECT_GT(database.number("SELECT duration_s FROM longest_gaps LIMIT 1"), 0);
}

TEST(TimelineTables, sayWhatEachColumnMeans) {
    const Exported exported(smallScenario());
    const Database database(exported.database);
    for (const auto& table : database.rows("SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'")) EXPECT_NE(table[1].find("--"), std::string::npos) << table[0];
}

TEST(TraceExportCommand, wantsAFileToWrite) {
    const ScratchFolder folder;
    const std::string file = folder.write("s.json", smallScenario().dump());
    EXPECT_EQ(runCli({"trace", "export", file}).status, 2);
    EXPECT_EQ(runCli({"trace", "export", file, "--sqlite", folder.path("none/t.sqlite")}).status, 2);
    EXPECT_EQ(runCli({"trace", "export", folder.path("nowhere.json"), "--sqlite", folder.path("t.sqlite")}).status, 2);
    EXPECT_EQ(runCli({"trace", "export", file, "--out", folder.path("t.json")}).status, 0);
    EXPECT_TRUE(Json::parse(readWholeFile(folder.path("t.json"))).contains("traceEvents"));
}

} // namespace
} // namespace orrery
