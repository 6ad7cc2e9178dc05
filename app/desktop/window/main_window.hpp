// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/background/as_drawn.hpp"
#include "app/desktop/background/pinned_baseline.hpp"
#include "app/desktop/background/simulation_worker.hpp"
#include "app/desktop/background/variant_runs.hpp"
#include "app/desktop/commands/commands.hpp"
#include "app/desktop/document/autosave.hpp"
#include "app/desktop/document/document.hpp"
#include "app/desktop/document/recent_files.hpp"
#include "app/desktop/document/recovery.hpp"
#include "app/desktop/document/scenario_files.hpp"
#include "app/desktop/document/variant_list.hpp"
#include "app/desktop/export/export_dialog.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/manners/dialogs.hpp"
#include "app/desktop/manners/language_choice.hpp"
#include "app/desktop/manners/theme_choice.hpp"
#include "core/base/json_forward.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/recorded/shown_records.hpp"

#include <QMainWindow>
#include <QMap>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

class QSettings;

namespace orrery {

class Catalog; // core/catalog
class Banner;
class CommandPalette;
class Exportable;
class FitBanner;
class LessonPlayer;
class LoadCurves;
class NoticePlace;
class RecordWorker;
class StatusRow;
class TitleRow;
class VariantStrip;
class WindowLayout;
struct KeptNumbers;

/// What a window stands on. All of it outlives the window.
struct WindowParts {
    const Catalog& catalog;
    QSettings& settings;
    QString stateFolder; ///< where unsaved work is kept against crashes
    SimulationSteps steps;
    bool systemIsDark = false; ///< the desktop's own colours
};

/// The main window: one scenario, simulated on every change, and every view of it.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(WindowParts parts, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Fills the window once it is on screen: the file, or the first example when `path` is empty; then offers what a
    /// crash left behind.
    void start(const QString& path) { start(path.isEmpty() ? QStringList() : QStringList{path}); }
    void start(const QStringList& paths); ///< several: recorded traces of the ranks of one job

    ScenarioDocument& document() { return document_; }
    SimulationWorker& worker() { return worker_; }
    RecordWorker& recordWorker() { return *recordWorker_; }
    LessonPlayer& lessons() { return *lessons_; }
    LoadCurves& loads() { return *loads_; }
    CommandRegistry& commands() { return commands_; }
    ScenarioFiles& files() { return files_; }
    RecentFiles& recentFiles() { return recent_; }
    Dialogs& dialogs() { return dialogs_; }
    Selection& selection() { return selection_; }
    Theme& theme() { return theme_; }
    WindowViews& views() { return *views_; }
    WindowLayout& windowLayout() { return *layout_; }
    TitleRow& titleRow() { return *titleRow_; }
    StatusRow& statusRow() { return *statusRow_; }
    Banner& banner() { return *banner_; }
    FitBanner& fitBanner() { return *fitBanner_; }
    VariantList& variants() { return variants_; }
    VariantRuns& variantRuns() { return runs_; }
    VariantStrip& variantStrip() { return *strip_; }
    ResultPtr result() const { return result_; } ///< the newest one; null before the first
    const Problems& problems() const { return problems_; }

    ThemeChoice themeChoice() const { return themeChoice_; }
    void setThemeChoice(ThemeChoice choice);
    void setScale(int percent);              ///< of the next start: Qt asks for it once
    void setLanguage(LanguageChoice choice); ///< of the next start: every part has its texts from when it was made
    FileReader fileReader() const;           ///< of files that the scenario names
    void askForOutsideFiles();
    void simulateNow();
    void showPalette();
    void showShortcuts();
    void showAbout();
    /// Shows how charts leave the window, with one of them chosen; an empty id leaves the choice open.
    void showExport(const QString& chartId);
    void showExportOf(std::vector<ExportDialog::Chart> charts, const QString& chartId, QWidget* above);
    /// Writes the chart to a file the user chooses, as charts were exported last.
    void exportChartAs(const Exportable& chart, const QString& ending);
    void exportChromeTrace();
    /// Writes figures, charts, assumptions and sources as one document.
    void exportReport();
    /// Shows a launch command or configuration and what it means, to be imported.
    void showImport(const QString& text, const QString& fileName, const QString& folder);
    void importFile(const QString& path);
    void pasteLaunchCommand();
    void copyAsText(); ///< the scenario with its variants as one line, into the clipboard
    void openCopied(); ///< such a line in the clipboard
    /// Reads recorded traces of the ranks of one job and shows them in their workspace.
    void openRecords(const QStringList& paths);
    /// Shows a study in a window of its own; relative paths in it start from `folder`.
    void showStudy(const Json& study, const QString& folder);
    /// Shows how far off predictions are of what was measured, and how sure the present one is.
    void showAccuracy();
    /// Plays a lesson (from 0) in its workspace.
    void startLesson(int lesson);

signals:
    void resultShown();  ///< every view has the newest result
    void recordsShown(); ///< what was read of records is on screen, or in a banner

protected:
    void showEvent(QShowEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void connectDocument();
    void connectWorker();
    void connectViews();
    void connectVariants();
    void connectRecords();
    void connectLessons();
    void answerHybrid();
    void putBeside(int place); ///< the scenario under a record; -1: takes it away
    bool canStandBeside() const;
    void takeRecords(const ShownRecordsPtr& records);
    void showRecordProblems(const Problems& problems, bool isAny); ///< isAny: something could be shown all the same
    void askForRank(int place);                                    ///< of the job, which the record doesn't say
    void editCommunicationRules();
    void sortRecords(); ///< by the user's rules, where others sorted them
    void addRecordCommands();
    void addFileCommands();
    void addEditCommands();
    void addViewCommands();
    void addClusterCommands();
    void addWhatIfCommands();
    void addSimulateCommands();
    void addVariantCommands();
    void addLearnCommands();
    void addHelpCommands();
    void applyTheme();
    void documentChanged();
    void showTitle();
    void showWorkspace(const QString& id);
    void showExplore(QWidget& page); ///< a page of the workspace of what-ifs
    void maximisePanel();            ///< the one under the mouse, else the one with the focus; or brings the others back
    void takeProblems(const Problems& problems);
    std::function<void()> ofNewest(std::function<void()> tell);
    void takeResult(const ResultPtr& result, double milliseconds);
    void showRunning();
    void showStale();
    void showFit();
    void pinOrUnpin();
    void showBaseline();
    void wantVariants();               ///< says which results the strip needs
    void showVariants();               ///< cards, what is compared, and the scenario itself as the open variant's baseline
    void openVariantBeside(int by);    ///< the next or the one before
    ResultPtr variantBaseline() const; ///< of the scenario itself while a variant is open; null: none
    void showServing(bool before, bool now);
    void forgetResult();
    void holdForAnswer(); ///< a lesson's step waits for a prediction: nothing runs
    void saveAnswers();
    void showOnlyRecorded(); ///< all ranks were recorded: there is nothing to simulate
    void showProblemBanner();
    void showKeptNumbers(const KeptNumbers& kept); ///< what another platform did not change
    void showFileProblems(const Problems& problems);
    void showChosen();
    void followKind(bool served);
    void chooseNothing();
    void offerRecovery();
    QString exportStem() const;
    QString exportFolder() const;
    QString exportPath(const QString& name, const QString& ending, const QString& filter);

    const Catalog& catalog_;
    QSettings& settings_;
    bool systemIsDark_;
    ThemeChoice themeChoice_ = ThemeChoice::system;
    Theme theme_;
    Selection selection_;
    ScenarioDocument document_;
    RecentFiles recent_;
    Dialogs dialogs_;
    QStringList askedFiles_, allowedFiles_; ///< outside the scenario's folder: asked for, and may be read
    ScenarioFiles files_;
    RecoveryStore recovery_;
    Autosave autosave_;
    VariantList variants_{document_};
    VariantRuns runs_; ///< of the scenario and its variants
    SimulationWorker worker_;
    CommandRegistry commands_;
    std::vector<Example> examples_;
    std::vector<Example> studies_;

    ResultPtr result_;
    Problems problems_;
    bool bannerIsAboutScenario_ = false; ///< not about a file
    bool layoutIsStored_ = false;        ///< from an earlier run; otherwise the first show sets it
    QSize firstSize_;                    ///< px, unless the settings or the command line say another
    bool stale_ = false;                 ///< what the views show is not of the present document
    bool resultIsOfAnother_ = false;     ///< the document was replaced, and this one has no result yet
    AsDrawn asDrawn_;
    PinnedBaseline pinned_;
    QMap<QString, bool> ticked_; ///< variants that were chosen for comparison, or left out of it, by hand
    ResultPtr shownBaseline_;    ///< of the open variant, as last shown
    QTimer dimTimer_;            ///< a run that is over sooner than this doesn't dim anything
    QElapsedTimer runClock_;

    std::optional<WindowViews::Table> tableBesideMemory_; ///< of the other workspaces, while the memory's shows tensors
    WindowViews* views_ = nullptr;
    LoadCurves* loads_ = nullptr;
    RecordWorker* recordWorker_ = nullptr;
    LessonPlayer* lessons_ = nullptr;
    std::string answered_;                          ///< the document whose hybrid ran last, or runs
    std::map<std::string, std::int64_t> toldRanks_; ///< by file: what the user said
    std::optional<int> besideAgain_;                ///< rank that the scenario stood beside before its kernels were sorted anew
    WindowLayout* layout_ = nullptr;
    TitleRow* titleRow_ = nullptr;
    StatusRow* statusRow_ = nullptr;
    Banner* banner_ = nullptr;
    FitBanner* fitBanner_ = nullptr;
    VariantStrip* strip_ = nullptr;
    QWidget* stripPlace_ = nullptr; ///< with the line below it
    NoticePlace* notices_ = nullptr;
    CommandPalette* palette_ = nullptr;
};

} // namespace orrery
