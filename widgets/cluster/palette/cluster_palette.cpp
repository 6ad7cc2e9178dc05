// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/palette/cluster_palette.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/palette/generator_dialog.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QApplication>
#include <QDrag>
#include <QHBoxLayout>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

namespace orrery {
namespace {

constexpr int rowHeight = 38;
constexpr int iconWidth = 38;
constexpr int numberWidth = 66; ///< four digits beside the arrows
constexpr int moreWidth = 26;

} // namespace

PaletteRow::PaletteRow(PaletteItem item, const Theme& theme, QWidget* parent)
    : QAbstractButton(parent), item_(std::move(item)), theme_(theme) {
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setAccessibleName(item_.label + QStringLiteral(", ") + item_.detail);
    setToolTip(tr("%1 · %2\nClick, then click on the drawing; Shift keeps it. Or drag it there.").arg(item_.label, item_.detail));
    if (item_.number > 0) {
        auto* layout = new QHBoxLayout(this);
        layout->setContentsMargins(0, 0, 6, 0);
        layout->addStretch(1);
        number_ = new QSpinBox(this);
        number_->setRange(item_.leastNumber, item_.mostNumber);
        number_->setSingleStep(item_.numberStep);
        number_->setValue(item_.number);
        number_->setFixedWidth(numberWidth);
        number_->setStyleSheet(QStringLiteral("QSpinBox { padding: 2px 0px 2px 4px; }")); // the row is narrow
        number_->setToolTip(tr("Number of %1").arg(item_.numberName));
        number_->setAccessibleName(tr("Number of %1").arg(item_.numberName));
        layout->addWidget(number_);
        layout->setSpacing(2);
        if (!item_.generator.empty()) {
            more_ = new QToolButton(this);
            more_->setAutoRaise(true);
            more_->setText(QStringLiteral("…"));
            more_->setFixedWidth(moreWidth);
            more_->setStyleSheet(QStringLiteral("QToolButton { padding: 2px 0px; }")); // the row is narrow
            more_->setToolTip(tr("All parameters of %1").arg(item_.label));
            more_->setAccessibleName(more_->toolTip());
            layout->addWidget(more_);
        }
        connect(number_, &QSpinBox::valueChanged, this, [this] { made_ = Json(); });
    }
    connect(&theme_, &Theme::changed, this, QOverload<>::of(&QWidget::update));
}

void PaletteRow::setMade(Json fragment, QString name) {
    made_ = std::move(fragment);
    madeName_ = std::move(name);
}

Json PaletteRow::fragment() const { return made_.is_object() ? made_ : item_.make(number_ ? number_->value() : 1); }

QString PaletteRow::placedName() const {
    if (made_.is_object()) return madeName_;
    if (number_ && item_.placedAs) return item_.placedAs(number_->value());
    return number_ ? QString::number(number_->value()) + QStringLiteral(" × ") + item_.label : item_.label;
}

int PaletteRow::fieldsWidth() const { return (number_ ? numberWidth + 10 : 0) + (more_ ? moreWidth + 2 : 0); }

QSize PaletteRow::sizeHint() const {
    const int text = std::max(QFontMetrics(theme_.bodyFont()).horizontalAdvance(item_.label),
                              QFontMetrics(theme_.secondaryFont()).horizontalAdvance(item_.detail));
    return {iconWidth + text + 12 + fieldsWidth(), rowHeight};
}

void PaletteRow::paintEvent(QPaintEvent*) {
    const ThemeColors& c = theme_.colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(0.5, 1.5, -0.5, -1.5);
    if (isChecked() || hasFocus()) {
        painter.setPen(QPen(c.accent, isChecked() ? 1.6 : 1));
        painter.setBrush(isChecked() ? c.grid : Qt::transparent);
        painter.drawRoundedRect(box, 6, 6);
    } else if (underMouse()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.grid);
        painter.drawRoundedRect(box, 6, 6);
    }
    paintPaletteIcon(painter, QRectF(0, 0, iconWidth, height()), item_, theme_);
    const double room = width() - iconWidth - 6 - fieldsWidth();
    const auto write = [&](double top, const QFont& font, const QColor& ink, const QString& text) {
        painter.setFont(font);
        painter.setPen(ink);
        painter.drawText(QRectF(iconWidth, top, room, 16), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(font).elidedText(text, Qt::ElideRight, room));
    };
    write(3.5, theme_.bodyFont(), c.ink, item_.label);
    write(18.5, theme_.secondaryFont(), c.secondary, item_.detail);
}

void PaletteRow::mousePressEvent(QMouseEvent* event) {
    pressedAt_ = event->pos();
    QAbstractButton::mousePressEvent(event);
}

void PaletteRow::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton) || (event->pos() - pressedAt_).manhattanLength() < QApplication::startDragDistance())
        return QAbstractButton::mouseMoveEvent(event);
    setDown(false);
    auto* mime = new QMimeData;
    mime->setData(fragmentMimeType, fragmentBytes(fragment()));
    mime->setText(placedName());
    auto* drag = new QDrag(this);
    drag->setMimeData(mime);
    QPixmap picture(QSize(iconWidth, rowHeight) * devicePixelRatioF());
    picture.setDevicePixelRatio(devicePixelRatioF());
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    paintPaletteIcon(painter, QRectF(0, 0, iconWidth, rowHeight), item_, theme_);
    painter.end();
    drag->setPixmap(picture);
    drag->setHotSpot({-12, -12}); // beside the ghost that the canvas shows under the mouse
    drag->exec(Qt::CopyAction);
}

ClusterPalette::ClusterPalette(const Theme& theme, const Catalog& catalog, QWidget* parent) : QWidget(parent), theme_(theme), catalog_(catalog) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFrameShape(QFrame::NoFrame);
    outer->addWidget(scroll);
    auto* inside = new QWidget;
    setRole(*inside, "panel");
    inside->setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 0, 0, 8);
    column->setSpacing(0);

    auto* hosts = new Section(tr("Hosts"), theme, inside);
    auto* switches = new Section(tr("Switches"), theme, inside);
    auto* platforms = new Section(tr("Platforms"), theme, inside);
    platforms->setSecondary(tr("how many"));
    for (Section* section : {hosts, switches, platforms}) {
        section->content()->setSpacing(0);
        if (section != hosts) column->addWidget(new Hairline(inside));
        column->addWidget(section);
    }
    column->addStretch(1);

    for (PaletteItem& item : paletteItems(catalog)) {
        Section* section = item.group == PaletteGroup::host ? hosts : item.group == PaletteGroup::switch_ ? switches
                                                                                                          : platforms;
        auto* row = new PaletteRow(std::move(item), theme, section);
        section->content()->addWidget(row);
        rows_.push_back(row);
        connect(row, &PaletteRow::clicked, this, [this, row](bool checked) {
            if (checked) arm(row);
            else emit disarmed();
            if (!checked) row->setMade(Json(), {});
        });
        if (row->moreButton()) connect(row->moreButton(), &QToolButton::clicked, this, [this, row] { askForAll(row); });
        if (row->numberField())
            connect(row->numberField(), &QSpinBox::valueChanged, this, [this, row] {
                if (row->isChecked()) emit armed(row->fragment(), row->placedName());
            });
    }
    more_ = new QToolButton(hosts);
    more_->setAutoRaise(true);
    more_->setCheckable(true);
    more_->setFocusPolicy(Qt::TabFocus);
    hosts->content()->addWidget(more_, 0, Qt::AlignLeft);
    connect(more_, &QToolButton::toggled, this, &ClusterPalette::showAll);
    showAll(false);
    scroll->setWidget(inside);
    // The scroll area alone would let the rows be cut; its bar needs room beside them.
    leastWidth_ = inside->minimumSizeHint().width() + 10;
}

void ClusterPalette::arm(PaletteRow* row) {
    for (PaletteRow* other : rows_) other->setChecked(other == row);
    emit armed(row->fragment(), row->placedName());
}

void ClusterPalette::askForAll(PaletteRow* row) {
    auto* dialog = new GeneratorDialog(row->item(), row->numberField()->value(), catalog_, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, row] {
        row->setMade(dialog->fragment(), dialog->placedName());
        arm(row);
    });
    dialog->open();
}

void ClusterPalette::showAll(bool all) {
    bool any = false;
    for (PaletteRow* row : rows_) {
        any = any || row->item().hidden;
        row->setVisible(all || !row->item().hidden);
    }
    more_->setText(all ? tr("Fewer hosts") : tr("More hosts…"));
    more_->setVisible(any);
}

PaletteRow* ClusterPalette::row(const QString& key) const {
    for (PaletteRow* row : rows_)
        if (row->item().key == key) return row;
    return nullptr;
}

void ClusterPalette::placementEnded() {
    for (PaletteRow* row : rows_) {
        row->setChecked(false);
        row->setMade(Json(), {}); // the number is what the row shows
    }
}

} // namespace orrery
