// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

namespace orrery {

/// A sentence of core (a cause, why a value was assumed, what a pass or a schedule does) in the window's language where it has words for it, and as core says it
/// otherwise. Core itself speaks English: it has no Qt, and its texts are the commands' too.
QString coreWords(const QString& text);
QString coreWords(const std::string& text);

} // namespace orrery
