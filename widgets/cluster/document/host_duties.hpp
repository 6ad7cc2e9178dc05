// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "widgets/cluster/document/cluster_document.hpp"

#include <set>
#include <string>
#include <vector>

namespace orrery {

/// What hosts of a drawing serve, as the scenario names them: a pool of an engine whose prompts and answers lie apart, or another job that runs
/// beside. Every operation gives the edits that would make it so.
class HostDuties {
public:
    HostDuties(const Json& scenario, const ClusterDocument& document) : scenario_(scenario), document_(document) {}

    /// Whether hosts can be given to pools and jobs: the scenario serves requests on a drawn cluster.
    bool canBeGiven() const;
    /// "prefill", "decode"; empty: prompts and answers lie on one engine, or the host is in no pool.
    std::string poolOf(const std::string& host) const;
    /// The scenario of the job beside that runs there; empty: none.
    std::string jobOf(const std::string& host) const;
    /// Where the document speaks of what this host serves, for its problems.
    std::vector<std::string> poolPointers(const std::string& host) const;
    std::vector<std::string> jobPointers(const std::string& host) const;

    /// Gives hosts to a pool. The first time, the other pool gets all others that no job beside has. An empty `pool`: prompts and answers on one
    /// engine again.
    std::vector<ScenarioEdit> toPool(const std::set<std::string>& hosts, const std::string& pool) const;
    /// Gives hosts to the job of a file beside; an empty `file`: to the scenario's own work again.
    std::vector<ScenarioEdit> toJob(const std::set<std::string>& hosts, const std::string& file) const;
    /// What follows where a host has got another name, and where hosts are gone.
    std::vector<ScenarioEdit> afterRename(const std::string& from, const std::string& to) const;
    std::vector<ScenarioEdit> afterRemoval(const std::set<std::string>& gone) const;

private:
    /// Hosts that a pool has: those it names, or all that are left to it in the order of the file.
    std::vector<std::string> hostsOf(const std::string& pool) const;
    std::string namedPool(const std::string& host) const; ///< that names it
    std::vector<std::string> freeHosts() const;           ///< that no job beside has, in order
    std::vector<ScenarioEdit> poolEdits(const std::vector<std::string>& prefill, const std::vector<std::string>& decode) const;

    const Json& scenario_;
    const ClusterDocument& document_;
};

} // namespace orrery
