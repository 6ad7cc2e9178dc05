// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/theme_choice.hpp"

#include <QCoreApplication>
#include <QGuiApplication>
#include <QPalette>

namespace orrery {
namespace {

struct ThemeNames {
    Q_DECLARE_TR_FUNCTIONS(ThemeNames)
};

} // namespace

const std::vector<ThemeChoice>& themeChoices() {
    static const std::vector<ThemeChoice> choices = {ThemeChoice::system, ThemeChoice::light, ThemeChoice::dark,
                                                     ThemeChoice::high_contrast, ThemeChoice::colour_safe};
    return choices;
}

QString themeName(ThemeChoice choice) {
    switch (choice) {
    case ThemeChoice::system: return QStringLiteral("system");
    case ThemeChoice::light: return QStringLiteral("light");
    case ThemeChoice::dark: return QStringLiteral("dark");
    case ThemeChoice::high_contrast: return QStringLiteral("high-contrast");
    case ThemeChoice::colour_safe: return QStringLiteral("colour-safe");
    }
    return {};
}

QString themeTitle(ThemeChoice choice) {
    switch (choice) {
    case ThemeChoice::system: return ThemeNames::tr("&Follow the system");
    case ThemeChoice::light: return ThemeNames::tr("&Light");
    case ThemeChoice::dark: return ThemeNames::tr("&Dark");
    case ThemeChoice::high_contrast: return ThemeNames::tr("&High contrast");
    case ThemeChoice::colour_safe: return ThemeNames::tr("&Colour-safe");
    }
    return {};
}

std::optional<ThemeChoice> themeFromName(const QString& name) {
    for (const ThemeChoice choice : themeChoices()) {
        if (themeName(choice) == name) return choice;
    }
    return std::nullopt;
}

ThemeVariant variantFor(ThemeChoice choice, bool systemIsDark) {
    switch (choice) {
    case ThemeChoice::system: return systemIsDark ? ThemeVariant::dark : ThemeVariant::light;
    case ThemeChoice::light: return ThemeVariant::light;
    case ThemeChoice::dark: return ThemeVariant::dark;
    case ThemeChoice::high_contrast: return ThemeVariant::high_contrast;
    case ThemeChoice::colour_safe: return ThemeVariant::colour_safe;
    }
    return ThemeVariant::light;
}

bool systemPaletteIsDark() {
    const QPalette palette = QGuiApplication::palette();
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

} // namespace orrery
