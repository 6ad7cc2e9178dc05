// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/requests/generate_requests.hpp"

namespace orrery {

/// Whether a session can be more than one request; where not, a list is what it is without sessions.
bool hasTurns(const SessionLaw& sessions);

/// Makes each request of `list` the first of a session, by the law's `sessions`: later turns follow the answer before them, and hashes name all
/// that was said, answers too. What is drawn for them leaves the draws of first turns as they are.
void addTurns(RequestList& list, const RequestLaw& law);

/// Requests of the law in all, about: means stand for draws.
double requestsOfSession(const SessionLaw& sessions);

} // namespace orrery
