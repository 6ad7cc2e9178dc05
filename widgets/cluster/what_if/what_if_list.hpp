// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QStringList>

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
