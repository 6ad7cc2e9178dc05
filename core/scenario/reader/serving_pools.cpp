// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/serving_pools.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/reader/cluster_reader.hpp"
#include "core/scenario/reader/serving_defaults.hpp"
#include "core/scenario/rules/rules_serving.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace orrery {
namespace {

const std::string fleetAt = "/workload/fleet"; // NOLINT(cert-err58-cpp)

AutoscaleSettings readAutoscale(const FilledDocument& document, int replicas, Problems& problems) {
    const std::string at = fleetAt + "/autoscale";
    AutoscaleSettings scale;
    scale.least = document.integer(at + "/min", 1);
    scale.most = document.integer(at + "/max", replicas);
    scale.interval = document.number(at + "/interval_s", scale.interval);
    scale.start = document.number(at + "/start_s", scale.start);
    scale.target = document.number(at + "/target", scale.target);
    if (scale.most > replicas)
        problems.push_back(error("too-many-replicas", at + "/max", "The cluster holds " + counted(replicas, "replica") + ", and the fleet may grow to " + std::to_string(scale.most) + ".")
                               .mend("Use up to " + std::to_string(replicas) + ", or a cluster with more accelerators.")
                               .edit(at + "/max", replicas));
    else if (scale.least > scale.most)
        problems.push_back(error("min-above-max", at + "/min", "The fleet keeps at least " + counted(scale.least, "replica") + " and has at most " + std::to_string(scale.most) + ".")
                               .mend("Use a min of up to " + std::to_string(scale.most) + ".")
                               .edit(at + "/min", scale.most));
    if (scale.least < scale.most && !document.has(at + "/target"))
        problems.push_back(error("missing-key", at + "/target", "Nobody knows how many requests under way a replica is to have.").mend("Add \"target\", 32 say.").edit(at + "/target", 32));
    return scale;
}

} // namespace

void fillFleetDefaults(FilledDocument& document) {
    constexpr int usualInterval = 15;
    if (const Json* router = document.find(fleetAt + "/router")) document.fill("/workload/engine/router", *router, "the fleet's router");
    if (document.has(fleetAt + "/autoscale")) {
        const std::string at = fleetAt + "/autoscale";
        document.fill(at + "/min", 1, "the default");
        document.fill(at + "/max", document.integer("/parallelism/data", 1), "all replicas that the cluster holds");
        document.fill(at + "/interval_s", usualInterval, "Kubernetes' horizontal autoscaler looks every 15 s");
        document.fill(at + "/start_s", 0, "the default; measure how long your replicas take");
    }
    if (const Json* failures = document.find(fleetAt + "/failures"); failures != nullptr && failures->is_object()) {
        document.fill(fleetAt + "/failures/repair_s", 0, "the default");
        document.fill(fleetAt + "/failures/seed", 0, "the default");
    }
}

FleetSettings readFleet(const FilledDocument& document, int replicas, Problems& problems) {
    FleetSettings fleet;
    if (document.has("/workload/engine/disaggregation"))
        problems.push_back(error("not-supported-yet", fleetAt, "A fleet's replicas run requests from prompt to end; separate instances for prefill and decode can't come and go yet.").mend("Leave fleet or disaggregation out.").edit(fleetAt, nullptr));
    if (const Json* router = document.find(fleetAt + "/router"))
        if (const Json* other = document.find("/workload/engine/router"); other != nullptr && *other != *router)
            problems.push_back(warning("no-effect", "/workload/engine/router", "The fleet's router sends requests to replicas; this one has nothing to do.").mend("Leave it out.").edit("/workload/engine/router", nullptr));
    if (document.has(fleetAt + "/autoscale")) fleet.autoscale = readAutoscale(document, replicas, problems);
    const std::string admission = fleetAt + "/admission", failures = fleetAt + "/failures";
    fleet.admission.perReplica = document.integer(admission + "/max_per_replica", fleet.admission.perReplica);
    fleet.admission.waiting = document.integer(admission + "/max_waiting", fleet.admission.waiting);
    fleet.admission.patience = document.number(admission + "/timeout_s", fleet.admission.patience);
    const Json* const given = document.find(failures);
    if (given == nullptr) return fleet;
    if (!given->is_array()) {
        fleet.failureLaw = {document.number(failures + "/mtbf_hours") * units::hour, document.number(failures + "/repair_s"), document.find(failures + "/seed") ? document.find(failures + "/seed")->get<std::uint64_t>() : 0};
        return fleet;
    }
    for (std::size_t i = 0; i < given->size(); ++i) {
        const std::string at = failures + "/" + std::to_string(i);
        const ReplicaFailure failure{document.integer(at + "/replica"), document.number(at + "/at_s"), document.number(at + "/repair_s")};
        if (failure.replica >= replicas)
            problems.push_back(error("no-such-replica", at + "/replica", "The fleet has " + counted(replicas, "replica") + ", counted from 0; none is number " + std::to_string(failure.replica) + ".")
                                   .mend("Use up to " + std::to_string(replicas - 1) + ".")
                                   .edit(at + "/replica", replicas - 1));
        fleet.failures.push_back(failure);
    }
    return fleet;
}

namespace {

/// A single host of the cluster, replicas apart.
struct PoolHost {
    const TopologyNode* node = nullptr;
    int first = 0; ///< accelerator
    int count = 0;
};

class PoolPlacer {
public:
    PoolPlacer(FilledDocument& document, const Cluster& cluster, const std::vector<BesideJob>& beside, const std::optional<Architecture>& model, const Catalog& catalog, Problems& problems)
        : document_(document), cluster_(cluster), model_(model), catalog_(catalog), problems_(problems) {
        int first = 0;
        for (const TopologyNode& node : cluster.nodes)
            for (int replica = 0; node.kind == NodeKind::host && replica < node.replicas; ++replica) {
                hosts_.push_back({&node, first, node.count});
                first += node.count;
            }
        taken_.assign(static_cast<std::size_t>(first), false);
        for (const BesideJob& job : beside)
            for (const int rank : job.placement) taken_[static_cast<std::size_t>(rank)] = true;
    }

    std::optional<Disaggregation> place() {
        if (!checkRoles()) return std::nullopt;
        Disaggregation split;
        if (document_.has(poolAt("experts"))) split.experts.emplace();
        if (document_.has(poolAt("encode"))) split.encode.emplace();
        struct Part {
            std::string at;
            ServingPool& pool;
            InstanceNumbers numbers;
        };
        std::vector<Part> parts;
        split.eachPool([&](const char* key, ServingPool& pool) { parts.push_back({poolAt(key), pool, numbersOf(key)}); });
        for (Part& part : parts) {
            readAcceleratorOf(part.at, part.pool);
            if (const Json* hosts = document_.find(part.at + "/hosts"); hosts && hosts->is_array()) takeNamed(*hosts, part.at + "/hosts", part.pool);
        }
        for (Part& part : parts) {
            if (hasErrors(problems_)) return std::nullopt;
            takeNext(part.at, part.numbers, part.pool);
            if (hasErrors(problems_)) return std::nullopt;
            readDrawnAccelerator(part.at, part.pool);
            settleInstances(part.at, part.numbers, part.pool);
            checkInstance(part.numbers, std::max<std::int64_t>(1, accelerators(part.pool)), document_, problems_);
            checkServedBlocks(part.numbers, profile(), document_, problems_);
            part.pool.plan = instancePlan(document_, part.numbers);
        }
        if (split.experts) checkExperts(*split.experts);
        if (hasErrors(problems_)) return std::nullopt;
        return split;
    }

private:
    static std::string poolAt(const std::string& key) { return "/workload/engine/disaggregation/" + key; }

    /// Who makes answers: instances that do all of it, or attention and experts apart. False: nobody knows.
    bool checkRoles() {
        const bool decode = document_.has(poolAt("decode")), attention = document_.has(poolAt("attention")), experts = document_.has(poolAt("experts"));
        if (attention != experts)
            problems_.push_back(error("missing-key", poolAt(attention ? "experts" : "attention"), "Attention and experts apart need a pool each.").mend(attention ? "Add \"experts\", or call the pool \"decode\"." : "Add \"attention\", or leave \"experts\" out.").edit(poolAt(attention ? "experts" : "attention"), Json{{"instances", 1}}));
        else if (decode && attention)
            problems_.push_back(error("conflicting-keys", poolAt("decode"), "Attention and experts apart make the answers; \"decode\" has nothing to do.").mend("Leave it out.").edit(poolAt("decode"), nullptr));
        else if (!decode && !attention)
            problems_.push_back(error("missing-key", poolAt("decode"), "Nobody makes the answers.").mend("Add \"decode\", or \"attention\" and \"experts\".").edit(poolAt("decode"), Json{{"instances", 1}}));
        if (experts && model_ && !model_->experts)
            problems_.push_back(error("no-experts", poolAt("experts"), "The model has no routed experts to put apart.").mend("Use one pool, \"decode\"."));
        if (document_.has(poolAt("encode")) && (!document_.has("/workload/images") || (model_ && !model_->vision)))
            problems_.push_back(error("no-images", poolAt("encode"), "No request has an image to encode.").mend("Leave it out, or add \"images\" to the workload.").edit(poolAt("encode"), nullptr));
        return !hasErrors(problems_);
    }

    /// Accelerators with experts are an instance each, and encoders split their tower over tensor ranks alone.
    InstanceNumbers numbersOf(const std::string& key) const {
        InstanceNumbers numbers = instanceNumbers(document_, poolAt(key), model_);
        if (key == "attention") numbers.expert = numbers.expertTensor = 1;
        if (key != "experts" && key != "encode") return numbers;
        InstanceNumbers own;
        own.pool = numbers.pool;
        own.model = model_;
        if (key == "encode") own.tensor = document_.integer(poolAt(key) + "/parallelism/tensor", 1);
        return own;
    }

    void checkExperts(const ServingPool& pool) {
        if (!model_ || !model_->experts || pool.instances <= model_->experts->count) return;
        const std::string at = poolAt("experts") + "/instances";
        problems_.push_back(error("expert-not-divisible", at, counted(pool.instances, "accelerator") + " for " + counted(model_->experts->count, "expert") + ": some would hold none.")
                                .mend("Use up to " + std::to_string(model_->experts->count) + ".")
                                .edit(at, model_->experts->count));
    }

    static std::int64_t accelerators(const ServingPool& pool) {
        std::int64_t sum = 0;
        for (const AcceleratorRange& range : pool.places) sum += range.count;
        return sum;
    }

    /// A pool's hosts in a drawing carry one kind, which may be another than other hosts'.
    void readDrawnAccelerator(const std::string& poolAt, ServingPool& pool) {
        if (!cluster_.drawn || !cluster_.mixesAccelerators) return;
        const PoolHost* first = nullptr;
        for (const PoolHost& host : hosts_) {
            const bool own = std::any_of(pool.places.begin(), pool.places.end(), [&](const AcceleratorRange& range) { return range.first < host.first + host.count && host.first < range.first + range.count; });
            if (!own) continue;
            if (!first) first = &host;
            if (host.node->accelerator == first->node->accelerator) continue;
            problems_.push_back(error("mixed-accelerators", poolAt + "/hosts", "The pool's hosts \"" + first->node->id + "\" and \"" + host.node->id + "\" carry different accelerators.").mend("Name hosts of one kind: instances of a pool are alike."));
            return;
        }
        if (!first || first->node->accelerator == cluster_.accelerator.id) return;
        const std::string at = "/cluster/topology/nodes/" + std::to_string(first->node - cluster_.nodes.data()) + "/accelerator";
        std::optional<Accelerator> accelerator = readAcceleratorAt(document_, document_.has(at) ? at : "/cluster/accelerator", catalog_, problems_);
        if (!accelerator) return;
        checkPrecisionOn(*accelerator);
        pool.accelerator = std::make_shared<const Accelerator>(std::move(*accelerator));
    }

    void readAcceleratorOf(const std::string& poolAt, ServingPool& pool) {
        const std::string at = poolAt + "/accelerator";
        if (!document_.has(at)) return;
        if (cluster_.drawn) {
            problems_.push_back(error("conflicting-keys", at, "In a drawing the hosts say which accelerator they carry.").mend("Leave it out.").edit(at, nullptr));
            return;
        }
        std::optional<Accelerator> accelerator = readAcceleratorAt(document_, at, catalog_, problems_);
        if (!accelerator) return;
        checkPrecisionOn(*accelerator);
        if (accelerator->id != cluster_.accelerator.id) pool.accelerator = std::make_shared<const Accelerator>(std::move(*accelerator));
    }

    const FrameworkProfile& profile() const {
        const FrameworkProfile* named = catalog_.framework(document_.text("/execution/framework"));
        return named ? *named : newestServingFramework(catalog_);
    }

    void checkPrecisionOn(const Accelerator& accelerator) { checkServedPrecision(document_, profile(), accelerator, problems_); }

    bool isTaken(const PoolHost& host) const {
        const auto begin = taken_.begin() + host.first;
        return std::find(begin, begin + host.count, true) != begin + host.count;
    }

    void take(int first, int count, ServingPool& pool) {
        if (count == 0) return;
        std::fill_n(taken_.begin() + first, count, true);
        if (!pool.places.empty() && pool.places.back().first + pool.places.back().count == first) pool.places.back().count += count;
        else pool.places.push_back({first, count});
    }

    void takeNamed(const Json& ids, const std::string& at, ServingPool& pool) {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const std::string id = ids[i].get<std::string>(), entryAt = at + "/" + std::to_string(i);
            bool known = false, free = true;
            for (const PoolHost& host : hosts_) {
                if (host.node->id != id) continue;
                known = true;
                if (isTaken(host)) free = false;
                else take(host.first, host.count, pool);
            }
            if (!known) problems_.push_back(unknownHost(id, entryAt));
            else if (!free)
                problems_.push_back(error("hosts-overlap", entryAt, "Host \"" + id + "\" is named twice: a host belongs to one pool.").mend("Name it in one pool, once.").edit(entryAt, nullptr));
        }
    }

    Problem unknownHost(const std::string& id, const std::string& at) const {
        std::vector<std::string> ids;
        for (const TopologyNode& node : cluster_.nodes)
            if (node.kind == NodeKind::host) ids.push_back(node.id);
        Problem problem = error("unknown-host", at, "The cluster has no host \"" + id + "\".").mend("Name a host of the drawing, or say how many.");
        if (const auto nearest = nearestWord(id, ids)) {
            problem.mend = "The nearest is \"" + nearest->word + "\".";
            problem.edits.push_back({at, nearest->word});
        }
        return problem;
    }

    /// Whole hosts where the pool counts them, else as many accelerators as its instances take.
    void takeNext(const std::string& poolAt, const InstanceNumbers& numbers, ServingPool& pool) {
        const Json* hosts = document_.find(poolAt + "/hosts");
        if (hosts && hosts->is_array()) return;
        if (hosts) {
            const std::int64_t wanted = hosts->get<std::int64_t>();
            std::int64_t found = 0;
            for (const PoolHost& host : hosts_) {
                if (found == wanted) break;
                if (isTaken(host)) continue;
                take(host.first, host.count, pool);
                ++found;
            }
            if (found == wanted) return;
            problems_.push_back(error("too-few-hosts", poolAt + "/hosts", "The pool takes " + counted(wanted, "host") + ", but only " + std::to_string(found) + " of " + std::to_string(hosts_.size()) + (found == 1 ? " is left." : " are left."))
                                    .mend("Use fewer hosts, or a larger cluster.")
                                    .edit(poolAt + "/hosts", std::max<std::int64_t>(1, found)));
            return;
        }
        if (!document_.has(poolAt + "/instances")) {
            problems_.push_back(error("missing-key", poolAt + "/instances", "The pool says neither how many instances it has nor which hosts.").mend("Add \"instances\" or \"hosts\".").edit(poolAt + "/instances", 1));
            return;
        }
        const std::int64_t wanted = std::int64_t{document_.integer(poolAt + "/instances")} * numbers.accelerators();
        std::int64_t found = 0;
        if (pool.accelerator) { // its hosts carry it whole
            for (const PoolHost& host : hosts_) {
                if (found >= wanted || isTaken(host)) continue;
                take(host.first, host.count, pool);
                found += host.count;
            }
            found = std::min(found, wanted);
        }
        for (std::size_t i = 0; i < taken_.size() && found < wanted; ++i) {
            if (taken_[i]) continue;
            take(static_cast<int>(i), 1, pool);
            ++found;
        }
        if (found == wanted) return;
        const std::int64_t fitting = found / numbers.accelerators();
        Problem problem = error("too-few-accelerators", poolAt + "/instances",
                                "The pool's instances take " + counted(wanted, "accelerator") + ", but " + std::to_string(found) + (found == 1 ? " is left." : " are left."))
                              .mend(fitting > 0 ? "Use " + std::to_string(fitting) + "." : "Use a larger cluster, or smaller instances.");
        if (fitting > 0) problem.edits.push_back({poolAt + "/instances", fitting});
        problems_.push_back(std::move(problem));
    }

    void settleInstances(const std::string& poolAt, const InstanceNumbers& numbers, ServingPool& pool) {
        const std::string at = poolAt + "/instances";
        const std::int64_t there = accelerators(pool), size = numbers.accelerators(), most = there / size;
        if (most == 0 || document_.integer(at, 1) > most) {
            Problem problem = error("too-few-accelerators", document_.has(at) && most > 0 ? at : poolAt + "/hosts",
                                    "Instances of " + counted(size, "accelerator") + ": the pool's hosts have " + std::to_string(there) + ", room for " + std::to_string(most) + ".")
                                  .mend("Give the pool more hosts, or smaller instances.");
            if (most > 0) problem.edits.push_back({at, most});
            problems_.push_back(std::move(problem));
            return;
        }
        document_.fill(at, most, "what its hosts hold");
        pool.instances = document_.integer(at);
    }

    FilledDocument& document_;
    const Cluster& cluster_;
    const std::optional<Architecture>& model_;
    const Catalog& catalog_;
    Problems& problems_;
    std::vector<PoolHost> hosts_;
    std::vector<bool> taken_; ///< by accelerator
};

} // namespace

std::optional<Disaggregation> placePools(FilledDocument& document, const Cluster& cluster, const std::vector<BesideJob>& beside, const std::optional<Architecture>& model, const Catalog& catalog,
                                         Problems& problems) {
    Problems found;
    std::optional<Disaggregation> split = PoolPlacer(document, cluster, beside, model, catalog, found).place();
    problems.insert(problems.end(), found.begin(), found.end());
    return split;
}

} // namespace orrery
