// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/commands/command_palette.hpp"

#include "app/desktop/commands/fuzzy.hpp"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

constexpr int idRole = Qt::UserRole, menuRole = Qt::UserRole + 1, keysRole = Qt::UserRole + 2;
constexpr int paletteWidth = 520;
constexpr int paletteHeight = 340;

/// The command, its menu in secondary ink, and at the right its keys.
class CommandRow : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QSize size = QStyledItemDelegate::sizeHint(option, index);
        return {size.width(), option.fontMetrics.height() + 2 * padding};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& given, const QModelIndex& index) const override {
        QStyleOptionViewItem option = given;
        initStyleOption(&option, index);
        const QString name = std::exchange(option.text, QString());
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &option, painter, option.widget); // what lies below the words
        const bool chosen = option.state.testFlag(QStyle::State_Selected);
        const QColor ink = option.palette.color(chosen ? QPalette::HighlightedText : QPalette::Text), beside = chosen ? ink : option.palette.color(QPalette::Dark);
        const QRect line = option.rect.adjusted(margin, 0, -margin, 0);
        const QString keys = index.data(keysRole).toString(), menu = index.data(menuRole).toString();
        painter->setFont(option.font);
        painter->setPen(beside);
        painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, keys);
        const int room = line.width() - option.fontMetrics.horizontalAdvance(keys) - margin;
        const QString shown = option.fontMetrics.elidedText(name, Qt::ElideRight, room);
        const int taken = option.fontMetrics.horizontalAdvance(shown) + margin;
        painter->drawText(line.adjusted(taken, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, option.fontMetrics.elidedText(menu, Qt::ElideRight, std::max(0, room - taken)));
        painter->setPen(ink);
        painter->drawText(line, Qt::AlignLeft | Qt::AlignVCenter, shown);
    }

private:
    static constexpr int padding = 5, margin = 10; ///< px
};

} // namespace

CommandPalette::CommandPalette(CommandRegistry& registry, QWidget* parent)
    : QFrame(parent), registry_(registry), input_(new QLineEdit(this)), list_(new QListWidget(this)) {
    setObjectName("command_palette");
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    input_->setPlaceholderText(tr("Type a command"));
    input_->setClearButtonEnabled(true);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setUniformItemSizes(true);
    list_->setItemDelegate(new CommandRow(list_));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(input_);
    layout->addWidget(list_);
    connect(input_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(input_, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
    connect(list_, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
    input_->installEventFilter(this);
    hide();
}

void CommandPalette::open() {
    registry_.refresh();
    const QRect area = parentWidget()->rect();
    const int width = std::min(paletteWidth, area.width() - 40);
    setGeometry((area.width() - width) / 2, 56, width, std::min(paletteHeight, area.height() - 80));
    input_->clear();
    filter({});
    show();
    raise();
    input_->setFocus();
}

QStringList CommandPalette::shownIds() const {
    QStringList ids;
    for (int i = 0; i < list_->count(); ++i)
        if (const QString id = list_->item(i)->data(idRole).toString(); !id.isEmpty()) ids << id;
    return ids;
}

void CommandPalette::filter(const QString& pattern) {
    struct Match {
        int score;
        QString name, menu;
        QAction* action;
    };
    std::vector<Match> matches;
    for (const Command& command : registry_.commands()) {
        QAction* action = registry_.action(command.id);
        if (!action->isVisible() || !action->isEnabled()) continue;
        const QString text = plainText(action->text());
        const QString menu = registry_.menuTitle(command.menu);
        const auto direct = fuzzyScore(pattern, text);
        const auto withMenu = fuzzyScore(pattern, menu + u' ' + text);
        if (!direct && !withMenu) continue;
        const int score = std::max(direct ? *direct + 1 : -1000000, withMenu.value_or(-1000000));
        matches.push_back({score, text, menu, action});
    }
    if (!pattern.isEmpty()) {
        std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) { return a.score > b.score; });
    }
    list_->clear();
    for (const Match& match : matches) {
        auto* item = new QListWidgetItem(match.name);
        item->setData(idRole, match.action->objectName());
        item->setData(menuRole, match.menu);
        item->setData(keysRole, match.action->shortcut().toString(QKeySequence::NativeText));
        list_->addItem(item);
    }
    if (matches.empty()) {
        auto* nothing = new QListWidgetItem(tr("No command has “%1” in its name").arg(pattern));
        nothing->setFlags(Qt::NoItemFlags);
        list_->addItem(nothing);
    }
    list_->setCurrentRow(0);
}

void CommandPalette::runCurrent() {
    const QListWidgetItem* item = list_->currentItem();
    if (!item) return;
    QAction* action = registry_.action(item->data(idRole).toString());
    if (!action) return; // the line that says that nothing matches
    hide();
    parentWidget()->setFocus();
    action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched != input_) return QFrame::eventFilter(watched, event);
    if (event->type() == QEvent::FocusOut && isVisible()) {
        // A click elsewhere means "never mind"; a click on the list keeps the focus here.
        hide();
    }
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const int rows = list_->count();
    const int row = list_->currentRow();
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Escape: hide(); return true;
    case Qt::Key_Down: list_->setCurrentRow(std::min(row + 1, rows - 1)); return true;
    case Qt::Key_Up: list_->setCurrentRow(std::max(row - 1, 0)); return true;
    case Qt::Key_PageDown: list_->setCurrentRow(std::min(row + 8, rows - 1)); return true;
    case Qt::Key_PageUp: list_->setCurrentRow(std::max(row - 8, 0)); return true;
    default: return QFrame::eventFilter(watched, event);
    }
}

} // namespace orrery
