// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/panel_header.hpp"
#include "widgets/common/theme.hpp"

#include <QButtonGroup>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>

#include <cstddef>
#include <vector>

namespace orrery {

/// A panel of several views of one thing, of which one is shown; buttons in its header switch between them.
class PagedPanel : public QWidget {
protected:
    PagedPanel(const Theme& theme, const QString& title, QWidget* parent)
        : QWidget(parent), theme_(theme), header_(new PanelHeader(theme, title, this)), stack_(new QStackedWidget(this)), group_(new QButtonGroup(this)) {
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(0);
        column->addWidget(header_);
        column->addWidget(stack_, 1);
        connect(&theme_, &Theme::changed, this, [this] { applyTheme(); });
    }

    /// Pages stand in the order in which they are added; the first is shown.
    void addPage(const QString& text, const QString& explanation, QWidget* view) {
        auto* button = new QToolButton(header_);
        button->setText(text);
        button->setToolTip(explanation);
        button->setCheckable(true);
        button->setAutoRaise(true);
        header_->tools()->addWidget(button);
        group_->addButton(button);
        stack_->addWidget(view);
        const std::size_t index = switches_.size();
        connect(button, &QToolButton::clicked, this, [this, index] { showIndex(index); });
        switches_.push_back(button);
        if (index == 0) button->setChecked(true);
        applyTheme();
    }

    /// Shows a page; `pageShown` is told, whether it was another or not.
    void showIndex(std::size_t index) {
        const bool changed = index != shownIndex();
        switches_[index]->setChecked(true);
        stack_->setCurrentIndex(static_cast<int>(index));
        pageShown(changed);
    }
    std::size_t shownIndex() const { return static_cast<std::size_t>(stack_->currentIndex()); }

    virtual void pageShown(bool changed) = 0;
    PanelHeader& header() const { return *header_; }

private:
    void applyTheme() {
        for (QToolButton* button : switches_) button->setFont(theme_.secondaryFont());
    }

    const Theme& theme_;
    PanelHeader* header_;
    QStackedWidget* stack_;
    QButtonGroup* group_;
    std::vector<QToolButton*> switches_; ///< in the pages' order
};

} // namespace orrery
