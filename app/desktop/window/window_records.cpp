// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded traces in the window: read beside it, shown in their workspace, with what was wrong with the files.

#include "app/desktop/background/record_worker.hpp"
#include "app/desktop/document/document_file.hpp"
#include "app/desktop/frame/status_row.hpp"
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/notices/banner.hpp"
#include "app/desktop/pages/communication_dialog.hpp"
#include "app/desktop/window/main_window.hpp"
#include "core/base/json.hpp"
#include "widgets/recorded/record_panel.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QFileInfo>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace orrery {

void MainWindow::connectRecords() {
    recordWorker_ = new RecordWorker(this);
    RecordPanel* panel = views_->recorded();
    connect(&files_, &ScenarioFiles::tracesFound, this, &MainWindow::openRecords);
    connect(recordWorker_, &RecordWorker::progressed, this, [panel](const QString& file, double fraction) {
        panel->setProgress(file.isEmpty() ? tr("Laying out…") : tr("Reading %1…").arg(file), fraction);
    });
    connect(recordWorker_, &RecordWorker::finished, this, &MainWindow::takeRecords);
    connect(recordWorker_, &RecordWorker::cancelled, panel, [this, panel] {
        besideAgain_.reset();
        panel->setIdle();
    });
    connect(panel, &RecordPanel::cancelRequested, recordWorker_, &RecordWorker::cancel);
    connect(panel, &RecordPanel::openRequested, this, [this] { files_.open(); });
    connect(panel, &RecordPanel::hintChanged, statusRow_, &StatusRow::setHint);
    connect(panel, &RecordPanel::rankRequested, this, &MainWindow::askForRank);
    connect(panel, &RecordPanel::besideRequested, this, &MainWindow::putBeside);
    connect(panel, &RecordPanel::calibrationRequested, this, [this](double rate) {
        document_.edit(tr("Calibrate from the record"), {{"/execution/calibration/gemm_rate_of_peak", Json(rate)}});
    });
    connect(this, &MainWindow::resultShown, this, [this, panel] { panel->setScenarioReady(canStandBeside()); });
    connect(&document_, &ScenarioDocument::changed, this, &MainWindow::answerHybrid);
}

/// A scenario with recorded ranks is run with them, beside the simulation of its plan.
void MainWindow::answerHybrid() {
    Json document = document_.shown();
    if (!document.contains("hybrid")) return;
    if (!document_.openVariant().isEmpty()) document.erase("variants");
    // Edits of anything else run it again as well: the plan decides where collectives run.
    const std::string asked = document.dump();
    if (asked == answered_) return;
    answered_ = asked;
    views_->recorded()->setProgress(tr("Running the recorded ranks…"), 0);
    recordWorker_->answer(document, catalog_, fileReader());
}

void MainWindow::putBeside(int place) {
    const ShownRecordsPtr records = views_->recorded()->records();
    if (!records || !records->job || (place >= 0 && !canStandBeside())) return;
    Json document = document_.shown();
    document.erase("hybrid");
    if (!document_.openVariant().isEmpty()) document.erase("variants");
    views_->recorded()->setProgress(tr("Comparing…"), 0);
    recordWorker_->putBeside(records, place, result_, document, catalog_, fileReader());
}

/// Only a training that is planned from a model has operators to hold against recorded kernels.
bool MainWindow::canStandBeside() const { return result_ && result_->training() != nullptr && result_->scenario.recorded() == nullptr; }

void MainWindow::openRecords(const QStringList& paths) {
    toldRanks_.clear();
    besideAgain_.reset();
    banner_->dismiss();
    layout_->showWorkspace(QStringLiteral("recorded"));
    views_->recorded()->setProgress(tr("Reading…"), 0);
    recordWorker_->read(paths, storedCommunicationRules(settings_));
}

void MainWindow::takeRecords(const ShownRecordsPtr& records) {
    const bool isAny = records->hasTimeline() || !records->facts.empty() || records->hybrid;
    // Files that can't be read leave what was shown before.
    if (isAny || !views_->recorded()->records()) views_->recorded()->setRecords(isAny ? records : nullptr);
    views_->recorded()->setIdle();
    views_->recorded()->setScenarioReady(canStandBeside());
    if (records->hybrid) layout_->showWorkspace(QStringLiteral("recorded"));
    if (isAny) views_->recorded()->timeline()->setFocus();
    commands_.refresh();
    showRecordProblems(records->problems, isAny);
    emit recordsShown();
    const auto beside = std::exchange(besideAgain_, std::nullopt);
    if (records->job) sortRecords();
    if (beside && !recordWorker_->isRunning()) putBeside(*beside);
}

void MainWindow::showRecordProblems(const Problems& problems, bool isAny) {
    if (problems.empty()) return;
    const auto worst = std::find_if(problems.begin(), problems.end(), [](const Problem& each) { return each.severity == Severity::error; });
    const Problem& first = worst == problems.end() ? problems.front() : *worst;
    QString message = QString::fromStdString(first.message);
    if (const QString file = QFileInfo(QString::fromStdString(first.file)).fileName(); !file.isEmpty() && !message.contains(file)) message = tr("%1: %2", "file, what is wrong with it").arg(file, message);
    const auto more = static_cast<int>(problems.size()) - 1;
    if (more > 0) message += QLatin1Char(' ') + tr("(And %1 more.)").arg(more);
    if (isAny && worst != problems.end()) message += QLatin1Char(' ') + tr("The other files are shown.");
    bannerIsAboutScenario_ = false;
    banner_->showMessage(worst == problems.end() ? Banner::Tone::warning : Banner::Tone::error, message, QString::fromStdString(first.mend), {}, true);
}

void MainWindow::askForRank(int place) {
    const ShownRecordsPtr records = views_->recorded()->records();
    if (!records || recordWorker_->isRunning()) return;
    const RecordedRank& rank = records->job->ranks[static_cast<std::size_t>(place)];
    const auto number = dialogs_.wholeNumber(tr("Which rank is it?"), tr("Rank of the job that %1 is of:").arg(QString::fromStdString(rank.file)), static_cast<int>(rank.rank.value_or(place)), 0, 1'000'000);
    if (!number) return;
    toldRanks_[rank.file] = *number;
    recordWorker_->tellRanks(records, toldRanks_);
}

void MainWindow::editCommunicationRules() {
    const ShownRecordsPtr records = views_->recorded()->records();
    auto* dialog = new CommunicationDialog(theme_, storedCommunicationRules(settings_), records && records->job ? kernelNames(*records->job) : std::vector<KernelName>(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        storeCommunicationRules(settings_, dialog->rules());
        sortRecords();
    });
    dialog->open();
}

void MainWindow::sortRecords() {
    const ShownRecordsPtr records = views_->recorded()->records();
    if (!records || !records->job || recordWorker_->isRunning()) return; // what is read now is looked at when it is there
    CommunicationRules rules = storedCommunicationRules(settings_);
    if (records->rules == rules) return;
    besideAgain_ = records->beside ? std::optional(static_cast<int>(records->beside->place)) : std::nullopt;
    views_->recorded()->setProgress(tr("Sorting kernels…"), 0);
    recordWorker_->sortAgain(records, std::move(rules));
}

void MainWindow::addRecordCommands() {
    commands_.addMenu({"records", {}, tr("Recor&ds")});
    const auto isAny = [this] { return views_->recorded()->records() != nullptr; };
    const auto hasTimeline = [this] { return views_->recorded()->records() && views_->recorded()->records()->hasTimeline(); };
    commands_.add({"records.open", "records", tr("&Open recorded traces…"), {QKeySequence("Ctrl+Alt+O")}, [this] { files_.open(); }, {}, {}, {}, false});
    commands_.add({"records.cancel", "records", tr("&Cancel reading"), {QKeySequence("Ctrl+Alt+.")}, [this] { recordWorker_->cancel(); }, [this] { return recordWorker_ && recordWorker_->isRunning(); }, {}, {}, false});
    commands_.add({"records.close", "records", tr("C&lose the records"), {QKeySequence("Ctrl+Alt+W")}, [this] {
                       views_->recorded()->setRecords(nullptr);
                       commands_.refresh(); }, isAny, {}, {}, false});
    commands_.add({"records.fold", "records", tr("&Fold all ranks"), {QKeySequence("Ctrl+Alt+F")}, [this] { views_->recorded()->foldButton()->toggle(); }, hasTimeline, [this] { return views_->recorded()->foldButton()->isChecked(); }, {}, true});
    commands_.add({"records.path", "records", tr("Critical &path"), {QKeySequence("Ctrl+Alt+P")}, [this] { views_->recorded()->pathButton()->toggle(); }, hasTimeline, [this] { return views_->recorded()->pathButton()->isChecked(); }, {}, false});
    commands_.add({"records.beside", "records", tr("&Beside the scenario"), {QKeySequence("Ctrl+Alt+B")}, [this] { views_->recorded()->besideButton()->click(); }, [this] { return views_->recorded()->besideButton()->isEnabled(); }, [this] { return views_->recorded()->besideButton()->isChecked(); }, {}, false});
    commands_.add({"records.all", "records", tr("Show &all of the record"), {QKeySequence("Ctrl+Alt+0")}, [this] { views_->recorded()->timeline()->fit(); }, hasTimeline, {}, {}, false});
    commands_.add({"records.communication", "records", tr("&What counts as communication…"), {}, [this] { editCommunicationRules(); }, {}, {}, {}, true});
}

} // namespace orrery
