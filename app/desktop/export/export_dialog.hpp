// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/export/export_settings.hpp"
#include "app/desktop/manners/dialogs.hpp"

#include <QDialog>
#include <QTimer>

#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace orrery {

class Exportable;

/// How charts leave the window: width on paper, size of the letters there, light or dark, title, kind of file; one or all at
/// once, into files or the clipboard. The picture beside shows what comes out.
class ExportDialog : public QDialog {
    Q_OBJECT
public:
    struct Chart {
        QString id;    ///< "timeline": part of the file's name
        QString title; ///< for the list
        const Exportable* exportable = nullptr;
    };

    /// `stem` begins the names of files, `folder` is where they go unless the user says otherwise.
    ExportDialog(std::vector<Chart> charts, QSettings& settings, const Dialogs& dialogs, QString stem, QString folder, QWidget* parent = nullptr);

    void choose(const QString& chartId);
    ExportFormat format() const;
    QString statusText() const;

    void save();
    void saveAll(); ///< every chart that has something to show, into one folder
    void copy();

private:
    void build();
    void takeFormat(const ExportFormat& format);
    void takePreset(int preset);
    void showLengths();
    void changed();
    void showPreview();
    void tell(const QString& text, bool failed = false);
    const Chart& chosen() const;
    QString ending() const;
    LengthUnit unit() const;

    std::vector<Chart> charts_;
    QSettings& settings_;
    Dialogs dialogs_;
    QString stem_;
    QString folder_;
    QSizeF size_{1200, 700}; ///< px of 1/96 inch
    bool following_ = false; ///< fields are being set, not typed into
    QTimer previewTimer_;

    QComboBox* chart_;
    QComboBox* kind_;
    QComboBox* preset_;
    QDoubleSpinBox* width_;
    QDoubleSpinBox* height_;
    QComboBox* unit_;
    QDoubleSpinBox* points_;
    QSpinBox* dots_;
    QComboBox* colours_;
    QComboBox* titleKind_;
    QLineEdit* title_;
    QLabel* preview_;
    QLabel* status_;
    QPushButton* save_;
    QPushButton* all_;
    QPushButton* copy_;
};

} // namespace orrery
