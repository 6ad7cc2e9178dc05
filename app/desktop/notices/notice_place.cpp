// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/notices/notice_place.hpp"

#include "widgets/common/section.hpp"

#include <QApplication>
#include <QMainWindow>
#include <QMouseEvent>
#include <QStatusBar>
#include <QVBoxLayout>

#include <algorithm>

namespace orrery {
namespace {

constexpr int usualWidth = 720; ///< px; narrower, sentences take many lines
constexpr int noticeMargin = 8; ///< px around
constexpr int restingMouse = 8; ///< px; a hand that means to stay moves no more

} // namespace

NoticePlace::NoticePlace(QMainWindow& window) : QFrame(&window), window_(window), column_(new QVBoxLayout(this)), shield_(new QWidget(this)) {
    setObjectName("notice_place");
    setRole(*this, "panel");
    setAttribute(Qt::WA_StyledBackground);
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(0);
    shield_->hide();
    shield_->setObjectName("notice_shield");
    hold_.setSingleShot(true);
    hold_.setInterval(holdTime);
    connect(&hold_, &QTimer::timeout, this, &NoticePlace::release);
    window_.installEventFilter(this);
    qApp->installEventFilter(this);
    hide();
}

void NoticePlace::add(QWidget* notice) {
    column_->addWidget(notice);
    notices_.push_back(notice);
    notice->installEventFilter(this);
}

void NoticePlace::standAbove(QWidget* panel) {
    floor_ = panel;
    floor_->installEventFilter(this);
}

void NoticePlace::standBeside(QWidget* panel) {
    wall_ = panel;
    wall_->installEventFilter(this);
}

/// Whether it is another part of the window, which may have been put in front.
bool NoticePlace::isBeside(const QObject* watched) const {
    const auto* widget = qobject_cast<const QWidget*>(watched);
    return widget && widget != this && widget->parentWidget() == &window_;
}

void NoticePlace::arrangeSoon() { QMetaObject::invokeMethod(this, &NoticePlace::arrange, Qt::QueuedConnection); }

bool NoticePlace::anyShown() const {
    return std::any_of(notices_.begin(), notices_.end(), [](const QWidget* notice) { return !notice->isHidden(); });
}

void NoticePlace::arrange() {
    if (isHeld()) {
        // Its content changes under the hand that clicked: what is new waits as well.
        hold_.start();
        shield_->setGeometry(rect());
        shield_->raise();
        return;
    }
    if (!anyShown()) return hide();
    int bottom = window_.statusBar()->geometry().top();
    if (floor_ && floor_->isVisible()) {
        const int top = floor_->mapTo(&window_, QPoint(0, 0)).y();
        if (top > window_.height() / 2) bottom = std::min(bottom, top);
    }
    const int wall = wall_ && wall_->isVisible() ? wall_->mapTo(&window_, QPoint(wall_->width(), 0)).x() : 0;
    const int left = (window_.width() - wall >= usualWidth && wall < window_.width() / 2 ? wall : 0) + noticeMargin;
    const int wanted = window_.width() - noticeMargin - left;
    column_->activate();
    const int needed = column_->hasHeightForWidth() ? column_->heightForWidth(wanted) : column_->sizeHint().height();
    const int height = std::max(needed, column_->minimumSize().height());
    setGeometry(left, bottom - height, wanted, height);
    show();
    raise();
}

void NoticePlace::release() {
    hold_.stop();
    shield_->hide();
    arrange();
}

bool NoticePlace::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) arrange();
    return QFrame::event(event);
}

bool NoticePlace::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::Resize:
        if (watched == &window_ || watched == floor_ || watched == wall_) arrangeSoon();
        break;
    case QEvent::ZOrderChange:
        if (isVisible() && isBeside(watched)) arrangeSoon();
        break;
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::Move:
        if (watched == floor_ || watched == wall_ || (event->type() == QEvent::Show && isVisible() && isBeside(watched))) arrangeSoon();
        break;
    case QEvent::ShowToParent:
    case QEvent::HideToParent:
        if (std::find(notices_.begin(), notices_.end(), watched) != notices_.end()) arrange();
        break;
    case QEvent::MouseButtonRelease: {
        auto* widget = qobject_cast<QWidget*>(watched);
        if (!widget || isHeld() || widget == this || !isAncestorOf(widget)) break;
        // The click does its work first; whatever it changes finds the place held.
        pressedAt_ = static_cast<QMouseEvent*>(event)->globalPosition().toPoint();
        hold_.start();
        shield_->setGeometry(rect());
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (!isHeld()) return;
                shield_->show();
                shield_->raise();
            },
            Qt::QueuedConnection);
        break;
    }
    case QEvent::MouseMove:
        if (isHeld() && (static_cast<QMouseEvent*>(event)->globalPosition().toPoint() - pressedAt_).manhattanLength() > restingMouse)
            QMetaObject::invokeMethod(this, &NoticePlace::release, Qt::QueuedConnection);
        break;
    default: break;
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace orrery
