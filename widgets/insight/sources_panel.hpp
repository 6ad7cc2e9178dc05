// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QWidget>

QT_BEGIN_NAMESPACE
class QLabel;
QT_END_NAMESPACE

namespace orrery {

class Theme;

/// Where operator times come from, one phrase a family: "GEMM: predicted · collectives: ring model". A family with several
/// sources names each with its share of the family's time.
QString sourcesSummary(const Result& result);

/// The same as a line of text.
class SourcesPanel : public QWidget {
    Q_OBJECT
public:
    explicit SourcesPanel(const Theme& theme, QWidget* parent = nullptr);

    QString text() const;

public slots:
    void setResult(const orrery::ResultPtr& result);

private:
    void applyTheme();

    const Theme& theme_;
    QLabel* label_;
};

} // namespace orrery
