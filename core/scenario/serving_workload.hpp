// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/collectives/library.hpp"
#include "core/catalog/kernel_constants.hpp"
#include "core/order/requests/generate_requests.hpp"
#include "core/order/serving/fleet_settings.hpp"
#include "core/order/serving/router.hpp"
#include "core/scenario/engine_options.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace orrery {

class KernelTimes; // core/operators

/// What the hosts of a pool carry where it is another accelerator than the cluster's: what of a scenario follows from the accelerator.
struct PoolHardware {
    KernelConstants kernels;
    std::shared_ptr<const KernelTimes> kernelTimes; ///< null: by roofline alone
    LibraryConstants library;
    double scaleUpBandwidth = 0, scaleUpLatency = 0, usualScaleUpLatency = 0; ///< as of a cluster
};

struct Accelerator; // core/catalog

/// Requests as they were recorded.
struct RequestLog {
    std::string file;                        ///< as the scenario names it
    std::shared_ptr<const RequestList> list; ///< never null
};

/// Requests that are drawn by a law, or recorded ones.
using RequestsSpec = std::variant<RequestLaw, RequestLog>;

/// How one engine instance is split over its accelerators.
struct InstancePlan {
    int tensor = 1;
    int pipeline = 1;
    int context = 1;
    int expert = 1;
    int expertTensor = 1;
    int attentionData = 1;
    std::vector<int> layout; ///< layers of each stage, in the model's order

    int accelerators() const { return tensor * pipeline * context * attentionData; }
};

/// Neighbours in the cluster's numbering: by host in the file's order, then by accelerator.
struct AcceleratorRange {
    int first = 0;
    int count = 0;
    bool operator==(const AcceleratorRange&) const = default;
};

/// Instances that do one half of the work of a disaggregated engine.
struct ServingPool {
    int instances = 0;
    std::vector<AcceleratorRange> places;           ///< in order, none twice; instances fill them one after another
    std::shared_ptr<const Accelerator> accelerator; ///< where it is another than the cluster's; null: the cluster's
    std::shared_ptr<const PoolHardware> hardware;   ///< what follows from it; null with it
    InstancePlan plan;                              ///< the scenario's, with what the pool says otherwise
    EngineOptions engine;                           ///< likewise
};

/// Prompts run on one kind of instance, answers on another.
struct Disaggregation {
    ServingPool prefill;
    ServingPool decode;                 ///< with `experts` the instances that run attention and all else for answers, and step together
    std::optional<ServingPool> experts; ///< accelerators, an instance each, that hold the routed experts of `decode`
    std::optional<ServingPool> encode;  ///< run the vision tower before prompts come to `prefill`
    FirstToken firstToken = FirstToken::prefill;

    /// Calls `visit` with each pool's key in the document and the pool.
    template <typename Visit> void eachPool(Visit visit) const { eachPoolOf(*this, visit); }
    template <typename Visit> void eachPool(Visit visit) { eachPoolOf(*this, visit); }

private:
    template <typename Self, typename Visit> static void eachPoolOf(Self& self, Visit& visit) {
        visit("prefill", self.prefill);
        visit(self.experts ? "attention" : "decode", self.decode);
        if (self.experts) visit("experts", *self.experts);
        if (self.encode) visit("encode", *self.encode);
    }
};

/// Limits that a request must keep to count for goodput; s.
struct ServiceLevel {
    std::optional<double> ttft;
    std::optional<double> tpot;
    std::optional<double> e2e;
    bool any() const { return ttft || tpot || e2e; }
};

/// Requests that come and go.
struct ServingWorkload {
    RequestsSpec requests;
    EngineOptions engine;
    std::optional<Disaggregation> disaggregation;
    RouterKind router = RouterKind::round_robin;
    std::optional<FleetSettings> fleet;    ///< none: every replica serves all the time
    bool frontEnd = true;                  ///< the way from client to engine and back is part of the latencies
    Precision precision = Precision::bf16; ///< of the weights
    std::optional<Fp8Recipe> fp8Recipe;    ///< empty: the precision's own
    ActivationScales scales = ActivationScales::at_run_time;
    ServiceLevel slo;
    ImageLoad images; ///< of a request, whose prompt has their tokens beside its own
};

} // namespace orrery
