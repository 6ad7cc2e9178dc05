// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/insight/sources_panel.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/operator_words.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QCoreApplication>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <map>

namespace orrery {
namespace {

enum class Family { gemm,
                    attention,
                    elementwise,
                    optimizer,
                    collectives };

struct SourcesText {
    Q_DECLARE_TR_FUNCTIONS(SourcesText)
};

Family familyOf(const OperationRow& row) {
    switch (row.work) {
    case OperatorKind::gemm:
    case OperatorKind::batched_gemm:
    case OperatorKind::grouped_gemm: return Family::gemm;
    case OperatorKind::attention: return Family::attention;
    case OperatorKind::optimizer:
    case OperatorKind::gradient_norm: return Family::optimizer;
    case OperatorKind::collective:
    case OperatorKind::send_receive: return Family::collectives;
    default: return Family::elementwise;
    }
}

QString familyName(Family family) {
    switch (family) {
    case Family::gemm: return SourcesText::tr("GEMM");
    case Family::attention: return SourcesText::tr("attention");
    case Family::elementwise: return SourcesText::tr("elementwise");
    case Family::optimizer: return SourcesText::tr("optimizer");
    case Family::collectives: return SourcesText::tr("collectives");
    }
    return {};
}

QString sourceName(Family family, Source source) {
    if (source != Source::roofline) return sourceText(source);
    if (family == Family::collectives) return SourcesText::tr("ring model");
    return family == Family::gemm || family == Family::attention ? SourcesText::tr("roofline with efficiencies") : SourcesText::tr("roofline");
}

} // namespace

QString sourcesSummary(const Result& result) {
    std::map<Family, std::map<Source, double>> times;
    for (const OperationRow& row : result.operations)
        if (row.time > 0) times[familyOf(row)][row.source] += row.time;

    QStringList phrases;         // what is said of a family
    QList<QStringList> families; // those of whom it is said
    for (const auto& [family, sources] : times) {
        double total = 0;
        for (const auto& [source, time] : sources) total += time;
        std::vector<std::pair<double, Source>> largestFirst;
        for (const auto& [source, time] : sources) largestFirst.emplace_back(time, source);
        std::sort(largestFirst.begin(), largestFirst.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        QStringList parts;
        for (const auto& [time, source] : largestFirst) {
            const QString name = sourceName(family, source);
            parts << (largestFirst.size() > 1 ? readablePercent(time / total).text() + QLatin1Char(' ') + name : name);
        }
        const QString phrase = parts.join(QStringLiteral(", "));
        qsizetype at = phrases.indexOf(phrase);
        if (at < 0) {
            at = phrases.size();
            phrases << phrase;
            families << QStringList();
        }
        families[at] << familyName(family);
    }
    QStringList groups;
    for (qsizetype i = 0; i < phrases.size(); ++i) groups << families[i].join(QStringLiteral(", ")) + QStringLiteral(": ") + phrases[i];
    const std::string& relative = result.scenario.kernels.inheritedFrom;
    if (!relative.empty()) groups << SourcesText::tr("efficiencies of %1").arg(QString::fromStdString(relative));
    return groups.join(QStringLiteral(" · "));
}

SourcesPanel::SourcesPanel(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme), label_(new QLabel(this)) {
    label_->setWordWrap(true);
    label_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setRole(*label_, "secondary");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 6, 12, 6);
    column->addWidget(label_);
    connect(&theme_, &Theme::changed, this, &SourcesPanel::applyTheme);
    applyTheme();
    setResult(nullptr);
}

void SourcesPanel::applyTheme() { label_->setFont(theme_.secondaryFont()); }

QString SourcesPanel::text() const { return label_->text(); }

void SourcesPanel::setResult(const ResultPtr& result) {
    label_->setText(result != nullptr && !result->operations.empty()
                        ? sourcesSummary(*result)
                        : tr("Where operator times come from: measured, predicted or roofline. It follows the first run."));
}

} // namespace orrery
