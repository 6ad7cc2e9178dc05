// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QVBoxLayout>
#include <QVariant>
#include <QWidget>

class QPushButton;

namespace orrery {

class Theme;

/// A line one pixel high across its parent; the style sheet colours it.
class Hairline : public QFrame {
public:
    explicit Hairline(QWidget* parent = nullptr);
};

/// A titled part of a panel: title left, a word in secondary ink right, content below. A foldable one shows its title line alone
/// until the title is clicked.
class Section : public QWidget {
    Q_OBJECT
public:
    Section(const QString& title, const Theme& theme, QWidget* parent = nullptr);

    QVBoxLayout* content() { return content_; }
    void setSecondary(const QString& text); ///< "70.6 B parameters"; wraps below the title when there is no room beside it
    QString secondary() const;

    void setFoldable();
    bool isFolded() const { return folded_; }
    void setFolded(bool folded);
    QPushButton* foldButton() const { return fold_; } ///< the title, where the section is foldable; else null

signals:
    void foldedByHand(bool folded);

private:
    void takeFonts();
    void showFold();

    const Theme& theme_;
    QLabel* title_;
    QPushButton* fold_ = nullptr;
    QWidget* body_;
    bool folded_ = false;
    QLabel* secondary_;
    QVBoxLayout* content_;
};

/// Gives a label, or any widget with a rule in the style sheet, its meaning: "secondary", "good", "warning", "error", "off".
void setRole(QWidget& widget, const char* role);

/// Sets a property by which the style sheet tells widgets apart, and styles the widget anew where it has been styled before.
void setStyleProperty(QWidget& widget, const char* name, const QVariant& value);

} // namespace orrery
