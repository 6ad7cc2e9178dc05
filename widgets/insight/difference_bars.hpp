// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/comparison/compare.hpp"

#include <QWidget>

#include <optional>

namespace orrery {

class Theme;

/// Where the difference to a baseline comes from: a bar for each part that changed, the largest first, from a line in the middle: to the right what
/// takes longer, to the left what takes less.
class DifferenceBars : public QWidget {
    Q_OBJECT
public:
    explicit DifferenceBars(const Theme& theme, QWidget* parent = nullptr);

    void setComparison(std::optional<Comparison> comparison); ///< of times, s; nothing: no bars
    const std::vector<Comparison::Part>& parts() const { return parts_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int rowHeight() const;
    void describe();

    const Theme& theme_;
    std::vector<Comparison::Part> parts_;
};

/// The name of a part of time in words: "tensor exposed" of "tensor_exposed".
QString partWords(const std::string& name);

} // namespace orrery
