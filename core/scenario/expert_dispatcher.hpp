// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"

#include <array>
#include <string_view>

namespace orrery {

/// What a dispatcher does with tokens, and the library that it does it with.
struct DispatcherForm {
    ExpertDispatcher dispatcher;
    ExpertExchange exchange;
    std::string_view library; ///< its id in collectives.json
};

inline constexpr std::array dispatcherForms{DispatcherForm{ExpertDispatcher::alltoall, ExpertExchange::rows, "all-to-all"},
                                            DispatcherForm{ExpertDispatcher::allgather, ExpertExchange::gathered, "all-gather"},
                                            DispatcherForm{ExpertDispatcher::deepep, ExpertExchange::deduplicated, "deepep"},
                                            DispatcherForm{ExpertDispatcher::hybridep, ExpertExchange::deduplicated, "hybrid-ep"}};

/// The dispatcher that software works with.
inline ExpertDispatcher dispatcherOf(const ExpertProfile& experts) {
    for (const DispatcherForm& form : dispatcherForms)
        if (form.exchange == experts.exchange && (form.exchange != ExpertExchange::deduplicated || experts.library == form.library)) return form.dispatcher;
    return ExpertDispatcher::alltoall;
}

/// Makes the software work with another.
inline void setDispatcher(ExpertProfile& experts, ExpertDispatcher dispatcher) {
    for (const DispatcherForm& form : dispatcherForms) {
        if (form.dispatcher != dispatcher) continue;
        experts.exchange = form.exchange;
        experts.library = form.library;
    }
}

} // namespace orrery
