// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/form_controls.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/forms/flow_layout.hpp"

#include <QAbstractItemView>
#include <QContextMenuEvent>
#include <QFontMetrics>
#include <QMenu>
#include <QScreen>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QWheelEvent>
#include <algorithm>

namespace orrery {

ToggleBox::ToggleBox(FieldSpec spec, const Theme& theme, QWidget* parent) : QCheckBox(parent), spec_(std::move(spec)), theme_(theme) {
    describeField(*this, spec_);
    setFont(theme_.bodyFont());
    setMinimumHeight(spec_.group.isEmpty() ? 26 : 20);
    connect(this, &QCheckBox::clicked, this, [this](bool on) {
        say();
        if (edited) edited(on);
    });
    connect(&theme_, &Theme::changed, this, [this] { setFont(theme_.bodyFont()); });
    say();
}

void ToggleBox::show(const FieldState& state) {
    state_ = state;
    const std::optional<Json> value = state.given ? state.given : state.assumed;
    setChecked(value && value->is_boolean() && value->get<bool>());
    sayOfField(*this, fieldToolTip(spec_, state_, state.assumed && !state.idle ? (isChecked() ? tr("on") : tr("off")) : QString()), state.idle ? spec_.tooltip + u' ' + state.idle.reason : spec_.tooltip);
    setEnabled(state_.takesEdits());
    offerDefault(*this, spec_, *this, state_);
    say();
}

void ToggleBox::say() {
    const bool assumed = !state_.given;
    if (!spec_.group.isEmpty()) setText(spec_.label);
    else if (state_.isGreyed()) setText(tr("off · %1").arg(state_.idle.brief));
    else if (assumed && !state_.assumed) setText(tr("default"));
    else if (assumed) setText(isChecked() ? tr("on · assumed") : tr("off · assumed"));
    else setText(isChecked() ? tr("on") : tr("off"));
    // A pass is on unless switched off: that is no assumption worth marking.
    setRole(*this, assumed && spec_.section != FieldSection::passes ? "secondary" : "");
}

void ToggleBox::contextMenuEvent(QContextMenuEvent* event) {
    if (!actions().isEmpty()) QMenu::exec(actions(), event->globalPos());
}

namespace {

constexpr int defaultEntry = -1; ///< item data of "default"
constexpr int unknownEntry = -2; ///< item data of a value that the list does not know
constexpr int sidePadding = 10;  ///< px, where a line edit begins its text
constexpr int arrowWidth = 20;

/// A value of the catalogue's own is its text; anything else, {"every": 2} say, stands as its JSON.
QString rawText(const Json& value) {
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace

bool ChoiceEntry::stands(const Json& given) const {
    if (heading) return false;
    if (value == given) return true;
    if (!byKey || !value.is_object() || !given.is_object() || value.size() != given.size()) return false;
    const auto entries = value.items();
    return std::all_of(entries.begin(), entries.end(), [&](const auto& entry) { return given.contains(entry.key()); });
}

ChoiceBox::ChoiceBox(FieldSpec spec, std::vector<ChoiceEntry> entries, const Theme& theme, QWidget* parent)
    : QComboBox(parent), spec_(std::move(spec)), entries_(std::move(entries)), theme_(theme) {
    describeField(*this, spec_);
    setFont(theme_.bodyFont());
    setMinimumHeight(26);
    setMaxVisibleItems(24);
    setFocusPolicy(Qt::StrongFocus);
    fill();
    connect(this, &QComboBox::activated, this, [this](int index) {
        const int entry = itemData(index).toInt();
        const auto place = static_cast<std::size_t>(entry);
        Json wanted;
        if (entry >= 0) wanted = entries_[place].value;
        const bool same = entry == unknownEntry || (entry == defaultEntry && !state_.given) ||
                          (entry >= 0 && state_.given && entries_[place].stands(*state_.given));
        if (!same && edited) edited(wanted);
    });
    connect(&theme_, &Theme::changed, this, [this] {
        setFont(theme_.bodyFont());
        update();
    });
}

QString ChoiceBox::textOf(const Json& value) const {
    for (const ChoiceEntry& entry : entries_)
        if (entry.stands(value)) return entry.text;
    return unknownText(value);
}

QString ChoiceBox::unknownText(const Json& value) const { return describeUnknown ? describeUnknown(value) : rawText(value); }

const NotApplicable* ChoiceBox::idleChoice(const ChoiceEntry& entry) const {
    for (const auto& [value, idle] : state_.idleChoices)
        if (value == entry.value) return &idle;
    return nullptr;
}

void ChoiceBox::fill() {
    const QSignalBlocker quiet(this);
    clear();
    if (!spec_.required) addItem(state_.assumed ? tr("default (%1)").arg(textOf(*state_.assumed)) : absentText(), defaultEntry);
    auto* items = qobject_cast<QStandardItemModel*>(model());
    int current = spec_.required ? -1 : 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const ChoiceEntry& entry = entries_[i];
        const bool given = state_.given && entry.stands(*state_.given);
        if (const NotApplicable* idle = idleChoice(entry); idle && idle->brief.isEmpty() && !given) continue;
        addItem(entry.text, static_cast<int>(i));
        QStandardItem* item = items->item(count() - 1);
        if (entry.heading) {
            item->setFlags(Qt::NoItemFlags);
            item->setFont(theme_.titleFont());
        } else if (!entry.enabled) {
            item->setFlags(Qt::NoItemFlags);
            item->setToolTip(tr("Not simulated yet"));
            item->setText(tr("%1 · not simulated yet").arg(entry.text));
        } else if (const NotApplicable* idle = idleChoice(entry); idle && !given && !idle->brief.isEmpty()) {
            item->setFlags(Qt::NoItemFlags);
            item->setToolTip(idle->reason);
            item->setText(tr("%1 · %2").arg(entry.text, idle->brief));
        } else if (!entry.tooltip.isEmpty()) {
            item->setToolTip(entry.tooltip);
        }
        if (given) current = count() - 1;
    }
    const bool known = !state_.given || std::any_of(entries_.begin(), entries_.end(), [&](const ChoiceEntry& entry) {
        return entry.stands(*state_.given);
    });
    if (!known) {
        addItem(unknownText(*state_.given), unknownEntry);
        current = count() - 1;
    }
    setCurrentIndex(current);
}

void ChoiceBox::show(const FieldState& state) {
    const bool changed = state.given != state_.given || state.assumed != state_.assumed || state.idleChoices != state_.idleChoices;
    state_ = state;
    if (changed) fill();
    shown_ = state_.isGreyed() ? state_.idle.brief : state_.given ? textOf(*state_.given)
                                                 : state_.assumed ? textOf(*state_.assumed)
                                                 : spec_.required ? tr("choose…")
                                                                  : absentText();
    sayOfField(*this, fieldToolTip(spec_, state_, state_.assumed && !state_.idle ? shown_ : QString()), state_.idle ? spec_.tooltip + u' ' + state_.idle.reason : state_.given || !state_.assumed ? spec_.tooltip
                                                                                                                                                                                                  : tr("%1 Assumed: %2").arg(spec_.tooltip, shown_));
    setEnabled(state_.takesEdits());
    offerDefault(*this, spec_, *this, state_);
    setStyleProperty(*this, "assumed", !state.given.has_value());
    updateGeometry();
    update();
}

int ChoiceBox::textWidth() const { return QFontMetrics(font()).horizontalAdvance(shown_) + 2 + sidePadding + arrowWidth; }

QSize ChoiceBox::sizeHint() const { return {std::max(72, textWidth()), 26}; }
QSize ChoiceBox::minimumSizeHint() const { return {72, 26}; }

void ChoiceBox::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const ThemeColors& colors = theme_.colors();
    painter.setPen(state_.given && state_.locked.isEmpty() ? colors.ink : colors.secondary);
    painter.setFont(font());
    painter.drawText(rect().adjusted(sidePadding, 0, -arrowWidth, 0), Qt::AlignLeft | Qt::AlignVCenter, shown_);
}

/// The wheel scrolls the form; it must not change a scenario on its way.
void ChoiceBox::wheelEvent(QWheelEvent* event) { event->ignore(); }

void ChoiceBox::contextMenuEvent(QContextMenuEvent* event) {
    if (actions().isEmpty()) return;
    QMenu::exec(actions(), event->globalPos());
}

void ChoiceBox::showPopup() {
    // The list may be wider than the field: its entries are never elided.
    int widest = 0;
    const QFontMetrics metrics(view()->font());
    for (int i = 0; i < count(); ++i) widest = std::max(widest, metrics.horizontalAdvance(itemText(i)));
    view()->setMinimumWidth(std::max(width(), widest + 56));
    QComboBox::showPopup();
}

CheckList::CheckList(FieldSpec spec, const Theme& theme, QWidget* parent) : QWidget(parent), spec_(std::move(spec)), theme_(theme) {
    describeField(*this, spec_);
    setLayout(new FlowLayout);
    layout()->setContentsMargins(0, 3, 0, 0);
    for (const FieldChoice& choice : spec_.choices) {
        auto* box = new QCheckBox(choice.text, this);
        box->setObjectName(objectName() + QLatin1Char(':') + QString::fromStdString(choice.value.get<std::string>()));
        box->setAccessibleName(tr("%1: %2").arg(spec_.label, choice.text));
        box->setMinimumHeight(20);
        layout()->addWidget(box);
        boxes_.push_back(box);
        connect(box, &QCheckBox::clicked, this, &CheckList::write);
    }
    if (!boxes_.empty()) setFocusProxy(boxes_.front());
    const auto takeFont = [this] {
        for (QCheckBox* box : boxes_) box->setFont(theme_.bodyFont());
    };
    connect(&theme_, &Theme::changed, this, takeFont);
    takeFont();
}

void CheckList::show(const FieldState& state) {
    state_ = state;
    const Json list = state.given && state.given->is_array() ? *state.given : Json::array();
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
        const FieldChoice& choice = spec_.choices[i];
        const bool on = std::find(list.begin(), list.end(), choice.value) != list.end();
        const auto idle = std::find_if(state.idleChoices.begin(), state.idleChoices.end(), [&](const auto& one) { return one.first == choice.value; });
        const bool applies = idle == state.idleChoices.end();
        const QSignalBlocker quiet(boxes_[i]);
        boxes_[i]->setChecked(on);
        boxes_[i]->setEnabled((applies || on) && state.locked.isEmpty());
        boxes_[i]->setToolTip(applies ? choice.tooltip : choice.tooltip + u' ' + idle->second.reason);
    }
}

void CheckList::write() {
    Json list = Json::array();
    // What the list does not know stays: the problem beside it says what it is.
    if (state_.given && state_.given->is_array())
        for (const Json& value : *state_.given)
            if (std::none_of(spec_.choices.begin(), spec_.choices.end(), [&](const FieldChoice& choice) { return choice.value == value; })) list.push_back(value);
    for (std::size_t i = 0; i < boxes_.size(); ++i)
        if (boxes_[i]->isChecked()) list.push_back(spec_.choices[i].value);
    if (list.empty()) return show(FieldState(state_));
    if (edited) edited(list);
}

QSize CheckList::sizeHint() const {
    QSize size = layout()->minimumSize();
    return {size.width(), size.height()};
}

} // namespace orrery
