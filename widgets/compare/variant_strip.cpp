// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/variant_strip.hpp"

#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>

#include <algorithm>

namespace orrery {

VariantStrip::VariantStrip(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme), scroll_(new QScrollArea), new_(new QPushButton(tr("+ New variant"))), mark_(nullptr) {
    setRole(*this, "panel");
    setAccessibleName(tr("Variants"));
    auto* inside = new QWidget;
    setRole(*inside, "panel");
    row_ = new QHBoxLayout(inside);
    row_->setContentsMargins(0, 0, 0, 0);
    row_->setSpacing(8);
    row_->addStretch(1);
    mark_ = new QWidget(inside);
    mark_->setObjectName(QStringLiteral("variant_place"));
    mark_->setAttribute(Qt::WA_TransparentForMouseEvents);
    mark_->hide();
    scroll_->setWidget(inside);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    scroll_->setFocusPolicy(Qt::NoFocus);
    new_->setToolTip(tr("A copy of what is open, to be changed"));
    connect(new_, &QPushButton::clicked, this, &VariantStrip::newRequested);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 5, 8, 5);
    row->setSpacing(8);
    row->addWidget(scroll_, 1);
    row->addWidget(new_);
    setFixedHeight(70);
}

VariantCard* VariantStrip::makeCard() {
    auto* card = new VariantCard(theme_);
    card->setComparing(comparing_);
    connect(card, &VariantCard::clicked, this, [this, card] { emit openRequested(card->text().name); });
    connect(card, &VariantCard::ticked, this, [this, card](bool on) { emit tickRequested(card->text().name, on); });
    connect(card, &VariantCard::renamed, this, [this, card](const QString& to) { emit renameRequested(card->text().name, to); });
    connect(card, &VariantCard::dragged, this, [this, card](int x) { showPlace(*card, x); });
    connect(card, &VariantCard::dropped, this, [this, card](int x, bool wanted) { drop(*card, x, wanted); });
    connect(card, &VariantCard::customContextMenuRequested, this, [this, card](const QPoint& where) { showMenu(*card, where); });
    return card;
}

void VariantStrip::setCards(const std::vector<VariantCardText>& cards) {
    while (cards_.size() > cards.size()) {
        cards_.back()->hide();
        cards_.back()->deleteLater();
        cards_.pop_back();
    }
    cards_.reserve(cards.size());
    while (cards_.size() < cards.size()) {
        cards_.push_back(makeCard());
        row_->insertWidget(static_cast<int>(cards_.size()) - 1, cards_.back());
    }
    for (std::size_t i = 0; i < cards.size(); ++i) cards_[i]->setText(cards[i]);
    const auto open = std::find_if(cards.begin(), cards.end(), [](const VariantCardText& card) { return card.isOpen; });
    if (open == cards.end() || open->name == open_) return;
    open_ = open->name;
    QWidget* shown = cards_[static_cast<std::size_t>(open - cards.begin())];
    QTimer::singleShot(0, shown, [this, shown] { scroll_->ensureWidgetVisible(shown, 8, 0); }); // once it has its place
}

std::ptrdiff_t VariantStrip::placeAt(const VariantCard& card, int x) const {
    const int at = card.x() + x;
    std::ptrdiff_t place = 1;
    for (std::size_t i = 1; i < cards_.size(); ++i)
        if (cards_[i] != &card && cards_[i]->geometry().center().x() < at) ++place;
    return place;
}

void VariantStrip::showPlace(const VariantCard& card, int x) {
    constexpr int markWidth = 3;
    const std::ptrdiff_t from = std::find(cards_.begin(), cards_.end(), &card) - cards_.begin(), to = placeAt(card, x);
    // Before the card that moves aside; behind it where the dragged one comes from the left.
    const VariantCard* beside = cards_[static_cast<std::size_t>(to)];
    const int left = to > from ? beside->geometry().right() + row_->spacing() / 2 : beside->x() - row_->spacing() / 2;
    QPalette palette = mark_->palette();
    palette.setColor(QPalette::Window, theme_.colors().accent);
    mark_->setPalette(palette);
    mark_->setAutoFillBackground(true);
    mark_->setGeometry(left - markWidth / 2, beside->y() + 2, markWidth, beside->height() - 4);
    mark_->setVisible(to != from);
    mark_->raise();
    scroll_->ensureVisible(card.x() + x, 0, 40, 0);
}

void VariantStrip::drop(const VariantCard& card, int x, bool wanted) {
    mark_->hide();
    const auto by = static_cast<int>(placeAt(card, x) - (std::find(cards_.begin(), cards_.end(), &card) - cards_.begin()));
    if (wanted && by != 0) emit moveRequested(card.text().name, by);
}

void VariantStrip::setComparing(bool comparing) {
    comparing_ = comparing;
    for (VariantCard* card : cards_) card->setComparing(comparing);
}

VariantCard* VariantStrip::card(const QString& name) const {
    const auto found = std::find_if(cards_.begin(), cards_.end(), [&name](const VariantCard* card) { return card->text().name == name; });
    return found == cards_.end() ? nullptr : *found;
}

void VariantStrip::startRename(const QString& name) {
    if (VariantCard* found = card(name)) found->startRename();
}

void VariantStrip::showMenu(VariantCard& card, const QPoint& where) {
    const QString name = card.text().name;
    const auto at = std::find(cards_.begin(), cards_.end(), &card) - cards_.begin();
    const bool isVariant = !name.isEmpty();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Open"), this, [this, name] { emit openRequested(name); });
    menu->addAction(isVariant ? tr("Duplicate") : tr("New variant"), this, [this, name] { emit duplicateRequested(name); });
    if (isVariant) {
        menu->addAction(tr("Rename…"), this, [this, name] { startRename(name); });
        menu->addSeparator();
        menu->addAction(tr("Move left"), this, [this, name] { emit moveRequested(name, -1); })->setEnabled(at > 1);
        menu->addAction(tr("Move right"), this, [this, name] { emit moveRequested(name, 1); })->setEnabled(at + 1 < static_cast<std::ptrdiff_t>(cards_.size()));
        menu->addSeparator();
        menu->addAction(tr("Delete"), this, [this, name] { emit removeRequested(name); });
    }
    menu->popup(card.mapToGlobal(where));
}

} // namespace orrery
