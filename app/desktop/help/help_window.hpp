// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/manual/manual.hpp"

#include <QDialog>

#include <vector>

class QListWidget;
class QTextBrowser;
class QUrl;

namespace orrery {

/// The manual in a window beside the main one: pages on the left, the page on the right. It opens no link that leads outside.
class HelpWindow : public QDialog {
    Q_OBJECT
public:
    explicit HelpWindow(QWidget* parent);

    /// Shows a page from one of its headings on; from its begin where there is no such heading.
    void show(const ManualPlace& place);
    /// What stands at the top of what is shown.
    ManualPlace shown() const { return shown_; }

    /// The help window of a window, made at the first call; on screen and in front afterwards.
    static HelpWindow& of(QWidget& window, const ManualPlace& place);

private:
    void follow(const QUrl& link);
    void scrollTo(const std::string& heading);

    std::vector<ManualPage> pages_;
    ManualPlace shown_;
    QListWidget* list_;
    QTextBrowser* text_;
};

} // namespace orrery
