// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/network_report.hpp"

#include <QAbstractTableModel>
#include <QString>
#include <optional>
#include <vector>

namespace orrery {

/// What views call a link of the report and what it carries, translated.
QString linkTitle(const ReportLink& link);                                   ///< "dgx-0 – leaf-1", "dgx-0 · scale-up"; the same for both directions
QString linkDirection(const ReportLink& link);                               ///< "→ leaf-1"; "out of the accelerators" inside a host
QString linkBytes(double bytes, bool perSecond);                             ///< "1.21 GB", "48.2 GB/s": network units are powers of ten
QString linkUsers(const Timeline& timeline, const LinkLoad& load, int most); ///< "all-gather, tensor 62 % · send 38 %"; empty where idle

class NetworkTraffic;
class Theme;

/// Links of a report with what they carry, a row for each direction. Sorts and filters itself: plain numbers, as tens of
/// thousands of rows are put in order anew while the cursor moves.
class LinkLoadModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { linkColumn,
                  directionColumn,
                  bytesColumn,
                  loadColumn,
                  busiestColumn,
                  capacityColumn,
                  usersColumn,
                  columnTotal };

    LinkLoadModel(const Theme& theme, const NetworkTraffic& traffic, QObject* parent = nullptr);

    void replaceLinks();                 ///< the traffic has another report
    void updateLoads();                  ///< the traffic has other loads
    void setFilter(const QString& text); ///< of a link's ends, or of an operator that ever uses it

    int linkAt(int row) const { return rows_[static_cast<std::size_t>(row)]; } ///< index into the report's links
    std::optional<int> rowOf(int link) const;
    QByteArray csv(const std::vector<int>& rows) const; ///< header line first; plain numbers
    std::vector<int> allRows() const;
    QString title(int column) const;
    QString text(int link, int column) const;
    int sortColumn() const { return sortColumn_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    double number(int link, int column) const;
    const LinkLoad& load(int link) const;
    void makeTitleRanks() const;
    void makeRows();
    void order();

    const Theme& theme_;
    const NetworkTraffic& traffic_;
    QString filter_;
    int sortColumn_ = loadColumn;
    Qt::SortOrder sortOrder_ = Qt::DescendingOrder;
    std::vector<int> rows_;              ///< links in the order shown
    std::vector<int> rowOf_;             ///< by link; -1: filtered out
    mutable std::vector<int> titleRank_; ///< by link, "dgx-2" before "dgx-10"; empty until sorted by name
};

} // namespace orrery
