// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

class QAbstractItemModel;
class QLabel;
class QLineEdit;
class QToolButton;

namespace orrery {

class Theme;

/// A key of the scenario by the form's name and the values that it is to take, each as text: "Tensor" and "1,2,4,8". The key's pointer is in
/// the tool tip, and may be typed instead. What is wrong with either is said below.
class KeyEdit : public QWidget {
    Q_OBJECT
public:
    /// `keys`: what the key's line offers while it is typed; it outlives this.
    KeyEdit(const Theme& theme, const QString& label, const QString& valuesHint, QAbstractItemModel& keys, QWidget* parent = nullptr);

    QString key() const;    ///< its pointer; a text that names no field as it was typed
    QString values() const; ///< rates in GB/s, whatever they were typed in
    void set(const QString& key, const QString& values);
    void setProblem(const QString& sentence); ///< empty: all is well
    QString problem() const;
    void setCount(const QString& text); ///< beside the values: how many they are
    void setRemovable(bool removable);

    QLineEdit* keyLine() const { return key_; }
    QLineEdit* valuesLine() const { return values_; }
    QToolButton* removeButton() const { return remove_; }

signals:
    void changed();
    void entered(); ///< the values are typed: a hand expects that something runs
    void removeRequested();

private:
    void applyTheme();
    void describe();

    const Theme& theme_;
    QLabel* label_;
    QLineEdit* key_;
    QLineEdit* values_;
    QLabel* count_;
    QToolButton* remove_;
    QLabel* problem_;
};

} // namespace orrery
