// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/accuracy/error_bar_summary.hpp"

#include "widgets/accuracy/accuracy_words.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/theme.hpp"

#include <QStringList>

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

void ErrorBarSummary::setMemory(bool memory) {
    memory_ = memory;
    showText();
}

void ErrorBarSummary::showText() {
    setFont(theme_.bodyFont());
    const ThemeColors& colors = theme_.colors();
    const auto coloured = [](const QColor& color, const QString& text) { return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(color.name(), text); };
    if (!result_ || !result_->training()) {
        setText(coloured(colors.secondary, tr("This scenario's error bar follows its first result.").toHtmlEscaped()));
        return;
    }
    const std::optional<ErrorBar> bar = !result_->uncertainty ? std::nullopt : memory_ ? result_->uncertainty->memory
                                                                                       : result_->uncertainty->time;
    if (!bar) {
        setText(coloured(colors.secondary, tr("Too few runs were measured to give this scenario an error bar.").toHtmlEscaped()));
        return;
    }
    const auto readable = [this](double value) { return memory_ ? readableBytes(value).text() : readableTime(value).text(); };
    const double value = memory_ ? result_->memory.peakBytes : result_->training()->iterationTime;
    QStringList lines;
    lines << QStringLiteral("<b>%1</b> %2")
                 .arg((memory_ ? tr("This scenario: peak memory %1, between %2 and %3") : tr("This scenario: iteration time %1, between %2 and %3"))
                          .arg(readable(value), readable(bar->low(value)), readable(bar->high(value)))
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
