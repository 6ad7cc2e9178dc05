// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/evidence.hpp"
#include "core/scenario/scenario.hpp"

#include <string>

namespace orrery {

class Catalog; // core/catalog

/// What of a run tells how far its prediction may be off.
struct RunTraits {
    std::string accelerator; ///< catalogue id; empty for one that is described in the scenario
    std::string vendor;
    double peak16 = 0;    ///< dense FLOP/s
    double bandwidth = 0; ///< bytes/s of the memory
    std::string framework;
    std::string line;    ///< of the framework, see FrameworkProfile::line; empty: it stands alone
    int year = 0;        ///< of the framework's release
    std::string kind;    ///< "dense" or "moe"
    std::string family;  ///< Hugging Face's model type
    bool queued = false; ///< requests are served, so that what a step takes too long adds up in a queue
    int bits = 16;       ///< of the products' operands
    double accelerators = 1;
    double parameters = 0;
};

RunTraits traitsOf(const Scenario& scenario);
/// The accelerator's data sheet is the catalogue's.
RunTraits traitsOf(const MeasuredRun& run, const Catalog& catalog);

enum class AcceleratorLikeness { same,
                                 like,
                                 other };
/// Like: of the same vendor, 16-bit peaks within half an octave and memory bandwidths within one, which is what a generation's
/// variants keep to (H100 PCIe to H200, B200 to GB300) and the next generation does not.
AcceleratorLikeness likeness(const RunTraits& one, const RunTraits& other);

/// How unlike two runs' frameworks are: 0 for the same, 1 for ones that have nothing in common; profiles of one line come nearer the fewer years
/// lie between them, a quarter within one year and a quarter more for each year.
double frameworkDistance(const RunTraits& one, const RunTraits& other);

/// How unlike two runs are: up to 1 for the framework, 2 for another kind of model and for requests beside none, 0.5 for a like accelerator and 1 for
/// another, 0.3 for products of another width, 0.2 for another family of models, and in proportion to the octaves between them, up to six, 0.5 for the
/// number of accelerators and 0.3 for the size of the model.
double distance(const RunTraits& one, const RunTraits& other);

} // namespace orrery
