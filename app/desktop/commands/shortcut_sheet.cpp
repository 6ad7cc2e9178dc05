// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/commands/shortcut_sheet.hpp"

#include "widgets/cluster/canvas/cluster_canvas.hpp"
#include "widgets/common/section.hpp"
#include "widgets/timeline/timeline_view.hpp"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace orrery {
namespace {

QString keysOf(const Command& command) {
    QStringList keys;
    for (const QKeySequence& shortcut : command.shortcuts) keys << shortcut.toString(QKeySequence::NativeText);
    return keys.join(QCoreApplication::translate("orrery::ShortcutSheet", " or "));
}

} // namespace

ShortcutSheet::ShortcutSheet(const CommandRegistry& registry, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Keyboard shortcuts"));
    auto* page = new QWidget;
    auto* columns = new QHBoxLayout(page);
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(28);

    constexpr int rowsPerColumn = 29;
    QGridLayout* grid = nullptr;
    int row = rowsPerColumn;
    QString group;
    const auto add = [&](const QString& title, const QString& what, const QString& keys) {
        const int needed = title == group ? 1 : 3;
        if (row + needed > rowsPerColumn) {
            auto* column = new QVBoxLayout;
            grid = new QGridLayout;
            grid->setHorizontalSpacing(14);
            grid->setVerticalSpacing(3);
            column->addLayout(grid);
            column->addStretch(1);
            columns->addLayout(column);
            row = 0;
            group.clear();
        }
        if (title != group) {
            group = title;
            auto* heading = new QLabel(QStringLiteral("<b>%1</b>").arg(title.toHtmlEscaped()));
            if (row > 0) grid->setRowMinimumHeight(row++, 6);
            grid->addWidget(heading, row++, 0, 1, 2);
        }
        grid->addWidget(new QLabel(what), row, 0);
        auto* shown = new QLabel(keys);
        setRole(*shown, "secondary");
        grid->addWidget(shown, row++, 1);
    };
    for (const CommandMenu& menu : registry.menus())
        for (const Command& command : registry.commands())
            if (command.menu == menu.id && !command.shortcuts.isEmpty()) add(registry.menuTitle(menu.id), plainText(command.text), keysOf(command));
    for (const KeyGroup& view : viewKeys())
        for (const KeyHelp& help : view.keys) add(view.title, help.what, help.keys);

    // A small screen scrolls: no key is left out.
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(page);
    scroll->setMinimumSize(page->sizeHint().boundedTo(QSize(1180, 600)) + QSize(12, 12));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(16);
    layout->addWidget(scroll);
    layout->addWidget(buttons);
}

std::vector<KeyGroup> viewKeys() {
    const auto tr = [](const char* text) { return ShortcutSheet::tr(text); };
    return {{tr("Window"), {{tr("Alt and a letter"), tr("Open the menu, or show the workspace, with this letter underlined"), {}}, {tr("Tab, Shift+Tab"), tr("Next part, the one before"), {}}}},
            {tr("Fields"), {{tr("Up, Down"), tr("More, less"), {}}, {tr("Enter"), tr("Take what was typed"), {}}, {tr("Esc"), tr("Put the old value back"), {}}}},
            {tr("Cluster"), ClusterCanvas::keyHelp()},
            {tr("Timeline"), TimelineView::keyHelp()},
            {tr("Memory"), {{tr("Left, Right"), tr("Tensor, or moment, before and after"), {}}, {tr("Up, Down"), tr("Out of, into what holds it"), {}}, {tr("Enter, Backspace"), tr("Look inside, look at the whole"), {}}, {tr("Home"), tr("The moment of the peak"), {}}}},
            {tr("Roofline and jitter"), {{tr("Left, Right"), tr("Operator, or size, before and after"), {}}}}};
}

} // namespace orrery
