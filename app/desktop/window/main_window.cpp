// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/window/main_window.hpp"

#include "app/desktop/background/load_worker.hpp"
#include "app/desktop/background/record_worker.hpp"
#include "app/desktop/commands/command_palette.hpp"
#include "app/desktop/commands/shortcut_sheet.hpp"
#include "app/desktop/document/document_file.hpp"
#include "app/desktop/explore/explore_panel.hpp"
#include "app/desktop/frame/status_row.hpp"
#include "app/desktop/frame/title_row.hpp"
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/learn/lesson_player.hpp"
#include "app/desktop/manners/memory_ceiling.hpp"
#include "app/desktop/manners/plain_texts.hpp"
#include "app/desktop/manners/scale_choice.hpp"
#include "app/desktop/manners/screen_fit.hpp"
#include "app/desktop/notices/banner.hpp"
#include "app/desktop/notices/fit_banner.hpp"
#include "app/desktop/notices/notice_place.hpp"
#include "app/desktop/notices/pass_notes.hpp"
#include "app/desktop/pages/about_dialog.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/scenario/document/share_text.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/cluster/fields/platform_change.hpp"
#include "widgets/common/place_words.hpp"
#include "widgets/common/section.hpp"
#include "widgets/compare/variant_strip.hpp"
#include "widgets/forms/scenario_form.hpp"
#include "widgets/headline/headline_strip.hpp"
#include "widgets/insight/sources_panel.hpp"
#include "widgets/insight/why_panel.hpp"
#include "widgets/memory/memory_chart.hpp"
#include "widgets/memory/memory_panel.hpp"
#include "widgets/roofline/roofline_chart.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace orrery {
namespace {

constexpr int dimAfter = 120;      ///< ms; what is over sooner replaces the old numbers at once
constexpr int progressAfter = 300; ///< ms
constexpr QSize leastSize(1024, 640);
constexpr QSize sketchSize(1600, 1000); ///< what the sketch was drawn for

/// A scenario all of whose ranks were recorded has no plan to simulate.
bool isOnlyRecorded(const Json& document) { return document.contains("hybrid") && !(document.contains("model") && document.contains("workload")); }

} // namespace

MainWindow::MainWindow(WindowParts parts, QWidget* parent)
    : QMainWindow(parent), catalog_(parts.catalog), settings_(parts.settings), systemIsDark_(parts.systemIsDark),
      themeChoice_(themeFromName(parts.settings.value("theme").toString()).value_or(ThemeChoice::system)),
      theme_(variantFor(themeChoice_, systemIsDark_)), recent_(settings_), dialogs_(systemDialogs(this)),
      files_(document_, recent_, dialogs_), recovery_(std::move(parts.stateFolder)), autosave_(document_, recovery_),
      runs_(parts.steps), worker_(std::move(parts.steps)), commands_(this), examples_(shippedExamples()), studies_(shippedStudies()) {
    setAcceptDrops(true);
    setMinimumSize(leastSize.boundedTo(screen()->availableSize()));
    theme_.applyToApplication();
    // Before any part hears of another theme: a new style takes the fonts away that parts have set by then.
    connect(&theme_, &Theme::changed, this, &MainWindow::applyTheme);

    views_ = new WindowViews(catalog_, theme_, selection_, this);
    loads_ = new LoadCurves(*views_->load(), this);
    lessons_ = new LessonPlayer(document_, *views_->lesson(), *views_->form(), settings_, this);
    views_->explore()->context().setHost({[this] { return fileReader(); }, [this] { return memoryCeiling(settings_); }, &dialogs_, [this] { return exportFolder(); }, [this] { return variants_.editsOf(document_.openVariant()); }});
    // Made from top to bottom: the focus goes from part to part in this order.
    auto* menuBar = new QMenuBar;
    titleRow_ = new TitleRow(theme_, workspaces());
    banner_ = new Banner(theme_);
    fitBanner_ = new FitBanner(theme_);
    strip_ = new VariantStrip(theme_);
    stripPlace_ = new QWidget;
    auto* stripRows = new QVBoxLayout(stripPlace_);
    stripRows->setContentsMargins(0, 0, 0, 0);
    stripRows->setSpacing(0);
    stripRows->addWidget(strip_);
    stripRows->addWidget(new Hairline);
    stripPlace_->hide();
    auto* head = new QWidget;
    auto* rows = new QVBoxLayout(head);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(menuBar);
    rows->addWidget(titleRow_);
    rows->addWidget(new Hairline);
    rows->addWidget(stripPlace_);
    rows->addWidget(views_->headline());
    rows->addWidget(new Hairline);
    setRole(*head, "panel");
    setMenuWidget(head);
    layout_ = new WindowLayout(*this, *views_);

    statusRow_ = new StatusRow(theme_);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(0, 0, 0, 0);
    statusBar()->addPermanentWidget(statusRow_, 1);

    notices_ = new NoticePlace(*this);
    notices_->add(banner_);
    notices_->add(fitBanner_);
    notices_->standAbove(views_->findingsPanel());
    notices_->standBeside(views_->formPanel());
    palette_ = new CommandPalette(commands_, this);

    addFileCommands();
    addEditCommands();
    addViewCommands();
    addClusterCommands();
    addSimulateCommands();
    addVariantCommands();
    addRecordCommands();
    addLearnCommands();
    addHelpCommands();
    commands_.fill(*menuBar);

    connectDocument();
    connectWorker();
    connectViews();
    connectVariants();
    connectRecords();
    connectLessons();

    resize(sketchSize.boundedTo(screen()->availableSize()));
    firstSize_ = size();
    layoutIsStored_ = layout_->restore(settings_);
    showTextsPlain();
    qApp->installEventFilter(this);
}

MainWindow::~MainWindow() {
    // The members go before the views that follow them; nothing they say on their way out must reach a half-gone window.
    worker_.disconnect(this);
    runs_.disconnect(this);
    document_.disconnect(this);
    document_.undoStack().disconnect();
}

void MainWindow::start(const QStringList& paths) {
    const QString path = paths.value(0);
    const Example first = firstExample();
    // What is no scenario itself needs one to stand in, above or beside.
    if (path.isEmpty() || paths.size() > 1 || isTraceFile(path) || !isScenarioFile(path)) document_.reset(first.document);
    if (!path.isEmpty() && !files_.openPaths(paths) && document_.json().empty()) document_.reset(first.document);
    views_->cluster()->setFocus();
    offerRecovery();
}

void MainWindow::connectDocument() {
    connect(&document_, &ScenarioDocument::changed, this, &MainWindow::documentChanged);
    connect(&document_, &ScenarioDocument::replaced, this, [this] {
        askedFiles_.clear(); // a yes was said to the scenario before
        allowedFiles_.clear();
        selection_.clear();
        resultIsOfAnother_ = result_ != nullptr;
        asDrawn_ = {};
        pinned_.unpin(); // it was a baseline for the scenario that has left
    });
    connect(&document_, &ScenarioDocument::modifiedChanged, this, &MainWindow::showTitle);
    connect(&document_, &ScenarioDocument::filePathChanged, this, &MainWindow::showTitle);
    connect(&document_.undoStack(), &QUndoStack::indexChanged, &commands_, &CommandRegistry::refresh);
    connect(&files_, &ScenarioFiles::failed, this, &MainWindow::showFileProblems);
    connect(&files_, &ScenarioFiles::studyFound, this, &MainWindow::showStudy);
    connect(&files_, &ScenarioFiles::launchFound, this, &MainWindow::importFile);
    connect(&files_, &ScenarioFiles::opened, this, [this] {
        banner_->dismiss();
        commands_.refresh();
    });
}

void MainWindow::connectWorker() {
    dimTimer_.setSingleShot(true);
    dimTimer_.setInterval(dimAfter);
    connect(&dimTimer_, &QTimer::timeout, this, &MainWindow::showRunning);

    connect(&worker_, &SimulationWorker::started, this, [this] {
        runClock_.start();
        if (titleRow_->pill().state() != StatusPill::State::simulating) titleRow_->pill().setSimulating(std::nullopt);
        if (!dimTimer_.isActive()) dimTimer_.start();
        commands_.refresh();
    });
    connect(&worker_, &SimulationWorker::progressed, this, [this](double fraction) {
        if (runClock_.elapsed() > progressAfter) titleRow_->pill().setSimulating(fraction);
    });
    connect(&worker_, &SimulationWorker::problemsFound, this, &MainWindow::takeProblems);
    connect(&worker_, &SimulationWorker::estimateReady, this, [this](const ResultPtr& estimate) {
        showRunning();
        views_->setEstimate(estimate);
    });
    connect(&worker_, &SimulationWorker::resultReady, this, &MainWindow::takeResult);
    connect(&worker_, &SimulationWorker::rowsReady, this, [this](const TimelineRowsPtr& rows) {
        views_->setRows(result_, rows);
        stale_ = false;
        dimTimer_.stop();
        views_->turns().addLast(ofNewest([this] { views_->setFreshness(Freshness::current); }));
    });
    connect(&worker_, &SimulationWorker::finished, this, [this] {
        commands_.refresh();
        views_->turns().addLast(ofNewest([this] {
            commands_.refresh(); // what can be exported is known to the charts by now
            emit resultShown();
        }));
    });
    // What follows from a result comes behind it, wherever its turn is.
    connect(&worker_, &SimulationWorker::effectsReady, this, [this](const std::vector<PassEffect>& effects) {
        views_->turns().add(views_->form(), ofNewest([this, effects] { views_->form()->setPassNotes(passNotes(effects)); }));
    });
    connect(&worker_, &SimulationWorker::mendsReady, this, [this](const std::vector<TriedMend>& mends) {
        views_->turns().add(fitBanner_, ofNewest([this, mends] { fitBanner_->setMends(mends); }));
    });
    connect(&worker_, &SimulationWorker::mendsProgressed, this, [this](double fraction) {
        views_->turns().add(fitBanner_, ofNewest([this, fraction] { fitBanner_->setProgress(fraction); }));
    });
    connect(fitBanner_, &FitBanner::giveUpRequested, &worker_, &SimulationWorker::cancelMends);
    connect(&worker_, &SimulationWorker::failed, this, [this] {
        views_->setEstimate(nullptr);
        showStale();
        const auto errors = std::count_if(problems_.begin(), problems_.end(), [](const Problem& p) { return p.severity == Severity::error; });
        titleRow_->pill().setProblems(static_cast<int>(errors));
        commands_.refresh();
    });
    connect(&worker_, &SimulationWorker::cancelled, this, [this] {
        showStale();
        titleRow_->pill().setCancelled();
        commands_.refresh();
    });
}

/// What is told in a later turn, unless another scenario is asked about by then: its own answers are on their way.
std::function<void()> MainWindow::ofNewest(std::function<void()> tell) {
    return [this, asked = worker_.generation(), tell = std::move(tell)] {
        if (asked == worker_.generation()) tell();
    };
}

void MainWindow::connectViews() {
    connect(views_, &WindowViews::editRequested, this, [this](const QString& text, const std::vector<ScenarioEdit>& edits) {
        const BoxedJson before = document_.shown();
        if (document_.edit(text, edits)) return showKeptNumbers(keptOverPlatform(before, document_.shown(), catalog_));
        banner_->showMessage(Banner::Tone::warning, tr("“%1” can't be done to this scenario.").arg(text),
                             tr("Another problem stands in its way; mend that first."), {}, true);
    });
    connect(fitBanner_, &FitBanner::editRequested, this, [this](const QString& text, const std::vector<ScenarioEdit>& edits) { document_.edit(text, edits); });
    connect(fitBanner_, &FitBanner::stageChosen, this, [this](int stage) {
        selection_.setMoment(-1);
        selection_.setStage(stage);
        layout_->reveal("memory", "memory");
        layout_->reveal("operators", "memory");
        views_->showMemoryByTensor();
    });
    connect(layout_, &WindowLayout::workspaceChanged, this, &MainWindow::showWorkspace);
    connect(layout_, &WindowLayout::workspaceChanged, this, [this] {
        const bool served = result_ && result_->serving();
        if (!served) showServing(true, false);
        else if (layout_->isPanelShown("timeline")) layout_->setPanelShown("serving", true); // a workspace may not have had it yet
    });
    connect(titleRow_, &TitleRow::workspaceChosen, layout_, &WindowLayout::showWorkspace);
    connect(titleRow_, &TitleRow::renamed, this, [this](const QString& title) {
        document_.edit(tr("Change the title"), {{"/name", title.isEmpty() ? Json() : Json(title.toStdString())}});
    });
    connect(views_, &WindowViews::drawingChanged, this, [this](bool drawing) {
        if (drawing) layout_->showWorkspace("draw");
        else if (layout_->workspace() == QStringLiteral("draw")) layout_->showWorkspace(layout_->lastBesideDraw());
        commands_.refresh();
    });
    connect(views_, &WindowViews::panelNeeded, this, [this](const QString& id) { layout_->reveal(id, id == QStringLiteral("explore") ? id : QStringLiteral("overview")); });
    connect(views_, &WindowViews::tableChanged, &commands_, &CommandRegistry::refresh);
    connect(views_, &WindowViews::openConfigRequested, this, [this] { files_.openModelConfig(); });
    connect(&selection_, &Selection::hintChanged, statusRow_, &StatusRow::setHint);
    connect(&selection_, &Selection::operatorChanged, this, &MainWindow::showChosen);
    connect(&selection_, &Selection::stageChanged, this, &MainWindow::showChosen);
    connect(statusRow_, &StatusRow::everythingRequested, this, &MainWindow::chooseNothing);
    connect(&titleRow_->pill(), &StatusPill::clicked, this, [this] {
        switch (titleRow_->pill().state()) {
        case StatusPill::State::simulating: worker_.cancel(); break;
        case StatusPill::State::problem:
            views_->showProblems();
            layout_->reveal("findings");
            break;
        default: simulateNow();
        }
    });
    const auto toggle = [this, views = views_](QToolButton* button, QToolButton* other, void (WindowViews::*showTab)()) {
        connect(button, &QToolButton::clicked, this, [this, views, button, other, showTab](bool on) {
            (views->*showTab)();
            other->setChecked(false);
            layout_->setPanelShown("findings", on);
            commands_.refresh();
            button->setChecked(on);
        });
    };
    toggle(statusRow_->problemsButton(), statusRow_->assumedButton(), &WindowViews::showProblems);
    toggle(statusRow_->assumedButton(), statusRow_->problemsButton(), &WindowViews::showAssumed);
}

/// What was clicked dims all else in every view: it is said what it was, and how everything comes back.
void MainWindow::showChosen() {
    QStringList parts;
    if (!selection_.operatorName().isEmpty()) parts << (selection_.operatorPhase().isEmpty() ? selection_.operatorName() : selection_.operatorName() + QStringLiteral(", ") + selection_.operatorPhase());
    if (selection_.stage() >= 0 && result_ && result_->training() && parts.isEmpty()) parts << tr("stage %1").arg(selection_.stage());
    statusRow_->setChosen(parts.join(QStringLiteral(" · ")));
}

void MainWindow::chooseNothing() {
    selection_.setOperator({}, {});
    selection_.setStage(-1);
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && statusRow_->chosenButton()->isVisible()) return chooseNothing();
    QMainWindow::keyPressEvent(event);
}

void MainWindow::documentChanged() {
    views_->setDocument(document_.shown());
    // What was typed has become a step of the document: undoing it is the document's business from here.
    if (auto* line = qobject_cast<QLineEdit*>(focusWidget())) line->setModified(false);
    showTitle();
    askForOutsideFiles();
    wantVariants();
    simulateNow();
}

FileReader MainWindow::fileReader() const { return scenarioFileReader(document_.baseFolder(), allowedFiles_); }

void MainWindow::askForOutsideFiles() {
    QStringList fresh;
    for (const QString& path : filesOutside(document_.json(), document_.baseFolder()))
        if (!askedFiles_.contains(path)) fresh << path;
    if (fresh.isEmpty()) return;
    askedFiles_ << fresh;
    if (dialogs_.readOutside && dialogs_.readOutside(fresh)) allowedFiles_ << fresh;
}

void MainWindow::simulateNow() {
    if (lessons_->holdsRuns()) return holdForAnswer();
    askForOutsideFiles();
    stale_ = true;
    views_->expectResult();
    fitBanner_->setStale();
    Json simulated = document_.shown();
    simulated.erase("hybrid"); // answered beside; the plan itself has no recorded ranks
    if (isOnlyRecorded(document_.shown())) return showOnlyRecorded();
    if (!document_.openVariant().isEmpty()) simulated.erase("variants"); // the others' edits start from the scenario, not from this one
    worker_.submit(std::move(simulated), fileReader(), memoryCeiling(settings_));
}

void MainWindow::showOnlyRecorded() {
    worker_.cancel();
    stale_ = false;
    forgetResult();
    takeProblems({});
    titleRow_->pill().setRecorded();
    // Whoever waits for a result hears of it as of one that was simulated: later.
    QMetaObject::invokeMethod(this, &MainWindow::resultShown, Qt::QueuedConnection);
}

void MainWindow::showTitle() {
    const QString name = document_.displayName();
    const Json& shown = document_.shown();
    const auto title = shown.find("name");
    titleRow_->setTitle(title != shown.end() && title->is_string() ? QString::fromStdString(title->get<std::string>()).trimmed() : QString());
    if (document_.filePath().isEmpty()) titleRow_->setFile({}, {});
    else titleRow_->setFile(name, QDir::toNativeSeparators(document_.filePath()));
    titleRow_->setModified(document_.isModified());
    setWindowTitle(tr("%1[*] — Orrery").arg(name));
    setWindowModified(document_.isModified());
}

void MainWindow::takeProblems(const Problems& problems) {
    problems_ = problems;
    // Who writes the file is told its keys; who looks at the window, what they are called there.
    for (Problem& problem : problems_) {
        problem.message = inWords(problem.message, problem.pointer);
        problem.mend = inWords(problem.mend, problem.pointer);
    }
    views_->setProblems(problems_);
    const auto count = [&problems](Severity severity) {
        return static_cast<int>(std::count_if(problems.begin(), problems.end(), [severity](const Problem& p) { return p.severity == severity; }));
    };
    statusRow_->setProblems(count(Severity::error), count(Severity::warning));
    showFit();
    if (hasErrors(problems)) {
        showProblemBanner();
    } else if (bannerIsAboutScenario_) {
        banner_->dismiss();
        bannerIsAboutScenario_ = false;
    }
}

void MainWindow::takeResult(const ResultPtr& result, double milliseconds) {
    const bool jittersNow = result->jitter && !(result_ && result_->jitter);
    const bool served = result_ && result_->serving();
    const bool otherKind = result_ && result_->metrics.index() != result->metrics.index();
    result_ = result;
    resultIsOfAnother_ = false;
    views_->setResult(result);
    views_->explore()->context().setMeasuredTime(milliseconds / 1e3);
    views_->turns().add(views_->loadPanel(), [this, result] { loads_->setResult(result); }); // its panel says whether there are loads to try
    asDrawn_.take(document_.shown(), result);
    runs_.take(document_.shown(), result);
    showBaseline();
    if (otherKind) followKind(served);
    // It stands in the roofline's place: where that isn't shown, the task is another one.
    if (jittersNow && layout_->isPanelShown("roofline")) layout_->bringUp("jitter");
    showServing(served, result->serving());
    statusRow_->setAssumed(static_cast<int>(result->assumed.size()));
    statusRow_->setSources(sourcesSummary(*result));
    titleRow_->pill().setUpToDate(milliseconds, result->fits);
    views_->turns().add(fitBanner_, [this, result] {
        fitBanner_->setResult(result);
        showFit();
    });
}

/// What has nothing to show of another kind of job makes way for what has: no panel stays blank by itself.
void MainWindow::followKind(bool served) {
    const bool trains = result_->training() != nullptr;
    if (!trains && views_->memory()->page() == MemoryPanel::Page::by_tensor) views_->memory()->showPage(MemoryPanel::Page::by_stage);
    if (!trains && views_->table() == WindowViews::Table::memory) views_->showTable(WindowViews::Table::operators);
    else if (trains && layout_->workspace() == QStringLiteral("memory")) views_->showTable(WindowViews::Table::memory);
    if (served && !result_->serving() && layout_->workspace() == QStringLiteral("serve")) layout_->showWorkspace(QStringLiteral("overview"));
}

void MainWindow::pinOrUnpin() {
    if (pinned_.isPinned()) pinned_.unpin();
    else pinned_.pin(result_);
    showBaseline();
    commands_.refresh();
}

/// What was pinned; without it, the scenario whose variant is open, or the cluster as drawn while something is supposed of it.
void MainWindow::showBaseline() {
    const ResultPtr pinned = pinned_.baselineFor(result_);
    const ResultPtr scenario = shownBaseline_ = pinned ? nullptr : variantBaseline();
    // A variant that changes nothing shares the scenario's result, which may bear the name of either.
    const Json* name = valueAt(document_.json(), "/name");
    const QString title = name && name->is_string() && !name->get_ref<const std::string&>().empty() ? QString::fromStdString(name->get<std::string>()) : tr("Scenario");
    if (pinned) views_->headline()->setBaseline(pinned, pinned_.name());
    else if (scenario) views_->headline()->setBaseline(scenario, title);
    else views_->headline()->setBaseline(result_ ? asDrawn_.baseline() : nullptr, tr("the cluster as drawn"));
    const ResultPtr baseline = pinned ? pinned : scenario;
    views_->setBaseline(baseline, pinned ? pinned_.name() : scenario ? title
                                                                     : QString());
}

/// The panel of requests is there while requests are served: in the timeline's place, and in front where the timeline stands.
void MainWindow::showServing(bool before, bool now) {
    if (layout_->workspace() == QStringLiteral("serve")) return; // there it stands in any case
    if (!now) layout_->setPanelShown("serving", false);
    if (now && !before && layout_->isPanelShown("timeline")) layout_->bringUp("serving");
}

/// What does not fit is a problem too: the count of problems and the list of them say so.
void MainWindow::showFit() {
    const bool fits = !result_ || result_->fits;
    statusRow_->setFits(fits);
    Problems listed = problems_;
    if (!fits && !hasErrors(problems_)) listed.insert(listed.begin(), fitBanner_->problem());
    views_->listProblems(listed);
    // The card of a comparison says that it does not fit, and the figures need the room; what is wrong comes before what is too large.
    fitBanner_->setQuiet(layout_->workspace() == QStringLiteral("compare") || hasErrors(problems_));
}

/// Another scenario's numbers never stand under this one's title.
void MainWindow::forgetResult() {
    resultIsOfAnother_ = false;
    result_.reset();
    views_->setResult(nullptr);
    loads_->setResult(nullptr);
    views_->setRows(nullptr, nullptr);
    showBaseline();
    fitBanner_->setResult(nullptr);
    statusRow_->setAssumed(0);
    statusRow_->setSources({});
    showFit();
    commands_.refresh();
}

/// The numbers on screen are another scenario's, and new ones on their way.
void MainWindow::showRunning() {
    dimTimer_.stop();
    if (resultIsOfAnother_) forgetResult();
    if (stale_) views_->setFreshness(Freshness::running);
}

void MainWindow::showStale() {
    dimTimer_.stop();
    if (resultIsOfAnother_) forgetResult();
    if (stale_) views_->setFreshness(Freshness::stale);
}

void MainWindow::showProblemBanner() {
    const auto isError = [](const Problem& p) { return p.severity == Severity::error; };
    // What the hand has just typed comes before what follows from it elsewhere.
    const std::string typed = focusWidget() ? focusWidget()->objectName().toStdString() : std::string();
    auto first = std::find_if(problems_.begin(), problems_.end(), [&](const Problem& p) { return isError(p) && p.pointer == typed; });
    if (first == problems_.end()) first = std::find_if(problems_.begin(), problems_.end(), isError);
    std::vector<Banner::Choice> choices;
    if (!first->edits.empty()) {
        choices.push_back({tr("Mend"), [this, problem = *first] { document_.edit(tr("Mend"), problem.edits); }});
    }
    const auto errors = std::count_if(problems_.begin(), problems_.end(), isError);
    choices.push_back({errors > 1 ? tr("All %1").arg(errors) : tr("Show"), [this, pointer = first->pointer, errors] {
                           if (errors > 1) {
                               views_->showProblems();
                               layout_->reveal("findings");
                           }
                           views_->goTo(QString::fromStdString(pointer));
                       }});
    bannerIsAboutScenario_ = true;
    if (views_->findingsPanel()->isVisible()) return banner_->dismiss(); // the list says it, with its mend
    banner_->showMessage(Banner::Tone::error, QString::fromStdString(first->message), QString::fromStdString(first->mend), std::move(choices), false);
}

void MainWindow::showKeptNumbers(const KeptNumbers& kept) {
    if (kept.numbers.empty()) return;
    QStringList lines;
    std::vector<ScenarioEdit> mend;
    for (const KeptNumber& number : kept.numbers) {
        lines << tr("%1: %2 (%3 has %4)").arg(number.what, number.kept, kept.platform, number.platform);
        mend.insert(mend.end(), number.mend.begin(), number.mend.end());
    }
    bannerIsAboutScenario_ = false;
    banner_->showMessage(Banner::Tone::warning, tr("Numbers that were typed stay as they are."), lines.join(QStringLiteral(" · ")),
                         {{tr("Use those of %1").arg(kept.platform),
                           [this, mend, platform = kept.platform] {
                               document_.edit(tr("Use the numbers of %1").arg(platform), mend);
                               banner_->dismiss();
                           }}},
                         true);
}

void MainWindow::showFileProblems(const Problems& problems) {
    const Problem& first = problems.front();
    const QString place = first.line > 0 ? tr("%1, line %2, column %3: ").arg(QFileInfo(QString::fromStdString(first.file)).fileName()).arg(first.line).arg(first.column)
                                         : QString();
    bannerIsAboutScenario_ = false;
    banner_->showMessage(Banner::Tone::error, place + QString::fromStdString(first.message), QString::fromStdString(first.mend), {}, true);
}

void MainWindow::offerRecovery() {
    const std::vector<RecoveredWork> works = recovery_.abandoned();
    if (works.empty()) return;
    const RecoveredWork& work = works.front();
    bannerIsAboutScenario_ = false;
    banner_->showMessage(Banner::Tone::warning,
                         tr("Orrery ended unexpectedly. Unsaved work on “%1” from %2 was kept.")
                             .arg(work.name, locale().toString(work.savedAt, QLocale::ShortFormat)),
                         {},
                         {{tr("Restore it"),
                           [this, work] {
                               if (!files_.mayLeave()) return;
                               document_.restore(work.document, work.filePath, work.fileHash);
                               autosave_.writeNow(); // this window's own copy stands in for the old one
                               RecoveryStore::discard(work);
                               banner_->dismiss();
                               offerRecovery();
                           }},
                          {tr("Discard it"),
                           [this, work] {
                               RecoveryStore::discard(work);
                               banner_->dismiss();
                               offerRecovery();
                           }}},
                         true);
}

void MainWindow::setThemeChoice(ThemeChoice choice) {
    themeChoice_ = choice;
    settings_.setValue("theme", themeName(choice));
    theme_.setVariant(variantFor(choice, systemIsDark_));
    commands_.refresh();
}

void MainWindow::setScale(int percent) {
    const bool isAnother = percent != scaleIn(settings_);
    keepScale(settings_, percent);
    commands_.refresh();
    if (isAnother) banner_->showMessage(Banner::Tone::note, tr("The size changes when Orrery starts again."), {}, {}, true);
}

void MainWindow::setLanguage(LanguageChoice choice) {
    const bool isAnother = textsOf(choice, QLocale()) != textsOf(languageIn(settings_), QLocale());
    keepLanguage(settings_, choice);
    commands_.refresh();
    if (isAnother) banner_->showMessage(Banner::Tone::note, tr("The language changes when Orrery starts again."), {}, {}, true);
}

void MainWindow::applyTheme() { theme_.applyToApplication(); }

void MainWindow::showWorkspace(const QString& id) {
    titleRow_->setWorkspace(id);
    strip_->setComparing(id == QStringLiteral("compare"));
    views_->headline()->setVisible(id != QStringLiteral("recorded")); // its figures are the scenario's
    showFit();
    showVariants();
    views_->setDrawing(id == QStringLiteral("draw"));
    if (id == QStringLiteral("draw")) views_->cluster()->setFocus();
    if (id == QStringLiteral("timeline")) views_->timeline()->setFocus();
    // Beside the memory stands what holds it; elsewhere the table that was there.
    if (id == QStringLiteral("memory")) {
        tableBesideMemory_ = views_->table();
        const bool hasTensors = !result_ || result_->training(); // an engine keeps one account of each kind
        views_->showTable(hasTensors ? WindowViews::Table::memory : WindowViews::Table::operators);
    } else if (tableBesideMemory_) {
        if (views_->table() == WindowViews::Table::memory) views_->showTable(*tableBesideMemory_);
        tableBesideMemory_.reset();
    }
    commands_.refresh();
}

void MainWindow::maximisePanel() {
    QString id = layout_->panelOf(childAt(mapFromGlobal(QCursor::pos())));
    if (id.isEmpty()) id = layout_->panelOf(focusWidget());
    if (!id.isEmpty() || !layout_->maximised().isEmpty()) layout_->toggleMaximised(id);
}

void MainWindow::showPalette() { palette_->open(); }

void MainWindow::showShortcuts() {
    auto* sheet = new ShortcutSheet(commands_, this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->open();
}

void MainWindow::showAbout() {
    auto* about = new AboutDialog(this);
    about->setAttribute(Qt::WA_DeleteOnClose);
    about->open();
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    // Only now is it known how large the window is.
    if (!layoutIsStored_) layout_->reset();
    layoutIsStored_ = true;
    if (size() == firstSize_) keepOnScreen(*this, leastSize);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!files_.mayLeave()) {
        event->ignore();
        return;
    }
    layout_->save(settings_);
    recovery_.remove();
    worker_.cancel();
    runs_.cancel();
    loads_->cancel();
    recordWorker_->disconnect(this);
    recordWorker_->cancel();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && std::all_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); })) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    QStringList paths;
    for (const QUrl& url : event->mimeData()->urls()) paths << url.toLocalFile();
    event->acceptProposedAction();
    // After the drop is over: a question in its middle would block the program it came from.
    QTimer::singleShot(0, this, [this, paths] { files_.openPaths(paths); });
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    // A field with nothing typed in it has nothing of its own to undo: the key means the document's last step.
    if (event->type() == QEvent::ShortcutOverride) {
        auto* line = qobject_cast<QLineEdit*>(watched);
        const auto* key = static_cast<QKeyEvent*>(event);
        if (line && line->window() == this && !line->isModified() && (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo))) {
            return true;
        }
        // No field takes a whole scenario.
        if (line && line->window() == this && key->matches(QKeySequence::Paste) && isShareText(QApplication::clipboard()->text().toStdString())) return true;
    }
    if ((event->type() == QEvent::Show || event->type() == QEvent::Hide) && watched == views_->findingsPanel() && bannerIsAboutScenario_)
        QMetaObject::invokeMethod(
            this, [this] { if (bannerIsAboutScenario_ && hasErrors(problems_)) showProblemBanner(); }, Qt::QueuedConnection);
    if (event->type() == QEvent::ToolTip && watched->isWidgetType() && static_cast<QWidget*>(watched)->window() == this &&
        showToolTipBeside(*static_cast<QWidget*>(watched), *static_cast<QHelpEvent*>(event)))
        return true;
    if (event->type() == QEvent::FocusIn && watched->isWidgetType() && static_cast<QWidget*>(watched)->window() == this) {
        QMetaObject::invokeMethod(&commands_, &CommandRegistry::refresh, Qt::QueuedConnection);
    }
    return QMainWindow::eventFilter(watched, event);
}

} // namespace orrery
