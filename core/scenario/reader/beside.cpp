// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/beside.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/problem_builder.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace orrery {
namespace {

class BesideReader {
public:
    BesideReader(const Cluster& cluster, const Catalog& catalog, const FileReader& readFile, Problems& problems)
        : cluster_(cluster), catalog_(catalog), readFile_(readFile), problems_(problems), taken_(static_cast<std::size_t>(cluster.accelerators()), false) {}

    void read(const Json& job, const std::string& at, std::vector<BesideJob>& jobs) {
        BesideJob made;
        made.file = job.at("scenario").get<std::string>();
        made.hosts = job.at("hosts").get<std::vector<std::string>>();
        made.placement = place(made.hosts, at + "/hosts");
        made.scenario = scenarioOf(made.file, at + "/scenario");
        if (!made.scenario || made.placement.empty()) return;
        const std::size_t wanted = static_cast<std::size_t>(made.scenario->cluster.accelerators());
        if (wanted != made.placement.size())
            problems_.push_back(error("too-few-accelerators", at + "/hosts", "The job of " + made.file + " is for " + counted(static_cast<std::int64_t>(wanted), "accelerator") + ", its hosts have " + std::to_string(made.placement.size()) + ".")
                                    .mend("Name hosts with as many accelerators as its own cluster has."));
        jobs.push_back(std::move(made));
    }

private:
    std::vector<int> place(const std::vector<std::string>& hosts, const std::string& at) {
        std::vector<int> placement;
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            const std::string hostAt = at + "/" + std::to_string(i);
            std::vector<std::string> ids;
            bool known = false, free = true;
            int first = 0;
            for (const TopologyNode& node : cluster_.nodes) {
                if (node.kind != NodeKind::host) continue;
                ids.push_back(node.id);
                const int count = node.count * node.replicas;
                if (node.id == hosts[i]) {
                    known = true;
                    for (int rank = first; rank < first + count; ++rank) {
                        free = free && !taken_[static_cast<std::size_t>(rank)];
                        taken_[static_cast<std::size_t>(rank)] = true;
                        placement.push_back(rank);
                    }
                }
                first += count;
            }
            if (!known) {
                Problem problem = error("unknown-host", hostAt, "The cluster has no host \"" + hosts[i] + "\".").mend("Name a host of the drawing.");
                if (const auto nearest = nearestWord(hosts[i], ids)) {
                    problem.mend = "The nearest is \"" + nearest->word + "\".";
                    problem.edits.push_back({hostAt, nearest->word});
                }
                problems_.push_back(std::move(problem));
            } else if (!free) {
                problems_.push_back(error("hosts-overlap", hostAt, "Host \"" + hosts[i] + "\" is named twice: a host belongs to one job.").mend("Name it in one job, once.").edit(hostAt, nullptr));
            }
        }
        return placement;
    }

    std::shared_ptr<const Scenario> scenarioOf(const std::string& path, const std::string& at) {
        std::string reason = "files cannot be read here";
        const auto text = readFile_ ? readFile_(path, reason) : std::nullopt;
        if (!text) {
            problems_.push_back(error("file-unreadable", at, "Cannot read " + path + ": " + reason + ".").mend("Name a readable scenario, relative to this one."));
            return nullptr;
        }
        Problems broken;
        const std::optional<Json> document = parseJson(*text, path, broken);
        if (!document) {
            problems_.insert(problems_.end(), broken.begin(), broken.end());
            return nullptr;
        }
        if (document->is_object() && document->contains("beside")) return unfit(at); // it might name this one
        const ScenarioReading reading = readScenario(*document, catalog_, readFile_);
        if (!reading.scenario) {
            for (const Problem& problem : reading.problems)
                if (problem.severity == Severity::error) {
                    problems_.push_back(error(problem.code, at, path + ", " + problem.pointer + ": " + problem.message).mend(problem.mend));
                    break;
                }
            return nullptr;
        }
        const Scenario& scenario = *reading.scenario;
        if (!scenario.isTraining() || scenario.recorded()) return unfit(at);
        return std::make_shared<const Scenario>(scenario);
    }

    std::shared_ptr<const Scenario> unfit(const std::string& at) {
        problems_.push_back(error("not-supported-yet", at, "Only a planned iteration of training can run beside, without jobs beside itself.").mend("Name a training scenario."));
        return nullptr;
    }

    const Cluster& cluster_;
    const Catalog& catalog_;
    const FileReader& readFile_;
    Problems& problems_;
    std::vector<bool> taken_; ///< by accelerator
};

} // namespace

std::vector<BesideJob> readBeside(const FilledDocument& document, const Cluster& cluster, const Catalog& catalog, const FileReader& readFile, Problems& problems) {
    std::vector<BesideJob> jobs;
    const Json* given = document.find("/beside");
    if (!given) return jobs;
    Problems found;
    BesideReader reader(cluster, catalog, readFile, found);
    for (std::size_t i = 0; i < given->size(); ++i) reader.read((*given)[i], "/beside/" + std::to_string(i), jobs);
    problems.insert(problems.end(), found.begin(), found.end());
    return jobs;
}

} // namespace orrery
