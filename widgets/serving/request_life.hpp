// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/serving/serving_values.hpp"

#include <QColor>
#include <QWidget>

#include <optional>

namespace orrery {

class Theme;

/// The same in a life and in the lanes.
QColor lifePartColour(const Theme& theme, LifePart part);

/// The life of one request as a bar: what its time from arrival to last token was spent in. What was gathered over several times (preempted)
/// is one part.
class RequestLife : public QWidget {
    Q_OBJECT
public:
    explicit RequestLife(const Theme& theme, QWidget* parent = nullptr);

    void setRequest(const ResultPtr& result, std::optional<std::size_t> request);
    std::optional<std::size_t> request() const { return request_; }
    QString words() const; ///< "r12: 9 ms queued · 21 ms prefill · 2.31 s decode"

    QSize sizeHint() const override { return {300, fixedHeight}; }
    QSize minimumSizeHint() const override { return {160, fixedHeight}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    static constexpr int fixedHeight = 58; ///< px
    const RequestRecord* record() const;

    const Theme& theme_;
    ResultPtr result_;
    std::optional<std::size_t> request_;
};

} // namespace orrery
