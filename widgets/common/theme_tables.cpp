// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/theme_tables.hpp"

#include <QPair>

namespace orrery {
namespace {

ThemeColors lightTable() {
    ThemeColors c;
    c.background = QColor(0xf4f5f7);
    c.panel = QColor(0xffffff);
    c.field = QColor(0xfbfbfc);
    c.line = QColor(0xd9dce1);
    c.grid = QColor(0xeceef2);
    c.ink = QColor(0x1c2330);
    c.secondary = QColor(0x667080);
    c.faint = QColor(0x9aa3b2);
    c.accent = QColor(0x2b68d4);
    c.good = QColor(0x1a7f4b);
    c.warning = QColor(0xa05c0a);
    c.error = QColor(0xc4323a);
    c.forward = QColor(0x4c8bf5);
    c.backward = QColor(0x2aa876);
    c.backwardWeights = QColor(0x8fcf6a);
    c.recompute = QColor(0xe0a526);
    c.tensor = QColor(0x9a6dd7);
    c.pipeline = QColor(0x7d8797);
    c.data = QColor(0xd4579a);
    c.optimizer = QColor(0xa0694b);
    c.firstStage = QColor(0x59647c);
    c.lastStage = QColor(0x138086);
    return c;
}

ThemeColors darkTable() {
    ThemeColors c;
    c.background = QColor(0x16191f);
    c.panel = QColor(0x1e222a);
    c.field = QColor(0x252a33);
    c.line = QColor(0x343a45);
    c.grid = QColor(0x2a303a);
    c.ink = QColor(0xe6e9ef);
    c.secondary = QColor(0x9aa3b2);
    c.faint = QColor(0x6b7484);
    c.accent = QColor(0x6ea0ff);
    c.good = QColor(0x4cc38a);
    c.warning = QColor(0xe0a045);
    c.error = QColor(0xf2707a);
    c.forward = QColor(0x5b98ff);
    c.backward = QColor(0x38bd88);
    c.backwardWeights = QColor(0x9bdc78);
    c.recompute = QColor(0xecb63a);
    c.tensor = QColor(0xad85e8);
    c.pipeline = QColor(0x8c96a6);
    c.data = QColor(0xe26dac);
    c.optimizer = QColor(0xb97f60);
    c.firstStage = QColor(0x5f6b85);
    c.lastStage = QColor(0x1a8187);
    return c;
}

ThemeColors highContrastTable() {
    ThemeColors c;
    c.background = QColor(0xffffff);
    c.panel = QColor(0xffffff);
    c.field = QColor(0xffffff);
    c.line = QColor(0x3a3a3a);
    c.grid = QColor(0xb8b8b8);
    c.ink = QColor(Qt::black);
    c.secondary = QColor(0x2b2b2b);
    c.faint = QColor(0x5c5c5c);
    c.accent = QColor(0x0033a8);
    c.good = QColor(0x00542a);
    c.warning = QColor(0x6e3a00);
    c.error = QColor(0x9c0010);
    c.forward = QColor(0x0b4fd1);
    c.backward = QColor(0x00703f);
    c.backwardWeights = QColor(0x4a8a00);
    c.recompute = QColor(0xa86a00);
    c.tensor = QColor(0x6a1fc0);
    c.pipeline = QColor(0x4a4f58);
    c.data = QColor(0xb00068);
    c.optimizer = QColor(0x6b3010);
    c.firstStage = QColor(0x2c3850);
    c.lastStage = QColor(0x006a70);
    return c;
}

/// Hues of Okabe and Ito, "Color universal design" (2008); text colours are darker shades of the same.
ThemeColors colourSafeTable() {
    ThemeColors c = lightTable();
    c.accent = QColor(0x00609a);
    c.good = QColor(0x00704f);
    c.warning = QColor(0x8a5800);
    c.error = QColor(0xa84300);
    c.forward = QColor(0x0072b2);
    c.backward = QColor(0x009e73);
    c.backwardWeights = QColor(0x56b4e9);
    c.recompute = QColor(0xe69f00);
    c.tensor = QColor(0xcc79a7);
    c.pipeline = QColor(0x6d7480);
    c.data = QColor(0xd55e00);
    c.optimizer = QColor(0xf0e442);
    c.firstStage = QColor(0x4c5872);
    return c;
}

} // namespace

ThemeColors themeTable(ThemeVariant variant) {
    switch (variant) {
    case ThemeVariant::light: return lightTable();
    case ThemeVariant::dark: return darkTable();
    case ThemeVariant::high_contrast: return highContrastTable();
    case ThemeVariant::colour_safe: return colourSafeTable();
    }
    return lightTable();
}

} // namespace orrery

// Outside any namespace, as the macro demands; a static library's resources are not registered by themselves.
static void registerIcons() { Q_INIT_RESOURCE(icons); }

namespace orrery {
namespace {

// @name stands for a colour of the table, @tone for the icons' ink. Boxes are hairlines with round corners; nothing has a shadow.
const char* const sheet = R"(
QMainWindow, QDialog { background: @background; }
QMainWindow::separator { background: @line; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @accent; }
QToolTip { background: @panel; color: @ink; border: 1px solid @line; padding: 5px 7px; }

QMenuBar { background: @panel; border-bottom: 1px solid @line; padding: 2px 6px; }
QMenuBar::item { background: transparent; color: @ink; padding: 4px 8px; border-radius: 5px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @grid; }
QMenu { background: @panel; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 4px 26px 4px 22px; border-radius: 5px; color: @ink; }
QMenu::item:selected { background: @grid; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: 4px 6px; }
QMenu::indicator { width: 12px; height: 12px; left: 5px; }
QMenu::indicator:checked { image: url(:/orrery/icons/check-@menucheck.svg); }
QMenu::right-arrow { image: url(:/orrery/icons/right-@tone.svg); width: 12px; height: 12px; }

QToolBar { background: @panel; border: none; border-bottom: 1px solid @line; spacing: 6px; padding: 5px 10px; }
QStatusBar { background: @panel; border-top: 1px solid @line; color: @secondary; }
QStatusBar::item { border: none; }
QDockWidget { color: @ink; titlebar-close-icon: url(:/orrery/icons/close-@tone.svg); titlebar-normal-icon: url(:/orrery/icons/float-@tone.svg); }
QDockWidget::title { background: @panel; border-bottom: 1px solid @line; padding: 5px 10px; text-align: left; }
QTabWidget::pane { border: none; border-top: 1px solid @line; }
QTabBar::tab { background: transparent; color: @secondary; padding: 5px 10px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @ink; border-bottom: 2px solid @accent; }
QTabBar::tab:hover { color: @ink; }
QSplitter::handle { background: @line; }

QPushButton, QToolButton { background: @panel; color: @ink; border: 1px solid @line; border-radius: 6px; padding: 4px 10px; }
QToolButton { padding: 3px 6px; }
QPushButton[role="heading"] { background: transparent; border: 1px solid transparent; padding: 0; margin-left: -1px; text-align: left; }
QPushButton[role="heading"]:hover { color: @accent; }
QPushButton[role="heading"]:focus { border: 1px solid @accent; }
QPushButton:hover, QToolButton:hover { background: @grid; }
QPushButton:pressed, QToolButton:pressed { background: @line; }
QPushButton:focus, QToolButton:focus { border: 1px solid @accent; }
QPushButton:checked, QToolButton:checked, QPushButton:default { border: 1px solid @accent; }
QPushButton:disabled, QToolButton:disabled { color: @faint; }
QToolButton[autoRaise="true"] { border: 1px solid transparent; background: transparent; }
QToolButton[autoRaise="true"]:hover { background: @grid; }
QToolButton[autoRaise="true"]:checked { background: @grid; border: 1px solid @line; }
QToolButton[autoRaise="true"]:focus { border: 1px solid @accent; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QPlainTextEdit, QTextEdit, QComboBox, QAbstractSpinBox {
  background: @field; color: @ink; border: 1px solid @line; border-radius: 5px; padding: 2px 7px;
  selection-background-color: @accent; selection-color: @onaccent; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QComboBox:focus, QComboBox:on, QAbstractSpinBox:focus { border: 1px solid @accent; }
QLineEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled { color: @faint; background: @panel; }
QComboBox { padding-right: 20px; combobox-popup: 0; }
QComboBox::drop-down { border: none; width: 20px; subcontrol-origin: padding; subcontrol-position: center right; }
QComboBox::down-arrow { image: url(:/orrery/icons/down-@tone.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView::item { padding: 3px 6px; border-radius: 4px; min-height: 16px; }
QComboBox QAbstractItemView::item:disabled { color: @secondary; }
QComboBox QAbstractItemView::item:selected { background: @grid; color: @ink; }
QComboBox QAbstractItemView { background: @panel; color: @ink; border: 1px solid @line; padding: 3px; outline: none;
  selection-background-color: @grid; selection-color: @ink; }
QAbstractSpinBox { padding-right: 20px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; background: transparent; width: 18px; subcontrol-origin: border; }
QAbstractSpinBox::up-button { subcontrol-position: top right; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; }
QAbstractSpinBox::up-arrow { image: url(:/orrery/icons/up-@tone.svg); width: 10px; height: 10px; }
QAbstractSpinBox::down-arrow { image: url(:/orrery/icons/down-@tone.svg); width: 10px; height: 10px; }

QCheckBox, QRadioButton { color: @ink; spacing: 6px; }
QCheckBox:disabled, QRadioButton:disabled { color: @faint; }
QCheckBox::indicator, QRadioButton::indicator, QAbstractItemView::indicator { width: 12px; height: 12px; border: 1px solid @control; background: @field; }
QCheckBox::indicator, QAbstractItemView::indicator { border-radius: 3px; }
QRadioButton::indicator { border-radius: 7px; }
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked { background: @accent; border: 1px solid @accent; image: url(:/orrery/icons/check-@check.svg); }
QRadioButton::indicator:checked { background: @accent; border: 1px solid @accent; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border: 1px solid @accent; }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { background: @panel; border: 1px solid @line; }

QAbstractItemView { background: @panel; alternate-background-color: @background; color: @ink; border: none;
  selection-background-color: @accent; selection-color: @onaccent; gridline-color: @grid; }
QHeaderView { background: @panel; }
QHeaderView::section { background: @panel; color: @secondary; border: none; border-bottom: 1px solid @line; padding: 4px 6px; }
QProgressBar { background: @grid; border: none; border-radius: 3px; color: @ink; text-align: center; min-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QSlider::groove:horizontal { background: @line; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @accent; border-radius: 2px; }
QSlider::handle:horizontal { background: @panel; border: 2px solid @accent; width: 10px; height: 10px; margin: -5px 0; border-radius: 7px; }
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: @accent; }

QScrollArea { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: none; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }

QLineEdit[assumed="true"], QComboBox[assumed="true"] { border: 1px dashed @dash; }
QLineEdit[assumed="true"]:focus, QComboBox[assumed="true"]:focus { border: 1px dashed @accent; }
QLineEdit[role="title"] { background: transparent; border: 1px solid transparent; padding: 2px 4px; }
QLineEdit[role="title"]:hover { border: 1px solid @line; }
QLineEdit[role="title"]:focus { background: @field; border: 1px solid @accent; }
QCheckBox[role="secondary"] { color: @secondary; }
QLabel[role="secondary"] { color: @secondary; }
QLabel[role="good"] { color: @good; }
QLabel[role="warning"] { color: @warning; }
QLabel[role="error"] { color: @error; }
QLabel[role="off"] { color: @faint; }
QFrame[role="hairline"] { background: @line; border: none; }
QWidget[role="panel"] { background: @panel; }
)";

} // namespace

QString Theme::styleSheet() const {
    registerIcons();
    const bool contrast = variant_ == ThemeVariant::high_contrast;
    const QColor onAccent = palette().color(QPalette::HighlightedText);
    // Dashes are mostly gaps: in the lines' own colour nobody would see them.
    const QColor dash((colors_.line.red() + colors_.faint.red()) / 2, (colors_.line.green() + colors_.faint.green()) / 2,
                      (colors_.line.blue() + colors_.faint.blue()) / 2);
    QString text = QString::fromLatin1(sheet);
    // Longest names first: "@onaccent" must not be read as "@on…", nor "@menucheck" as "@menu…".
    const QPair<const char*, QString> words[] = {
        {"@background", colors_.background.name()}, {"@secondary", colors_.secondary.name()}, {"@menucheck", isDark() ? QStringLiteral("white") : QStringLiteral("black")}, {"@onaccent", onAccent.name()}, {"@warning", colors_.warning.name()}, {"@control", (contrast ? colors_.ink : colors_.faint).name()}, {"@accent", colors_.accent.name()}, {"@panel", colors_.panel.name()}, {"@field", colors_.field.name()}, {"@faint", colors_.faint.name()}, {"@error", colors_.error.name()}, {"@check", onAccent == QColor(Qt::white) ? QStringLiteral("white") : QStringLiteral("black")}, {"@line", colors_.line.name()}, {"@dash", dash.name()}, {"@grid", colors_.grid.name()}, {"@good", colors_.good.name()}, {"@tone", contrast ? QStringLiteral("contrast") : isDark() ? QStringLiteral("dark")
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               : QStringLiteral("light")},
        {"@ink", colors_.ink.name()}};
    for (const auto& [word, value] : words) text.replace(QLatin1String(word), value);
    return text;
}

} // namespace orrery
