// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/variant_strip.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QApplication>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <algorithm>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

constexpr double cardMargin = 8, thumbWidth = 44, thumbHeight = 30;
constexpr int cardHeight = 48;

QColor roleColor(const ThemeColors& colors, std::string_view role) { return role == "good" ? colors.good : role == "warning" ? colors.warning
                                                                                                       : role == "error"     ? colors.error
                                                                                                                             : colors.secondary; }

} // namespace

VariantCard::VariantCard(const Theme& theme, QWidget* parent) : QAbstractButton(parent), theme_(theme), tick_(new QCheckBox(this)) {
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setContextMenuPolicy(Qt::CustomContextMenu);
    tick_->setCursor(Qt::ArrowCursor);
    tick_->setToolTip(tr("Compare it with the others that are ticked"));
    tick_->hide();
    connect(tick_, &QCheckBox::clicked, this, &VariantCard::ticked);
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        place();
        update();
    });
}

void VariantCard::setText(VariantCardText text) {
    text_ = std::move(text);
    tick_->setChecked(text_.isTicked);
    tick_->setAccessibleName(tr("Compare %1").arg(text_.title));
    describe();
    updateGeometry();
    update();
}

void VariantCard::setComparing(bool comparing) {
    tick_->setVisible(comparing);
    place();
    update();
}

/// For those who hear the window, and for what is cut.
void VariantCard::describe() {
    QStringList lines{text_.title};
    if (!text_.figure.isEmpty()) lines << (text_.difference.isEmpty() ? text_.figure : tr("%1, %2 against the scenario").arg(text_.figure, text_.difference));
    if (text_.doesNotFit) lines << tr("It does not fit the memory.");
    if (!text_.problem.isEmpty()) lines << text_.problem;
    if (!text_.chips.isEmpty()) lines << text_.chips.join(QStringLiteral(", "));
    setAccessibleName(tr("Open %1").arg(text_.title));
    setAccessibleDescription(lines.join(QStringLiteral(". ")));
    if (!text_.name.isEmpty()) lines << tr("Double-click to rename it.");
    setToolTip(lines.join(QLatin1Char('\n')));
}

QSize VariantCard::sizeHint() const {
    const QFontMetricsF name(theme_.titleFont()), small(theme_.axisFont());
    const double first = name.horizontalAdvance(text_.title) + 16 + name.horizontalAdvance(text_.figure);
    double second = small.horizontalAdvance(text_.difference) + 10;
    for (const QString& chip : text_.chips) second += small.horizontalAdvance(chip) + 14;
    return {static_cast<int>(std::clamp(textLeft() + std::max(first, second) + cardMargin, 150.0, 330.0)), cardHeight};
}

QSize VariantCard::minimumSizeHint() const { return {std::min(sizeHint().width(), 172), cardHeight}; }

double VariantCard::textLeft() const { return cardMargin + (tick_->isHidden() ? 0 : 22) + thumbWidth + 8; }

void VariantCard::place() {
    const QSize box = tick_->sizeHint();
    tick_->setGeometry(static_cast<int>(cardMargin), (height() - box.height()) / 2, box.width(), box.height());
    if (edit_) edit_->setGeometry(static_cast<int>(textLeft()) - 4, 2, std::max(60, width() - static_cast<int>(textLeft()) - 4), 24);
}

void VariantCard::resizeEvent(QResizeEvent*) { place(); }

void VariantCard::drawThumbnail(QPainter& painter, const QRectF& area) const {
    const ThemeColors& colors = theme_.colors();
    painter.setPen(colors.line);
    painter.setBrush(colors.field);
    painter.drawRoundedRect(area, 3, 3);
    const QRectF inside = area.adjusted(3, 6, -3, -6);
    double sum = 0;
    for (const FigurePart& part : text_.parts) sum += part.value;
    if (!(sum > 0) || !(text_.longest > 0)) return;
    double left = inside.left();
    for (const FigurePart& part : text_.parts) {
        const double width = inside.width() * std::min(1.0, part.value / text_.longest);
        painter.fillRect(QRectF(left, inside.top(), width, inside.height()), part.decodes ? colors.backwardWeights : part.part ? theme_.color(*part.part)
                                                                                                                               : colors.secondary);
        left += width;
    }
}

void VariantCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& colors = theme_.colors();
    const QRectF frame = QRectF(rect()).adjusted(1, 1, -1, -1);
    painter.setBrush(underMouse() && !text_.isOpen ? colors.field : colors.panel);
    painter.setPen(QPen(text_.isOpen ? colors.accent : colors.line, text_.isOpen ? 2 : 1));
    painter.drawRoundedRect(frame, 6, 6);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colors.accent, 1, Qt::DotLine));
        painter.drawRoundedRect(frame.adjusted(3, 3, -3, -3), 4, 4);
    }
    drawThumbnail(painter, QRectF(textLeft() - 8 - thumbWidth, (height() - thumbHeight) / 2.0, thumbWidth, thumbHeight));

    const double left = textLeft(), right = width() - cardMargin;
    const QFontMetricsF name(theme_.titleFont()), small(theme_.axisFont());
    const QRectF first(left, 4, right - left, 20), second(left, 25, right - left, 18);
    painter.setFont(theme_.titleFont());
    painter.setPen(colors.ink);
    const double figureWidth = name.horizontalAdvance(text_.figure);
    painter.drawText(first, Qt::AlignRight | Qt::AlignVCenter, text_.figure);
    painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, name.elidedText(text_.title, Qt::ElideRight, std::max(20.0, first.width() - figureWidth - 8)));

    painter.setFont(theme_.axisFont());
    QString aside = text_.difference;
    const char* role = text_.differenceRole;
    if (text_.doesNotFit) {
        aside = tr("does not fit");
        role = "error";
    } else if (!text_.problem.isEmpty()) {
        aside = tr("can't run");
        role = "error";
    } else if (text_.figure.isEmpty()) {
        aside = tr("running…");
    }
    const double asideWidth = small.horizontalAdvance(aside);
    painter.setPen(roleColor(colors, role));
    painter.drawText(second, Qt::AlignRight | Qt::AlignVCenter, aside);
    const double most = second.right() - asideWidth - (aside.isEmpty() ? 0 : 8);
    if (text_.name.isEmpty() || text_.chips.isEmpty()) {
        painter.setPen(colors.secondary);
        const QString words = text_.name.isEmpty() ? tr("base of the variants") : tr("nothing differs");
        painter.drawText(QRectF(left, second.top(), most - left, second.height()), Qt::AlignLeft | Qt::AlignVCenter, small.elidedText(words, Qt::ElideRight, most - left));
        return;
    }
    double x = left;
    for (qsizetype i = 0; i < text_.chips.size(); ++i) {
        const qsizetype after = text_.chips.size() - i - 1;
        const QString more = after > 0 ? QStringLiteral("+%1").arg(after) : QString();
        const double room = most - x - (after > 0 ? small.horizontalAdvance(more) + 4 : 0);
        const double wanted = small.horizontalAdvance(text_.chips[i]) + 10;
        const bool fits = wanted <= room;
        if (!fits && i > 0) { // the first one is cut rather than left out
            painter.setPen(colors.secondary);
            painter.drawText(QRectF(x, second.top(), most - x, second.height()), Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("+%1").arg(text_.chips.size() - i));
            break;
        }
        const QRectF chip(x, second.top() + 1, std::min(wanted, room), second.height() - 2);
        painter.setBrush(colors.field);
        painter.setPen(colors.line);
        painter.drawRoundedRect(chip, 4, 4);
        painter.setPen(colors.ink);
        painter.drawText(chip, Qt::AlignCenter, small.elidedText(text_.chips[i], Qt::ElideRight, chip.width() - 8));
        x = chip.right() + 4;
    }
}

void VariantCard::startRename() {
    if (text_.name.isEmpty() || edit_) return;
    edit_ = new QLineEdit(text_.name, this);
    edit_->setAccessibleName(tr("Name of the variant"));
    edit_->installEventFilter(this);
    connect(edit_, &QLineEdit::returnPressed, this, [this] { endRename(true); });
    place();
    edit_->selectAll();
    edit_->show();
    edit_->setFocus();
}

void VariantCard::endRename(bool keep) {
    if (!edit_) return;
    QLineEdit* edit = std::exchange(edit_, nullptr);
    edit->removeEventFilter(this);
    const QString name = edit->text();
    edit->hide();
    edit->deleteLater();
    if (keep && name != text_.name) emit renamed(name);
}

bool VariantCard::eventFilter(QObject* watched, QEvent* event) {
    if (watched == edit_ && event->type() == QEvent::FocusOut) endRename(true);
    if (watched == edit_ && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        endRename(false);
        return true;
    }
    return QAbstractButton::eventFilter(watched, event);
}

void VariantCard::mousePressEvent(QMouseEvent* event) {
    // The scenario itself stays the first.
    if (event->button() == Qt::LeftButton && !text_.name.isEmpty()) pressed_ = event->position().toPoint();
    QAbstractButton::mousePressEvent(event);
}

void VariantCard::mouseMoveEvent(QMouseEvent* event) {
    const QPoint now = event->position().toPoint();
    if (pressed_ && !dragging_ && (now - *pressed_).manhattanLength() >= QApplication::startDragDistance()) {
        dragging_ = true;
        setDown(false); // what is dragged is not clicked
        setCursor(Qt::ClosedHandCursor);
    }
    if (dragging_) emit dragged(now.x());
    else QAbstractButton::mouseMoveEvent(event);
}

void VariantCard::mouseReleaseEvent(QMouseEvent* event) {
    pressed_.reset();
    if (!dragging_) return QAbstractButton::mouseReleaseEvent(event);
    dragging_ = false;
    setCursor(Qt::PointingHandCursor);
    emit dropped(event->position().toPoint().x(), true);
}

void VariantCard::mouseDoubleClickEvent(QMouseEvent*) { startRename(); }

void VariantCard::keyPressEvent(QKeyEvent* event) {
    if (dragging_ && event->key() == Qt::Key_Escape) {
        dragging_ = false;
        pressed_.reset();
        setCursor(Qt::PointingHandCursor);
        emit dropped(0, false);
        return;
    }
    if (event->key() == Qt::Key_F2) return startRename();
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return click();
    QAbstractButton::keyPressEvent(event);
}

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
