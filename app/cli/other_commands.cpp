// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/base/json.hpp"
#include "core/scenario/document/schema_document.hpp"
#include "core/scenario/reader/reader.hpp"
#include "resources/resources.hpp"

#include <iostream>

namespace orrery {

int runSchema() {
    printDocument(scenarioSchema());
    return exit_done;
}

int runRecordScript(const RecordScriptOptions& options) {
    const std::string script(resourceText("record/orrery_record.py"));
    if (!options.out.empty()) {
        std::string error;
        if (!writeFileAtomically(options.out, script, error)) return refuse(fileProblem("cannot-write-file", options.out, error, "Name a file in a folder that you may write to, on a disk with room."), options.json);
    }
    if (options.json) printDocument(Json{{"format", "orrery-record-script/1"}, {"file", options.out.empty() ? Json() : Json(options.out)}, {"text", script}});
    else if (options.out.empty()) std::cout << script;
    else std::cout << "python3 " << options.out << " --out recorded.json\norrery-cli calibrate recorded.json --out my.orrery-profile.json\n";
    return exit_done;
}

} // namespace orrery
