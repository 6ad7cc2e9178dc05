// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/kernel_times.hpp"

#include "core/catalog/catalog.hpp"

#include <thread>

namespace orrery {
namespace {

class Holding {
public:
    explicit Holding(std::atomic_flag& flag) : flag_(flag) {
        while (flag_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    }
    ~Holding() { flag_.clear(std::memory_order_release); }
    Holding(const Holding&) = delete;
    Holding& operator=(const Holding&) = delete;

private:
    std::atomic_flag& flag_;
};

} // namespace

KernelTimes::KernelTimes(const Accelerator& accelerator, const Catalog& catalog, std::shared_ptr<const OperatorPredictor> predictor,
                         std::shared_ptr<const MeasuredTimes> measured, KernelEngine engine)
    : accelerator_(accelerator.id), predictor_(std::move(predictor)), measured_(std::move(measured)), engine_(engine),
      cache_(std::make_unique<std::array<Stripe, stripes>>()) {
    if (!predictor_) return;
    machine_ = predictor_->machine(accelerator, catalog);
    if (machine_.fitted) {
        const Accelerator* listed = catalog.accelerator(accelerator.id);
        if (!listed) listed = catalog.accelerator(machine_.relative);
        if (listed) {
            foundOn_ = std::make_unique<Accelerator>(*listed);
            powerShareThere_ = catalog.kernels(*listed).powerShare;
        }
    }
    // Another maker's kernels say nothing about this one's: a roofline is the more honest guess.
    const Accelerator* relative = machine_.relative.empty() ? nullptr : catalog.accelerator(machine_.relative);
    if (relative && relative->vendor != accelerator.vendor) predictor_ = nullptr;
}

std::optional<KernelTime> KernelTimes::compute(const KernelCall& call) const {
    if (engine_ != KernelEngine::common && isByEngine(call.kind)) {
        KernelCall own = call;
        setEngine(own, engine_);
        auto time = known(own);
        // What the user measured counts before what is predicted, whosever kernel it names.
        const auto any = measured_ && !(time && time->source == Source::measured) ? measured_->find(accelerator_, call) : std::nullopt;
        if (any) return KernelTime{*any, Source::measured, 0};
        if (time) return time;
    }
    return known(call);
}

double KernelTimes::timeThereOverHere(const KernelCall& call) const {
    if (!foundOn_ || !predictor_) return 1;
    const auto here = time(call);
    if (!here || here->source != Source::predicted || here->seconds <= 0) return 1;
    PredictorMachine there = machine_;
    there.machine = *machine_.fitted;
    there.fitted.reset();
    std::optional<KernelPrediction> prediction;
    if (engine_ != KernelEngine::common && isByEngine(call.kind)) {
        KernelCall own = call;
        setEngine(own, engine_);
        prediction = predictor_->predict(there, own);
    }
    if (!prediction) prediction = predictor_->predict(there, call);
    return prediction ? prediction->seconds / here->seconds : 1;
}

std::optional<KernelTime> KernelTimes::known(const KernelCall& call) const {
    if (measured_)
        if (const auto seconds = measured_->find(accelerator_, call)) return KernelTime{*seconds, Source::measured, 0};
    if (predictor_)
        if (const auto prediction = predictor_->predict(machine_, call)) return KernelTime{prediction->seconds, Source::predicted, prediction->beyond};
    return std::nullopt;
}

std::optional<KernelTime> KernelTimes::time(const KernelCall& call) const {
    const std::uint64_t hash = hashOf(call);
    Stripe& stripe = (*cache_)[(hash >> 40) % stripes];
    const std::size_t place = (hash >> 48) % slotsPerStripe;
    {
        const Holding held(stripe.taken);
        if (!stripe.entries.empty()) {
            const Slot& slot = stripe.entries[place];
            if (slot.filled && slot.call == call) return slot.known ? std::optional(slot.answer) : std::nullopt;
        }
    }
    const auto answer = compute(call);
    const Holding held(stripe.taken);
    if (stripe.entries.empty()) stripe.entries.resize(slotsPerStripe);
    stripe.entries[place] = {call, answer.value_or(KernelTime{}), answer.has_value(), true};
    return answer;
}

} // namespace orrery
