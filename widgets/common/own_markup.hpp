// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace orrery {

/// Text with markup that this program wrote, for a tooltip. Names in it are escaped. Tooltips without the mark are shown letter by letter, whatever stands in them:
/// names of scenarios, hosts and variants come from anybody (app/desktop/manners/plain_texts.hpp). The mark is drawn anew at each start, so that no file can hold it.
QString ownMarkup(const QString& html);

/// Whether `ownMarkup` made the text.
bool isOwnMarkup(const QString& text);

} // namespace orrery
