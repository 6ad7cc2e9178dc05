// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/compared.hpp"

#include <QTableWidget>

#include <vector>

namespace orrery {

class Theme;

/// A table of few rows without a frame, a column for each scenario.
class CompareTable : public QTableWidget {
    Q_OBJECT
public:
    CompareTable(const Theme& theme, const QString& name, QWidget* parent = nullptr);
    QString textAt(int row, int column) const; ///< empty where nothing is

protected:
    void begin(const QStringList& heads);
    void add(const QStringList& texts, const std::vector<const char*>& roles = {}, const QString& toolTip = {});
    void end();
    void resizeEvent(QResizeEvent* event) override;

private:
    void applyTheme();
    void giveRest(); ///< of the width to the first column

    const Theme& theme_;
    std::vector<std::vector<const char*>> roles_; ///< by row and column
};

/// The inputs that differ, and no others: a row a key, a column a scenario.
class InputsTable : public CompareTable {
    Q_OBJECT
public:
    explicit InputsTable(const Theme& theme, QWidget* parent = nullptr);
    void setCompared(const std::vector<ComparedScenario>& scenarios);
    const std::vector<std::string>& pointers() const { return pointers_; }

private:
    std::vector<std::string> pointers_;
};

/// The figures of each scenario with their signed difference from the first's. A click on one asks where it comes from, a click on a difference
/// what it is made of.
class FiguresTable : public CompareTable {
    Q_OBJECT
public:
    explicit FiguresTable(const Theme& theme, QWidget* parent = nullptr);
    void setCompared(const std::vector<ComparedScenario>& scenarios, const std::vector<BoxedJson>& results);
    const std::vector<std::string>& pointers() const { return pointers_; }

signals:
    void whyRequested(std::size_t scenario, const std::string& pointer);
    void differenceRequested(std::size_t scenario, const std::string& pointer);

private:
    std::vector<std::string> pointers_;
};

/// Operators of two scenarios matched by name and phase: mean time of one, and how many times as fast it became; those that change most first.
class MatchedOperators : public CompareTable {
    Q_OBJECT
public:
    explicit MatchedOperators(const Theme& theme, QWidget* parent = nullptr);
    void setCompared(const ComparedScenario& from, const ComparedScenario& to);
    void clearCompared();
};

} // namespace orrery
