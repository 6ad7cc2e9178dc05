// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMutex>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QTranslator>

#include <map>
#include <set>

namespace orrery {
class MainWindow;
} // namespace orrery

namespace orrery::test {

/// A translator that remembers what it was asked for and did not have. Texts of Qt itself are not ours.
class WatchedTexts : public QTranslator {
public:
    QString translate(const char* context, const char* source, const char* disambiguation, int n) const override;
    bool isEmpty() const override { return false; }
    QStringList missed() const;

private:
    mutable QMutex mutex_; ///< the worker's thread asks too
    mutable QSet<QString> missed_;
};

/// Every text that a window's widgets hold (shown or not) or paint, and which of them have English words.
class WindowTexts {
public:
    explicit WindowTexts(MainWindow& window) : window_(window) {}
    /// Texts, titles, tips, items and headings of the widgets below `widget`, actions of its menus, and what it paints.
    void take(QWidget& widget, const QString& where);
    int seen() const { return static_cast<int>(texts_.size()); }
    /// "where: text [words]" of texts with English words that are no name, unit or key, after what core and files say is taken out.
    QStringList english() const;

private:
    void add(const QString& text, const QString& where);
    QStringList saidElsewhere() const; ///< by files, catalogues, the scenario and its result
    QStringList saidOfFigures() const; ///< names, formulas and references of what figures derive from

    MainWindow& window_;
    std::map<QString, QString> texts_; ///< and where each was first seen
};

} // namespace orrery::test
