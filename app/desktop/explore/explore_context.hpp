// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/manners/dialogs.hpp"
#include "core/answers/explore/plain_table.hpp"
#include "core/answers/explore/trials.hpp"
#include "core/base/boxed_json.hpp"
#include "core/results/report/result.hpp"

#include <QObject>
#include <QStringListModel>

#include <functional>
#include <memory>
#include <vector>

namespace orrery {

class Catalog; // core/catalog
class Theme;
struct Measure;

/// The scenario that the pages explore, and what they ask of the window.
class ExploreContext : public QObject {
    Q_OBJECT
public:
    /// What the window answers.
    struct Host {
        std::function<FileReader()> reader;                        ///< of files that the scenario names
        std::function<double()> memoryCeiling;                     ///< bytes
        const Dialogs* dialogs = nullptr;                          ///< it outlives the context
        std::function<QString()> folder;                           ///< where files are saved
        std::function<std::vector<ScenarioEdit>()> openEdits = {}; ///< of the variant that is open, which what is kept starts from
    };

    ExploreContext(const Catalog& catalog, const Theme& theme, QObject* parent = nullptr); ///< both outlive it

    void setHost(Host host) { host_ = std::move(host); }
    void setDocument(const Json& document);
    void setResult(const ResultPtr& result) { result_ = result; }
    void setMeasuredTime(double seconds) { seconds_ = seconds; }

    const Catalog& catalog() const { return catalog_; }
    const Theme& theme() const { return theme_; }
    const Json& document() const { return *document_; }
    const ResultPtr& result() const { return result_; }
    quint64 edition() const { return edition_; } ///< another for each change of the document
    QAbstractItemModel& keys() { return keys_; } ///< keys of the form, for completion
    double memoryCeiling() const;

    /// The scenario as it stands, for the worker's thread.
    std::shared_ptr<const Trials> trials() const;
    std::vector<Measure> measures() const; ///< what can be asked of the result
    /// What simulating `points` scenarios takes on all cores, by the last simulation's time; nothing before the first.
    std::optional<double> secondsFor(double points) const;

    /// Makes the changes the scenario's, in one undo step.
    void open(const std::vector<ScenarioEdit>& changes);
    /// Keeps the changes as one more variant of the scenario.
    void keepAsVariant(const std::vector<ScenarioEdit>& changes);
    /// Programs that a launch command can be written for, of this kind of workload.
    std::vector<std::string> launchTools() const;
    /// The command that starts the scenario with these changes; nothing, with problems.
    std::optional<QString> launchText(const std::vector<ScenarioEdit>& changes, const std::string& tool, Problems& problems) const;
    /// Asks for a file and writes the tables into it, as a workbook or (the first of them) as CSV by its ending. `name`: what is suggested.
    /// Gives a sentence on how that went; empty: it was not wanted.
    QString saveTables(const QString& title, const QString& name, const std::vector<PlainTable>& tables) const;

signals:
    void documentChanged();
    void editRequested(const QString& undoText, const std::vector<orrery::ScenarioEdit>& edits);

private:
    const Catalog& catalog_;
    const Theme& theme_;
    Host host_;
    BoxedJson document_;
    ResultPtr result_;
    double seconds_ = 0;
    quint64 edition_ = 0;
    QStringListModel keys_;
};

} // namespace orrery
