// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario's variants in the window: their strip, their results, the workspace that compares them, and the scenario as one line of text.

#include "app/desktop/document/document_file.hpp"
#include "app/desktop/frame/window_layout.hpp"
#include "app/desktop/frame/window_views.hpp"
#include "app/desktop/manners/memory_ceiling.hpp"
#include "app/desktop/notices/banner.hpp"
#include "app/desktop/window/main_window.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/scenario/document/share_text.hpp"
#include "core/scenario/document/variants.hpp"
#include "widgets/compare/compare_panel.hpp"
#include "widgets/compare/variant_strip.hpp"
#include "widgets/explore/explore_words.hpp"

#include <QApplication>
#include <QClipboard>

#include <algorithm>
#include <cstddef>

namespace orrery {
namespace {

/// The scenario itself, then each variant; one whose edits lead nowhere is the scenario, and has no result of its own.
std::vector<BoxedJson> documentsOf(const Json& document) {
    std::vector<BoxedJson> documents{BoxedJson(document)};
    for (const ScenarioVariant& variant : variantsOf(document)) {
        Problems ignored; // the list of problems has them, of the scenario
        const auto one = documentOfVariant(document, variant.name, ignored);
        documents.push_back(one ? *one : BoxedJson(Json::object()));
    }
    return documents;
}

bool namesFiles(const Json& document) {
    const auto has = [&document](const char* pointer) { return valueAt(document, pointer) != nullptr; };
    return has("/model/config_file") || has("/model/graph_file") || has("/execution/profile") || has("/workload/requests/file") || has("/hybrid") || has("/beside");
}

} // namespace

void MainWindow::connectVariants() {
    connect(strip_, &VariantStrip::openRequested, this, [this](const QString& name) { document_.openVariant(name); });
    connect(strip_, &VariantStrip::newRequested, this, [this] { variants_.duplicate(document_.openVariant()); });
    connect(strip_, &VariantStrip::duplicateRequested, this, [this](const QString& name) { variants_.duplicate(name); });
    connect(strip_, &VariantStrip::moveRequested, this, [this](const QString& name, int by) { variants_.move(name, by); });
    connect(strip_, &VariantStrip::removeRequested, this, [this](const QString& name) { variants_.remove(name); });
    connect(strip_, &VariantStrip::renameRequested, this, [this](const QString& name, const QString& to) {
        if (variants_.rename(name, to)) {
            if (ticked_.contains(name)) ticked_[to.trimmed()] = ticked_.take(name);
            return showVariants();
        }
        bannerIsAboutScenario_ = false;
        banner_->showMessage(Banner::Tone::warning, to.trimmed().isEmpty() ? tr("A variant needs a name.") : tr("Another variant is called “%1”.").arg(to.trimmed()), tr("Give it another name."), {}, true);
    });
    connect(strip_, &VariantStrip::tickRequested, this, [this](const QString& name, bool on) {
        ticked_[name] = on;
        showVariants();
    });
    connect(&runs_, &VariantRuns::changed, this, &MainWindow::showVariants);
    // The one that is looked at comes first: the others begin when it is done.
    const auto startOthers = [this] {
        if (!variants_.names().isEmpty()) runs_.start();
    };
    connect(&worker_, &SimulationWorker::finished, this, startOthers);
    connect(&worker_, &SimulationWorker::failed, this, startOthers);
    connect(&document_, &ScenarioDocument::replaced, this, [this] { ticked_.clear(); });
}

void MainWindow::wantVariants() {
    runs_.want(documentsOf(document_.json()), fileReader(), memoryCeiling(settings_));
    showVariants();
    commands_.refresh();
}

ResultPtr MainWindow::variantBaseline() const {
    if (document_.openVariant().isEmpty() || !result_) return nullptr;
    const ResultPtr scenario = runs_.result(0);
    return scenario && scenario != result_ && areOfOneKind(*scenario, *result_) ? scenario : nullptr;
}

void MainWindow::showVariants() {
    const bool comparing = layout_->workspace() == QStringLiteral("compare");
    const std::vector<ScenarioVariant> variants = variantsOf(document_.json());
    stripPlace_->setVisible(comparing || !variants.empty());
    if (stripPlace_->isHidden()) return strip_->setCards({});
    const std::vector<BoxedJson> documents = documentsOf(document_.json());
    const ResultPtr scenario = runs_.result(0);
    double longest = 0;
    for (std::size_t i = 0; i <= variants.size(); ++i)
        if (const ResultPtr result = runs_.result(i)) longest = std::max(longest, usualFigureOf(*result));
    std::vector<VariantCardText> cards;
    std::vector<ComparedScenario> compared;
    std::size_t shown = 0;
    cards.reserve(variants.size() + 1);
    // Before somebody chooses: the scenario and what is open, or its first variant.
    const std::size_t openAt = static_cast<std::size_t>(std::max<qsizetype>(0, (QStringList{QString()} + variants_.names()).indexOf(document_.openVariant())));
    const std::size_t second = openAt > 0 ? openAt : 1;
    for (std::size_t i = 0; i <= variants.size(); ++i) {
        VariantCardText card;
        if (i > 0) card.name = QString::fromStdString(variants[i - 1].name);
        const Json* title = valueAt(document_.json(), "/name");
        card.title = i > 0 ? card.name : title && title->is_string() && !title->get<std::string>().empty() ? QString::fromStdString(title->get<std::string>())
                                                                                                           : tr("Scenario");
        card.isOpen = card.name == document_.openVariant();
        card.isTicked = ticked_.value(card.name, i == 0 || i == second);
        card.problem = runs_.problem(i);
        card.longest = longest;
        if (i > 0) card.chips = differenceChips(document_.json(), variants[i - 1].edits);
        if (const ResultPtr result = runs_.result(i)) {
            card.figure = figureWords(usualFigure(*result), usualFigureOf(*result));
            card.doesNotFit = !result->fits;
            card.parts = usualParts(*result);
            if (i > 0 && scenario && areOfOneKind(*scenario, *result)) {
                card.difference = sureChangeWords(*scenario, *result);
                card.differenceRole = sureChangeRole(*scenario, *result);
            }
        }
        if (card.isTicked) {
            if (card.isOpen) shown = compared.size();
            compared.push_back({i > 0 ? card.title : tr("Base"), documents[i], runs_.result(i)});
        }
        cards.push_back(std::move(card));
    }
    strip_->setCards(cards);
    if (shown == 0 && compared.size() > 1) shown = 1; // the first is what the others are compared with
    views_->compare()->setCompared(std::move(compared), shown);
    if (!pinned_.isPinned() && variantBaseline() != shownBaseline_) showBaseline();
}

void MainWindow::openVariantBeside(int by) {
    const QStringList names = QStringList{QString()} + variants_.names();
    const auto at = std::max<qsizetype>(0, names.indexOf(document_.openVariant()));
    document_.openVariant(names[(at + by + names.size()) % names.size()]);
}

void MainWindow::addVariantCommands() {
    commands_.addMenu({"variants", {}, tr("V&ariants")});
    const auto isOpen = [this] { return !document_.openVariant().isEmpty(); };
    const auto hasVariants = [this] { return !variants_.names().isEmpty(); };
    commands_.add({"variants.new", "variants", tr("&New variant, a copy of what is open"), {QKeySequence("Ctrl+Alt+N")}, [this] { variants_.duplicate(document_.openVariant()); }, {}, {}, {}, false});
    commands_.add({"variants.keep", "variants", tr("&Keep what was changed as a variant"), {QKeySequence("Ctrl+Alt+K")}, [this] { variants_.keepChanges(); }, [this] { return document_.openVariant().isEmpty() && variants_.hasUnsavedChanges(); }, {}, {}, false});
    commands_.add({"variants.next", "variants", tr("N&ext variant"), {QKeySequence("Ctrl+PgDown")}, [this] { openVariantBeside(1); }, hasVariants, {}, {}, true});
    commands_.add({"variants.previous", "variants", tr("&Previous variant"), {QKeySequence("Ctrl+PgUp")}, [this] { openVariantBeside(-1); }, hasVariants, {}, {}, false});
    commands_.add({"variants.scenario", "variants", tr("The &scenario itself"), {QKeySequence("Ctrl+Home")}, [this] { document_.openVariant({}); }, isOpen, {}, {}, false});
    commands_.add({"variants.rename", "variants", tr("&Rename"), {QKeySequence("Shift+F2")}, [this] { strip_->startRename(document_.openVariant()); }, isOpen, {}, {}, true});
    commands_.add({"variants.left", "variants", tr("Move &left"), {QKeySequence("Ctrl+Alt+Left")}, [this] { variants_.move(document_.openVariant(), -1); }, [this] { return variants_.indexOf(document_.openVariant()) > 0; }, {}, {}, false});
    commands_.add({"variants.right", "variants", tr("Move r&ight"), {QKeySequence("Ctrl+Alt+Right")}, [this] { variants_.move(document_.openVariant(), 1); }, [this] { return !document_.openVariant().isEmpty() && document_.openVariant() != variants_.names().value(variants_.names().size() - 1); }, {}, {}, false});
    commands_.add({"variants.delete", "variants", tr("&Delete"), {QKeySequence("Ctrl+Alt+Del")}, [this] { variants_.remove(document_.openVariant()); }, isOpen, {}, {}, false});
    commands_.add({"variants.compare", "variants", tr("&Compare them"), {QKeySequence("Ctrl+Alt+C")}, [this] { layout_->showWorkspace("compare"); }, {}, {}, {}, true});
}

void MainWindow::copyAsText() {
    const std::string text = shareTextOf(document_.json());
    QApplication::clipboard()->setText(QString::fromStdString(text));
    bannerIsAboutScenario_ = false;
    const bool lacks = namesFiles(document_.json());
    banner_->showMessage(lacks ? Banner::Tone::warning : Banner::Tone::note, tr("The scenario is in the clipboard, as one line of %n letters.", nullptr, static_cast<int>(text.size())),
                         lacks ? tr("Files that it names are not in it: send them along.") : tr("Pasted into another window it opens."), {}, true);
}

void MainWindow::openCopied() {
    if (files_.openText(QApplication::clipboard()->text())) selection_.clear();
}

} // namespace orrery
