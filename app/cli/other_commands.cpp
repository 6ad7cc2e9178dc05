// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/common/exit_status.hpp"
#include "core/base/json.hpp"
#include "core/scenario/document/schema_document.hpp"
#include "core/scenario/reader/reader.hpp"

namespace orrery {

int runSchema() {
    printDocument(scenarioSchema());
    return exit_done;
}

} // namespace orrery
