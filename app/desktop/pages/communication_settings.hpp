// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/communication_rules.hpp"

class QSettings;

namespace orrery {

/// The user's rules of what counts as communication in records; the shipped ones where none, or none that can be read, are stored.
CommunicationRules storedCommunicationRules(const QSettings& settings);
void storeCommunicationRules(QSettings& settings, const CommunicationRules& rules); ///< the shipped ones are stored as nothing: later versions bring theirs

} // namespace orrery
