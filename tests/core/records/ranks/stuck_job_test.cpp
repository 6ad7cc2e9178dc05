// SPDX-License-Identifier: GPL-3.0-or-later
// Dumps of PyTorch's flight recorder, made as its pages describe them, of jobs that stand still for a known reason.
#include "core/base/json.hpp"
#include "core/records/ranks/stuck_job.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace orrery {
namespace {

/// A pickle of protocol 2 (Python's Lib/pickletools.py), as torch writes one.
std::string pickled(const Json& value) {
    const auto number = [](std::uint64_t n, int bytes) {
        std::string text;
        for (int i = 0; i < bytes; ++i) text += static_cast<char>((n >> (8 * i)) & 0xFF);
        return text;
    };
    if (value.is_null()) return "N";
    if (value.is_boolean()) return value.get<bool>() ? "\x88" : "\x89";
    if (value.is_number_integer()) return "\x8a\x08" + number(static_cast<std::uint64_t>(value.get<std::int64_t>()), 8);
    if (value.is_string()) return "X" + number(value.get_ref<const std::string&>().size(), 4) + value.get<std::string>();
    std::string text = value.is_array() ? "](" : "}(";
    for (const auto& [key, item] : value.items()) text += (value.is_object() ? pickled(Json(key)) : "") + pickled(item);
    return text + (value.is_array() ? "e" : "u");
}
std::string pickleFile(const Json& value) { return "\x80\x02" + pickled(value) + "."; }

/// One rank's dump, call by call.
class MadeDump {
public:
    explicit MadeDump(const std::map<std::string, std::vector<int>>& groups) {
        for (const auto& [name, ranks] : groups) {
            dump_["pg_config"][name] = {{"name", name}, {"desc", name == "0" ? "default_pg" : "mesh_" + name}, {"ranks", Json(ranks).dump()}};
            dump_["pg_status"][name] = {{"last_enqueued_collective", -1}, {"last_started_collective", -1}, {"last_completed_collective", -1}};
        }
        dump_["version"] = "2.5";
        dump_["entries"] = Json::array();
    }
    MadeDump& call(const std::string& group, const std::string& operation, bool completed, const Json& sizes = {{3, 4}}) {
        const bool betweenTwo = operation.starts_with("send") || operation.starts_with("recv");
        const int sequence = ++sequences_[group + (betweenTwo ? operation : "")];
        if (!betweenTwo) {
            dump_["pg_status"][group]["last_enqueued_collective"] = sequence;
            if (completed) dump_["pg_status"][group]["last_completed_collective"] = sequence;
        }
        dump_["entries"].push_back({{"record_id", dump_["entries"].size()}, {"pg_id", std::stoi(group)}, {"process_group", {group, "pg"}}, {"collective_seq_id", betweenTwo ? 0 : sequence}, {"p2p_seq_id", betweenTwo ? sequence : 0}, {"op_id", 1}, {"profiling_name", "nccl:" + operation}, {"time_created_ns", 1724779239936775119}, {"input_sizes", sizes}, {"state", completed ? "completed" : "scheduled"}, {"time_discovered_completed_ns", completed ? Json(1724779239975811724) : Json()}, {"retired", completed}, {"is_p2p", betweenTwo}, {"frames", {{{"name", "all_reduce"}, {"filename", "/opt/torch/distributed/distributed_c10d.py"}, {"line", 2696}}, {{"name", "step"}, {"filename", "/home/me/train.py"}, {"line", 44}}}}});
        return *this;
    }
    const Json& document() const { return dump_; }
    FlightRecord record(int rank, bool asPickle = true) const {
        Problems problems;
        auto read = readFlightRecord(asPickle ? pickleFile(dump_) : dump_.dump(), "/tmp/nccl_trace_rank_" + std::to_string(rank), problems);
        for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
        return read.value_or(FlightRecord());
    }

private:
    Json dump_;
    std::map<std::string, int> sequences_;
};

using Ranks = std::vector<std::int64_t>;

StuckJob found(const std::vector<FlightRecord>& records) {
    Problems problems;
    auto job = stuckJob(records, problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return job.value_or(StuckJob());
}

TEST(FlightRecord, isReadFromPicklesAndJsonAlike) {
    const MadeDump dump = MadeDump({{"0", {0, 1}}}).call("0", "all_reduce", true).call("0", "broadcast", false);
    for (const bool asPickle : {true, false}) {
        const FlightRecord record = dump.record(12, asPickle);
        EXPECT_EQ(record.rank, 12);
        EXPECT_EQ(record.version, "2.5");
        EXPECT_EQ(record.groups.at("0").ranks, (Ranks{0, 1}));
        ASSERT_EQ(record.entries.size(), 2U);
        EXPECT_EQ(record.entries[0].operation, "all_reduce");
        EXPECT_TRUE(record.entries[0].completed);
        EXPECT_FALSE(record.entries[1].completed);
        EXPECT_EQ(record.entries[1].sequence, 2);
        EXPECT_EQ(record.entries[1].where, "step at train.py:44");
        EXPECT_EQ(record.status.at("0").completed, 1);
    }
}

TEST(StuckJob, findsNothingWhereAllHasEnded) {
    std::vector<FlightRecord> records;
    for (int rank = 0; rank < 4; ++rank) records.push_back(MadeDump({{"0", {0, 1, 2, 3}}}).call("0", "all_reduce", true).record(rank));
    const StuckJob job = found(records);
    EXPECT_TRUE(job.stuck.empty() && job.different.empty() && job.roots.empty());
    EXPECT_EQ(job.sentences.size(), 1U);
}

TEST(StuckJob, namesTheRankThatIsMissing) {
    std::vector<FlightRecord> records;
    for (int rank = 0; rank < 8; ++rank) {
        MadeDump dump({{"0", {0, 1, 2, 3, 4, 5, 6, 7}}});
        dump.call("0", "all_reduce", true);
        if (rank != 5) dump.call("0", "_allgather_base", false);
        records.push_back(dump.record(rank));
    }
    const StuckJob job = found(records);
    ASSERT_EQ(job.stuck.size(), 1U);
    EXPECT_EQ(job.stuck[0].sequence, 2);
    EXPECT_EQ(job.stuck[0].operation, "_allgather_base");
    EXPECT_EQ(job.stuck[0].in, (Ranks{0, 1, 2, 3, 4, 6, 7}));
    EXPECT_EQ(job.stuck[0].missing, (Ranks{5}));
    EXPECT_EQ(job.roots, (Ranks{5}));
    EXPECT_NE(job.sentences.back().find("Look at rank 5"), std::string::npos);
    EXPECT_NE(job.sentences.back().find("all_reduce 1"), std::string::npos);
}

TEST(StuckJob, namesARankWithoutRecord) {
    std::vector<FlightRecord> records;
    for (const int rank : {0, 1, 3}) records.push_back(MadeDump({{"0", {0, 1, 2, 3}}}).call("0", "all_reduce", false).record(rank));
    const StuckJob job = found(records);
    ASSERT_EQ(job.stuck.size(), 1U);
    EXPECT_EQ(job.stuck[0].unknown, (Ranks{2}));
    EXPECT_EQ(job.roots, (Ranks{2}));
}

// The example of PyTorch's tutorial: rank 0 calls one more all-reduce than rank 1, of another size.
TEST(StuckJob, seesThatOneRankCallsSomethingElse) {
    const Json small = {{3, 4}}, other = {{4, 5}};
    MadeDump zero({{"0", {0, 1}}}), one({{"0", {0, 1}}});
    for (int i = 0; i < 2; ++i) zero.call("0", "all_reduce", true, small), one.call("0", "all_reduce", true, small);
    zero.call("0", "all_reduce", false, other).call("0", "all_reduce", false, small).call("0", "all_reduce", false, small);
    one.call("0", "all_reduce", false, small).call("0", "all_reduce", false, small);
    const StuckJob job = found({zero.record(0), one.record(1)});
    ASSERT_EQ(job.different.size(), 1U);
    EXPECT_EQ(job.different[0].sequence, 3);
    EXPECT_EQ(job.different[0].calls.at("all_reduce of [[4,5]]"), (Ranks{0}));
    EXPECT_EQ(job.different[0].calls.at("all_reduce of [[3,4]]"), (Ranks{1}));
}

TEST(StuckJob, followsWaitsThroughGroupsToTheFirst) {
    // Tensor groups {0,1} and {2,3}, data groups {0,2} and {1,3}. Rank 3 never comes to its tensor group; 2 waits for it there, and so doesn't come to its data group.
    const auto groups = [](int rank) { return std::map<std::string, std::vector<int>>{{rank < 2 ? "1" : "2", rank < 2 ? std::vector{0, 1} : std::vector{2, 3}}, {rank % 2 == 0 ? "3" : "4", rank % 2 == 0 ? std::vector{0, 2} : std::vector{1, 3}}}; };
    const auto zero = MadeDump(groups(0)).call("1", "all_reduce", true).call("3", "reduce_scatter", false).record(0);
    const auto one = MadeDump(groups(1)).call("1", "all_reduce", true).call("4", "reduce_scatter", false).record(1);
    const auto two = MadeDump(groups(2)).call("2", "all_reduce", false).record(2);
    const auto three = MadeDump(groups(3)).record(3);
    const StuckJob job = found({zero, one, two, three});
    EXPECT_EQ(job.stuck.size(), 3U);
    EXPECT_EQ(job.waitsFor.at(0), (Ranks{2}));
    EXPECT_EQ(job.waitsFor.at(1), (Ranks{3}));
    EXPECT_EQ(job.waitsFor.at(2), (Ranks{3}));
    EXPECT_EQ(job.roots, (Ranks{3}));
}

TEST(StuckJob, seesACircle) {
    // Both call the collectives of two groups, in different orders.
    const std::map<std::string, std::vector<int>> groups{{"1", {0, 1}}, {"2", {0, 1}}};
    const StuckJob job = found({MadeDump(groups).call("1", "all_reduce", false).record(0), MadeDump(groups).call("2", "all_reduce", false).record(1)});
    EXPECT_TRUE(job.roots.empty());
    EXPECT_EQ(job.circle.size(), 2U);
}

TEST(StuckJob, findsASendThatNobodyTakes) {
    const std::map<std::string, std::vector<int>> groups{{"7", {4, 9}}};
    const StuckJob lonely = found({MadeDump(groups).call("7", "send 0->1", false).record(4), MadeDump(groups).record(9)});
    ASSERT_EQ(lonely.stuck.size(), 1U);
    EXPECT_EQ(lonely.stuck[0].in, (Ranks{4}));
    EXPECT_EQ(lonely.stuck[0].missing, (Ranks{9}));
    EXPECT_EQ(lonely.roots, (Ranks{9}));
    const StuckJob both = found({MadeDump(groups).call("7", "send 0->1", false).record(4), MadeDump(groups).call("7", "recv 1<-0", false).record(9)});
    EXPECT_TRUE(both.roots.empty());
}

TEST(StuckJob, wantsRanksThatDiffer) {
    const FlightRecord record = MadeDump({{"0", {0, 1}}}).call("0", "all_reduce", true).record(0);
    Problems problems;
    EXPECT_FALSE(stuckJob({record, record}, problems));
    EXPECT_EQ(problems.at(0).code, "rank-twice");
    FlightRecord nameless = record;
    nameless.rank.reset();
    problems.clear();
    EXPECT_FALSE(stuckJob({nameless}, problems));
    EXPECT_EQ(problems.at(0).code, "rank-not-known");
}

TEST(FlightRecord, survivesAnyDamage) {
    const std::string whole = pickleFile(MadeDump({{"0", {0, 1}}}).call("0", "all_reduce", true).call("0", "send 0->1", false).document()), text = MadeDump({{"0", {0, 1}}}).call("0", "all_reduce", true).document().dump();
    test::RandomSource random(3);
    for (int i = 0; i < 4000; ++i) {
        std::string bytes = i % 2 == 0 ? whole : text;
        for (std::size_t change = 0; change <= random.below(4); ++change) {
            const std::size_t at = random.below(bytes.size());
            if (random.chance(0.5)) bytes[at] = static_cast<char>(random.below(256));
            else bytes.erase(at, 1 + random.below(20));
        }
        Problems problems;
        const auto record = readFlightRecord(bytes, "nccl_trace_rank_0", problems);
        EXPECT_TRUE(record.has_value() || !problems.empty());
        if (record) stuckJob({*record}, problems);
    }
}

} // namespace
} // namespace orrery
