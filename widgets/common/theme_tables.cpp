// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/theme_tables.hpp"

namespace orrery {

namespace {

ThemeColors lightTable() {
    ThemeColors c;
    c.background = QColor(0xf4f5f7);
    c.panel = QColor(0xffffff);
    c.field = QColor(0xfbfbfc);
    c.line = QColor(0xd9dce1);
    c.grid = QColor(0xeceef2);
    c.ink = QColor(0x1c2330);
    c.secondary = QColor(0x667080);
    c.faint = QColor(0x9aa3b2);
    c.accent = QColor(0x2b68d4);
    c.good = QColor(0x1a7f4b);
    c.warning = QColor(0xa05c0a);
    c.error = QColor(0xc4323a);
    c.forward = QColor(0x4c8bf5);
    c.backward = QColor(0x2aa876);
    c.backwardWeights = QColor(0x8fcf6a);
    c.recompute = QColor(0xe0a526);
    c.tensor = QColor(0x9a6dd7);
    c.pipeline = QColor(0x7d8797);
    c.data = QColor(0xd4579a);
    c.optimizer = QColor(0xa0694b);
    c.firstStage = QColor(0x59647c);
    c.lastStage = QColor(0x138086);
    return c;
}

ThemeColors darkTable() {
    ThemeColors c;
    c.background = QColor(0x16191f);
    c.panel = QColor(0x1e222a);
    c.field = QColor(0x252a33);
    c.line = QColor(0x343a45);
    c.grid = QColor(0x2a303a);
    c.ink = QColor(0xe6e9ef);
    c.secondary = QColor(0x9aa3b2);
    c.faint = QColor(0x6b7484);
    c.accent = QColor(0x6ea0ff);
    c.good = QColor(0x4cc38a);
    c.warning = QColor(0xe0a045);
    c.error = QColor(0xf2707a);
    c.forward = QColor(0x5b98ff);
    c.backward = QColor(0x38bd88);
    c.backwardWeights = QColor(0x9bdc78);
    c.recompute = QColor(0xecb63a);
    c.tensor = QColor(0xad85e8);
    c.pipeline = QColor(0x8c96a6);
    c.data = QColor(0xe26dac);
    c.optimizer = QColor(0xb97f60);
    c.firstStage = QColor(0x5f6b85);
    c.lastStage = QColor(0x1a8187);
    return c;
}

ThemeColors highContrastTable() {
    ThemeColors c;
    c.background = QColor(0xffffff);
    c.panel = QColor(0xffffff);
    c.field = QColor(0xffffff);
    c.line = QColor(0x3a3a3a);
    c.grid = QColor(0xb8b8b8);
    c.ink = QColor(Qt::black);
    c.secondary = QColor(0x2b2b2b);
    c.faint = QColor(0x5c5c5c);
    c.accent = QColor(0x0033a8);
    c.good = QColor(0x00542a);
    c.warning = QColor(0x6e3a00);
    c.error = QColor(0x9c0010);
    c.forward = QColor(0x0b4fd1);
    c.backward = QColor(0x00703f);
    c.backwardWeights = QColor(0x4a8a00);
    c.recompute = QColor(0xa86a00);
    c.tensor = QColor(0x6a1fc0);
    c.pipeline = QColor(0x4a4f58);
    c.data = QColor(0xb00068);
    c.optimizer = QColor(0x6b3010);
    c.firstStage = QColor(0x2c3850);
    c.lastStage = QColor(0x006a70);
    return c;
}

/// Hues of Okabe and Ito, "Color universal design" (2008); text colours are darker shades of the same.
ThemeColors colourSafeTable() {
    ThemeColors c = lightTable();
    c.accent = QColor(0x00609a);
    c.good = QColor(0x00704f);
    c.warning = QColor(0x8a5800);
    c.error = QColor(0xa84300);
    c.forward = QColor(0x0072b2);
    c.backward = QColor(0x009e73);
    c.backwardWeights = QColor(0x56b4e9);
    c.recompute = QColor(0xe69f00);
    c.tensor = QColor(0xcc79a7);
    c.pipeline = QColor(0x6d7480);
    c.data = QColor(0xd55e00);
    c.optimizer = QColor(0xf0e442);
    c.firstStage = QColor(0x4c5872);
    return c;
}

} // namespace

ThemeColors themeTable(ThemeVariant variant) {
    switch (variant) {
    case ThemeVariant::light: return lightTable();
    case ThemeVariant::dark: return darkTable();
    case ThemeVariant::high_contrast: return highContrastTable();
    case ThemeVariant::colour_safe: return colourSafeTable();
    }
    return lightTable();
}

} // namespace orrery
