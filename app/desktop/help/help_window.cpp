// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/help/help_window.hpp"

#include <QAbstractTextDocumentLayout>
#include <QListWidget>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace orrery {

HelpWindow::HelpWindow(QWidget* parent) : QDialog(parent), pages_(manualPages()), list_(new QListWidget), text_(new QTextBrowser) {
    setObjectName(QStringLiteral("help_window"));
    setWindowTitle(tr("Orrery: the manual"));
    resize(980, 720);
    for (const ManualPage& page : pages_) list_->addItem(QString::fromStdString(page.title));
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setWordWrap(true);
    list_->setSpacing(2);
    text_->setOpenLinks(false);
    text_->document()->setDocumentMargin(16);
    auto* halves = new QSplitter;
    halves->addWidget(list_);
    halves->addWidget(text_);
    halves->setStretchFactor(1, 1);
    halves->setSizes({260, 720});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(halves);
    connect(text_, &QTextBrowser::anchorClicked, this, &HelpWindow::follow);
    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0 && pages_[static_cast<std::size_t>(row)].name != shown_.page) show({pages_[static_cast<std::size_t>(row)].name, ""});
    });
}

void HelpWindow::show(const ManualPlace& place) {
    const auto page = std::find_if(pages_.begin(), pages_.end(), [&](const ManualPage& one) { return one.name == place.page; });
    if (page == pages_.end()) return;
    if (shown_.page != place.page || text_->document()->isEmpty()) text_->setMarkdown(QString::fromStdString(page->text));
    shown_ = place;
    list_->setCurrentRow(static_cast<int>(page - pages_.begin()));
    scrollTo(place.heading);
}

void HelpWindow::scrollTo(const std::string& heading) {
    const QString wanted = QString::fromStdString(heading);
    QTextDocument& document = *text_->document();
    int top = 0;
    for (QTextBlock block = document.begin(); !heading.empty() && block.isValid(); block = block.next())
        if (block.blockFormat().headingLevel() > 0 && block.text() == wanted) {
            top = static_cast<int>(document.documentLayout()->blockBoundingRect(block).top()) - 8;
            break;
        }
    text_->verticalScrollBar()->setValue(std::max(0, top));
}

void HelpWindow::follow(const QUrl& link) {
    // "serve.md#heading"; anything else leads outside, where this program does not go.
    const QString path = link.path(), slug = link.fragment();
    if (!link.scheme().isEmpty() || (!path.isEmpty() && !path.endsWith(QLatin1String(".md")))) return;
    const std::string name = path.isEmpty() ? shown_.page : path.chopped(3).toStdString();
    show({name, ""});
    for (QTextBlock block = text_->document()->begin(); !slug.isEmpty() && block.isValid(); block = block.next())
        if (block.blockFormat().headingLevel() > 0 && slugOf(block.text().toStdString()) == slug.toStdString()) return show({name, block.text().toStdString()});
}

HelpWindow& HelpWindow::of(QWidget& window, const ManualPlace& place) {
    auto* help = window.findChild<HelpWindow*>(QString(), Qt::FindDirectChildrenOnly);
    if (!help) help = new HelpWindow(&window);
    help->setVisible(true); // laid out, so that the place of a heading is known
    help->show(place);
    help->raise();
    help->activateWindow();
    return *help;
}

} // namespace orrery
