// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/translations.hpp"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace orrery {

void installTranslations(QCoreApplication& application) {
    const QLocale locale;
    auto* own = new QTranslator(&application);
    if (own->load(locale, QStringLiteral("orrery"), QStringLiteral("_"), QStringLiteral(":/orrery/i18n")) ||
        own->load(QStringLiteral(":/orrery/i18n/orrery_en.qm"))) {
        application.installTranslator(own);
    }
    auto* qt = new QTranslator(&application);
    if (qt->load(locale, QStringLiteral("qtbase"), QStringLiteral("_"), QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
        application.installTranslator(qt);
    }
}

} // namespace orrery
