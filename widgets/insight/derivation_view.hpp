// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"

#include <QTextBrowser>

#include <vector>

namespace orrery {

class Theme;

/// A number with its formula and what goes into it, as mathematics to be read: values in readable units, each with its source. An input
/// that is made of others is a link that opens it here, one that the scenario or the result states a link to that place.
class DerivationView : public QTextBrowser {
    Q_OBJECT
public:
    explicit DerivationView(const Theme& theme, QWidget* parent = nullptr);

    void setQuantity(const Quantity& quantity);
    /// A sentence in place of a number.
    void setSentence(const QString& text);
    void applyTheme();

signals:
    void pointerRequested(const QString& pointer); ///< JSON pointer into the scenario or the result

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void rebuild();
    void fitHeight();
    void follow(const QUrl& link);
    QString linkTo(const QString& target, const QString& text) const;
    QString secondary(const QString& text) const;
    QString nameOf(const Quantity& input, std::size_t index) const;
    QString referenceOf(const Quantity& quantity) const;
    QString trailText() const;

    const Theme& theme_;
    std::vector<Quantity> trail_; ///< from the number that was asked for to the input that is open
    QString sentence_;
};

/// "16.08 ms", "74.5 GiB", "989 TFLOP/s", "0.61": the value with its unit.
QString valueText(const Quantity& quantity);

} // namespace orrery
