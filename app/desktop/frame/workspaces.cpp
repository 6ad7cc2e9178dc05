// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/frame/workspaces.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace orrery {
namespace {

struct WorkspaceTable {
    Q_DECLARE_TR_FUNCTIONS(Workspaces)

public:
    static WorkspaceCell waiting(const QStringList& panels) { return {panels, 1, false}; }
    // Shares of the window's width as in the sketches, between what can be read and what is wasted (px).
    static WorkspaceColumn form(bool shown) { return {{{{"scenario"}, 1, shown}}, 0.185, 264, 420}; }
    static WorkspaceColumn beside(std::vector<WorkspaceCell> cells) { return {std::move(cells), 0.235, 310, 760}; }

    static Workspace overview() {
        return {"overview", tr("Overv&iew"), tr("The scenario, its cluster and everything that follows from it"), {form(true), {{{{"cluster"}, 32}, {{"timeline", "serving", "load"}, 38}, {{"operators"}, 14}, waiting({"findings"})}}, beside({{{"memory"}, 30}, {{"roofline", "jitter"}, 32}, {{"why"}, 20}})}};
    }
    static Workspace draw() {
        return {"draw", tr("Dra&w"), tr("Place hosts and switches, connect them, and change what is marked"), {form(false), {{{{"cluster"}, 1}, waiting({"timeline", "serving", "load"}), waiting({"operators"}), waiting({"findings"})}}, beside({waiting({"memory"}), waiting({"roofline", "jitter"}), waiting({"why"})})}};
    }
    static Workspace timeline() {
        return {"timeline", tr("&Timeline"), tr("What runs when, stage by stage or instance by instance, with the operators below"), {form(false), {{waiting({"cluster"}), {{"timeline", "serving", "load"}, 3}, {{"operators"}, 1}, waiting({"findings"})}}, beside({waiting({"memory"}), waiting({"roofline", "jitter"}), waiting({"why"})})}};
    }
    static Workspace memory() {
        return {"memory", tr("&Memory"), tr("What fills the memory, by stage, over time and down to the tensor"), {form(false), {{{{"memory"}, 1}, waiting({"cluster"}), waiting({"timeline", "serving", "load"}), waiting({"findings"})}}, {{{{"operators"}, 1}, waiting({"roofline", "jitter"}), waiting({"why"})}, 0.39, 460, 1400}}};
    }
    static Workspace serve() {
        return {"serve", tr("Se&rve"), tr("What the engine can serve, and every request with its waiting and its latency"), {form(true), {{{{"load"}, 9}, {{"serving", "timeline"}, 10}, waiting({"cluster"}), waiting({"operators"}), waiting({"findings"})}}, beside({{{"why"}, 3}, {{"memory"}, 2}, waiting({"roofline", "jitter"})})}};
    }
    static Workspace explore() {
        return {"explore", tr("E&xplore"), tr("What if: sweep a field, search for the best plan, ask which value reaches a figure, and what it hangs on"), {form(true), {{{{"explore"}, 1}, waiting({"cluster"}), waiting({"timeline", "serving", "load"}), waiting({"operators"}), waiting({"findings"})}}, beside({waiting({"memory"}), waiting({"roofline", "jitter"}), waiting({"why"})})}};
    }
    static Workspace recorded() {
        return {"recorded", tr("Rec&orded"), tr("What a profiler recorded: ranks of a real job, who waits for whom, and the scenario beside them"), {form(false), {{{{"recorded"}, 1}, waiting({"cluster"}), waiting({"timeline", "serving", "load"}), waiting({"operators"}), waiting({"findings"})}}, beside({waiting({"memory"}), waiting({"roofline", "jitter"}), waiting({"why"})})}};
    }
    static Workspace compare() {
        return {"compare", tr("Com&pare"), tr("The scenario and its variants side by side: what differs, and where the difference comes from"), {form(false), {{{{"compare"}, 1}, waiting({"cluster"}), waiting({"timeline", "serving", "load"}), waiting({"operators"}), waiting({"findings"})}}, beside({waiting({"memory"}), waiting({"roofline", "jitter"}), waiting({"why"})})}};
    }
    static Workspace learn() {
        const WorkspaceColumn lesson{{{{"lesson"}, 1}}, 0.24, 290, 520};
        return {"learn", tr("Lear&n"), tr("Twelve lessons: say what will happen, then see it happen on the scenario"), {lesson, {{{{"timeline", "serving", "load"}, 5}, {{"operators"}, 3}, waiting({"cluster"}), waiting({"findings"})}}, beside({{{"scenario"}, 3}, {{"memory"}, 2}, waiting({"roofline", "jitter"}), waiting({"why"})})}};
    }
};

/// A panel that has a workspace of its own waits behind the timeline in the others.
void addWaiting(Workspace& workspace, const QString& panel) {
    for (const WorkspaceColumn& column : workspace.columns)
        for (const WorkspaceCell& cell : column.cells)
            if (cell.panels.contains(panel)) return;
    for (WorkspaceColumn& column : workspace.columns)
        for (WorkspaceCell& cell : column.cells)
            if (cell.panels.contains(QStringLiteral("timeline"))) return cell.panels.append(panel);
    workspace.columns.front().cells.push_back(WorkspaceTable::waiting({panel}));
}

} // namespace

int WorkspaceColumn::widthIn(int window) const { return std::clamp(static_cast<int>(share * window), least, most); }

bool Workspace::shows(const QString& panel) const {
    for (const WorkspaceColumn& column : columns)
        for (const WorkspaceCell& cell : column.cells)
            if (cell.shown && cell.panels.front() == panel) return true;
    return false;
}

std::vector<Workspace> workspaces() {
    std::vector<Workspace> all{WorkspaceTable::overview(), WorkspaceTable::draw(), WorkspaceTable::timeline(), WorkspaceTable::memory(), WorkspaceTable::serve(), WorkspaceTable::explore(), WorkspaceTable::compare(), WorkspaceTable::recorded(), WorkspaceTable::learn()};
    for (Workspace& each : all)
        for (const char* panel : {"explore", "compare", "recorded", "lesson"}) addWaiting(each, QString::fromLatin1(panel));
    return all;
}

} // namespace orrery
