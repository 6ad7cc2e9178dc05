// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

class QLocale;
class QSettings;

namespace orrery {

/// What the user picked; `system` follows the desktop's locale.
enum class LanguageChoice { system,
                            english,
                            chinese };

const std::vector<LanguageChoice>& languageChoices();
QString languageName(LanguageChoice choice);  ///< "zh_CN": for settings
QString languageTitle(LanguageChoice choice); ///< a language by its own name, so that whoever reads it finds it

LanguageChoice languageIn(const QSettings& settings); ///< `system` where none was picked
void keepLanguage(QSettings& settings, LanguageChoice choice);

/// The ending of the file of texts that suits: "zh_CN" for the first language of `locale` that is written in simplified Chinese, "en" for English or where
/// none of them is known.
QString textsOf(LanguageChoice choice, const QLocale& locale);

} // namespace orrery
