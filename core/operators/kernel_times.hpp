// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"
#include "core/operators/measured_times.hpp"
#include "core/operators/predictor.hpp"

#include <atomic>
#include <memory>

namespace orrery {

class Catalog; // core/catalog

struct KernelTime {
    double seconds = 0;
    Source source = Source::predicted; ///< measured or predicted
    double beyond = 0;                 ///< octaves outside what was fitted
};

/// Times of kernels on one accelerator by what is known best: measured, else predicted. Where it knows neither, the roofline is left to
/// the caller. Remembers answers; any number of threads may ask, and what they are told does not depend on who asked before.
class KernelTimes {
public:
    /// Either source may be null. Keeps both alive. `engine`: whose kernels run where their times are known; else the common ones.
    KernelTimes(const Accelerator& accelerator, const Catalog& catalog, std::shared_ptr<const OperatorPredictor> predictor,
                std::shared_ptr<const MeasuredTimes> measured, KernelEngine engine = KernelEngine::common);

    std::optional<KernelTime> time(const KernelCall& call) const;

    /// The accelerator whose residuals are used in place of its own; empty where its own tables were fitted.
    const std::string& relative() const { return machine_.relative; }

    /// The listed accelerator on which residuals were found, where figures were stated otherwise than they are listed; else null.
    const Accelerator* foundOn() const { return foundOn_.get(); }
    /// KernelConstants::powerShare of that one.
    double powerShareThere() const { return powerShareThere_; }
    /// How many times as long as here the call is predicted to take there; 1 where there is none, or times are measured.
    double timeThereOverHere(const KernelCall& call) const;

private:
    std::optional<KernelTime> compute(const KernelCall& call) const;
    std::optional<KernelTime> known(const KernelCall& call) const;

    struct Slot {
        KernelCall call;
        KernelTime answer;
        bool known = false; ///< false: the answer is that there is none
        bool filled = false;
    };
    static constexpr std::size_t stripes = 16;
    static constexpr std::size_t slotsPerStripe = 256;
    struct Stripe {
        std::atomic_flag taken;    ///< held for some nanoseconds: a mutex would cost as much as the answer
        std::vector<Slot> entries; ///< none until something is remembered: most scenarios that are read time no kernel
    };

    std::string accelerator_;
    std::shared_ptr<const OperatorPredictor> predictor_;
    std::shared_ptr<const MeasuredTimes> measured_;
    PredictorMachine machine_;
    std::unique_ptr<const Accelerator> foundOn_;
    double powerShareThere_ = 1;
    KernelEngine engine_ = KernelEngine::common;
    std::unique_ptr<std::array<Stripe, stripes>> cache_;
};

} // namespace orrery
