// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/export/export_dialog.hpp"

#include "app/desktop/commands/commands.hpp"
#include "app/desktop/manners/theme_choice.hpp"
#include "widgets/common/exportable.hpp"
#include "widgets/common/section.hpp"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {
namespace {

constexpr QSize previewRoom(430, 330);

/// Widths that figures are asked for in, and what is usual there.
struct Preset {
    const char* title;
    double width, height; ///< in
    double points;        ///< 0: as on the screen
};
constexpr std::array<Preset, 6> presets{{
    {QT_TRANSLATE_NOOP("orrery::ExportDialog", "Column of a paper, 3.33 in"), 3.33, 2.4, 7},
    {QT_TRANSLATE_NOOP("orrery::ExportDialog", "Column of a paper, 3.5 in"), 3.5, 2.4, 7},
    {QT_TRANSLATE_NOOP("orrery::ExportDialog", "Page of a paper, 7 in"), 7, 4, 7.5},
    {QT_TRANSLATE_NOOP("orrery::ExportDialog", "Slide, 13.33 × 7.5 in"), 13.333, 7.5, 14},
    {QT_TRANSLATE_NOOP("orrery::ExportDialog", "Screen, 1200 × 700 px"), 12.5, 700 / 96.0, 0},
    {QT_TRANSLATE_NOOP("orrery::ExportDialog", "Other"), 0, 0, 0},
}};
constexpr int otherPreset = static_cast<int>(presets.size()) - 1;
constexpr std::array<LengthUnit, 3> lengthUnits{LengthUnit::inches, LengthUnit::millimetres, LengthUnit::pixels};

enum TitleKind { ownTitle,
                 givenTitle,
                 noTitle };

bool nearlyEqual(const QSizeF& a, const QSizeF& b) { return std::abs(a.width() - b.width()) < 0.6 && std::abs(a.height() - b.height()) < 0.6; }

} // namespace

ExportDialog::ExportDialog(std::vector<Chart> charts, QSettings& settings, const Dialogs& dialogs, QString stem, QString folder, QWidget* parent)
    : QDialog(parent), charts_(std::move(charts)), settings_(settings), dialogs_(dialogs), stem_(std::move(stem)), folder_(std::move(folder)),
      chart_(new QComboBox), kind_(new QComboBox), preset_(new QComboBox), width_(new QDoubleSpinBox), height_(new QDoubleSpinBox), unit_(new QComboBox),
      points_(new QDoubleSpinBox), dots_(new QSpinBox), colours_(new QComboBox), titleKind_(new QComboBox), title_(new QLineEdit), preview_(new QLabel),
      status_(new QLabel), save_(new QPushButton(tr("&Save…"))), all_(new QPushButton(tr("Save &all…"))), copy_(new QPushButton(tr("&Copy"))) {
    setWindowTitle(tr("Export charts"));
    setObjectName("export_dialog");
    previewTimer_.setSingleShot(true);
    previewTimer_.setInterval(60);
    connect(&previewTimer_, &QTimer::timeout, this, &ExportDialog::showPreview);
    build();
    takeFormat(storedExportFormat(settings_));
}

void ExportDialog::build() {
    for (const Chart& chart : charts_) chart_->addItem(chart.title, chart.id);
    for (const QString& ending : chartEndings()) kind_->addItem(ending.toUpper(), ending);
    kind_->setItemText(3, tr("CSV, the data"));
    kind_->setItemText(4, tr("TeX, for PGFPlots"));
    kind_->setItemText(5, tr("Vega-Lite"));
    kind_->setItemText(6, tr("Python, for matplotlib"));
    for (const Preset& preset : presets) preset_->addItem(tr(preset.title));
    for (const LengthUnit unit : lengthUnits) unit_->addItem(unitSign(unit));
    points_->setRange(4, 36);
    points_->setDecimals(1);
    points_->setSingleStep(0.5);
    points_->setSuffix(tr(" pt"));
    dots_->setRange(72, 1200);
    dots_->setSingleStep(24);
    dots_->setSuffix(tr(" dots/in"));
    colours_->addItem(tr("Like the window"));
    for (const ThemeChoice choice : themeChoices())
        if (choice != ThemeChoice::system) colours_->addItem(plainText(themeTitle(choice)), static_cast<int>(variantFor(choice, false)));
    titleKind_->addItems({tr("The chart's own"), tr("Another"), tr("None")});
    title_->setPlaceholderText(tr("Title"));
    const struct {
        QWidget* field;
        const char* name;
        QString says;
    } fields[] = {{chart_, "export_chart", tr("Chart")}, {kind_, "export_kind", tr("Kind of file")}, {preset_, "export_preset", tr("Made for")}, {width_, "export_width", tr("Width")}, {height_, "export_height", tr("Height")}, {unit_, "export_unit", tr("Unit of the lengths")}, {points_, "export_points", tr("Letters")}, {dots_, "export_dots", tr("Resolution of a PNG")}, {colours_, "export_colours", tr("Colours")}, {titleKind_, "export_title_kind", tr("Title")}, {title_, "export_title", tr("Title")}, {preview_, "export_preview", tr("What comes out")}};
    for (const auto& one : fields) {
        one.field->setObjectName(one.name);
        one.field->setAccessibleName(one.says);
    }
    points_->setToolTip(tr("Size of the axes' labels on paper, whatever the figure's width"));
    copy_->setToolTip(tr("Puts the chart into the clipboard as a picture and as vectors"));
    all_->setToolTip(tr("Writes every chart that has something to show into one folder"));

    auto* lengths = new QHBoxLayout;
    lengths->setSpacing(6);
    lengths->addWidget(width_, 1);
    lengths->addWidget(new QLabel(QStringLiteral("×")));
    lengths->addWidget(height_, 1);
    lengths->addWidget(unit_);
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(7);
    form->addRow(tr("C&hart"), chart_);
    form->addRow(tr("&Kind of file"), kind_);
    form->addRow(tr("&Made for"), preset_);
    auto* size = new QLabel(tr("Si&ze")); // a row of fields is no field: its label is told which
    size->setBuddy(width_);
    form->addRow(size, lengths);
    form->addRow(tr("&Letters"), points_);
    form->addRow(tr("Colou&rs"), colours_);
    form->addRow(tr("&Title"), titleKind_);
    form->addRow(QString(), title_);
    form->addRow(tr("Resol&ution"), dots_);
    preview_->setFixedSize(previewRoom);
    preview_->setAlignment(Qt::AlignCenter);
    preview_->setWordWrap(true);
    status_->setObjectName("export_status");
    status_->setWordWrap(true);
    status_->setTextFormat(Qt::PlainText);
    setRole(*status_, "secondary");

    auto* top = new QHBoxLayout;
    top->setSpacing(18);
    auto* left = new QVBoxLayout;
    left->addLayout(form);
    left->addStretch(1);
    top->addLayout(left);
    top->addWidget(preview_);
    auto* close = new QPushButton(tr("Close"));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(status_, 1);
    for (QPushButton* button : {copy_, all_, save_, close}) buttons->addWidget(button);
    save_->setDefault(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 16, 18, 14);
    column->setSpacing(14);
    column->addLayout(top);
    column->addLayout(buttons);

    connect(preset_, &QComboBox::activated, this, &ExportDialog::takePreset);
    connect(unit_, &QComboBox::activated, this, &ExportDialog::showLengths);
    const auto typed = [this] {
        if (following_) return;
        size_ = QSizeF(width_->value(), height_->value()) * pixelsPer(unit());
        preset_->setCurrentIndex(otherPreset);
        changed();
    };
    connect(width_, &QDoubleSpinBox::valueChanged, this, typed);
    connect(height_, &QDoubleSpinBox::valueChanged, this, typed);
    connect(points_, &QDoubleSpinBox::valueChanged, this, &ExportDialog::changed);
    connect(dots_, &QSpinBox::valueChanged, this, &ExportDialog::changed);
    for (QComboBox* box : {chart_, kind_, colours_, titleKind_}) connect(box, &QComboBox::currentIndexChanged, this, &ExportDialog::changed);
    connect(title_, &QLineEdit::textChanged, this, &ExportDialog::changed);
    connect(save_, &QPushButton::clicked, this, &ExportDialog::save);
    connect(all_, &QPushButton::clicked, this, &ExportDialog::saveAll);
    connect(copy_, &QPushButton::clicked, this, &ExportDialog::copy);
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
}

void ExportDialog::choose(const QString& chartId) {
    if (const int place = chart_->findData(chartId); place >= 0) chart_->setCurrentIndex(place);
}

const ExportDialog::Chart& ExportDialog::chosen() const { return charts_[static_cast<std::size_t>(std::max(0, chart_->currentIndex()))]; }

QString ExportDialog::ending() const { return kind_->currentData().toString(); }

LengthUnit ExportDialog::unit() const { return lengthUnits[static_cast<std::size_t>(std::max(0, unit_->currentIndex()))]; }

void ExportDialog::takeFormat(const ExportFormat& format) {
    {
        const QScopedValueRollback<bool> guard(following_, true);
        size_ = format.size;
        const auto preset = std::find_if(presets.begin(), presets.end() - 1, [&](const Preset& one) {
            return nearlyEqual(QSizeF(one.width, one.height) * ExportFormat::pixelsPerInch, size_);
        });
        preset_->setCurrentIndex(static_cast<int>(preset - presets.begin()));
        points_->setValue(format.pointSize > 0 ? format.pointSize : ExportFormat::screenPointSize);
        dots_->setValue(static_cast<int>(std::lround(format.dotsPerInch)));
        colours_->setCurrentIndex(format.colours ? std::max(0, colours_->findData(static_cast<int>(*format.colours))) : 0);
    }
    showLengths();
}

void ExportDialog::takePreset(int preset) {
    if (preset == otherPreset) return;
    const Preset& wanted = presets[static_cast<std::size_t>(preset)];
    size_ = QSizeF(wanted.width, wanted.height) * ExportFormat::pixelsPerInch;
    {
        const QScopedValueRollback<bool> guard(following_, true);
        points_->setValue(wanted.points > 0 ? wanted.points : ExportFormat::screenPointSize);
    }
    showLengths();
}

void ExportDialog::showLengths() {
    {
        const QScopedValueRollback<bool> guard(following_, true);
        const double per = pixelsPer(unit());
        for (QDoubleSpinBox* box : {width_, height_}) {
            box->setDecimals(unit() == LengthUnit::inches ? 2 : unit() == LengthUnit::millimetres ? 1
                                                                                                  : 0);
            box->setRange(96 / per, 20 * 1000 / per);
            box->setSingleStep(unit() == LengthUnit::inches ? 0.1 : unit() == LengthUnit::millimetres ? 1
                                                                                                      : 10);
        }
        width_->setValue(size_.width() / per);
        height_->setValue(size_.height() / per);
    }
    changed();
}

ExportFormat ExportDialog::format() const {
    ExportFormat format;
    format.size = size_;
    format.pointSize = points_->value();
    format.dotsPerInch = dots_->value();
    if (colours_->currentIndex() > 0) format.colours = static_cast<ThemeVariant>(colours_->currentData().toInt());
    if (titleKind_->currentIndex() == givenTitle) format.title = title_->text().trimmed();
    if (titleKind_->currentIndex() == noTitle) format.title = QString();
    return format;
}

void ExportDialog::changed() {
    if (following_) return;
    const bool numbers = ending() == QLatin1String("csv");
    for (QWidget* field : std::initializer_list<QWidget*>{preset_, width_, height_, unit_, points_, colours_, titleKind_}) field->setEnabled(!numbers);
    dots_->setEnabled(ending() == QLatin1String("png"));
    title_->setVisible(titleKind_->currentIndex() == givenTitle && !numbers);
    const bool some = !charts_.empty() && chosen().exportable->whyNothing().isEmpty();
    save_->setEnabled(some);
    copy_->setEnabled(some);
    previewTimer_.start();
}

void ExportDialog::showPreview() {
    if (charts_.empty()) return;
    const QString why = chosen().exportable->whyNothing();
    if (!why.isEmpty()) return preview_->setText(why);
    // The paper's own proportions, as large as there is room; only the dots differ from the file.
    ExportFormat shown = format();
    const double fitting = std::min(previewRoom.width() / shown.size.width(), previewRoom.height() / shown.size.height());
    const double dense = devicePixelRatioF();
    shown.dotsPerInch = ExportFormat::pixelsPerInch * fitting * dense;
    QPixmap picture = QPixmap::fromImage(chartImage(*chosen().exportable, shown));
    picture.setDevicePixelRatio(dense);
    preview_->setPixmap(picture);
}

QString ExportDialog::statusText() const { return status_->text(); }

void ExportDialog::tell(const QString& text, bool failed) {
    status_->setText(text);
    setRole(*status_, failed ? "error" : "secondary");
}

void ExportDialog::save() {
    QString path = dialogs_.saveFile(tr("Export %1").arg(chosen().title), QDir(folder_).filePath(QStringLiteral("%1-%2.%3").arg(stem_, chosen().id, ending())),
                                     tr("%1 files (*.%2)").arg(ending().toUpper(), ending()));
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += u'.' + ending();
    const QString error = exportChart(*chosen().exportable, path, format());
    if (!error.isEmpty()) return tell(error, true);
    folder_ = QFileInfo(path).absolutePath();
    settings_.setValue("export_folder", folder_);
    storeExportFormat(settings_, format());
    tell(tr("Exported to %1").arg(QDir::toNativeSeparators(path)));
}

void ExportDialog::saveAll() {
    const QString folder = dialogs_.folder(tr("Export all charts into a folder"), folder_);
    if (folder.isEmpty()) return;
    ExportFormat each = format();
    if (each.title && !each.title->isEmpty()) each.title.reset(); // one title does not suit all
    int written = 0, empty = 0;
    for (const Chart& chart : charts_) {
        if (!chart.exportable->whyNothing().isEmpty()) {
            ++empty;
            continue;
        }
        const QString error = exportChart(*chart.exportable, QDir(folder).filePath(QStringLiteral("%1-%2.%3").arg(stem_, chart.id, ending())), each);
        if (!error.isEmpty()) return tell(error, true);
        ++written;
    }
    folder_ = folder;
    settings_.setValue("export_folder", folder_);
    storeExportFormat(settings_, format());
    QString text = (written == 1 ? tr("1 chart exported to %1") : tr("%1 charts exported to %2").arg(written)).arg(QDir::toNativeSeparators(folder));
    if (empty > 0) text += tr("; %1 have nothing to show").arg(empty);
    tell(text);
}

void ExportDialog::copy() {
    QMimeData* mime = chartForClipboard(*chosen().exportable, format());
    if (mime == nullptr) return tell(chosen().exportable->whyNothing(), true);
    QGuiApplication::clipboard()->setMimeData(mime);
    storeExportFormat(settings_, format());
    tell(tr("Copied: paste it into a document"));
}

} // namespace orrery
