// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/accuracy/error_bar_summary.hpp"

#include "core/results/report/uncertainty.hpp"
#include "widgets/accuracy/accuracy_words.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"

#include <QStringList>

#include <algorithm>
#include <string_view>

namespace orrery {

ErrorBarSummary::ErrorBarSummary(const Theme& theme, QWidget* parent) : QLabel(parent), theme_(theme) {
    setTextFormat(Qt::RichText);
    setWordWrap(true);
    setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    setObjectName("error_bar_summary");
    connect(this, &QLabel::linkActivated, this, &ErrorBarSummary::runChosen);
    connect(&theme_, &Theme::changed, this, &ErrorBarSummary::showText);
    showText();
}

void ErrorBarSummary::setResult(const ResultPtr& result) {
    result_ = result;
    showText();
}

void ErrorBarSummary::setKind(ErrorOf what) {
    what_ = what;
    showText();
}

void ErrorBarSummary::showText() {
    setFont(theme_.bodyFont());
    const ThemeColors& colors = theme_.colors();
    const auto coloured = [](const QColor& color, const QString& text) { return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(color.name(), text); };
    if (!result_) {
        setText(coloured(colors.secondary, tr("This scenario's error bar follows its first result.").toHtmlEscaped()));
        return;
    }
    const bool training = what_ == ErrorOf::time || what_ == ErrorOf::memory;
    if (training != (result_->training() != nullptr)) {
        setText(coloured(colors.secondary, (training ? tr("This scenario does not train.") : tr("This scenario does not serve.")).toHtmlEscaped()));
        return;
    }
    const std::vector<FigureWithBar> figures = figuresWithBars(*result_);
    const auto figure = std::find_if(figures.begin(), figures.end(), [this](const FigureWithBar& one) { return one.what == what_; });
    if (figure == figures.end()) {
        setText(coloured(colors.secondary, tr("Too few runs were measured to give this scenario an error bar.").toHtmlEscaped()));
        return;
    }
    const std::optional<ErrorBar>& bar = result_->uncertainty->of(what_);
    const auto readable = [&](double value) {
        if (what_ == ErrorOf::memory) return readableBytes(value).text();
        return std::string_view(figure->unit) == "s" ? readableTime(value).text() : tr("%1 tokens/s").arg(grouped(value));
    };
    QStringList lines;
    lines << QStringLiteral("<b>%1</b> %2")
                 .arg(tr("This scenario: %1 %2, between %3 and %4")
                          .arg(errorKindWord(what_), readable(figure->value), readable(bar->low(figure->value, figure->rate)), readable(bar->high(figure->value, figure->rate)))
                          .toHtmlEscaped(),
                      tr("in 9 of 10 such cases").toHtmlEscaped());
    lines << coloured(colors.secondary, QString::fromStdString(bar->basis).toHtmlEscaped());
    if (!bar->missing.empty()) lines << coloured(colors.warning, QString::fromStdString(bar->missing).toHtmlEscaped());
    QStringList nearest;
    for (const NearRun& run : bar->nearest) {
        const QString id = QString::fromStdString(run.id).toHtmlEscaped();
        nearest << QStringLiteral("<a href=\"%1\" style=\"color:%2; text-decoration:none\">%1</a> %3").arg(id, colors.accent.name(), signedPercent(run.errorPercent).toHtmlEscaped());
    }
    lines << coloured(colors.secondary, tr("Most alike:").toHtmlEscaped()) + QStringLiteral(" ") + nearest.join(QStringLiteral(" · "));
    setText(lines.join(QStringLiteral("<br>")));
}

} // namespace orrery
