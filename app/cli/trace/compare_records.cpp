// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/trace/compare_records.hpp"

#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/trace/recorded_files.hpp"
#include "app/common/exit_status.hpp"
#include "core/base/json.hpp"
#include "core/base/parallel.hpp"
#include "core/records/comparison/record_difference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <optional>
#include <vector>

namespace orrery {
namespace {

void printDifference(const RecordDifference& difference) {
    std::cout << difference.summary << '\n';
    if (difference.parts.empty()) return;
    std::cout << '\n'
              << (difference.metric == "device_span_s" ? "From the device's first event to its last" : "The same, of one step") << (difference.ranks > 1 ? ", mean of " + std::to_string(difference.ranks) + " ranks" : "") << '\n';
    TextTable headline;
    headline.add({"A", timeText(difference.a)});
    headline.add({"B", timeText(difference.b)});
    headline.add({"difference", timeText(difference.difference), difference.a != 0 ? percentText(difference.difference / difference.a) : ""});
    headline.print(std::cout, 2);

    std::vector<RecordDifference::Part> parts = difference.parts;
    std::stable_sort(parts.begin(), parts.end(), [](const auto& x, const auto& y) { return std::abs(x.delta) > std::abs(y.delta); });
    TextTable table;
    for (const RecordDifference::Part& part : parts) table.add({part.name, timeText(part.delta)});
    std::cout << "\nWhere it comes from\n";
    table.print(std::cout, 2);

    constexpr std::size_t shown = 12;
    TextTable causes;
    causes.setLeft(1);
    for (std::size_t i = 0; i < std::min(shown, difference.causes.size()); ++i) causes.add({timeText(difference.causes[i].delta), difference.causes[i].text});
    std::cout << "\nCauses" << (difference.causes.size() > shown ? ", the first " + std::to_string(shown) + " of " + std::to_string(difference.causes.size()) : "") << '\n';
    causes.print(std::cout, 2);

    const auto& matched = difference.matched;
    std::cout << "\nKernels matched: " << matched[0] << " in all, " << matched[1] << " by program and shapes, " << matched[2] << " by the operator called, " << matched[3] << " by name, " << matched[4] << " by place; replaced "
              << difference.replacedA << " by " << difference.replacedB << "; gone " << difference.gone << ", new " << difference.added << '\n';
}

} // namespace

int runCompareRecords(const std::string& a, const std::string& b, const std::string& communication, bool json) {
    Problems problems;
    const auto rules = communicationFile(communication, problems);
    if (!rules) return refuse(problems, json);
    // Both at once: most of the time goes into reading.
    const std::array<const std::string*, 2> paths{&a, &b};
    std::array<std::optional<RecordedJob>, 2> jobs;
    std::array<Problems, 2> found;
    forEachIndex(2, 2, [&](std::size_t i) { jobs[i] = recordedFiles(*paths[i], *rules, found[i]); });
    for (const Problems& some : found) problems.insert(problems.end(), some.begin(), some.end());
    if (!jobs[0] || !jobs[1]) return refuse(problems, json);
    const auto difference = compareRecords(*jobs[0], *jobs[1], problems);
    if (!difference) return refuse(problems, json);
    printWarnings(problems);
    if (json) printDocument(toJson(*difference));
    else printDifference(*difference);
    return exit_done;
}

} // namespace orrery
