// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/memory_ceiling.hpp"

#include "app/desktop/manners/dialogs.hpp"
#include "core/base/run_control.hpp"
#include "core/base/units.hpp"

#include <QCoreApplication>
#include <QSettings>

namespace orrery {
namespace {

const QString ceilingKey = QStringLiteral("memory_ceiling_gb");
constexpr double leastGigabytes = 0.1, mostGigabytes = 10000;

} // namespace

double memoryCeiling(const QSettings& settings) {
    bool isNumber = false;
    const double gigabytes = settings.value(ceilingKey).toDouble(&isNumber);
    return isNumber && gigabytes >= leastGigabytes && gigabytes <= mostGigabytes ? gigabytes * units::gigabyte : usualMemoryCeiling;
}

bool askForMemoryCeiling(QSettings& settings, const Dialogs& dialogs) {
    const auto gigabytes = dialogs.number(QCoreApplication::translate("orrery::MemoryCeiling", "Memory ceiling"),
                                          QCoreApplication::translate("orrery::MemoryCeiling", "Memory that a simulation may take, GB. One that needs more is refused before it runs."),
                                          memoryCeiling(settings) / units::gigabyte, leastGigabytes, mostGigabytes);
    if (!gigabytes) return false;
    settings.setValue(ceilingKey, *gigabytes);
    return true;
}

} // namespace orrery
