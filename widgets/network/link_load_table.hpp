// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/exportable.hpp"

#include <QTimer>
#include <QWidget>

#include <vector>

QT_BEGIN_NAMESPACE
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;
QT_END_NAMESPACE

namespace orrery {

class LinkLoadModel;
class NetworkTraffic;
class Theme;

/// Links by load, each direction in a row, sortable and with a filter. What is chosen here is shown on the drawing, and the
/// other way round.
class LinkLoadTable : public QWidget, public Exportable {
    Q_OBJECT
public:
    LinkLoadTable(const Theme& theme, NetworkTraffic& traffic, QWidget* parent = nullptr);

    QString scopeText() const; ///< "Links, mean over 3.10–9.04 ms"
    LinkLoadModel* model() const { return model_; }
    QTableView* view() const { return view_; }
    QLineEdit* filter() const { return filter_; }
    QHBoxLayout* headerTools() const { return tools_; } ///< right end of the first line

    QString exportName() const override { return QStringLiteral("links"); }
    const Theme& chartTheme() const override { return theme_; }
    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override; ///< of the rows shown, in their order
    ChartPlot asPlot() const override;

public slots:
    void setBusy(bool busy);
    void setChosen(const std::vector<int>& links); ///< by link of the report
    void copyRows();                               ///< the chosen rows as CSV; all shown where none is chosen

signals:
    void linkChosen(int link); ///< by the user; -1: none any more

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void buildHeader();
    void applyTheme();
    void replaceLinks();
    void updateLoads();
    void fitColumns();
    void followChosen();
    void chooseCurrent();
    void showMenu(const QPoint& position);

    const Theme& theme_;
    NetworkTraffic& traffic_;
    LinkLoadModel* model_;
    QLabel* scopeLabel_;
    QLineEdit* filter_;
    QHBoxLayout* tools_ = nullptr;
    QTableView* view_;
    QStackedWidget* stack_;
    QWidget* nothing_; ///< no result yet
    QWidget* unknown_; ///< a result without a network
    QWidget* noMatch_; ///< the filter leaves none
    std::vector<int> chosen_;
    QTimer pending_;         ///< rows are read, not watched: put in order a few times a second while the cursor moves
    bool fresh_ = false;     ///< another report, whose loads are about to come: shown at once
    bool following_ = false; ///< the row is being set from outside, not by the user
};

} // namespace orrery
