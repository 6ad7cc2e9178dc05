// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/pages/communication_settings.hpp"

#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"

#include <QSettings>

namespace orrery {
namespace {

const QString rulesKey = QStringLiteral("communication_rules"); // the list as JSON

} // namespace

CommunicationRules storedCommunicationRules(const QSettings& settings) {
    const QString text = settings.value(rulesKey).toString();
    if (text.isEmpty()) return shippedCommunicationRules();
    Problems unread;
    const auto list = parseJsonText(text.toStdString(), "settings", unread);
    auto rules = list ? readCommunicationRules(*list, "settings", "", unread) : std::nullopt;
    return std::move(rules).value_or(shippedCommunicationRules());
}

void storeCommunicationRules(QSettings& settings, const CommunicationRules& rules) {
    if (rules == shippedCommunicationRules()) settings.remove(rulesKey);
    else settings.setValue(rulesKey, QString::fromStdString(communicationRulesDocument(rules).dump()));
}

} // namespace orrery
