// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace orrery {

class Theme;

/// A calm table of texts in which one column is a link. A click on the link, or Enter with its row chosen and the column
/// current, follows it; a double click or Enter anywhere else opens the row.
class LinkTable : public QTableView {
    Q_OBJECT
public:
    LinkTable(const Theme& theme, int linkColumn, int stretchColumn, QWidget* parent = nullptr);

    void fitToContents(); ///< columns as wide as their texts, the stretched one takes the rest and wraps

signals:
    void linkFollowed(const QModelIndex& index);
    void rowOpened(const QModelIndex& index);

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    bool isLink(const QModelIndex& index) const;
    void applyTheme();

    const Theme& theme_;
    int linkColumn_;
    int stretchColumn_;
};

} // namespace orrery
