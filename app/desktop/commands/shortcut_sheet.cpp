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
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <vector>

namespace orrery {
namespace {

QString keysOf(const Command& command) {
    QStringList keys;
    for (const QKeySequence& shortcut : command.shortcuts) keys << shortcut.toString(QKeySequence::NativeText);
    return keys.join(QCoreApplication::translate("orrery::ShortcutSheet", " or "));
}

struct Line {
    QString group, what, keys;
};

std::vector<Line> linesOf(const CommandRegistry& registry) {
    std::vector<Line> lines;
    for (const CommandMenu& menu : registry.menus())
        for (const Command& command : registry.commands())
            if (command.menu == menu.id && !command.shortcuts.isEmpty()) lines.push_back({registry.menuTitle(menu.id), plainText(command.text), keysOf(command)});
    for (const KeyGroup& view : viewKeys())
        for (const KeyHelp& help : view.keys) lines.push_back({view.title, help.what, help.keys});
    return lines;
}

/// Fills a column from the top: lines under the headings of their groups.
class Column {
public:
    explicit Column(QHBoxLayout& columns) : grid_(new QGridLayout) {
        auto* column = new QVBoxLayout;
        grid_->setHorizontalSpacing(14);
        grid_->setVerticalSpacing(3);
        column->addLayout(grid_);
        column->addStretch(1);
        columns.addLayout(column);
    }

    /// Rows that the line takes here: a heading and the air above it come with a new group.
    int rowsFor(const Line& line) const { return line.group == group_ ? 1 : 3; }
    int rows() const { return row_; }

    void add(const Line& line) {
        if (line.group != group_) {
            group_ = line.group;
            if (row_ > 0) grid_->setRowMinimumHeight(row_++, 6);
            auto* group = new QLabel(QStringLiteral("<b>%1</b>").arg(line.group.toHtmlEscaped()));
            group->setTextFormat(Qt::RichText);
            grid_->addWidget(group, row_++, 0, 1, 2);
        }
        grid_->addWidget(new QLabel(line.what), row_, 0);
        auto* keys = new QLabel(line.keys);
        setRole(*keys, "secondary");
        grid_->addWidget(keys, row_++, 1);
    }

private:
    QGridLayout* grid_;
    QString group_;
    int row_ = 0;
};

int rowsInOneColumn(const std::vector<Line>& lines) {
    int rows = 0;
    QString group;
    for (const Line& line : lines) {
        rows += line.group == group ? 1 : 3;
        group = line.group;
    }
    return rows;
}

/// How many columns the window has room for.
int columnsWithin(const QWidget* window) {
    constexpr int widest = 440, most = 2;
    return window != nullptr ? std::clamp(window->width() / widest, 1, most) : most;
}

} // namespace

ShortcutSheet::ShortcutSheet(const CommandRegistry& registry, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Keyboard shortcuts"));
    auto* page = new QWidget;
    auto* columns = new QHBoxLayout(page);
    columns->setContentsMargins(0, 0, 0, 0);
    columns->setSpacing(28);

    const std::vector<Line> lines = linesOf(registry);
    const int count = columnsWithin(parent);
    constexpr int headingRows = 2; // a group that goes on in the next column has its heading there again
    const int rowsPerColumn = rowsInOneColumn(lines) / count + headingRows + 1;
    Column column(*columns);
    for (const Line& line : lines) {
        if (column.rows() + column.rowsFor(line) > rowsPerColumn) column = Column(*columns);
        column.add(line);
    }

    // A small screen scrolls down: no key is left out.
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(page);
    const int bar = scroll->verticalScrollBar()->sizeHint().width();
    constexpr int tallest = 560;
    scroll->setMinimumSize(page->sizeHint().width() + bar + 12, std::min(page->sizeHint().height() + 12, tallest));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(16);
    layout->addWidget(scroll);
    layout->addWidget(buttons);
}

std::vector<KeyGroup> viewKeys() {
    return {{ShortcutSheet::tr("Window"), {{ShortcutSheet::tr("Alt and a letter"), ShortcutSheet::tr("The menu or workspace with this letter underlined"), {}}, {ShortcutSheet::tr("Tab, Shift+Tab"), ShortcutSheet::tr("Next part, the one before"), {}}}},
            {ShortcutSheet::tr("Fields"), {{ShortcutSheet::tr("Up, Down"), ShortcutSheet::tr("More, less"), {}}, {ShortcutSheet::tr("Enter"), ShortcutSheet::tr("Take what was typed"), {}}, {ShortcutSheet::tr("Esc"), ShortcutSheet::tr("Put the old value back"), {}}}},
            {ShortcutSheet::tr("Cluster"), ClusterCanvas::keyHelp()},
            {ShortcutSheet::tr("Timeline"), TimelineView::keyHelp()},
            {ShortcutSheet::tr("Memory"), {{ShortcutSheet::tr("Left, Right"), ShortcutSheet::tr("Tensor, or moment, before and after"), {}}, {ShortcutSheet::tr("Up, Down"), ShortcutSheet::tr("Out of, into what holds it"), {}}, {ShortcutSheet::tr("Enter, Backspace"), ShortcutSheet::tr("Look inside, look at the whole"), {}}, {ShortcutSheet::tr("Home"), ShortcutSheet::tr("The moment of the peak"), {}}}},
            {ShortcutSheet::tr("Roofline and jitter"), {{ShortcutSheet::tr("Left, Right"), ShortcutSheet::tr("Operator, or size, before and after"), {}}}}};
}

} // namespace orrery
