// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/pages/about_dialog.hpp"

#include "core/base/json.hpp"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QIcon>
#include <QLabel>
#include <QVBoxLayout>

namespace orrery {

AboutDialog::AboutDialog(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("About Orrery"));
    auto* icon = new QLabel;
    icon->setPixmap(QIcon(QStringLiteral(":/orrery/orrery.svg")).pixmap(72, 72));
    auto* name = new QLabel(QStringLiteral("<b>Orrery %1</b>").arg(QCoreApplication::applicationVersion().toHtmlEscaped()));
    name->setTextFormat(Qt::RichText);
    auto* words = new QLabel(
        tr("Simulates clusters that train and serve large language models: how long an iteration or a request takes, what it needs, and why."
           "<br><br>Free software under the GNU General Public License, version 3 or later. It comes with no warranty."
           "<br><br>It stands on Qt %1 (LGPL 3; Qt Charts GPL 3), QCustomPlot (GPL 3), nlohmann/json and CLI11 (MIT, BSD 3-clause). "
           "The sources of every number in the catalogues are listed with “orrery-cli list”.")
            .arg(QString::fromLatin1(qVersion())));
    words->setWordWrap(true);
    words->setTextFormat(Qt::RichText);
    words->setMinimumWidth(400);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* column = new QVBoxLayout;
    column->setSpacing(8);
    column->addWidget(name);
    column->addWidget(words, 1);
    auto* row = new QHBoxLayout;
    row->setSpacing(16);
    row->addWidget(icon, 0, Qt::AlignTop);
    row->addLayout(column, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 16, 20, 16);
    layout->setSpacing(16);
    layout->addLayout(row);
    layout->addWidget(buttons);
}

} // namespace orrery
