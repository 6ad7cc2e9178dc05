// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/study/study_model.hpp"
#include "core/answers/study/run_study.hpp"
#include "widgets/common/theme.hpp"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

struct StudyText {
    Q_DECLARE_TR_FUNCTIONS(StudyText)
};

} // namespace

QString studyWord(const std::string& word) {
    static const std::pair<const char*, const char*> words[] = {
        {"compute", QT_TRANSLATE_NOOP("StudyText", "arithmetic")}, {"memory", QT_TRANSLATE_NOOP("StudyText", "memory")}, {"network", QT_TRANSLATE_NOOP("StudyText", "network")}, {"latency", QT_TRANSLATE_NOOP("StudyText", "latency")}, {"matrix", QT_TRANSLATE_NOOP("StudyText", "matrix units")}, {"vector", QT_TRANSLATE_NOOP("StudyText", "vector units")}, {"dram", QT_TRANSLATE_NOOP("StudyText", "DRAM")}, {"l2", QT_TRANSLATE_NOOP("StudyText", "L2")}, {"shared_memory", QT_TRANSLATE_NOOP("StudyText", "shared memory")}, {"registers", QT_TRANSLATE_NOOP("StudyText", "registers")}};
    for (const auto& [key, text] : words)
        if (word == key) return StudyText::tr(text);
    return QString::fromStdString(word);
}

QString factorText(double factor) {
    return QStringLiteral("× %1").arg(QString::number(factor, 'f', factor < 10 ? 2 : 1));
}

QString stepText(const StudyResult& result, std::size_t plot, std::size_t point) {
    const auto gains = stepGains(result, plot);
    if (!gains || point == 0 || point >= gains->steps.size()) return {};
    const StepGain& step = gains->steps[point];
    const QString cause = QString::fromStdString(step.cause);
    const QString all = factorText(step.total);
    return cause.isEmpty() ? StudyText::tr("%1, %2 in all").arg(factorText(step.factor), all) : StudyText::tr("%1 (%2), %3 in all").arg(factorText(step.factor), cause, all);
}

QString chainText(const StudyResult& result, std::size_t plot) {
    const auto gains = stepGains(result, plot);
    if (!gains || gains->steps.size() < 2) return {};
    QString text;
    for (const StepGain& cause : gains->causes) {
        const QString factor = factorText(cause.factor).mid(2);
        text += (text.isEmpty() ? QStringLiteral(" = ") : QStringLiteral(" × ")) + (cause.name.empty() ? factor : StudyText::tr("%1 %2").arg(QString::fromStdString(cause.name), factor));
    }
    return factorText(gains->total) + text;
}

Readable studyNumber(double value, const QString& unit) {
    if (unit == QLatin1String("bytes")) return readableBytes(value);
    if (unit == QLatin1String("s")) return readableTime(value);
    if (unit == QLatin1String("1")) return readablePercent(value);
    return {readableCount(value).text(), unit};
}

AxisUnit axisUnit(double largest, const QString& unit) {
    if (unit == QLatin1String("1")) return {0.01, QStringLiteral("%")};
    const bool bytes = unit == QLatin1String("bytes");
    if (!bytes && unit != QLatin1String("s")) return {1, unit};
    const struct {
        double factor;
        const char* name;
    } sizes[] = {{1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}},
      times[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
    for (const auto& one : bytes ? sizes : times)
        if (largest >= one.factor) return {one.factor, QString::fromUtf8(one.name)};
    return {bytes ? 1 : 1e-9, bytes ? QStringLiteral("B") : QStringLiteral("ns")};
}

namespace {

QString differenceText(double difference) {
    if (difference == 0) return StudyModel::tr("none");
    return difference < 1e-9 ? StudyModel::tr("< 1e-9") : QString::number(difference, 'g', 2);
}

} // namespace

StudyModel::StudyModel(const Theme& theme, QObject* parent) : QAbstractTableModel(parent), theme_(theme) {}

void StudyModel::setResult(const StudyResultPtr& result) {
    const bool same = result && result_ && result->study.name == result_->study.name && result->points.size() == result_->points.size() &&
                      result->study.plots.size() == result_->study.plots.size() && result->study.axes.size() == result_->study.axes.size();
    if (!same) beginResetModel();
    result_ = result;
    columns_.clear();
    for (std::size_t plot = 0; result && plot < result->study.plots.size(); ++plot) {
        columns_.push_back({plot, Part::value});
        if (result->study.plots[plot].formula.empty()) continue;
        columns_.push_back({plot, Part::formula});
        columns_.push_back({plot, Part::difference});
    }
    if (!same) endResetModel();
    else if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int StudyModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !result_ ? 0 : static_cast<int>(result_->points.size());
}

int StudyModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || !result_ ? 0 : axes() + static_cast<int>(columns_.size());
}

std::optional<double> StudyModel::number(int row, int column) const {
    const auto point = static_cast<std::size_t>(row);
    if (point >= result_->outcomes.size()) return std::nullopt;
    const StudyNumber& number = result_->outcomes[point].numbers[of(column).plot];
    switch (of(column).part) {
    case Part::value: return number.value;
    case Part::formula: return number.formula;
    case Part::difference: break;
    }
    if (!number.value || !number.formula) return std::nullopt;
    const double scale = std::max(std::abs(*number.value), std::abs(*number.formula));
    return scale > 0 ? std::abs(*number.value - *number.formula) / scale : 0;
}

QString StudyModel::text(int row, int column) const {
    const auto point = static_cast<std::size_t>(row);
    if (column < axes()) {
        const auto axis = static_cast<std::size_t>(column);
        return QString::fromStdString(result_->study.axes[axis].values[result_->points[point].choice[axis]].name);
    }
    if (point >= result_->outcomes.size()) return StudyText::tr("…");
    const std::optional<double> value = number(row, column);
    const auto [plot, part] = of(column);
    const StudyNumber& shown = result_->outcomes[point].numbers[plot];
    if (!value && !shown.word.empty() && part == Part::value) return studyWord(shown.word);
    if (!value) return QStringLiteral("–");
    if (part == Part::difference) return differenceText(*value);
    return studyNumber(*value, QString::fromStdString(result_->study.plots[plot].unit)).text();
}

QVariant StudyModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const bool word = index.column() < axes();
    switch (role) {
    case Qt::DisplayRole: return text(index.row(), index.column());
    case sortRole: {
        if (word) return static_cast<int>(result_->points[static_cast<std::size_t>(index.row())].choice[static_cast<std::size_t>(index.column())]);
        return number(index.row(), index.column()).value_or(-1);
    }
    case Qt::TextAlignmentRole: return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (word ? Qt::AlignLeft : Qt::AlignRight)));
    case Qt::ToolTipRole: {
        const auto point = static_cast<std::size_t>(index.row());
        if (point >= result_->outcomes.size()) return StudyText::tr("Not simulated yet");
        const StudyOutcome& outcome = result_->outcomes[point];
        if (!outcome.problems.empty()) return QString::fromStdString(outcome.problems.front().message);
        if (word) return stepText(*result_, 0, point);
        return QString::fromStdString(outcome.numbers[of(index.column()).plot].formulaText);
    }
    default: return {};
    }
}

QVariant StudyModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || !result_ || section < 0 || section >= columnCount()) return {};
    const bool word = section < axes();
    if (role == Qt::FontRole) return theme_.secondaryFont();
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (word ? Qt::AlignLeft : Qt::AlignRight)));
    if (role != Qt::DisplayRole) return {};
    if (word) return QString::fromStdString(result_->study.axes[static_cast<std::size_t>(section)].name);
    switch (of(section).part) {
    case Part::value: return QString::fromStdString(result_->study.plots[of(section).plot].name);
    case Part::formula: return StudyText::tr("closed form");
    case Part::difference: return StudyText::tr("difference");
    }
    return {};
}

} // namespace orrery
