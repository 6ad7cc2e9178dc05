// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/value_edit.hpp"

#include "core/base/json.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/forms/value_text.hpp"

#include <QContextMenuEvent>
#include <QFontMetrics>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QStyle>
#include <QToolButton>

#include <algorithm>
#include <memory>

namespace orrery {
namespace {

constexpr int leftPadding = 10; ///< px before the text: border, the style sheet's padding, the line edit's own
constexpr int rightPadding = 8;
constexpr int stepWidth = 18;
constexpr int unitGap = 6;

/// Draws its own sign: a style's tool button keeps more room around a text than a field has.
class StepButton : public QToolButton {
public:
    StepButton(bool more, const Theme& theme, const QString& name, QWidget* parent) : QToolButton(parent), more_(more), theme_(theme) {
        setAccessibleName(name);
        setToolTip(name);
        setAutoRaise(true);
        setAutoRepeat(true);
        setCursor(Qt::ArrowCursor);
        setFocusPolicy(Qt::NoFocus); // the arrow keys do the same from inside the field
        connect(&theme_, &Theme::changed, this, QOverload<>::of(&QWidget::update));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const ThemeColors& colors = theme_.colors();
        if (isEnabled() && underMouse()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(isDown() ? colors.line : colors.grid);
            painter.drawRoundedRect(rect(), 4, 4);
        }
        painter.setPen(QPen(isEnabled() ? colors.secondary : colors.faint, 1.3, Qt::SolidLine, Qt::RoundCap));
        const QPointF middle = QRectF(rect()).center();
        constexpr double arm = 3.5;
        painter.drawLine(middle - QPointF(arm, 0), middle + QPointF(arm, 0));
        if (more_) painter.drawLine(middle - QPointF(0, arm), middle + QPointF(0, arm));
    }

private:
    bool more_;
    const Theme& theme_;
};

} // namespace

ValueEdit::ValueEdit(FieldSpec spec, const Theme& theme, QWidget* parent)
    : QLineEdit(parent), spec_(std::move(spec)), theme_(theme) {
    describeField(*this, spec_);
    setFont(theme_.bodyFont());
    setMinimumHeight(26);
    pause_.setSingleShot(true);
    pause_.setInterval(pauseMs);
    if (spec_.kind == FieldKind::derived) {
        setReadOnly(true);
        setFocusPolicy(Qt::NoFocus);
    }
    if (spec_.stepButtons) {
        fewer_ = new StepButton(false, theme_, tr("Less (arrow down)"), this);
        more_ = new StepButton(true, theme_, tr("More (arrow up)"), this);
        fewer_->setObjectName(objectName() + QStringLiteral("/-"));
        more_->setObjectName(objectName() + QStringLiteral("/+"));
        connect(fewer_, &QToolButton::clicked, this, [this] { step(-1); });
        connect(more_, &QToolButton::clicked, this, [this] { step(+1); });
    }
    connect(this, &QLineEdit::textEdited, this, &ValueEdit::textTyped);
    connect(this, &QLineEdit::returnPressed, this, [this] { commit(true); });
    connect(&pause_, &QTimer::timeout, this, [this] { commit(false); });
    connect(&theme_, &Theme::changed, this, [this] {
        setFont(theme_.bodyFont());
        update();
    });
    placeChildren();
}

void ValueEdit::show(const FieldState& state) {
    state_ = state;
    assumedText_.clear();
    if (!state.given && state.assumed) {
        const Json& value = *state.assumed;
        const bool even = value.is_array() && value.size() > 1 && std::all_of(value.begin(), value.end(), [&](const Json& item) { return item == value.front(); });
        assumedText_ = even ? tr("%1 each").arg(valueText(FieldKind::integer, value.front()))
                            : valueText(spec_.kind == FieldKind::derived ? FieldKind::integer : spec_.kind, value);
    }
    sayOfField(*this, fieldToolTip(spec_, state_, assumedText_), state_.idle ? spec_.tooltip + u' ' + state_.idle.reason : assumedText_.isEmpty() ? spec_.tooltip
                                                                                                                                                  : tr("%1 Assumed: %2").arg(spec_.tooltip, assumedText_));
    setEnabled(state_.takesEdits());
    offerDefault(*this, spec_, *this, state_);
    const bool dashed = !state.given || spec_.kind == FieldKind::derived;
    setStyleProperty(*this, "assumed", dashed);
    // While the field has the keyboard, a text that means what the document says (or that was not sent yet) stays as typed.
    const ParsedValue typed = parseValue(spec_.kind, text());
    const bool same = state.given ? typed.value == state.given : text().trimmed().isEmpty();
    if (!(hasFocus() && (same || typing_))) showDocument();
    placeChildren();
    update();
}

void ValueEdit::showDocument() {
    typing_ = false;
    pause_.stop();
    const QString shown = spec_.kind == FieldKind::derived ? assumedText_ : state_.given ? valueText(spec_.kind, *state_.given)
                                                                                         : QString();
    if (shown == text()) return;
    const int cursor = cursorPosition();
    setText(shown);
    setCursorPosition(hasFocus() ? std::min<int>(cursor, static_cast<int>(shown.size())) : 0);
    if (mistyped) mistyped({});
}

void ValueEdit::textTyped() {
    typing_ = true;
    const ParsedValue parsed = parseValue(spec_.kind, text());
    if (mistyped) mistyped(parsed.error);
    // An empty field may be on its way to a new number: it is sent only when left.
    if (parsed.value && spec_.kind != FieldKind::text) pause_.start();
    else pause_.stop();
    placeChildren();
}

void ValueEdit::commit(bool leaving) {
    pause_.stop();
    if (typing_) {
        const ParsedValue parsed = parseValue(spec_.kind, text());
        if (parsed.value) {
            typing_ = false;
            if (parsed.value != state_.given) send(*parsed.value);
        } else if (leaving && parsed.error.isEmpty() && !spec_.required) {
            typing_ = false;
            if (state_.given) send(nullptr);
        }
    }
    // A text that means nothing stays, with its message; everything else is shown as the document has it.
    if (leaving && (!typing_ || text().trimmed().isEmpty())) showDocument();
}

void ValueEdit::send(const Json& value) {
    if (mistyped) mistyped({});
    if (edited) edited(value);
}

std::optional<std::int64_t> ValueEdit::currentNumber() const {
    const ParsedValue parsed = parseValue(spec_.kind, text());
    if (parsed.value && parsed.value->is_number_integer()) return parsed.value->get<std::int64_t>();
    if (text().isEmpty() && state_.assumed && state_.assumed->is_number_integer()) return state_.assumed->get<std::int64_t>();
    return std::nullopt;
}

void ValueEdit::step(int direction) {
    const std::optional<std::int64_t> number = currentNumber();
    if (!number || spec_.step == FieldStep::none || !isEnabled()) return;
    const std::int64_t next = steppedValue(spec_.step, *number, direction, batchMultiple_);
    if (next == *number) return;
    pause_.stop();
    typing_ = false;
    setText(valueText(spec_.kind, Json(next)));
    if (Json(next) != state_.given) send(Json(next));
}

void ValueEdit::keyPressEvent(QKeyEvent* event) {
    if (spec_.step != FieldStep::none && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)) {
        step(event->key() == Qt::Key_Up ? +1 : -1);
        event->accept();
        return;
    }
    if (event->key() == Qt::Key_Escape && typing_) {
        showDocument();
        if (mistyped) mistyped({});
        event->accept();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void ValueEdit::focusOutEvent(QFocusEvent* event) {
    if (event->reason() != Qt::PopupFocusReason) commit(true);
    QLineEdit::focusOutEvent(event);
}

void ValueEdit::contextMenuEvent(QContextMenuEvent* event) {
    const std::unique_ptr<QMenu> menu(createStandardContextMenu());
    if (!actions().isEmpty()) {
        menu->addSeparator();
        menu->addActions(actions());
    }
    menu->exec(event->globalPos());
}

QString ValueEdit::unitShown() const {
    if (state_.isGreyed()) return state_.idle.brief;
    if (spec_.kind != FieldKind::derived && text().isEmpty() && !assumedText_.isEmpty() && spec_.unit.isEmpty())
        return tr("assumed");
    if (text().isEmpty() && assumedText_.isEmpty() && !spec_.absent.isEmpty()) return spec_.absent;
    if (spec_.kind == FieldKind::data_rate)
        if (const ParsedValue rate = parseValue(spec_.kind, text().isEmpty() ? assumedText_ : text()); rate.value) {
            const QString bits = tr("%1 Gb/s").arg(grouped(rate.value->get<double>() * 8));
            return text().contains(u'/') ? bits : spec_.unit + QStringLiteral(" · ") + bits;
        }
    return spec_.unit;
}

int ValueEdit::stepperWidth() const { return fewer_ != nullptr ? 2 * stepWidth + 2 : 0; }

void ValueEdit::placeChildren() {
    int taken = stepperWidth();
    if (fewer_ != nullptr) {
        const int height_ = height() - 6;
        fewer_->setGeometry(width() - taken, 3, stepWidth, height_);
        more_->setGeometry(width() - taken + stepWidth, 3, stepWidth, height_);
    }
    setTextMargins(0, 0, taken, 0);
}

int ValueEdit::textWidth() const {
    const int value = QFontMetrics(font()).horizontalAdvance(text().isEmpty() ? assumedText_ : text());
    return leftPadding + value + rightPadding + stepperWidth();
}

QSize ValueEdit::minimumSizeHint() const {
    return {std::max(72, leftPadding + rightPadding + stepperWidth() + QFontMetrics(font()).horizontalAdvance(QStringLiteral("0000"))), 26};
}

void ValueEdit::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    const QRect inner = rect().adjusted(leftPadding, 0, -rightPadding - stepperWidth(), 0);
    const bool empty = text().isEmpty();
    painter.setPen(theme_.colors().secondary);
    const QString value = empty ? assumedText_ : text();
    if (empty && !assumedText_.isEmpty() && !state_.isGreyed()) {
        painter.setFont(font());
        // Only the layout of very many chunks is longer than a row; its tooltip has it whole.
        painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, QFontMetrics(font()).elidedText(assumedText_, Qt::ElideRight, inner.width()));
    }
    // The unit gives way to a long number; the tooltip has it too.
    const QFont small = theme_.secondaryFont();
    QString unit = unitShown();
    const int room = inner.width() - (state_.isGreyed() ? 0 : QFontMetrics(font()).horizontalAdvance(value) + unitGap);
    if (!unit.isEmpty() && QFontMetrics(small).horizontalAdvance(unit) > room && unit != spec_.unit && !state_.isGreyed()) unit = spec_.unit;
    if (!unit.isEmpty() && QFontMetrics(small).horizontalAdvance(unit) <= room) {
        painter.setFont(small);
        painter.drawText(inner, (state_.isGreyed() ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, unit);
    }
}

void ValueEdit::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    placeChildren();
}

} // namespace orrery
