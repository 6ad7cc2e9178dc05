// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/theme.hpp"

#include <QHBoxLayout>
#include <QPainter>
#include <QWidget>

namespace orrery {

/// A panel's first line: title in semi-bold, beside it what it is of in secondary ink, cut with an ellipsis where there is
/// no room; widgets added to `tools()` sit at its right end.
class PanelHeader : public QWidget {
public:
    static constexpr int lineHeight = 30;

    PanelHeader(const Theme& theme, const QString& title, QWidget* parent = nullptr) : QWidget(parent), theme_(theme), title_(title) {
        setFixedHeight(lineHeight);
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(12, 2, 12, 2);
        row->setSpacing(6);
        row->addStretch(1);
        tools_ = new QHBoxLayout;
        tools_->setSpacing(2);
        row->addLayout(tools_);
        connect(&theme_, &Theme::changed, this, QOverload<>::of(&QWidget::update));
    }

    QHBoxLayout* tools() { return tools_; }
    QString subtitle() const { return subtitle_; }
    void setSubtitle(const QString& subtitle) {
        if (subtitle == subtitle_) return;
        subtitle_ = subtitle;
        setToolTip(subtitle);
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const double right = tools_->isEmpty() ? width() - 12 : tools_->geometry().left() - 6;
        draw(painter, QRectF(12, 0, right - 12, height()), theme_, title_, subtitle_);
    }

public:
    /// The line as a drawing, for exports.
    static void draw(QPainter& painter, const QRectF& area, const Theme& theme, const QString& title, const QString& subtitle) {
        const QFontMetricsF titleMetrics(theme.titleFont());
        const QString shownTitle = titleMetrics.elidedText(title, Qt::ElideRight, area.width());
        const double titleWidth = titleMetrics.horizontalAdvance(shownTitle);
        painter.setFont(theme.titleFont());
        painter.setPen(theme.colors().ink);
        painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, shownTitle);
        const QRectF rest = area.adjusted(titleWidth + 12, 0, 0, 0);
        if (rest.width() < 24 || subtitle.isEmpty()) return;
        painter.setFont(theme.secondaryFont());
        painter.setPen(theme.colors().secondary);
        const QFontMetricsF metrics(theme.secondaryFont());
        const QString shown = metrics.elidedText(subtitle, Qt::ElideRight, rest.width());
        if (shown != subtitle && shown.size() < 14) return; // "at i…" says less than nothing
        painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter, shown);
    }

private:
    const Theme& theme_;
    QString title_;
    QString subtitle_;
    QHBoxLayout* tools_ = nullptr;
};

} // namespace orrery
