// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace orrery {

/// The words of a key of a scenario or a result ("sequence length" for `sequence_length`) in the window's language; as they are where it has none for them.
QString keyWords(const QString& words);

} // namespace orrery
