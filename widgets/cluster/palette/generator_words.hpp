// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

namespace orrery {

/// How a form calls a generator's parameter.
struct ParameterWords {
    QString label;
    QString tip;
    QString unit;
    QString zero; ///< what 0 means; empty: nothing special
};

ParameterWords parameterWords(const std::string& key);

/// One or two sentences on what a generator draws.
QString generatorDescription(const std::string& id);

} // namespace orrery
