#include "app/desktop/shortcut_sheet.hpp"

#include "widgets/common/section.hpp"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
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
    auto* columns = new QHBoxLayout;
    columns->setSpacing(28);

    constexpr int rowsPerColumn = 25;
    QGridLayout* grid = nullptr;
    int row = rowsPerColumn;
    QString group;
    for (const CommandMenu& menu : registry.menus()) {
        for (const Command& command : registry.commands()) {
            if (command.menu != menu.id || command.shortcuts.isEmpty()) continue;
            const QString title = registry.menuTitle(menu.id);
            const int needed = title == group ? 1 : 3;
            if (row + needed > rowsPerColumn) {
                auto* column = new QVBoxLayout;
                grid = new QGridLayout;
                grid->setHorizontalSpacing(14);
                grid->setVerticalSpacing(4);
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
            grid->addWidget(new QLabel(plainText(command.text)), row, 0);
            auto* keys = new QLabel(keysOf(command));
            setRole(*keys, "secondary");
            grid->addWidget(keys, row++, 1);
        }
    }

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(16);
    layout->addLayout(columns);
    layout->addWidget(buttons);
}

} // namespace orrery
