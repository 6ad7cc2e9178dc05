// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/exchange/import/import.hpp"

#include <QDialog>
#include <QTimer>

QT_BEGIN_NAMESPACE
class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTreeWidget;
QT_END_NAMESPACE

namespace orrery {

class Catalog; // core/catalog
class Theme;

/// A launch command or configuration on the left, what Orrery understands of it on the right, kept up to date while it is
/// typed or pasted: the scenario it makes, and what was not understood, left open, assumed or not needed.
class ImportDialog : public QDialog {
    Q_OBJECT
public:
    ImportDialog(const Catalog& catalog, const Theme& theme, QWidget* parent = nullptr);

    /// `fileName` may be empty; files that the text names are read from `folder`, if that is not empty.
    void setSource(const QString& text, const QString& fileName, const QString& folder);

    QPlainTextEdit* text() const { return text_; }
    QComboBox* accelerator() const { return accelerator_; }
    QComboBox* model() const { return model_; }
    QLineEdit* variables() const { return variables_; }
    QTreeWidget* findings() const { return findings_; }
    QPushButton* importButton() const { return importButton_; }
    const Import& imported() const { return imported_; } ///< of the text as it was last read
    QString summaryText() const;
    void readNow(); ///< without waiting for a pause in typing

signals:
    void importRequested(const orrery::Json& scenario, const QString& source);

private:
    void build();
    void fillChoices();
    void showImport();
    void showSummary(const Problems& unsound);
    void showFindings(const Problems& unsound);
    ImportOptions options() const;

    const Catalog& catalog_;
    const Theme& theme_;
    QString fileName_;
    QString folder_;
    Import imported_;
    QTimer pause_;
    bool reading_ = false;
    QPlainTextEdit* text_ = nullptr;
    QComboBox* accelerator_ = nullptr;
    QComboBox* model_ = nullptr;
    QLineEdit* variables_ = nullptr;
    QLabel* heading_ = nullptr;
    QLabel* summary_ = nullptr;
    QTreeWidget* findings_ = nullptr;
    QPushButton* importButton_ = nullptr;
};

} // namespace orrery
