// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/derivation_view.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/quantity_words.hpp"

#include <QLocale>
#include <QUrl>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

// Links of the page: an input of the open number, a number on the way to it, a place in a document.
const QLatin1String inputLink("input:"), trailLink("trail:"), pointerLink("pointer:");

bool isPointer(const std::string& reference) { return !reference.empty() && reference.front() == '/'; }

QString sourceWord(Source source) {
    switch (source) {
    case Source::measured: return DerivationView::tr("measured");
    case Source::predicted: return DerivationView::tr("predicted");
    case Source::roofline: return DerivationView::tr("roofline");
    case Source::assumed: return DerivationView::tr("assumed");
    case Source::given: return DerivationView::tr("given");
    case Source::derived: return DerivationView::tr("derived");
    }
    return {};
}

QString plainNumber(double value) {
    constexpr double mostWhole = 1e15;
    if (value == std::round(value) && std::abs(value) < mostWhole) return grouped(value);
    constexpr int digits = 4;
    return QLocale(QLocale::English).toString(value, 'g', digits);
}

} // namespace

QString valueText(const Quantity& quantity) {
    const double value = quantity.value;
    const QString unit = QString::fromStdString(quantity.unit);
    if (unit == QLatin1String("s")) return readableTime(value).text();
    if (unit == QLatin1String("bytes")) return readableBytes(value).text();
    if (unit == QLatin1String("bytes/s")) return readableRate(value, QStringLiteral("B/s")).text();
    if (unit == QLatin1String("FLOP/s") || unit == QLatin1String("FLOP") || unit == QLatin1String("Hz")) return readableRate(value, unit).text();
    return unit.isEmpty() || unit == QLatin1String("1") ? plainNumber(value) : plainNumber(value) + QLatin1Char(' ') + unit;
}

DerivationView::DerivationView(const Theme& theme, QWidget* parent) : QTextBrowser(parent), theme_(theme) {
    setOpenLinks(false);
    setAccessibleName(tr("Formula"));
    connect(this, &QTextBrowser::anchorClicked, this, &DerivationView::follow);
    applyTheme();
}

void DerivationView::applyTheme() {
    setFont(theme_.secondaryFont());
    rebuild();
}

void DerivationView::setQuantity(const Quantity& quantity) {
    trail_ = {inWords(quantity)};
    rebuild();
}

void DerivationView::setSentence(const QString& text) {
    trail_.clear();
    sentence_ = text;
    rebuild();
}

QString DerivationView::linkTo(const QString& target, const QString& text) const {
    return QStringLiteral("<a href=\"%1\" style=\"color:%2;text-decoration:none\">%3</a>").arg(target.toHtmlEscaped(), theme_.colors().accent.name(), text.toHtmlEscaped());
}

QString DerivationView::secondary(const QString& text) const {
    return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(theme_.colors().secondary.name(), text);
}

QString DerivationView::trailText() const {
    QStringList names;
    for (std::size_t i = 0; i + 1 < trail_.size(); ++i) names << linkTo(trailLink + QString::number(i), QStringLiteral("‹ ") + QString::fromStdString(trail_[i].name));
    return names.isEmpty() ? QString() : QStringLiteral("<p style=\"margin:0 0 6px 0\">%1</p>").arg(names.join(QStringLiteral("&nbsp; ")));
}

/// Where a number stands or who says it.
QString DerivationView::referenceOf(const Quantity& quantity) const {
    if (quantity.reference.empty()) return {};
    const QString reference = QString::fromStdString(quantity.reference);
    return isPointer(quantity.reference) ? linkTo(pointerLink + reference, reference) : secondary(reference.toHtmlEscaped());
}

QString DerivationView::nameOf(const Quantity& input, std::size_t index) const {
    const QString name = QString::fromStdString(input.name);
    if (!input.inputs.empty() || !input.formula.empty()) return linkTo(inputLink + QString::number(index), name);
    if (isPointer(input.reference)) return linkTo(pointerLink + QString::fromStdString(input.reference), name);
    return name.toHtmlEscaped();
}

void DerivationView::rebuild() {
    if (trail_.empty()) {
        setPlainText(sentence_);
        return fitHeight();
    }
    const Quantity& open = trail_.back();
    QString page = trailText();
    page += QStringLiteral("<p style=\"margin:0\"><b>%1 = %2</b> &nbsp;%3</p>")
                .arg(QString::fromStdString(open.name).toHtmlEscaped(), valueText(open).toHtmlEscaped(), secondary(sourceWord(open.source)));
    if (!open.formula.empty()) page += QStringLiteral("<p style=\"margin:2px 0 0 10px\">= %1</p>").arg(QString::fromStdString(open.formula).toHtmlEscaped());
    if (const QString reference = referenceOf(open); !reference.isEmpty()) page += QStringLiteral("<p style=\"margin:2px 0 0 10px\">%1</p>").arg(reference);
    if (!open.inputs.empty()) {
        page += QStringLiteral("<table cellspacing=\"0\" cellpadding=\"0\" style=\"margin-top:6px\">");
        for (std::size_t i = 0; i < open.inputs.size(); ++i) {
            const Quantity& input = open.inputs[i];
            // Who states a number that is made of others is said where it is open.
            const bool leaf = input.formula.empty() && input.inputs.empty();
            const QString who = !leaf || isPointer(input.reference) || input.reference.empty() ? QString() : QStringLiteral(", ") + QString::fromStdString(input.reference).toHtmlEscaped();
            page += QStringLiteral("<tr><td style=\"padding-left:10px;padding-right:12px\">%1</td><td style=\"padding-right:12px;white-space:nowrap\">%2</td><td>%3</td></tr>")
                        .arg(nameOf(input, i), valueText(input).toHtmlEscaped(), secondary(sourceWord(input.source) + who));
        }
        page += QStringLiteral("</table>");
    }
    setHtml(page);
    fitHeight();
}

/// The box grows with its text, but leaves room for the causes above it.
void DerivationView::fitHeight() {
    constexpr int least = 42, most = 220; // two lines; a formula with ten inputs
    const int wanted = static_cast<int>(std::ceil(document()->size().height())) + 2 * frameWidth() + 2;
    setMinimumHeight(std::clamp(wanted, least, most));
}

void DerivationView::resizeEvent(QResizeEvent* event) {
    QTextBrowser::resizeEvent(event);
    fitHeight();
}

void DerivationView::follow(const QUrl& link) {
    const QString target = link.toString(QUrl::FullyDecoded);
    if (target.startsWith(pointerLink)) {
        emit pointerRequested(target.mid(pointerLink.size()));
    } else if (target.startsWith(inputLink) && !trail_.empty()) {
        const auto index = static_cast<std::size_t>(target.mid(inputLink.size()).toULongLong());
        if (index >= trail_.back().inputs.size()) return;
        const Quantity input = trail_.back().inputs[index]; // a copy: the trail it lies in moves
        trail_.push_back(input);
        rebuild();
    } else if (target.startsWith(trailLink)) {
        const auto level = static_cast<std::size_t>(target.mid(trailLink.size()).toULongLong());
        if (level + 1 >= trail_.size()) return;
        trail_.resize(level + 1);
        rebuild();
    }
}

} // namespace orrery
