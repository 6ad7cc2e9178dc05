// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/theme.hpp"

#include "widgets/common/operator_words.hpp"
#include "widgets/common/theme_tables.hpp"

#include <QApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QProxyStyle>
#include <QScreen>

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// Fusion without pictures that are not Orrery's: words on buttons say what they do.
class PlainStyle : public QProxyStyle {
public:
    PlainStyle(bool dark, bool contrast) : QProxyStyle(QStringLiteral("Fusion")), tone_(contrast ? "contrast" : dark ? "dark"
                                                                                                                     : "light") {}

    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* answer) const override {
        if (hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;
        if (hint == SH_UnderlineShortcut) return 1;
        return QProxyStyle::styleHint(hint, option, widget, answer);
    }
    QIcon standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const override {
        if (which == SP_LineEditClearButton) return QIcon(QStringLiteral(":/orrery/icons/close-%1.svg").arg(QLatin1String(tone_)));
        return QProxyStyle::standardIcon(which, option, widget);
    }

private:
    const char* tone_;
};

/// At every size and weight that numbers are shown in: a family may be even in one and not in another.
bool hasEvenDigits(const QFont& wanted) {
    for (const double points : {8.0, 9.0, 16.0, 96.0}) {
        for (const QFont::Weight weight : {QFont::Normal, QFont::DemiBold}) {
            QFont font = wanted;
            font.setPointSizeF(points);
            font.setWeight(weight);
            const QFontMetricsF metrics(font);
            const double zero = metrics.horizontalAdvance(QLatin1Char('0'));
            for (char digit = '1'; digit <= '9'; ++digit)
                if (std::abs(metrics.horizontalAdvance(QLatin1Char(digit)) - zero) > 1e-6) return false;
            // Pairs too: kerning moves digits that are of one width.
            for (const char* text : {"11", "17", "71", "74", "47"})
                if (std::abs(metrics.horizontalAdvance(QLatin1String(text)) - 2 * zero) > 1e-6) return false;
        }
    }
    return true;
}

double linearChannel(double channel) {
    return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color) {
    return 0.2126 * linearChannel(color.redF()) + 0.7152 * linearChannel(color.greenF()) +
           0.0722 * linearChannel(color.blueF());
}

} // namespace

QColor mixed(const QColor& one, const QColor& other, double share) {
    const auto channel = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return {channel(one.red(), other.red()), channel(one.green(), other.green()), channel(one.blue(), other.blue())};
}

double contrastRatio(const QColor& one, const QColor& other) {
    const auto [dark, light] = std::minmax({luminance(one), luminance(other)});
    return (light + 0.05) / (dark + 0.05);
}

QString familyWithEvenDigits(const QStringList& families) {
    for (const QString& family : families) {
        QFont font(family);
        font.setStyleStrategy(QFont::NoFontMerging); // the family itself, not what stands in for it
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
        font.setFeature("tnum", 1);
#endif
        if (QFontDatabase::hasFamily(family) && hasEvenDigits(font)) return family;
    }
    return QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
}

ColoursForDrawing::ColoursForDrawing(const Theme& theme, ThemeVariant variant)
    : theme_(theme), variantBefore_(theme.variant_), colorsBefore_(theme.colors_) {
    theme_.variant_ = variant;
    theme_.colors_ = themeTable(variant);
}

ColoursForDrawing::~ColoursForDrawing() {
    theme_.variant_ = variantBefore_;
    theme_.colors_ = colorsBefore_;
}

Theme::Theme(ThemeVariant variant, QObject* parent) : QObject(parent), variant_(variant), colors_(themeTable(variant)) {}

void Theme::setVariant(ThemeVariant variant) {
    if (variant == variant_) return;
    variant_ = variant;
    colors_ = themeTable(variant);
    emit changed();
}

QColor Theme::color(Phase phase) const {
    switch (phase) {
    case Phase::forward: return colors_.forward;
    case Phase::backward: return colors_.backward;
    case Phase::recompute: return colors_.recompute;
    case Phase::optimizer: return colors_.optimizer;
    case Phase::communication: return colors_.pipeline;
    }
    return colors_.pipeline;
}

std::optional<QColor> Theme::groupColor(RankGroup group) const {
    switch (group) {
    case RankGroup::none: break;
    case RankGroup::tensor:
    case RankGroup::context:
    case RankGroup::expert_tensor:
    case RankGroup::expert: return colors_.tensor; // all ride inside a layer
    case RankGroup::pipeline: return colors_.pipeline;
    case RankGroup::data:
    case RankGroup::shard:
    case RankGroup::replicate:
    case RankGroup::expert_data:
    case RankGroup::embedding: return colors_.data;
    }
    return std::nullopt;
}

QColor Theme::color(const TimedOperator& op) const { return groupColor(op.op.group).value_or(color(op.op.phase)); }

QColor Theme::color(const OperationRow& row) const {
    if (const auto group = groupColor(row.group)) return *group;
    if (row.phase == "prefill") return colors_.forward;
    return row.phase == "decode" ? colors_.backwardWeights : color(phaseFromWord(row.phase));
}

QColor Theme::stageColor(int stage, int count) const {
    return mixed(colors_.firstStage, colors_.lastStage, count > 1 ? std::clamp(stage / (count - 1.0), 0.0, 1.0) : 0);
}

QColor Theme::color(MemoryKind kind) const {
    switch (kind) {
    case MemoryKind::weights: return colors_.forward;
    case MemoryKind::gradients: return colors_.backward;
    case MemoryKind::optimizer_states: return colors_.optimizer;
    case MemoryKind::activations: return colors_.recompute;
    case MemoryKind::kv_cache: return colors_.backwardWeights;
    case MemoryKind::temporary: return colors_.tensor;
    case MemoryKind::communication_buffers: return colors_.data;
    case MemoryKind::fragmentation: return mixed(colors_.pipeline, colors_.panel, 0.5);
    case MemoryKind::framework: return colors_.pipeline;
    }
    return colors_.pipeline;
}

QColor Theme::color(TimePart part) const {
    switch (part) {
    case TimePart::forward: return colors_.forward;
    case TimePart::backward: return colors_.backward;
    case TimePart::recompute: return colors_.recompute;
    case TimePart::tensor_exposed: return colors_.tensor;
    case TimePart::context_exposed: return mixed(colors_.tensor, colors_.panel, 0.35);
    case TimePart::expert_exposed: return mixed(colors_.tensor, colors_.ink, 0.35);
    case TimePart::pipeline_exposed: return colors_.pipeline;
    case TimePart::data_exposed: return colors_.data;
    case TimePart::bubble: return colors_.line;
    case TimePart::optimizer: return colors_.optimizer;
    case TimePart::overhead: return colors_.faint;
    }
    return colors_.faint;
}

QColor Theme::textOn(const QColor& fill) const {
    const QColor light(Qt::white);
    const QColor dark(0x10141c);
    // White text on a mid-tone bar looks calmer than black; it is kept down to large-text contrast.
    return contrastRatio(light, fill) >= 3.0 || contrastRatio(light, fill) > contrastRatio(dark, fill) ? light : dark;
}

QColor Theme::asLine(const QColor& color) const {
    constexpr double readable = 4.5, step = 0.1;
    QColor line = color;
    for (double share = step; share < 1 && contrastRatio(line, colors_.panel) < readable; share += step) line = mixed(color, colors_.ink, share);
    return line;
}

QFont Theme::font(double pixels, QFont::Weight weight) const {
    if (family_.isEmpty()) family_ = familyWithEvenDigits({QStringLiteral("Inter"), QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans")});
    QFont font;
    font.setFamilies({family_, QStringLiteral("sans-serif")});
    // Pixel sizes of QFont are whole numbers; points are not, so fractions of a pixel go through the screen's resolution.
    // Where the screen has no half pixels Qt rounds: the tenth less makes that downwards, 12.5 to 12, as dense as the look.
    const QScreen* screen = QGuiApplication::primaryScreen();
    const double dotsPerInch = screen != nullptr ? screen->logicalDotsPerInchY() : 96.0;
    font.setPointSizeF((pixels - 0.1) * 72.0 / dotsPerInch);
    font.setWeight(weight);
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    font.setFeature("tnum", 1); // digits of one width where the family has them only when asked
#endif
    return font;
}

QFont Theme::bodyFont() const { return font(12.5); }
QFont Theme::secondaryFont() const { return font(11.5); }
QFont Theme::axisFont() const { return font(10.5); }
QFont Theme::figureFont() const { return font(21, QFont::DemiBold); }
QFont Theme::titleFont() const { return font(12.5, QFont::DemiBold); }

QPalette Theme::palette() const {
    QPalette palette;
    palette.setColor(QPalette::Window, colors_.panel);
    palette.setColor(QPalette::WindowText, colors_.ink);
    palette.setColor(QPalette::Base, colors_.field);
    palette.setColor(QPalette::AlternateBase, colors_.background);
    palette.setColor(QPalette::Text, colors_.ink);
    palette.setColor(QPalette::PlaceholderText, colors_.secondary);
    palette.setColor(QPalette::Button, colors_.panel);
    palette.setColor(QPalette::ButtonText, colors_.ink);
    palette.setColor(QPalette::BrightText, colors_.error);
    palette.setColor(QPalette::ToolTipBase, colors_.panel);
    palette.setColor(QPalette::ToolTipText, colors_.ink);
    palette.setColor(QPalette::Link, colors_.accent);
    palette.setColor(QPalette::LinkVisited, colors_.accent);
    palette.setColor(QPalette::Highlight, colors_.accent);
    palette.setColor(QPalette::HighlightedText, contrastRatio(Qt::white, colors_.accent) >= 4.5 ? QColor(Qt::white) : colors_.background);
    palette.setColor(QPalette::Light, colors_.panel);
    palette.setColor(QPalette::Midlight, colors_.grid);
    palette.setColor(QPalette::Mid, colors_.line);
    palette.setColor(QPalette::Dark, colors_.secondary);
    palette.setColor(QPalette::Shadow, colors_.line);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, colors_.faint);
    palette.setColor(QPalette::Disabled, QPalette::Base, colors_.panel);
    return palette;
}

void Theme::applyToApplication() const {
    QApplication::setStyle(new PlainStyle(isDark(), variant_ == ThemeVariant::high_contrast));
    QApplication::setFont(bodyFont());
    QApplication::setPalette(palette());
    if (QApplication* application = qobject_cast<QApplication*>(QCoreApplication::instance()))
        application->setStyleSheet(styleSheet());
}

} // namespace orrery
