// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/table_page.hpp"

#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/row_delegate.hpp"

#include <QAbstractItemModel>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr int widestFilter = 180; ///< pixels
constexpr QSize swatchSize(9, 9);

} // namespace

void setUpRows(QTableView& view) {
    view.setSortingEnabled(true);
    view.horizontalHeader()->setSortIndicatorShown(false); // said in the header's text
    view.horizontalHeader()->setHighlightSections(false);
    view.setItemDelegate(new RowDelegate(-1, &view));
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.setSelectionMode(QAbstractItemView::SingleSelection);
    view.setEditTriggers(QAbstractItemView::NoEditTriggers);
    view.setShowGrid(false);
    view.setWordWrap(false);
    view.setFrameShape(QFrame::NoFrame);
    view.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.setIconSize(swatchSize);
    view.verticalHeader()->hide();
    view.setTabKeyNavigation(false);
}

QHBoxLayout* layOutTablePage(QWidget& page, QLabel& scope, QLineEdit& filter, QStackedWidget& stack) {
    filter.setClearButtonEnabled(true);
    filter.setMaximumWidth(widestFilter);
    auto* tools = new QHBoxLayout;
    auto* line = new QHBoxLayout;
    line->setContentsMargins(12, 4, 12, 4);
    line->addWidget(&scope, 1);
    line->addLayout(tools);
    line->addWidget(&filter);
    auto* column = new QVBoxLayout(&page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(line);
    column->addWidget(&stack, 1);
    return tools;
}

void tellWhenNothingMatches(QLineEdit& filter, QTableView& view) {
    auto* words = new QLabel(view.viewport());
    words->setObjectName("no_match");
    words->setTextFormat(Qt::PlainText);
    words->setAttribute(Qt::WA_TransparentForMouseEvents);
    setRole(*words, "secondary");
    words->hide();
    auto* box = new QVBoxLayout(view.viewport());
    box->addWidget(words, 0, Qt::AlignCenter);
    const auto tell = [words, &filter, &view] {
        words->setText(QCoreApplication::translate("orrery::TablePage", "No row contains “%1”").arg(filter.text()));
        words->setVisible(view.model()->rowCount() == 0 && !filter.text().isEmpty());
    };
    QObject::connect(&filter, &QLineEdit::textChanged, words, tell);
    QObject::connect(view.model(), &QAbstractItemModel::modelReset, words, tell);
    QObject::connect(view.model(), &QAbstractItemModel::rowsInserted, words, tell);
    QObject::connect(view.model(), &QAbstractItemModel::rowsRemoved, words, tell);
}

int longestCellWidth(const QTableView& view, int column, int rows) {
    const QFontMetrics metrics(view.font());
    QModelIndex longest;
    int most = -1;
    for (int row = 0; row < std::min(rows, view.model()->rowCount()); ++row) {
        const QModelIndex cell = view.model()->index(row, column);
        const int length = metrics.horizontalAdvance(cell.data().toString());
        if (length <= most) continue;
        most = length;
        longest = cell;
    }
    // What stands around a text is alike in all rows. The style looks it up in its sheet, at ten times the cost of the text's length.
    return longest.isValid() ? view.sizeHintForIndex(longest).width() : 0;
}

void shareWidth(QTableView& view, const std::vector<ColumnWish>& wishes, int seen) {
    const int room = view.viewport()->width(), columns = static_cast<int>(wishes.size());
    int wanted = 0, wantedInSight = 0, givable = 0;
    for (int column = 0; column < columns; ++column) {
        const ColumnWish& wish = wishes[static_cast<std::size_t>(column)];
        wanted += wish.wanted;
        if (column >= seen) continue;
        wantedInSight += wish.wanted;
        givable += wish.wanted - wish.least;
    }
    const int spare = std::max(0, room - wanted);
    const double given = givable > 0 ? std::clamp(static_cast<double>(wantedInSight - room) / givable, 0.0, 1.0) : 0;
    for (int column = 0; column < columns; ++column) {
        const ColumnWish& wish = wishes[static_cast<std::size_t>(column)];
        const int elided = column < seen ? static_cast<int>(std::ceil(given * (wish.wanted - wish.least))) : 0;
        view.setColumnWidth(column, wish.wanted - elided + spare / columns + (column == 0 ? spare % columns : 0));
    }
}

void applyTableTheme(const Theme& theme, QLabel& scope, QLineEdit& filter, QTableView& view) {
    const QFont rows = theme.secondaryFont();
    scope.setFont(theme.titleFont());
    filter.setFont(rows);
    view.setStyleSheet(RowDelegate::rowStyle(theme));
    view.setFont(rows);
    view.horizontalHeader()->setFont(rows);
    view.verticalHeader()->setDefaultSectionSize(QFontMetrics(rows).height() + 2 * RowDelegate::linePadding);
    view.verticalHeader()->setMinimumSectionSize(QFontMetrics(rows).height() + 2);
}

} // namespace orrery
