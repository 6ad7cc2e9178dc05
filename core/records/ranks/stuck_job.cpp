// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/stuck_job.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace orrery {
namespace {

std::string ranksText(const std::vector<std::int64_t>& ranks) {
    constexpr std::size_t told = 16;
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < std::min(told, ranks.size()); ++i) text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    return ranks.size() > told ? text + " and " + std::to_string(ranks.size() - told) + " more" : text;
}

std::string groupText(const std::string& name, const std::string& description) { return "group " + name + (description.empty() ? "" : " (" + description + ")"); }

/// Sizes that all ranks of such a collective must agree on.
bool comparesSizes(const std::string& operation) { return operation.starts_with("all_reduce") || operation.starts_with("broadcast") || operation.find("_base") != std::string::npos; }

/// The two ranks of "send 0->1" or "recv 1<-0", as the group numbers them: who called, and the other.
std::optional<std::pair<std::int64_t, std::int64_t>> endsOf(const std::string& operation) {
    const std::size_t arrow = std::min(operation.find("->"), operation.find("<-")), space = operation.find(' ');
    if (arrow == std::string::npos || space == std::string::npos || space > arrow) return std::nullopt;
    std::int64_t own = 0, other = 0;
    const char* text = operation.data();
    if (std::from_chars(text + space + 1, text + arrow, own).ec != std::errc() || std::from_chars(text + arrow + 2, text + operation.size(), other).ec != std::errc()) return std::nullopt;
    return std::pair(own, other);
}

class StuckFinder {
public:
    explicit StuckFinder(const std::vector<FlightRecord>& records) {
        for (const FlightRecord& record : records) {
            records_[*record.rank] = &record;
            for (const auto& [name, group] : record.groups) {
                FlightGroup& all = groups_[name];
                if (all.description.empty()) all.description = group.description;
                if (all.ranks.empty()) all.ranks = group.ranks;
            }
            for (const FlightEntry& entry : record.entries) groups_[entry.group];
        }
        for (const auto& [rank, record] : records_)
            for (const FlightEntry& entry : record->entries)
                if (FlightGroup& group = groups_[entry.group]; group.ranks.empty() || !has(group.ranks, rank)) group.ranks.push_back(rank);
    }

    StuckJob find() {
        for (const auto& [name, group] : groups_) {
            findCollective(name, group);
            findSends(name, group);
        }
        findRoots();
        tell();
        return std::move(job_);
    }

private:
    static bool has(const std::vector<std::int64_t>& ranks, std::int64_t rank) { return std::find(ranks.begin(), ranks.end(), rank) != ranks.end(); }

    /// What one rank called of a group, by number.
    std::map<std::int64_t, const FlightEntry*> callsOf(std::int64_t rank, const std::string& group) const {
        std::map<std::int64_t, const FlightEntry*> calls;
        for (const FlightEntry& entry : records_.at(rank)->entries)
            if (!entry.betweenTwo && entry.group == group) calls[entry.sequence] = &entry;
        return calls;
    }
    std::int64_t lastCalled(std::int64_t rank, const std::string& group, const std::map<std::int64_t, const FlightEntry*>& calls) const {
        const auto& status = records_.at(rank)->status;
        const auto found = status.find(group);
        return std::max(calls.empty() ? std::int64_t{-1} : calls.rbegin()->first, found == status.end() ? -1 : found->second.enqueued);
    }
    std::int64_t lastDone(std::int64_t rank, const std::string& group) const {
        const auto& status = records_.at(rank)->status;
        const auto found = status.find(group);
        return found == status.end() ? -1 : found->second.completed;
    }

    void findCollective(const std::string& name, const FlightGroup& group) {
        std::map<std::int64_t, std::map<std::int64_t, const FlightEntry*>> calls;
        std::vector<std::int64_t> unknown;
        std::optional<std::int64_t> first; // collective that somebody waits in
        for (const std::int64_t rank : group.ranks) {
            if (!records_.contains(rank)) {
                unknown.push_back(rank);
                continue;
            }
            calls[rank] = callsOf(rank, name);
            for (const auto& [sequence, entry] : calls[rank])
                if (!entry->completed && sequence > lastDone(rank, name)) {
                    first = first ? std::min(*first, sequence) : sequence;
                    break;
                }
        }
        findDifferent(name, group, calls);
        if (!first) return;
        StuckOperation stuck{.group = name, .description = group.description, .sequence = *first, .operation = {}, .inputs = {}, .in = {}, .missing = {}, .unknown = unknown, .where = {}};
        std::map<std::pair<std::string, std::string>, std::vector<const FlightEntry*>> kinds;
        for (const auto& [rank, own] : calls) {
            if (const auto entry = own.find(*first); entry != own.end()) {
                if (!entry->second->completed) stuck.in.push_back(rank);
                kinds[{entry->second->operation, entry->second->inputs}].push_back(entry->second);
            } else if (lastCalled(rank, name, own) < *first) {
                stuck.missing.push_back(rank);
            }
        }
        const auto most = std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
        stuck.operation = most->first.first;
        stuck.inputs = most->first.second;
        stuck.where = most->second.front()->where;
        add(std::move(stuck));
    }

    /// The first collective that the group's ranks call differently.
    void findDifferent(const std::string& name, const FlightGroup& group, const std::map<std::int64_t, std::map<std::int64_t, const FlightEntry*>>& calls) {
        std::map<std::int64_t, std::map<std::string, std::vector<std::int64_t>>> kinds;
        for (const auto& [rank, own] : calls)
            for (const auto& [sequence, entry] : own) kinds[sequence][entry->operation + (comparesSizes(entry->operation) && !entry->inputs.empty() ? " of " + entry->inputs : "")].push_back(rank);
        for (auto& [sequence, kind] : kinds)
            if (kind.size() > 1) {
                job_.different.push_back({name, group.description, sequence, std::move(kind)});
                return;
            }
    }

    /// Sends and receives that wait for a call of the other rank.
    void findSends(const std::string& name, const FlightGroup& group) {
        for (const std::int64_t rank : group.ranks) {
            if (!records_.contains(rank)) continue;
            for (const FlightEntry& entry : records_.at(rank)->entries) {
                if (!entry.betweenTwo || entry.group != name || entry.completed) continue;
                const auto ends = endsOf(entry.operation);
                if (!ends || ends->second < 0 || ends->second >= static_cast<std::int64_t>(group.ranks.size())) continue;
                const std::int64_t other = group.ranks[static_cast<std::size_t>(ends->second)];
                StuckOperation stuck{.group = name, .description = group.description, .sequence = entry.sequence, .operation = entry.operation, .inputs = entry.inputs, .in = {rank}, .missing = {}, .unknown = {}, .where = entry.where};
                if (!records_.contains(other)) stuck.unknown = {other};
                else if (!hasOtherEnd(other, name, entry, *ends)) stuck.missing = {other};
                add(std::move(stuck));
                break; // those after it wait behind it
            }
        }
    }
    bool hasOtherEnd(std::int64_t other, const std::string& group, const FlightEntry& entry, const std::pair<std::int64_t, std::int64_t>& ends) const {
        const bool sends = entry.operation.starts_with("send");
        return std::any_of(records_.at(other)->entries.begin(), records_.at(other)->entries.end(), [&](const FlightEntry& one) {
            const auto back = endsOf(one.operation);
            return one.betweenTwo && one.group == group && one.sequence == entry.sequence && one.operation.starts_with(sends ? "recv" : "send") && back && back->first == ends.second && back->second == ends.first;
        });
    }

    void add(StuckOperation stuck) {
        for (const std::int64_t rank : stuck.in)
            for (const auto* waited : {&stuck.missing, &stuck.unknown})
                for (const std::int64_t other : *waited)
                    if (!has(job_.waitsFor[rank], other)) job_.waitsFor[rank].push_back(other);
        job_.stuck.push_back(std::move(stuck));
    }

    void findRoots() {
        std::set<std::int64_t> waitedFor;
        for (const auto& [rank, others] : job_.waitsFor) waitedFor.insert(others.begin(), others.end());
        const auto waits = [&](std::int64_t rank) { const auto found = job_.waitsFor.find(rank); return found != job_.waitsFor.end() && !found->second.empty(); };
        for (const std::int64_t rank : waitedFor)
            if (!waits(rank)) job_.roots.push_back(rank);
        for (const std::int64_t rank : job_.roots)
            if (const auto record = records_.find(rank); record != records_.end() && !record->second->entries.empty()) {
                const FlightEntry& last = record->second->entries.back();
                job_.lastCalls[rank] = last.operation + " " + std::to_string(last.sequence) + " of " + groupText(last.group, groups_[last.group].description) + (last.where.empty() ? "" : ", called by " + last.where);
            }
        if (!job_.roots.empty() || waitedFor.empty()) return;
        // Everybody who is waited for waits as well: following one leads into a circle.
        std::vector<std::int64_t> way{*waitedFor.begin()};
        while (true) {
            const std::int64_t next = job_.waitsFor[way.back()].front();
            const auto before = std::find(way.begin(), way.end(), next);
            if (before != way.end()) {
                job_.circle.assign(before, way.end());
                return;
            }
            way.push_back(next);
        }
    }

    void tell() {
        for (const DifferentCalls& one : job_.different) {
            std::string text = "Collective " + std::to_string(one.sequence) + " of " + groupText(one.group, one.description) + " is not the same on all ranks: ";
            bool first = true;
            for (const auto& [call, ranks] : one.calls) {
                text += (first ? "" : "; ") + call + " on " + ranksText(ranks);
                first = false;
            }
            job_.sentences.push_back(text + ".");
        }
        for (const StuckOperation& one : job_.stuck) {
            std::string text = one.operation + " " + std::to_string(one.sequence) + " of " + groupText(one.group, one.description) + " does not end: " + ranksText(one.in) + (one.in.size() == 1 ? " waits" : " wait");
            if (!one.where.empty()) text += " (" + one.where + ")";
            if (!one.missing.empty()) text += ", " + ranksText(one.missing) + " did not call it";
            if (!one.unknown.empty()) text += ", " + ranksText(one.unknown) + " left no record";
            if (one.missing.empty() && one.unknown.empty()) text += ", and everybody called it";
            job_.sentences.push_back(text + ".");
        }
        for (const std::int64_t rank : job_.roots) {
            const auto last = job_.lastCalls.find(rank);
            job_.sentences.push_back("Look at rank " + std::to_string(rank) + ": others wait for it, and it waits for nobody" + (last == job_.lastCalls.end() ? (records_.contains(rank) ? "." : "; it left no record.") : ". Its last call was " + last->second + "."));
        }
        if (!job_.circle.empty()) job_.sentences.push_back("In a circle each waits for the next: " + ranksText(job_.circle) + ". They call collectives in different orders.");
        if (job_.sentences.empty()) job_.sentences.emplace_back("Every recorded call has completed, and all ranks call the same.");
    }

    std::map<std::int64_t, const FlightRecord*> records_;
    std::map<std::string, FlightGroup> groups_;
    StuckJob job_;
};

Problem flightProblem(std::string code, const FlightRecord& record, std::string message, std::string mend) {
    Problem problem;
    problem.code = std::move(code);
    problem.file = record.file;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

} // namespace

std::optional<StuckJob> stuckJob(const std::vector<FlightRecord>& records, Problems& problems) {
    std::set<std::int64_t> seen;
    for (const FlightRecord& record : records) {
        if (!record.rank) problems.push_back(flightProblem("rank-not-known", record, inQuotes(record.file) + " does not say which rank it is of.", "Name it RANK=FILE."));
        else if (!seen.insert(*record.rank).second) problems.push_back(flightProblem("rank-twice", record, "Rank " + std::to_string(*record.rank) + " is there twice.", "Give one dump a rank."));
    }
    if (hasErrors(problems)) return std::nullopt;
    return StuckFinder(records).find();
}

Json toJson(const StuckJob& job) {
    Json stuck = Json::array(), different = Json::array(), waits = Json::array();
    for (const StuckOperation& one : job.stuck)
        stuck.push_back({{"group", one.group}, {"description", one.description}, {"sequence", one.sequence}, {"operation", one.operation}, {"inputs", one.inputs}, {"in", one.in}, {"missing", one.missing}, {"unknown", one.unknown}, {"where", one.where}});
    for (const DifferentCalls& one : job.different) {
        Json calls = Json::array();
        for (const auto& [call, ranks] : one.calls) calls.push_back({{"call", call}, {"ranks", ranks}});
        different.push_back({{"group", one.group}, {"description", one.description}, {"sequence", one.sequence}, {"calls", std::move(calls)}});
    }
    for (const auto& [rank, others] : job.waitsFor)
        if (!others.empty()) waits.push_back({{"rank", rank}, {"for", others}});
    return {{"format", "orrery-flight/1"}, {"stuck", std::move(stuck)}, {"different", std::move(different)}, {"waits", std::move(waits)}, {"roots", job.roots}, {"circle", job.circle}, {"sentences", job.sentences}};
}

} // namespace orrery
