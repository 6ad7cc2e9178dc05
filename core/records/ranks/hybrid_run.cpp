// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/hybrid_run.hpp"
#include "core/base/json.hpp"
#include "core/records/ranks/grouped_replay.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/document/schema_shapes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

std::optional<std::int64_t> rankNumber(const std::string& text) {
    std::int64_t rank = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), rank);
    return wrong == std::errc() && end == text.data() + text.size() && rank >= 0 ? std::optional(rank) : std::nullopt;
}

/// A part that may be missing; `otherwise` outlives what is done with it.
const Json& partOf(const Json& hybrid, const char* key, const Json& otherwise) { return hybrid.contains(key) ? hybrid.at(key) : otherwise; }

std::int64_t countOf(const Json& object, const char* key, std::int64_t otherwise) {
    constexpr std::int64_t most = 1 << 20; // of each; a product of three stays a number
    if (!object.is_object() || !object.contains(key) || !object.at(key).is_number_integer()) return otherwise;
    return std::clamp<std::int64_t>(object.at(key).get<std::int64_t>(), 0, most);
}

/// How many accelerators a cluster has, drawn or in its short form.
std::int64_t acceleratorsOf(const Json& cluster) {
    if (!cluster.is_object()) return 0;
    if (!cluster.contains("topology")) return countOf(cluster, "accelerators_per_node", 0) * countOf(cluster, "nodes", 0);
    const Json& topology = cluster.at("topology");
    if (!topology.is_object() || !topology.contains("nodes") || !topology.at("nodes").is_array()) return 0;
    std::int64_t sum = 0;
    for (const Json& node : topology.at("nodes"))
        if (node.is_object() && node.value("kind", Json()) == "host") sum += countOf(node, "count", 0) * countOf(node, "replicas", 1);
    return sum;
}

/// The job's size where a cluster says it; records of fewer ranks are then extended to it.
void readWorld(const Json& document, HybridQuestion& question, Problems& problems) {
    constexpr std::int64_t mostRanks = 1 << 20;
    if (!document.contains("cluster")) return;
    question.world = acceleratorsOf(document.at("cluster"));
    if (*question.world >= 1 && *question.world <= mostRanks) return;
    problems.push_back(error("out-of-range", "/cluster", "The cluster has " + std::to_string(*question.world) + " accelerators; from 1 to " + std::to_string(mostRanks) + " ranks can be replayed.").mend("Give accelerators_per_node and nodes, or draw hosts."));
}

} // namespace

std::optional<HybridQuestion> readHybrid(const Json& document, Problems& problems) {
    const std::string at = "/hybrid";
    if (!document.is_object() || !document.contains("hybrid")) {
        problems.push_back(error("missing-key", "", "The scenario has no \"hybrid\".").mend("Write \"hybrid\": {\"ranks\": {\"0\": \"rank0.json.gz\"}}."));
        return std::nullopt;
    }
    const Json& hybrid = document.at("hybrid");
    const std::size_t before = problems.size();
    checkShape(hybrid, schema::hybridShape(), at, problems);
    if (problems.size() != before) return std::nullopt;

    const Json noEntries = Json::object(), noItems = Json::array();
    HybridQuestion question;
    for (const auto& [key, file] : partOf(hybrid, "ranks", noEntries).items()) {
        if (const auto rank = rankNumber(key)) question.recorded[*rank] = file.get<std::string>();
        else problems.push_back(error("wrong-type", below(at + "/ranks", key), "\"" + key + "\" is no rank.").mend("Write a whole number from 0, in quotes."));
    }
    for (const auto& [name, source] : partOf(hybrid, "classes", noEntries).items()) {
        if (source.is_string()) question.classes[name] = source.get<std::string>();
        else question.classes[name] = source.get<std::int64_t>();
        if (source.is_number() && !question.recorded.contains(source.get<std::int64_t>()))
            problems.push_back(error("unknown-rank", below(at + "/classes", name), "Rank " + source.dump() + " was not recorded.").mend("Name a rank of \"ranks\", or a trace file."));
    }
    for (const Json& delay : partOf(hybrid, "delays", noItems))
        question.whatIfs.delays.push_back({delay.at("rank").get<std::int64_t>(), delay.value("before_collective", std::size_t{0}), std::llround(delay.at("us").get<double>() * 1e3)});
    for (const Json& stop : partOf(hybrid, "stops", noItems)) question.whatIfs.stops.push_back({stop.at("rank").get<std::int64_t>(), stop.value("before_collective", std::size_t{0})});
    for (const Json& rule : partOf(hybrid, "scale_kernels", noItems)) question.scaled.push_back({rule.at("match").get<std::string>(), rule.at("factor").get<double>()});
    if (hybrid.contains("communication"))
        if (auto rules = readCommunicationRules(hybrid.at("communication"), "", at + "/communication", problems)) question.communication = std::move(*rules);
    if (hybrid.contains("vram_bytes")) question.vram = std::llround(hybrid.at("vram_bytes").get<double>());
    question.prune = hybrid.value("prune", true);
    readWorld(document, question, problems);
    if (question.recorded.empty() && question.classes.empty())
        problems.push_back(error("missing-key", at + "/ranks", "No rank was recorded.").mend("Name a trace file for a rank: {\"0\": \"rank0.json.gz\"}."));
    if (problems.size() != before) return std::nullopt;
    return question;
}

namespace {

/// What is kept of a trace once it is read.
struct TraceSource {
    RankRecord plain;  ///< with kernels as they were
    RankRecord record; ///< with those that are asked for
    std::optional<RecordedPeak> memory;
    std::optional<BeyondMemory> beyond;
    std::optional<GraphedRank> graphed; ///< where the record says who takes part in a collective
};

/// Reads each trace that is named once.
class TraceSources {
public:
    TraceSources(const HybridQuestion& question, const TraceOpener& open, Problems& problems) : question_(question), open_(open), problems_(problems) {}

    /// `rank`: whose it is; nothing: it stands for a class.
    TraceSource* named(const std::string& file, const std::string& pointer, std::optional<std::int64_t> rank = std::nullopt) {
        if (const auto known = sources_.find(file); known != sources_.end()) return &known->second;
        const std::size_t before = problems_.size();
        const auto trace = open_(file, problems_);
        for (std::size_t i = before; i < problems_.size(); ++i)
            if (problems_[i].pointer.empty()) problems_[i].pointer = pointer;
        if (!trace) return nullptr;
        TraceSource source{recordOf(*trace, file, rank), scaledRecord(*trace, file, question_.scaled, rank), recordedPeak(*trace), question_.vram ? firstBeyond(*trace, *question_.vram) : std::nullopt, std::nullopt};
        if (rank && source.plain.namesMembers()) source.graphed = graphedRank(*trace, source.plain, kernelFactors(*trace, question_.scaled));
        if (source.record.collectives.empty())
            problems_.push_back(error("no-collectives", pointer, "\"" + file + "\" has no kernel of communication.").mend("Record a rank of a job that runs on several accelerators."));
        return &sources_.emplace(file, std::move(source)).first->second;
    }
    /// The records without scaled kernels. Clocks and the time of a collective itself are read from these: a scaled kernel moves ends that no clock moved.
    std::vector<RankRecord> records() const {
        std::vector<RankRecord> list;
        for (const auto& [file, source] : sources_) list.push_back(source.plain);
        return list;
    }
    /// Whether each trace is of a recorded rank that says who takes part in its collectives, and of no other.
    bool areOfOneRankEach() const {
        return question_.classes.empty() && sources_.size() == question_.recorded.size() && std::all_of(sources_.begin(), sources_.end(), [](const auto& source) { return source.second.graphed.has_value(); });
    }
    void setClocksBack() {
        const std::vector<std::int64_t> offsets = clockOffsets(records());
        std::size_t i = 0;
        for (auto& [file, source] : sources_) {
            source.plain = shifted(std::move(source.plain), offsets[i]);
            source.record = shifted(std::move(source.record), offsets[i++]);
        }
    }

private:
    const HybridQuestion& question_;
    const TraceOpener& open_;
    Problems& problems_;
    std::map<std::string, TraceSource> sources_;
};

/// Where a rank's trace is named, and which.
struct Named {
    std::string file, pointer;
    bool recorded = false;
};

class Cast {
public:
    Cast(const HybridQuestion& question, const std::vector<RankClass>& classes) : question_(question) {
        for (const RankClass& one : classes)
            for (const int rank : one.ranks) classOf_[rank] = one.name;
        for (const auto& [rank, file] : question.recorded)
            recorded_[classOf(rank)].push_back(rank);
    }

    std::string classOf(std::int64_t rank) const {
        const auto known = classOf_.find(rank);
        return known == classOf_.end() ? "all" : known->second;
    }
    /// Nothing: nobody was recorded that could stand in for the rank.
    std::optional<Named> traceOf(std::int64_t rank) const {
        if (const auto own = question_.recorded.find(rank); own != question_.recorded.end()) return Named{own->second, "/hybrid/ranks/" + std::to_string(rank), true};
        const std::string name = classOf(rank);
        if (const auto stated = question_.classes.find(name); stated != question_.classes.end()) {
            const std::string pointer = below("/hybrid/classes", name);
            if (const auto* file = std::get_if<std::string>(&stated->second)) return Named{*file, pointer, false};
            return Named{question_.recorded.at(std::get<std::int64_t>(stated->second)), pointer, false};
        }
        const auto alike = recorded_.find(name);
        if (alike == recorded_.end()) return std::nullopt;
        // Those that were not recorded take after each recorded one in turn: the class keeps its spread.
        const std::int64_t like = alike->second[static_cast<std::size_t>(rank) % alike->second.size()];
        return Named{question_.recorded.at(like), "/hybrid/ranks/" + std::to_string(like), false};
    }

private:
    const HybridQuestion& question_;
    std::map<std::int64_t, std::string> classOf_;
    std::map<std::string, std::vector<std::int64_t>> recorded_; ///< by class, rising
};

bool haveSameCollectives(const std::vector<RankRecord>& records, Problems& problems) {
    for (const RankRecord& record : records) {
        if (record.collectives.size() == records.front().collectives.size()) continue;
        problems.push_back(error("unlike-traces", "/hybrid", "\"" + record.file + "\" has " + std::to_string(record.collectives.size()) + " collectives, \"" + records.front().file + "\" has " + std::to_string(records.front().collectives.size()) + ".")
                               .mend("Record the same step of every rank. Ranks with collectives of their own (pipeline stages) need records of all of them that name the groups, or a scenario with model and workload."));
        return false;
    }
    return true;
}

/// The job's size: its plan's, or what the records say, or the highest rank that is named.
std::int64_t worldOf(const HybridQuestion& question, const std::vector<RankClass>& classes, const std::vector<RankRecord>& records) {
    std::int64_t world = 0;
    for (const RankClass& one : classes) world += static_cast<std::int64_t>(one.ranks.size());
    if (world > 0) return world;
    if (question.world) return *question.world;
    for (const RankRecord& record : records) world = std::max(world, record.worldSize.value_or(0));
    if (!question.recorded.empty()) world = std::max(world, question.recorded.rbegin()->first + 1);
    return world;
}

bool namesOnlyRanksOf(std::int64_t world, const HybridQuestion& question, Problems& problems) {
    const std::size_t before = problems.size();
    const auto check = [&](std::int64_t rank, const std::string& pointer) {
        if (rank >= world)
            problems.push_back(error("unknown-rank", pointer, "There is no rank " + std::to_string(rank) + ": the job has " + std::to_string(world) + " ranks.").mend("Name a rank from 0 to " + std::to_string(world - 1) + "."));
    };
    for (const auto& [rank, file] : question.recorded) check(rank, "/hybrid/ranks/" + std::to_string(rank));
    for (std::size_t i = 0; i < question.whatIfs.delays.size(); ++i) check(question.whatIfs.delays[i].rank, "/hybrid/delays/" + std::to_string(i) + "/rank");
    for (std::size_t i = 0; i < question.whatIfs.stops.size(); ++i) check(question.whatIfs.stops[i].rank, "/hybrid/stops/" + std::to_string(i) + "/rank");
    return problems.size() == before;
}

Problem extrapolatedFrom(std::int64_t world, std::int64_t recordedWorld, bool allKnown) {
    return warning("extrapolated", "/hybrid", "The collectives were recorded on " + std::to_string(recordedWorld) + " ranks and are extrapolated to " + std::to_string(world) + ": each takes as much longer as a rank moves more bytes" + (allKnown ? "." : ", but for those whose kind the records don't say."))
        .mend("Read the result as what the computation would do; for the network give a model and a workload, whose collectives run on the cluster.");
}

/// Scales transits to a job of another size; false where the kind of one isn't known.
bool extrapolate(std::vector<std::int64_t>& transits, const std::vector<CollectiveMessage>& messages, std::int64_t recordedWorld, std::int64_t world) {
    bool allKnown = true;
    for (std::size_t k = 0; k < transits.size(); ++k) {
        const double before = movedShare(messages[k].kind, static_cast<double>(recordedWorld)), now = movedShare(messages[k].kind, static_cast<double>(world));
        if (before > 0) transits[k] = std::llround(static_cast<double>(transits[k]) * now / before);
        else allKnown = false;
    }
    return allKnown;
}

/// Ranks each of which was recorded, with collectives of their groups.
std::optional<HybridRun> runGroups(const HybridQuestion& question, const std::vector<RankClass>& classes, TraceSources& sources, Problems& problems) {
    const std::int64_t world = worldOf(question, classes, sources.records());
    if (!namesOnlyRanksOf(world, question, problems)) return std::nullopt;
    HybridRun run;
    const Cast cast(question, classes);
    std::vector<GraphedRank> ranks;
    std::vector<RankRecord> records;
    for (std::int64_t rank = 0; rank < world; ++rank) {
        const auto own = question.recorded.find(rank);
        if (own == question.recorded.end()) {
            problems.push_back(error("no-trace-for-rank", "/hybrid", "Rank " + std::to_string(rank) + " has no trace, and the records are of ranks with groups of their own: no other rank's stands for it.")
                                   .mend("Name its trace, or give a model and a workload: then the others follow the plan."));
            return std::nullopt;
        }
        TraceSource* const source = sources.named(own->second, "/hybrid/ranks/" + std::to_string(rank), rank);
        records.push_back(source->graphed->record);
        ranks.push_back(std::move(*source->graphed));
        run.ranks.push_back({rank, cast.classOf(rank), own->second, true, 0, 0, source->memory, source->beyond});
    }
    const auto operations = jointOperations(records, problems);
    if (!operations) return std::nullopt;
    setClocksBack(ranks, *operations);
    run.replay.firstArrival = std::numeric_limits<std::int64_t>::max();
    for (const GraphedRank& rank : ranks)
        for (const Interval& when : rank.record.collectives) run.replay.firstArrival = std::min(run.replay.firstArrival, when.start);
    GroupedReplay replay = replayGroups(ranks, *operations, question.whatIfs);
    run.replay.hang = std::move(replay.hang);
    for (const JointCollective& collective : replay.collectives) {
        const JointOperation::Member& member = (*operations)[collective.index].members.front();
        if (collective.end == GroupedReplay::never) continue;
        for (std::size_t i = 0; i < run.ranks.size(); ++i) {
            run.ranks[i].waiting += collective.waitingOf(i);
            if (collective.has(i)) run.ranks[i].transit += collective.transit;
        }
        run.messages.push_back(records[member.place].messages[member.index]);
        run.replay.collectives.push_back(collective);
    }
    return run;
}

Json movedJson(const CollectiveMessage& message, std::int64_t world) {
    const double share = movedShare(message.kind, message.members.empty() ? static_cast<double>(world) : static_cast<double>(message.members.size()));
    return message.kind == CollectiveKind::none || message.bytes < 0 ? Json() : Json(share * static_cast<double>(message.bytes));
}

Json secondsJson(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

} // namespace

bool HybridRun::fits() const {
    return std::none_of(ranks.begin(), ranks.end(), [](const HybridRank& rank) { return rank.beyond.has_value(); });
}

std::optional<HybridRun> runHybrid(const HybridQuestion& question, const std::vector<RankClass>& classes, const TraceOpener& open, Problems& problems) {
    TraceSources sources(question, open, problems);
    for (const auto& [rank, file] : question.recorded) sources.named(file, "/hybrid/ranks/" + std::to_string(rank), rank);
    for (const auto& [name, source] : question.classes)
        if (const auto* file = std::get_if<std::string>(&source)) sources.named(*file, below("/hybrid/classes", name));
    if (hasErrors(problems)) return std::nullopt;
    if (haveGroups(sources.records()) && sources.areOfOneRankEach()) return runGroups(question, classes, sources, problems);
    if (!haveSameCollectives(sources.records(), problems)) return std::nullopt;
    sources.setClocksBack();
    const std::vector<RankRecord> records = sources.records();
    const std::int64_t world = worldOf(question, classes, records);
    if (!namesOnlyRanksOf(world, question, problems)) return std::nullopt;

    HybridRun run;
    const Cast cast(question, classes);
    std::vector<ReplayedRank> replayedRanks;
    for (std::int64_t rank = 0; rank < world; ++rank) {
        const auto named = cast.traceOf(rank);
        if (!named) {
            problems.push_back(error("no-trace-for-rank", "/hybrid", "Rank " + std::to_string(rank) + " has no trace, nor has its class \"" + cast.classOf(rank) + "\".")
                                   .mend("Record one of its ranks (\"trace plan\" says which), or name a trace under \"classes\"."));
            return std::nullopt;
        }
        const TraceSource* source = sources.named(named->file, named->pointer);
        replayedRanks.push_back(replayedRank(rank, source->record));
        replayedRanks.back().firstArrival = source->plain.collectives.front().start;
        run.ranks.push_back({rank, cast.classOf(rank), named->file, named->recorded, 0, 0, source->memory, source->beyond});
    }
    std::vector<std::int64_t> transits = transitOf(records);
    run.messages = records.front().messages;
    for (const RankRecord& record : records)
        if (record.worldSize && *record.worldSize != world) {
            run.extrapolated = true;
            run.warnings.push_back(extrapolatedFrom(world, *record.worldSize, extrapolate(transits, run.messages, *record.worldSize, world)));
            break;
        }
    run.replay = replayTogether(replayedRanks, transits, question.whatIfs);
    for (std::size_t i = 0; i < run.ranks.size(); ++i)
        for (const JointCollective& collective : run.replay.collectives) {
            run.ranks[i].waiting += collective.waitingOf(i);
            run.ranks[i].transit += collective.transit;
        }
    return run;
}

Json hybridDocument(const HybridRun& run, const std::string& name) {
    Json ranks = Json::array(), collectives = Json::array(), warnings = Json::array();
    Json beyond;
    for (const HybridRank& rank : run.ranks) {
        ranks.push_back({{"rank", rank.rank}, {"class", rank.className}, {"source", rank.recorded ? "recorded" : "class"}, {"file", rank.file}, {"waiting_s", secondsJson(rank.waiting)}, {"transit_s", secondsJson(rank.transit)}, {"peak_bytes", rank.memory ? Json(rank.memory->reserved) : Json()}, {"allocated_peak_bytes", rank.memory ? Json(rank.memory->allocated) : Json()}});
        if (rank.beyond && beyond.is_null())
            beyond = {{"rank", rank.rank}, {"event", rank.beyond->event}, {"time_s", secondsJson(rank.beyond->when)}, {"bytes", rank.beyond->bytes}, {"reserved_bytes", rank.beyond->reserved}, {"operator", rank.beyond->inOperator}};
    }
    for (std::size_t k = 0; k < run.replay.collectives.size(); ++k) {
        const JointCollective& collective = run.replay.collectives[k];
        const std::int64_t first = *std::min_element(collective.arrivals.begin(), collective.arrivals.end());
        collectives.push_back({{"index", collective.index}, {"transit_s", secondsJson(collective.transit)}, {"longest_wait_s", secondsJson(collective.end - collective.transit - first)}, {"last_to_arrive", run.ranks[collective.last].rank}, {"operation", std::string(toString(run.messages[k].kind))}, {"message_bytes", run.messages[k].bytes < 0 ? Json() : Json(run.messages[k].bytes)}, {"moved_bytes", movedJson(run.messages[k], run.world())}});
    }
    Json moved = 0.0; // over all ranks; null where the records don't say it of every collective
    for (const CollectiveMessage& message : run.messages) {
        const Json own = movedJson(message, run.world());
        if (own.is_null() || moved.is_null()) moved = nullptr;
        else moved = moved.get<double>() + own.get<double>() * (message.members.empty() ? static_cast<double>(run.world()) : message.kind == CollectiveKind::send_receive ? 1.0
                                                                                                                                                                          : static_cast<double>(message.members.size()));
    }
    for (const Problem& problem : run.warnings) warnings.push_back(problem.message);
    Json document = {{"format", "orrery-result/1"}, {"kind", "training"}, {"name", name}, {"method", "hybrid replay from recorded traces"}, {"iteration_time_s", run.replay.hang ? Json() : secondsJson(run.replay.span())}, {"world_size", run.world()}, {"moved_bytes", std::move(moved)}, {"extrapolated", run.extrapolated}, {"fits", run.fits()}, {"assumed", Json::array()}, {"warnings", std::move(warnings)}, {"ranks", std::move(ranks)}, {"collectives", std::move(collectives)}};
    if (run.replay.hang) document["hang"] = {{"collective", run.replay.hang->collective}, {"missing", run.replay.hang->missing}, {"waiting", run.replay.hang->waiting}, {"blocked", run.replay.hang->blocked}};
    if (!beyond.is_null()) document["out_of_memory"] = std::move(beyond);
    return document;
}

} // namespace orrery
