// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QFrame>
#include <QString>
#include <QStringList>

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLineEdit;

namespace orrery {

/// A few numbers asked for before a what-if is made. Fields are found by their object names.
class WhatIfDialog : public QDialog {
    Q_OBJECT
public:
    WhatIfDialog(const QString& title, const QString& what, QWidget* parent);

    struct Range {
        double least = 0, most = 1, start = 0;
        int decimals = 0;
    };
    QDoubleSpinBox* addNumber(const QString& name, const QString& label, const QString& unit, const Range& range);
    QComboBox* addChoice(const QString& name, const QString& label, const QStringList& choices, int current = 0);
    QLineEdit* addText(const QString& name, const QString& label, const QString& start);

private:
    QFormLayout* form_;
};

} // namespace orrery

class QVBoxLayout;

namespace orrery {

class Theme;

/// What is supposed, a line each: a click goes to it, its cross takes it back.
class WhatIfList : public QFrame {
    Q_OBJECT
public:
    explicit WhatIfList(const Theme& theme, QWidget* parent = nullptr);

    void setTexts(const QStringList& texts); ///< hidden while there is none
    const QStringList& texts() const { return texts_; }
    bool isOpen() const { return open_; }
    void setOpen(bool open);

signals:
    void chosen(int index);
    void removed(int index);
    void allRemoved();
    void resized(); ///< it needs another place

private:
    void build();

    const Theme& theme_;
    QStringList texts_;
    bool open_ = true;
    QVBoxLayout* column_;
};

} // namespace orrery
