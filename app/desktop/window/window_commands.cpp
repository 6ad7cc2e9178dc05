// SPDX-License-Identifier: GPL-3.0-or-later
// Every command of the window, as data. See commands.hpp.

#include "app/desktop/explore/explore_panel.hpp"
#include "app/desktop/explore/search_page.hpp"
#include "app/desktop/explore/sensitivity_page.hpp"
#include "app/desktop/explore/solve_page.hpp"
#include "app/desktop/explore/sweep_page.hpp"
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/help/first_run_card.hpp"
#include "app/desktop/help/help_place.hpp"
#include "app/desktop/help/help_window.hpp"
#include "app/desktop/manners/language_choice.hpp"
#include "app/desktop/manners/memory_ceiling.hpp"
#include "app/desktop/manners/scale_choice.hpp"
#include "app/desktop/window/main_window.hpp"
#include "core/scenario/document/share_text.hpp"
#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/common/exportable.hpp"
#include "widgets/forms/scenario_form.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QTabWidget>

namespace orrery {
namespace {

/// Edit commands go to the text field that has the focus, else to the drawing.
template <typename OnText, typename OnCanvas>
void editFocus(OnText onText, OnCanvas onCanvas) {
    QWidget* focus = QApplication::focusWidget();
    if (auto* line = qobject_cast<QLineEdit*>(focus)) {
        onText(*line);
    } else {
        onCanvas();
    }
}

/// About the middle of what is in view.
void zoomTimeline(TimelineView& view, double factor) {
    const Viewport& now = view.viewport();
    const double middle = (now.from + now.to) / 2;
    const double half = now.span() / (2 * factor);
    view.setVisibleRange(middle - half, middle + half);
}

bool textHasFocus() { return qobject_cast<QLineEdit*>(QApplication::focusWidget()) != nullptr; }

} // namespace

void MainWindow::addFileCommands() {
    commands_.addMenu({"file", {}, tr("&File")});
    commands_.addMenu({"file.recent", "file", tr("Open &recent")});
    commands_.addMenu({"file.export", "file", tr("&Export")});

    commands_.add({"file.new", "file", tr("&New"), {QKeySequence::New}, [this] { files_.startNew(); }, {}, {}, {}, false});
    commands_.add({"file.open", "file", tr("&Open…"), {QKeySequence::Open}, [this] { files_.open(); }, {}, {}, {}, false});
    for (int i = 0; i < RecentFiles::capacity; ++i) {
        commands_.add({QStringLiteral("file.recent.%1").arg(i + 1), "file.recent", tr("Recent scenario %1").arg(i + 1), {}, [this, i] { files_.openPath(recent_.paths().value(i)); }, {}, {}, [this, i] { return recent_.label(i).replace(u'&', QStringLiteral("&&")); }, false});
    }
    commands_.add({"file.recent.clear", "file.recent", tr("&Forget these"), {}, [this] { recent_.clear(); }, [this] { return !recent_.paths().isEmpty(); }, {}, {}, true});
    commands_.add({"file.model_config", "file", tr("&Model from a config.json…"), {QKeySequence("Ctrl+Shift+O")}, [this] { files_.openModelConfig(); }, {}, {}, {}, false});
    commands_.add({"file.import", "file", tr("&Import a launch script…"), {QKeySequence("Ctrl+Shift+I")}, [this] { files_.openLaunch(); }, {}, {}, {}, false});
    commands_.add({"file.save", "file", tr("&Save"), {QKeySequence::Save}, [this] { files_.save(); }, {}, {}, {}, true});
    commands_.add({"file.save_as", "file", tr("Save &as…"), {QKeySequence("Ctrl+Shift+S")}, [this] { files_.saveAs(); }, {}, {}, {}, false});

    const auto haveResult = [this] { return result_ != nullptr; };
    commands_.add({"file.export.charts", "file.export", tr("C&harts: size, letters, colours, title…"), {QKeySequence("Ctrl+E")}, [this] { showExport({}); }, {}, {}, {}, false});
    commands_.add({"file.export.trace", "file.export", tr("Timeline for &Perfetto (Chrome JSON)…"), {QKeySequence("Ctrl+Shift+E")}, [this] { exportChromeTrace(); }, haveResult, {}, {}, false});
    commands_.add({"file.export.report", "file.export", tr("&Report: figures, charts, sources…"), {QKeySequence("Ctrl+Shift+R")}, [this] { exportReport(); }, haveResult, {}, {}, false});
    struct Ending {
        const char* ending;
        QString text;
    };
    const std::vector<Ending> endings = {{"svg", tr("&SVG…")}, {"pdf", tr("P&DF…")}, {"png", tr("&PNG…")}, {"csv", tr("Data as &CSV…")}};
    for (const WindowViews::Chart& chart : views_->charts()) {
        const QString menu = "file.export." + chart.id;
        commands_.addMenu({menu, "file.export", chart.title});
        const auto hasSomething = [&exportable = *chart.exportable] { return exportable.whyNothing().isEmpty(); };
        for (const Ending& ending : endings) {
            commands_.add({menu + "." + ending.ending, menu, ending.text, {}, [this, &exportable = *chart.exportable, ending = QString(ending.ending)] { exportChartAs(exportable, ending); }, hasSomething, {}, {}, false});
        }
        commands_.add({menu + ".dialog", menu, tr("Size, &letters, colours…"), {}, [this, id = chart.id] { showExport(id); }, hasSomething, {}, {}, true});
    }
    commands_.add({"file.quit", "file", tr("&Quit"), {QKeySequence("Ctrl+Q")}, [this] { close(); }, {}, {}, {}, true});
}

void MainWindow::addEditCommands() {
    commands_.addMenu({"edit", {}, tr("&Edit")});
    QUndoStack& undo = document_.undoStack();
    commands_.add({"edit.undo", "edit", tr("&Undo"), {QKeySequence("Ctrl+Z")}, [&undo] { undo.undo(); }, [&undo] { return undo.canUndo(); }, {}, [&undo] { return undo.canUndo() ? tr("&Undo: %1").arg(undo.undoText()) : tr("&Undo"); }, false});
    commands_.add({"edit.redo", "edit", tr("&Redo"), {QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")}, [&undo] { undo.redo(); }, [&undo] { return undo.canRedo(); }, {}, [&undo] { return undo.canRedo() ? tr("&Redo: %1").arg(undo.redoText()) : tr("&Redo"); }, false});

    ClusterCanvas* canvas = views_->cluster();
    const auto marked = [canvas] { return textHasFocus() || !canvas->selection().empty(); };
    commands_.add({"edit.cut", "edit", tr("Cu&t"), {QKeySequence::Cut}, [canvas] { editFocus([](QLineEdit& line) { line.cut(); }, [canvas] { canvas->cutSelection(); }); }, marked, {}, {}, true});
    commands_.add({"edit.copy", "edit", tr("&Copy"), {QKeySequence::Copy}, [canvas] { editFocus([](QLineEdit& line) { line.copy(); }, [canvas] { canvas->copySelection(); }); }, marked, {}, {}, false});
    commands_.add({"edit.paste", "edit", tr("&Paste"), {QKeySequence::Paste}, [this, canvas] {
                       if (isShareText(QApplication::clipboard()->text().toStdString())) openCopied();
                       else editFocus([](QLineEdit& line) { line.paste(); }, [canvas] { canvas->paste(); }); }, {}, {}, {}, false});
    commands_.add({"edit.copy_text", "edit", tr("Copy the scenario as te&xt"), {QKeySequence("Ctrl+Shift+C")}, [this] { copyAsText(); }, {}, {}, {}, true});
    commands_.add({"edit.open_text", "edit", tr("&Open a copied scenario text"), {QKeySequence("Ctrl+Alt+V")}, [this] { openCopied(); }, {}, {}, {}, false});
    commands_.add({"edit.paste_launch", "edit", tr("Paste a launch co&mmand…"), {QKeySequence("Ctrl+Shift+V")}, [this] { pasteLaunchCommand(); }, {}, {}, {}, false});
    commands_.add({"edit.duplicate", "edit", tr("&Duplicate"), {QKeySequence("Ctrl+D")}, [canvas] { canvas->duplicate(); }, [canvas] { return !canvas->selection().nodes.empty(); }, {}, {}, false});
    commands_.add({"edit.delete", "edit", tr("De&lete"), {QKeySequence::Delete}, [canvas] { editFocus([](QLineEdit& line) { line.del(); }, [canvas] { canvas->deleteSelection(); }); }, marked, {}, {}, false});
    commands_.add({"edit.select_all", "edit", tr("Select &all"), {QKeySequence::SelectAll}, [canvas] { editFocus([](QLineEdit& line) { line.selectAll(); }, [canvas] { canvas->selectAll(); }); }, {}, {}, {}, true});
}

void MainWindow::addViewCommands() {
    commands_.addMenu({"view", {}, tr("&View")});
    commands_.addMenu({"view.theme", "view", tr("&Theme")});
    commands_.addMenu({"view.language", "view", tr("La&nguage")});
    commands_.addMenu({"view.scale", "view", tr("Si&ze of everything")});
    commands_.addMenu({"view.workspaces", "view", tr("&Workspaces")});
    commands_.addMenu({"view.panels", "view", tr("&Panels")});
    commands_.add({"view.palette", "view", tr("&Command palette"), {QKeySequence("Ctrl+Shift+P")}, [this] { showPalette(); }, {}, {}, {}, false});
    for (const ThemeChoice choice : themeChoices()) {
        commands_.add({"view.theme." + themeName(choice), "view.theme", themeTitle(choice), {}, [this, choice] { setThemeChoice(choice); }, {}, [this, choice] { return themeChoice_ == choice; }, {}, choice == ThemeChoice::light});
    }
    commands_.add({"view.theme.toggle", "view.theme", tr("&Switch light and dark"), {QKeySequence("Ctrl+Shift+D")}, [this] { setThemeChoice(theme_.isDark() ? ThemeChoice::light : ThemeChoice::dark); }, {}, {}, {}, true});
    for (const int percent : scaleChoices)
        commands_.add({"view.scale." + QString::number(percent), "view.scale", tr("%1 %").arg(percent), {}, [this, percent] { setScale(percent); }, {}, [this, percent] { return scaleIn(settings_) == percent; }, {}, false});
    for (const LanguageChoice choice : languageChoices()) {
        commands_.add({"view.language." + languageName(choice), "view.language", languageTitle(choice), {}, [this, choice] { setLanguage(choice); }, {}, [this, choice] { return languageIn(settings_) == choice; }, {}, choice == LanguageChoice::english});
    }
    int key = 1;
    for (const Workspace& workspace : layout_->workspaces()) {
        commands_.add({"view.workspace." + workspace.id, "view.workspaces", workspace.title, {QKeySequence(QStringLiteral("Ctrl+%1").arg(key++))}, [this, id = workspace.id] { layout_->showWorkspace(id); }, {}, [this, id = workspace.id] { return layout_->workspace() == id; }, {}, false});
    }
    commands_.add({"view.maximise", "view.workspaces", tr("Maximise the panel &under the mouse"), {QKeySequence("F12")}, [this] { maximisePanel(); }, {}, [this] { return !layout_->maximised().isEmpty(); }, {}, true});
    key = 0;
    for (const WindowLayout::Panel& panel : layout_->panels()) {
        // Alt+0 fits the timeline; past nine the digits begin again.
        const QString keys = key < 9 ? QStringLiteral("Alt+%1").arg(key + 1) : QStringLiteral("Alt+Shift+%1").arg(key - 8);
        ++key;
        commands_.add({"view.panel." + panel.id, "view.panels", panel.title, {QKeySequence(keys)}, [this, id = panel.id] {
                           if (layout_->isPanelInFront(id)) layout_->setPanelShown(id, false);
                           else layout_->bringUp(id); }, {}, [this, id = panel.id] { return layout_->isPanelShown(id); }, {}, false});
    }
    commands_.add({"view.links", "view.panels", tr("&Links in place of operators"), {QKeySequence("Ctrl+Shift+K")}, [this] {
                       const bool shown = layout_->isPanelShown("operators");
                       layout_->reveal("operators");
                       views_->showLinks(!shown || !views_->isShowingLinks()); }, {}, [this] { return views_->isShowingLinks(); }, {}, true});
    commands_.add({"view.memory_by_tensor", "view.panels", tr("What holds the memory, &by tensor"), {QKeySequence("Ctrl+Shift+M")}, [this] {
                       layout_->reveal("memory", "memory");
                       layout_->reveal("operators", "memory");
                       views_->showMemoryByTensor(); }, [this] { return result_ != nullptr; }, {}, {}, false});
    commands_.add({"view.unlock_panels", "view.panels", tr("Rearran&ge panels"), {}, [this] { layout_->setUnlocked(!layout_->isUnlocked()); }, {}, [this] { return layout_->isUnlocked(); }, {}, true});
    commands_.add({"view.reset_layout", "view", tr("&Reset layout"), {QKeySequence("Ctrl+Shift+0")}, [this] { layout_->reset(); }, {}, {}, {}, false});

    ClusterCanvas* canvas = views_->cluster();
    commands_.add({"view.cluster_zoom_in", "view", tr("Cluster: zoom &in"), {QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")}, [canvas] { canvas->zoomIn(); }, {}, {}, {}, true});
    commands_.add({"view.cluster_zoom_out", "view", tr("Cluster: zoom &out"), {QKeySequence("Ctrl+-")}, [canvas] { canvas->zoomOut(); }, {}, {}, {}, false});
    commands_.add({"view.cluster_fit", "view", tr("Cluster: &fit"), {QKeySequence("Ctrl+0")}, [canvas] { canvas->fit(); }, {}, {}, {}, false});
    TimelineView* timeline = views_->timeline();
    const auto haveResult = [this] { return result_ != nullptr; };
    commands_.add({"view.timeline_zoom_in", "view", tr("Timeline: zoom in"), {QKeySequence("Alt++"), QKeySequence("Alt+=")}, [timeline] { zoomTimeline(*timeline, 2); }, haveResult, {}, {}, true});
    commands_.add({"view.timeline_zoom_out", "view", tr("Timeline: zoom out"), {QKeySequence("Alt+-")}, [timeline] { zoomTimeline(*timeline, 0.5); }, haveResult, {}, {}, false});
    commands_.add({"view.timeline_fit", "view", tr("Timeline: fit"), {QKeySequence("Alt+0")}, [timeline] { timeline->fit(); }, haveResult, {}, {}, false});
    commands_.add({"view.full_screen", "view", tr("F&ull screen"), {QKeySequence("F11")}, [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); }, {}, [this] { return isFullScreen(); }, {}, true});
}

void MainWindow::showExplore(QWidget& page) {
    layout_->showWorkspace("explore");
    layout_->bringUp("explore");
    views_->explore()->tabs()->setCurrentWidget(&page);
    page.setFocus();
}

void MainWindow::addSimulateCommands() {
    commands_.addMenu({"simulate", {}, tr("&Simulate")});
    commands_.add({"simulate.run", "simulate", tr("&Run now"), {QKeySequence("F5")}, [this] { simulateNow(); }, {}, {}, {}, false});
    commands_.add({"simulate.cancel", "simulate", tr("&Cancel"), {QKeySequence("Ctrl+.")}, [this] { worker_.cancel(); }, [this] { return worker_.isRunning(); }, {}, {}, false});
    commands_.add({"simulate.pin", "simulate", tr("&Pin as baseline"), {QKeySequence("F9")}, [this] { pinOrUnpin(); }, [this] { return result_ != nullptr || pinned_.isPinned(); }, [this] { return pinned_.isPinned(); }, [this] { return pinned_.isPinned() ? tr("&Pinned as baseline: %1").arg(pinned_.name()) : tr("&Pin as baseline"); }, true});
    commands_.add({"simulate.sweep", "simulate", tr("S&weep the field that is edited"), {QKeySequence("F6")}, [this] {
                       if (!views_->form()->askSweepOf(QApplication::focusWidget())) showExplore(*views_->explore()->sweepPage());
                   },
                   {},
                   {},
                   {},
                   true});
    commands_.add({"simulate.search", "simulate", tr("Search for the &best plan"), {QKeySequence("Ctrl+F6")}, [this] { showExplore(*views_->explore()->searchPage()); }, {}, {}, {}, false});
    commands_.add({"simulate.solve", "simulate", tr("S&olve: which value reaches a figure"), {QKeySequence("Shift+F6")}, [this] { showExplore(*views_->explore()->solvePage()); }, {}, {}, {}, false});
    commands_.add({"simulate.sensitivity", "simulate", tr("S&ensitivity: what a figure hangs on"), {QKeySequence("Ctrl+Shift+F6")}, [this] { showExplore(*views_->explore()->sensitivityPage()); }, {}, {}, {}, false});
    commands_.add({"simulate.memory_ceiling", "simulate", tr("&Memory ceiling…"), {QKeySequence("Ctrl+Alt+M")}, [this] {
                       if (askForMemoryCeiling(settings_, dialogs_)) simulateNow();
                   },
                   {},
                   {},
                   {},
                   false});
    commands_.add({"simulate.accuracy", "simulate", tr("&Accuracy: measured runs and error bars"), {QKeySequence("Ctrl+Shift+Y")}, [this] { showAccuracy(); }, {}, {}, {}, true});
    commands_.add({"simulate.problems", "simulate", tr("&Show problems and what was assumed"), {QKeySequence("F8")}, [this] { layout_->reveal("findings"); }, {}, {}, {}, false});
}

void MainWindow::addHelpCommands() {
    commands_.addMenu({"help", {}, tr("&Help")});
    commands_.add({"help.manual", "help", tr("&Manual: what is under the keyboard"), {QKeySequence("F1")}, [this] { HelpWindow::of(*this, helpPlaceOf(QApplication::focusWidget())); }, {}, {}, {}, false});
    commands_.add({"help.ways_in", "help", tr("&Three ways in…"), {}, [this] { new FirstRunCard(*this, commands_); }, {}, {}, {}, false});
    commands_.add({"help.shortcuts", "help", tr("&Keyboard shortcuts"), {QKeySequence("?"), QKeySequence("Shift+F1")}, [this] { showShortcuts(); }, {}, {}, {}, false});
    commands_.add({"help.about", "help", tr("&About Orrery"), {}, [this] { showAbout(); }, {}, {}, {}, true});
}

} // namespace orrery
