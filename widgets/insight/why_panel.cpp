// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/why_panel.hpp"

#include "core/base/json.hpp"
#include "core/results/comparison/compare.hpp"
#include "widgets/common/core_words.hpp"
#include "widgets/common/dimming.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/insight/derivation_view.hpp"
#include "widgets/insight/difference_bars.hpp"

#include <QCoreApplication>
#include <QEvent>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <optional>

namespace orrery {
namespace {

/// A scroll area asks its page for the least height at any width, where wrapped causes are short; this page tells the height
/// at the width it has.
class CausePage : public QWidget {
protected:
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        fitHeight();
    }
    bool event(QEvent* event) override {
        const bool handled = QWidget::event(event);
        if (event->type() == QEvent::LayoutRequest) fitHeight();
        return handled;
    }

private:
    void fitHeight() {
        const int least = std::max(0, layout()->minimumHeightForWidth(width()));
        if (least != minimumHeight()) setMinimumHeight(least);
    }
};

} // namespace

WhyPanel::WhyPanel(const Theme& theme, QWidget* parent)
    : QWidget(parent), theme_(theme), header_(new PanelHeader(theme, tr("Why this long?"), this)), against_(new QLabel), bars_(new DifferenceBars(theme)), list_(new QVBoxLayout),
      formula_(new DerivationView(theme)), stack_(new QStackedWidget(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(stack_, 1);

    auto* page = new CausePage;
    auto* body = new QVBoxLayout(page);
    body->setContentsMargins(12, 0, 12, 10);
    body->setSpacing(6);
    list_->setSpacing(2);
    against_->setWordWrap(true);
    body->addWidget(against_);
    body->addWidget(bars_);
    against_->hide();
    bars_->hide();
    body->addLayout(list_);
    formula_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
    connect(formula_, &DerivationView::pointerRequested, this, &WhyPanel::pointerRequested);
    body->addWidget(formula_, 1);

    // Many causes, or long ones in a narrow panel: the panel scrolls, nothing is cut.
    scroll_ = new QScrollArea;
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setWidget(page);
    stack_->addWidget(new EmptyState(theme, tr("What the iteration's time is lost to, and what to try."),
                                     tr("Choose a model and a cluster; the causes follow the first run.")));
    stack_->addWidget(scroll_);
    connect(&theme_, &Theme::changed, this, &WhyPanel::applyTheme);
    applyTheme();
}

void WhyPanel::applyTheme() {
    formula_->applyTheme();
    against_->setFont(theme_.secondaryFont());
    for (QLabel* heading : headings_) heading->setFont(theme_.secondaryFont());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        rows_[i]->setFont(theme_.secondaryFont());
        rows_[i]->setText(causeText(result_->causes[i]));
    }
}

QString WhyPanel::causeText(const Cause& cause) const {
    const ThemeColors& colors = theme_.colors();
    QString text = QStringLiteral("<span style=\"color:%1\"><b>%2</b> %3</span>")
                       .arg(colors.ink.name(), readablePercent(cause.share).text().toHtmlEscaped(), tr("%1.", "a cause as a sentence").arg(coreWords(cause.text)).toHtmlEscaped());
    if (cause.tryEdits.empty() || cause.tryLabel.empty()) return text;
    QString label = tr("Try %1").arg(coreWords(cause.tryLabel)).toHtmlEscaped() + QStringLiteral(" ▸");
    if (label.size() < 40) label.replace(QLatin1Char(' '), QStringLiteral("&nbsp;")); // a short link stays on one line
    text += QStringLiteral(" <a href=\"try\" style=\"color:%1;text-decoration:none\">%2</a>").arg(colors.accent.name(), label);
    return text;
}

void WhyPanel::rebuild() {
    for (QLabel* row : rows_) {
        list_->removeWidget(row);
        row->hide();
        row->deleteLater(); // its link may be what brought the new result
    }
    for (QLabel* heading : headings_) {
        list_->removeWidget(heading);
        delete heading;
    }
    rows_.clear();
    headings_.clear();
    if (result_ == nullptr) return;
    for (std::size_t i = 0; i < result_->causes.size(); ++i) {
        const std::string& figure = result_->causes[i].figure;
        if (!figure.empty() && (i == 0 || result_->causes[i - 1].figure != figure)) {
            auto* heading = new QLabel(coreWords(figure));
            heading->setContentsMargins(0, headings_.empty() ? 0 : 6, 0, 0);
            list_->addWidget(heading);
            headings_.push_back(heading);
        }
        auto* row = new QLabel;
        row->setTextFormat(Qt::RichText);
        row->setWordWrap(true);
        row->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        row->setFocusPolicy(Qt::StrongFocus);
        row->setToolTip(tr("Click to see the formula behind this number"));
        row->installEventFilter(this);
        connect(row, &QLabel::linkActivated, this, [this, i] { follow(static_cast<int>(i)); });
        list_->addWidget(row);
        rows_.push_back(row);
    }
    applyTheme();
}

QString WhyPanel::differenceText() const { return against_->isHidden() ? QString() : against_->text(); }

void WhyPanel::setBaseline(const ResultPtr& baseline, const QString& name) {
    std::optional<Comparison> comparison;
    Problems ignored; // what can't be compared has no bars
    if (baseline && result_) comparison = compareResults(toJson(*baseline), toJson(*result_), ignored);
    bars_->setComparison(comparison);
    bars_->setVisible(!bars_->parts().empty());
    against_->setVisible(comparison.has_value());
    if (!comparison) return;
    const double change = comparison->a > 0 ? comparison->difference / comparison->a : 0;
    const QString sign = change < 0 ? QStringLiteral("−") : QStringLiteral("+");
    against_->setText(comparison->parts.empty() ? tr("Against “%1”: the same, %2").arg(name, readableTime(comparison->b).text())
                                                : tr("Against “%1”: %2 → %3, %4").arg(name, readableTime(comparison->a).text(), readableTime(comparison->b).text(), sign + readablePercent(std::abs(change)).text()));
}

void WhyPanel::setResult(ResultPtr result) {
    result_ = std::move(result);
    rebuild();
    stack_->setCurrentIndex(result_ != nullptr ? 1 : 0);
    formula_->setSentence(result_ == nullptr || !result_->causes.empty() ? QString()
                          : result_->training()                          ? tr("Nothing stands out: the time is the work itself.")
                                                                         : tr("Click on a figure at the top to see the formula behind it."));
    if (!rows_.empty()) focusCause(0);
    setBusy(false);
}

void WhyPanel::setBusy(bool busy) {
    // One by one: an effect over widgets that fill their own background has nothing but black below them.
    for (QLabel* row : rows_) setDimmed(*row, busy);
    setDimmed(*formula_->viewport(), busy);
}

void WhyPanel::follow(int index) {
    const Cause cause = result_->causes[static_cast<std::size_t>(index)]; // a copy: the edit may replace the result
    emit editRequested(tr("Try %1").arg(coreWords(cause.tryLabel)), cause.tryEdits);
}

void WhyPanel::focusCause(int index) {
    if (result_ != nullptr && index >= 0 && static_cast<std::size_t>(index) < result_->causes.size())
        formula_->setQuantity(result_->causes[static_cast<std::size_t>(index)].why);
}

/// Who asks for a derivation sees it, however much stands above it.
void WhyPanel::showQuantity(const Quantity& quantity) {
    stack_->setCurrentIndex(1);
    formula_->setQuantity(quantity);
    // Once the page has its new height; a formula longer than the panel is read from its top.
    QTimer::singleShot(0, this, [this] {
        QWidget* page = scroll_->widget();
        QCoreApplication::sendPostedEvents(page, QEvent::LayoutRequest);
        page->layout()->activate();
        QScrollBar* bar = scroll_->verticalScrollBar();
        bar->setMaximum(std::max(bar->maximum(), page->minimumHeight() - scroll_->viewport()->height()));
        bar->setValue(formula_->y() + std::min(0, formula_->minimumHeight() - scroll_->viewport()->height()));
    });
}

QString WhyPanel::formulaText() const { return formula_->toPlainText(); }

bool WhyPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::FocusIn) {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (rows_[i] == watched) focusCause(static_cast<int>(i));
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace orrery
