// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/error_bars.hpp"
#include "core/answers/evidence/evidence.hpp"

#include <memory>

namespace orrery {

/// The measured runs this program ships, with what it predicts for them. Reading them takes some milliseconds: keep them.
std::shared_ptr<const Evidence> shippedEvidence();

/// Error bars from these.
std::shared_ptr<const ErrorBars> shippedErrorBars(const Catalog& catalog, EvidenceParts parts = EvidenceParts::all);

} // namespace orrery
