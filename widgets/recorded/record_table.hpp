// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariant>
#include <QWidget>

#include <vector>

QT_BEGIN_NAMESPACE
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QStandardItemModel;
class QTableView;
QT_END_NAMESPACE

namespace orrery {

class SortedRows;
class Theme;

/// A cell of a table about records: its text, and the number it is sorted by, if it is one.
struct RecordCell {
    RecordCell(QString words) : text(std::move(words)) {}
    RecordCell(QString words, double sorted) : text(std::move(words)), number(sorted), isNumber(true) {}
    QString text;
    double number = 0;
    bool isNumber = false;
};

/// A row, and the number that it is known by.
struct RecordTableRow {
    int key = 0;
    std::vector<RecordCell> cells;
};

/// A table about records, sorted by a column, filtered by a text, under a line that says what it is of.
class RecordTable : public QWidget {
    Q_OBJECT
public:
    /// `what` and `how` stand where there are no rows.
    RecordTable(const Theme& theme, const QString& name, const QString& what, const QString& how, QWidget* parent = nullptr);

    void setScope(const QString& text);
    QString scope() const;
    /// The order is kept where the columns stay the same; else rows stand as given.
    void setRows(const QStringList& columns, const std::vector<RecordTableRow>& rows);
    QHBoxLayout* tools() const { return tools_; }
    QTableView* view() const { return view_; }
    QLineEdit* filter() const { return filter_; }
    int rowCount() const;                    ///< as filtered
    QString text(int row, int column) const; ///< as shown
    int keyOf(int row) const;

signals:
    void rowChosen(int key);    ///< by the user
    void rowActivated(int key); ///< double-clicked, or Enter

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void applyTheme();
    void fitColumns();

    const Theme& theme_;
    QLabel* scope_;
    QLineEdit* filter_;
    QHBoxLayout* tools_ = nullptr;
    QTableView* view_;
    QStackedWidget* stack_;
    QWidget* nothing_;
    QStandardItemModel* model_;
    SortedRows* sorted_;
    bool filling_ = false;
};

} // namespace orrery
