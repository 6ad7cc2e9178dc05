#include "app/desktop/dim_overlay.hpp"

#include "widgets/common/theme.hpp"

#include <QEvent>
#include <QPainter>

namespace orrery {

DimOverlay::DimOverlay(const Theme& theme, QWidget* view) : QWidget(view), theme_(theme) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    view->installEventFilter(this);
    hide();
}

void DimOverlay::setDimmed(bool dimmed) {
    if (dimmed) {
        setGeometry(parentWidget()->rect());
        raise();
    }
    setVisible(dimmed);
}

void DimOverlay::paintEvent(QPaintEvent*) {
    QColor veil = theme_.colors().panel;
    veil.setAlphaF(0.55f);
    QPainter(this).fillRect(rect(), veil);
}

bool DimOverlay::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && isDimmed()) setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

} // namespace orrery
