// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/translations.hpp"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace orrery {

void installTranslations(QCoreApplication& application, LanguageChoice choice) {
    const QString texts = textsOf(choice, QLocale());
    // Qt's own first: what is installed later is asked before.
    auto* qt = new QTranslator(&application);
    if (qt->load(QStringLiteral("qtbase_") + texts, QLibraryInfo::path(QLibraryInfo::TranslationsPath))) application.installTranslator(qt);
    auto* own = new QTranslator(&application);
    if (own->load(QStringLiteral(":/orrery/i18n/orrery_%1.qm").arg(texts))) application.installTranslator(own);
}

} // namespace orrery
