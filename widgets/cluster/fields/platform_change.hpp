// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/catalog/catalog.hpp"

#include <QString>

#include <set>
#include <string>
#include <vector>

namespace orrery {

/// `edits` that give hosts another accelerator, followed by those that let the rest of the cluster come along: what equals the
/// old platform's number becomes the new one's (accelerators of a host, scale-up, scale-out, domains, cables), and the title
/// names the new one. What somebody typed stays. Edits that change no accelerator come back as they are.
/// The new platform is the accelerator's usual one.
std::vector<ScenarioEdit> followPlatform(const Json& scenario, std::vector<ScenarioEdit> edits, const Catalog& catalog);

/// Makes the hosts with these ids (none named: all of them) hosts of `platform`.
std::vector<ScenarioEdit> replacePlatform(const Json& scenario, const std::set<std::string>& hosts, const Platform& platform, const Catalog& catalog);

/// A typed number that a change of platform left as it was.
struct KeptNumber {
    QString what;                   ///< "scale-up bandwidth"
    QString kept;                   ///< "300 GB/s"
    QString platform;               ///< what the new platform has: "900 GB/s"
    std::vector<ScenarioEdit> mend; ///< takes the platform's number
};

struct KeptNumbers {
    QString platform; ///< the new one's name
    std::vector<KeptNumber> numbers;
};

/// What of `before` is still typed in `after` although the hosts are of another platform now; nothing where they are not.
KeptNumbers keptOverPlatform(const Json& before, const Json& after, const Catalog& catalog);

} // namespace orrery
