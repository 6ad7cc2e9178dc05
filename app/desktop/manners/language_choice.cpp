// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/language_choice.hpp"

#include <QCoreApplication>
#include <QLocale>
#include <QSettings>

namespace orrery {
namespace {

struct LanguageNames {
    Q_DECLARE_TR_FUNCTIONS(LanguageNames)
};

constexpr const char* settingsKey = "language";

} // namespace

const std::vector<LanguageChoice>& languageChoices() {
    static const std::vector<LanguageChoice> choices = {LanguageChoice::system, LanguageChoice::english, LanguageChoice::chinese};
    return choices;
}

QString languageName(LanguageChoice choice) {
    switch (choice) {
    case LanguageChoice::system: return QStringLiteral("system");
    case LanguageChoice::english: return QStringLiteral("en");
    case LanguageChoice::chinese: return QStringLiteral("zh_CN");
    }
    return {};
}

QString languageTitle(LanguageChoice choice) {
    switch (choice) {
    case LanguageChoice::system: return LanguageNames::tr("&Follow the system");
    case LanguageChoice::english: return QStringLiteral("&English");
    case LanguageChoice::chinese: return QStringLiteral("简体中文(&C)");
    }
    return {};
}

LanguageChoice languageIn(const QSettings& settings) {
    const QString kept = settings.value(settingsKey).toString();
    for (const LanguageChoice choice : languageChoices()) {
        if (languageName(choice) == kept) return choice;
    }
    return LanguageChoice::system;
}

void keepLanguage(QSettings& settings, LanguageChoice choice) { settings.setValue(settingsKey, languageName(choice)); }

QString textsOf(LanguageChoice choice, const QLocale& locale) {
    if (choice != LanguageChoice::system) return languageName(choice);
    for (const QString& tag : locale.uiLanguages()) {
        const QLocale one(tag);
        if (one.language() == QLocale::Chinese && one.script() == QLocale::SimplifiedHanScript) return languageName(LanguageChoice::chinese);
        if (one.language() == QLocale::English) break;
    }
    return languageName(LanguageChoice::english);
}

} // namespace orrery
