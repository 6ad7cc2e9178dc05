// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/shipped_evidence.hpp"

#include "resources/resources.hpp"

namespace orrery {

std::shared_ptr<const Evidence> shippedEvidence() {
    return std::make_shared<const Evidence>(evidenceFromText(resourceText("catalog/evidence.json")));
}

std::shared_ptr<const ErrorBars> shippedErrorBars(const Catalog& catalog, EvidenceParts parts) {
    const auto evidence = std::make_shared<const Evidence>(evidenceFromText(resourceText("catalog/evidence.json"), parts));
    return std::make_shared<const ErrorBars>(evidence, catalog);
}

} // namespace orrery
