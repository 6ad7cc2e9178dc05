// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/import/import_summary.hpp"

#include "core/base/json.hpp"
#include "widgets/common/format.hpp"
#include "widgets/forms/catalog_choices.hpp"

#include <QCoreApplication>
#include <QStringList>

namespace orrery {
namespace {

struct Summary {
    Q_DECLARE_TR_FUNCTIONS(Summary)

public:
    static QString valueText(const Json& value) {
        if (value.is_boolean()) return value.get<bool>() ? tr("on") : tr("off");
        if (value.is_string()) return QString::fromStdString(value.get<std::string>());
        if (value.is_number_integer()) return grouped(value.get<double>());
        return QString::fromStdString(value.dump(-1, ' ', false, Json::error_handler_t::replace));
    }

    /// "tensor 8, overlap: data on, tensor off"
    static QString keys(const Json& object) {
        QStringList parts;
        for (const auto& [key, value] : object.items()) {
            const QString name = QString::fromStdString(key).replace(u'_', u' ');
            if (value.is_object() && !value.empty()) parts << tr("%1: %2").arg(name, keys(value));
            else parts << QStringLiteral("%1 %2").arg(name, valueText(value));
        }
        return parts.join(QStringLiteral(", "));
    }

    static QString model(const Json& value) {
        const auto config = value.is_object() ? value.find("config") : value.end();
        return value.is_object() && config != value.end() && config->is_object() ? keys(*config) : describeModel(value);
    }

    static QString title(const std::string& key) {
        if (key == "model") return tr("Model");
        if (key == "cluster") return tr("Cluster");
        if (key == "workload") return tr("Workload");
        if (key == "parallelism") return tr("Parallelism");
        if (key == "execution") return tr("Execution");
        return {};
    }
};

} // namespace

std::vector<SummaryLine> scenarioSummary(const Json& scenario) {
    std::vector<SummaryLine> lines;
    if (!scenario.is_object()) return lines;
    for (const auto& [key, value] : scenario.items()) {
        const QString title = Summary::title(key);
        if (title.isEmpty() || !value.is_object()) continue;
        lines.push_back({title, key == "model" ? Summary::model(value) : Summary::keys(value)});
    }
    return lines;
}

} // namespace orrery
