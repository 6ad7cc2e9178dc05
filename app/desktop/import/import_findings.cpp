// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/import/import_findings.hpp"

#include <QCoreApplication>

#include <algorithm>
#include <string_view>

namespace orrery {
namespace {

struct Findings {
    Q_DECLARE_TR_FUNCTIONS(Findings)
};

FindingGroup::Kind kindOf(const Problem& problem) {
    if (problem.severity == Severity::error) return FindingGroup::Kind::refused;
    using Kind = FindingGroup::Kind;
    const struct {
        std::string_view code;
        Kind kind;
    } kinds[] = {
        {"option-not-understood", Kind::not_understood}, {"word-not-understood", Kind::not_understood}, {"layout-not-understood", Kind::not_understood}, {"file-not-read", Kind::not_understood}, {"value-left-open", Kind::left_open}, {"variable-not-set", Kind::left_open}, {"option-ignored", Kind::not_needed}, {"assumed", Kind::assumed}, {"precision-assumed", Kind::assumed}};
    for (const auto& one : kinds)
        if (problem.code == one.code) return one.kind;
    return Kind::other;
}

} // namespace

std::vector<FindingGroup> groupFindings(const Problems& import, const Problems& unsound) {
    using Kind = FindingGroup::Kind;
    std::vector<FindingGroup> groups{{Kind::refused, Findings::tr("Stands in the way"), {}},
                                     {Kind::unsound, Findings::tr("To be mended in the scenario"), {}},
                                     {Kind::not_understood, Findings::tr("Not understood"), {}},
                                     {Kind::left_open, Findings::tr("Left open by the text"), {}},
                                     {Kind::other, Findings::tr("Said besides"), {}},
                                     {Kind::assumed, Findings::tr("Assumed"), {}},
                                     {Kind::not_needed, Findings::tr("Not needed for a simulation"), {}}};
    const auto add = [&groups](Kind kind, const Problem& problem) {
        std::find_if(groups.begin(), groups.end(), [kind](const FindingGroup& group) { return group.kind == kind; })->findings.push_back(problem);
    };
    for (const Problem& problem : import) add(kindOf(problem), problem);
    for (const Problem& problem : unsound) add(problem.severity == Severity::error ? Kind::unsound : Kind::other, problem);
    std::erase_if(groups, [](const FindingGroup& group) { return group.findings.empty(); });
    return groups;
}

QString findingText(const Problem& problem) {
    const QString message = QString::fromStdString(problem.message);
    return problem.line > 0 ? Findings::tr("line %1: %2").arg(problem.line).arg(message) : message;
}

} // namespace orrery
