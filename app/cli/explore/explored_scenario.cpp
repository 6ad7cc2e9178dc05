// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explore/explored_scenario.hpp"

#include "app/cli/common/kept_answer.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/table_file.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <chrono>
#include <cmath>
#include <utility>

namespace orrery {

ExploredScenario::ExploredScenario(const std::string& path, Problems& problems, Plan plan) : catalog_(userCatalog(problems)) {
    LoadedDocument loaded = loadDocument(path);
    problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
    if (!loaded.document || hasErrors(loaded.problems)) return;
    Trials trials(std::move(*loaded.document), catalog_, loaded.readFile);
    trials.read({}, planProblems_);
    if (planProblems_.empty() || plan == Plan::may_be_impossible) trials_.emplace(std::move(trials));
    else problems.insert(problems.end(), planProblems_.begin(), planProblems_.end());
}

const Trial& ExploredScenario::base(const std::vector<ScenarioEdit>& changes) {
    if (!base_) {
        const auto start = std::chrono::steady_clock::now();
        base_ = trials_->run(changes, commandControl());
        baseSeconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return *base_;
}

std::string aboutText(double seconds) {
    constexpr double minute = 60, hour = 3600, day = 86400, year = 365.25 * day;
    const auto about = [](double value, const char* unit) { return "about " + formatNumber(value < 10 ? std::round(value * 10) / 10 : std::round(value)) + " " + unit; };
    if (seconds < 1) return "less than a second";
    if (seconds < minute) return about(seconds, "s");
    if (seconds < hour) return about(seconds / minute, "min");
    if (seconds < day) return about(seconds / hour, "hours");
    if (seconds < year) return about(seconds / day, "days");
    return about(seconds / year, "years");
}

namespace {

Problem tableProblem(const char* code, const std::string& path, const std::string& message, const std::string& mend) {
    Problem problem;
    problem.code = code;
    problem.file = path;
    problem.message = message;
    problem.mend = mend;
    return problem;
}

} // namespace

std::optional<Problem> problemOfTableName(const std::string& path) {
    if (path.empty() || tableFormatOf(path)) return std::nullopt;
    return tableProblem("unknown-table-format", path, "The name does not say what table to write.", "Let it end in .csv or .xlsx.");
}

std::optional<Problem> saveTables(const std::string& path, const std::vector<PlainTable>& tables) {
    if (path.empty()) return std::nullopt;
    std::string error;
    const auto bytes = tableBytes(*tableFormatOf(path), tables, error);
    if (bytes && writeFileAtomically(path, *bytes, error)) return std::nullopt;
    return tableProblem("cannot-write-file", path, error, "Name a file in a folder that you may write to, on a disk with room; a .csv file has no limit of rows.");
}

} // namespace orrery
