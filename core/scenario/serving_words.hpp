// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"
#include "core/order/requests/generate_requests.hpp"
#include "core/order/serving/router.hpp"
#include "core/scenario/engine_options.hpp"

namespace orrery {

template <> struct WordsOf<LengthKind> {
    static constexpr std::array table{
        Word<LengthKind>{LengthKind::constant, "constant"},
        Word<LengthKind>{LengthKind::uniform, "uniform"},
        Word<LengthKind>{LengthKind::normal, "normal"},
        Word<LengthKind>{LengthKind::lognormal, "lognormal"},
        Word<LengthKind>{LengthKind::exponential, "exponential"},
        Word<LengthKind>{LengthKind::zipf, "zipf"},
    };
};

template <> struct WordsOf<ArrivalProcess> {
    static constexpr std::array table{
        Word<ArrivalProcess>{ArrivalProcess::poisson, "poisson"},
        Word<ArrivalProcess>{ArrivalProcess::uniform, "uniform"},
        Word<ArrivalProcess>{ArrivalProcess::gamma, "gamma"},
        Word<ArrivalProcess>{ArrivalProcess::closed_loop, "closed_loop"},
        Word<ArrivalProcess>{ArrivalProcess::all_at_once, "all_at_once"},
    };
};

template <> struct WordsOf<CacheTierKind> {
    static constexpr std::array table{
        Word<CacheTierKind>{CacheTierKind::host, "host"},
        Word<CacheTierKind>{CacheTierKind::disk, "disk"},
        Word<CacheTierKind>{CacheTierKind::shared, "shared"},
    };
};

template <> struct WordsOf<TierWrites> {
    static constexpr std::array table{
        Word<TierWrites>{TierWrites::write_through, "write_through"},
        Word<TierWrites>{TierWrites::on_eviction, "on_eviction"},
    };
};

template <> struct WordsOf<QueueOrder> {
    static constexpr std::array table{
        Word<QueueOrder>{QueueOrder::fcfs, "fcfs"},
        Word<QueueOrder>{QueueOrder::priority, "priority"},
    };
};

template <> struct WordsOf<FirstToken> {
    static constexpr std::array table{
        Word<FirstToken>{FirstToken::prefill, "prefill"},
        Word<FirstToken>{FirstToken::decode, "decode"},
    };
};

template <> struct WordsOf<RouterKind> {
    static constexpr std::array table{
        Word<RouterKind>{RouterKind::round_robin, "round_robin"},
        Word<RouterKind>{RouterKind::least_loaded, "least_loaded"},
        Word<RouterKind>{RouterKind::prefix_aware, "prefix_aware"},
        Word<RouterKind>{RouterKind::session_affinity, "session_affinity"},
        Word<RouterKind>{RouterKind::power_of_two, "power_of_two"},
    };
};

template <> struct WordsOf<ActivationScales> {
    static constexpr std::array table{
        Word<ActivationScales>{ActivationScales::calibrated, "calibrated"},
        Word<ActivationScales>{ActivationScales::at_run_time, "at_run_time"},
    };
};

template <> struct WordsOf<DraftMethod> {
    static constexpr std::array table{
        Word<DraftMethod>{DraftMethod::ngram, "ngram"},
        Word<DraftMethod>{DraftMethod::draft_model, "draft_model"},
        Word<DraftMethod>{DraftMethod::mtp, "mtp"},
        Word<DraftMethod>{DraftMethod::eagle, "eagle"},
    };
};

} // namespace orrery
