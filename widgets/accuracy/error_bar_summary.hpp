// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QLabel>

namespace orrery {

class Theme;

/// How sure the numbers of a result are, in words: the interval, the runs it comes from, what nothing was measured on, and the runs
/// most alike as links.
class ErrorBarSummary : public QLabel {
    Q_OBJECT
public:
    explicit ErrorBarSummary(const Theme& theme, QWidget* parent = nullptr);

public slots:
    void setResult(const orrery::ResultPtr& result);
    void setKind(orrery::ErrorOf what); ///< which figure's bar is shown

signals:
    void runChosen(const QString& id);

private:
    void showText();

    const Theme& theme_;
    ResultPtr result_;
    ErrorOf what_ = ErrorOf::time;
};

} // namespace orrery
