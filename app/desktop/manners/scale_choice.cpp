// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/scale_choice.hpp"

#include <QByteArray>
#include <QSettings>

#include <algorithm>

namespace orrery {
namespace {

constexpr const char* scaleKey = "scale";
constexpr const char* scaleVariable = "QT_SCALE_FACTOR";

} // namespace

int scaleIn(const QSettings& settings) {
    const int kept = settings.value(scaleKey, scaleChoices.front()).toInt();
    return std::find(scaleChoices.begin(), scaleChoices.end(), kept) == scaleChoices.end() ? scaleChoices.front() : kept;
}

void keepScale(QSettings& settings, int percent) { settings.setValue(scaleKey, percent); }

void applyScale(int percent) {
    if (percent != scaleChoices.front() && qEnvironmentVariableIsEmpty(scaleVariable)) qputenv(scaleVariable, QByteArray::number(percent / 100.0));
}

} // namespace orrery
