// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "core/base/json.hpp"
#include "core/records/traces/communication_rules.hpp"

namespace orrery {

int runTraceRules() {
    printDocument(communicationRulesDocument(shippedCommunicationRules()));
    return exit_done;
}

} // namespace orrery
