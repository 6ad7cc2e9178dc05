// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

namespace orrery {

/// One place of a column: a panel, with others behind it as tabs.
struct WorkspaceCell {
    QStringList panels; ///< ids of WindowLayout's panels
    int weight = 1;     ///< of the column's height, against the other cells'
    bool shown = true;  ///< else it waits here until asked for
};

/// Cells one above the other. A column with nothing shown takes no room.
struct WorkspaceColumn {
    std::vector<WorkspaceCell> cells;
    double share = 0; ///< of the window's width; 0: what the others leave
    int least = 0;    ///< px
    int most = 0;     ///< px

    int widthIn(int window) const; ///< px; only where `share` says
};

/// An arrangement of the panels in which one task has the most room.
struct Workspace {
    QString id;      ///< "timeline": never shown, stands in the settings
    QString title;   ///< translated, with its mnemonic: "&Timeline"
    QString toolTip; ///< what it is for
    std::vector<WorkspaceColumn> columns;

    /// Shows the panel unless the user hid it.
    bool shows(const QString& panel) const;
};

/// In the order of the row and of Ctrl+1, Ctrl+2 … Every workspace has a place for every panel. Another task is another entry here.
std::vector<Workspace> workspaces();

} // namespace orrery
