// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/document/document.hpp"
#include "app/desktop/document/examples.hpp"
#include "app/desktop/manners/dialogs.hpp"
#include "core/base/json_forward.hpp"

namespace orrery {

class RecentFiles;

/// Opening and saving as a user does it: asks about unsaved changes, remembers recent files, says what went wrong.
class ScenarioFiles : public QObject {
    Q_OBJECT
public:
    ScenarioFiles(ScenarioDocument& document, RecentFiles& recent, Dialogs& dialogs, QObject* parent = nullptr);

    // Each gives false when the user cancelled or something failed; nothing is lost then.
    bool startNew();
    bool open();
    /// A scenario, or a model's config.json, which becomes the model. A study or a launch script is handed on by signal.
    bool openPath(const QString& path);
    /// One file of any kind, or recorded traces together, with one scenario that is to stand beside them.
    bool openPaths(const QStringList& paths);
    /// A scenario as one line of text, "orrery:…".
    bool openText(const QString& text);
    bool openExample(const Example& example);
    bool openModelConfig();
    bool openLaunch(); ///< asks for a launch script or a trainer's configuration
    bool save();
    bool saveAs();
    /// Asks about unsaved changes, and saves them if so wished. False: stay.
    bool mayLeave();

signals:
    void failed(const orrery::Problems& problems);
    void studyFound(const orrery::Json& study, const QString& folder); ///< its scenarios' relative paths start from `folder`
    void launchFound(const QString& path);                             ///< a launch script or a trainer's configuration
    void tracesFound(const QStringList& paths);                        ///< of the ranks of one job
    void opened();                                                     ///< or saved: whatever was wrong before no longer matters

private:
    bool report(const Problems& problems);
    bool saveTo(const QString& path);
    QString folder() const; ///< where file dialogs start

    ScenarioDocument& document_;
    RecentFiles& recent_;
    Dialogs& dialogs_;
};

} // namespace orrery
