// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/frame/title_row.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QEvent>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QTabBar>
#include <algorithm>

namespace orrery {
namespace {

constexpr int sides = 16; ///< px of frame and padding beside the text
constexpr int narrowest = 90;
constexpr int widest = 420;

} // namespace

TitleEdit::TitleEdit(const Theme& theme, QWidget* parent) : QLineEdit(parent), theme_(theme) {
    setRole(*this, "title");
    setPlaceholderText(tr("Untitled"));
    setAccessibleName(tr("Title of the scenario"));
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    const auto takeFont = [this] {
        setFont(theme_.titleFont());
        updateGeometry();
        showTitle();
    };
    takeFont();
    connect(&theme_, &Theme::changed, this, takeFont);
    connect(this, &QLineEdit::returnPressed, this, [this] {
        take();
        clearFocus();
    });
}

void TitleEdit::setTitle(const QString& title) {
    if (title == title_) return;
    title_ = title;
    updateGeometry();
    if (!hasFocus()) showTitle();
}

QSize TitleEdit::sizeHint() const {
    const int text = fontMetrics().horizontalAdvance(title_.isEmpty() ? placeholderText() : title_);
    return {std::clamp(text + sides + 8, narrowest, widest), QLineEdit::sizeHint().height()};
}

QSize TitleEdit::minimumSizeHint() const { return {narrowest, QLineEdit::sizeHint().height()}; }

void TitleEdit::showTitle() {
    setText(fontMetrics().elidedText(title_, Qt::ElideRight, std::max(0, width() - sides)));
    setCursorPosition(0);
    setToolTip(title_.isEmpty() ? tr("Click to give the scenario a title") : tr("%1\nClick to change the title").arg(title_));
}

void TitleEdit::take() {
    const QString typed = text().trimmed();
    if (!isModified() || typed == title_) return;
    title_ = typed;
    setModified(false);
    updateGeometry();
    emit renamed(typed);
}

void TitleEdit::focusInEvent(QFocusEvent* event) {
    if (event->reason() != Qt::PopupFocusReason && event->reason() != Qt::ActiveWindowFocusReason) setText(title_);
    QLineEdit::focusInEvent(event);
}

void TitleEdit::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (event->reason() == Qt::PopupFocusReason) return; // its own context menu
    take();
    showTitle();
    deselect();
}

void TitleEdit::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        setText(title_);
        setModified(false);
        clearFocus();
        event->accept();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void TitleEdit::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    if (!hasFocus()) showTitle();
}

TitleRow::TitleRow(const Theme& theme, const std::vector<Workspace>& workspaces, QWidget* parent)
    : QFrame(parent), theme_(theme), tabs_(new QTabBar(this)), title_(new TitleEdit(theme, this)), modified_(new QLabel(this)), file_(new QLabel(this)),
      pill_(new StatusPill(theme, this)) {
    setRole(*this, "panel");
    setFixedHeight(36);
    tabs_->setObjectName("workspaces");
    tabs_->setAccessibleName(tr("Workspaces"));
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->setUsesScrollButtons(false);
    tabs_->setFocusPolicy(Qt::TabFocus);
    for (const Workspace& each : workspaces) {
        const int tab = tabs_->addTab(each.title);
        tabs_->setTabData(tab, each.id);
        tabs_->setTabToolTip(tab, QStringLiteral("%1 (%2)").arg(each.toolTip, QKeySequence(QStringLiteral("Ctrl+%1").arg(tab + 1)).toString(QKeySequence::NativeText)));
    }
    connect(tabs_, &QTabBar::currentChanged, this, [this](int tab) { emit workspaceChosen(tabs_->tabData(tab).toString()); });
    title_->setObjectName("scenario_title");
    connect(title_, &TitleEdit::renamed, this, &TitleRow::renamed);
    modified_->setText(QStringLiteral("●"));
    modified_->setToolTip(tr("Not saved yet"));
    modified_->setObjectName("modified_dot");
    setRole(*modified_, "warning");
    modified_->hide();
    file_->setObjectName("file_name");
    setRole(*file_, "secondary");
    file_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    file_->installEventFilter(this);

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 0, 12, 0);
    layout->setSpacing(8);
    layout->addWidget(tabs_, 0, Qt::AlignBottom);
    layout->addSpacing(8);
    layout->addWidget(title_);
    layout->addWidget(modified_);
    layout->addWidget(file_, 1);
    layout->addWidget(pill_);
    takeFonts();
    connect(&theme_, &Theme::changed, this, &TitleRow::takeFonts);
}

void TitleRow::setTitle(const QString& title) { title_->setTitle(title); }

void TitleRow::setFile(const QString& fileName, const QString& toolTip) {
    fileName_ = fileName;
    file_->setToolTip(toolTip);
    elide();
}

void TitleRow::setModified(bool modified) { modified_->setVisible(modified); }

void TitleRow::setWorkspace(const QString& id) {
    const QSignalBlocker blocker(tabs_);
    for (int tab = 0; tab < tabs_->count(); ++tab)
        if (tabs_->tabData(tab).toString() == id) tabs_->setCurrentIndex(tab);
}

void TitleRow::takeFonts() {
    tabs_->setFont(theme_.bodyFont());
    modified_->setFont(theme_.secondaryFont());
    file_->setFont(theme_.secondaryFont());
    elide();
}

void TitleRow::elide() {
    const QFontMetrics metrics(file_->font());
    const QString shown = metrics.elidedText(fileName_, Qt::ElideMiddle, std::max(0, file_->width() - 2));
    file_->setText(shown == fileName_ || shown.size() >= 8 ? shown : QString()); // "l…n" names no file
}

/// The row's own width is not all that its room depends on: a longer title or pill takes of it too.
bool TitleRow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == file_ && event->type() == QEvent::Resize) elide();
    return QFrame::eventFilter(watched, event);
}

} // namespace orrery
