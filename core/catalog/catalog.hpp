// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/catalog/accelerator.hpp"
#include "core/catalog/citation.hpp"
#include "core/catalog/collectives/library_catalog.hpp"
#include "core/catalog/fitted_constants.hpp"
#include "core/catalog/framework_profile.hpp"
#include "core/catalog/kernel_constants.hpp"
#include "core/catalog/platform.hpp"
#include "core/catalog/recipes.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct ModelEntry {
    std::string id;
    std::string name;
    BoxedJson config; ///< Hugging Face config.json fields
    Citation citation;
};

class MeasuredTimes;     // core/operators
class OperatorPredictor; // core/operators

/// Everything shipped as data. Immutable once built; find functions return null when the id is unknown.
class Catalog {
public:
    /// Reads the catalogue files. `text` gives the content of a file of resources/catalog by name ("accelerators.json").
    /// Throws std::runtime_error that names the file and record when one is missing or malformed: a fault of the shipped
    /// files, never of a user's. An accelerator without a listed platform gets a conservative one made from its own fields.
    static Catalog fromText(const std::function<std::string_view(std::string_view)>& text);

    const std::vector<Accelerator>& accelerators() const { return accelerators_; }
    const std::vector<Platform>& platforms() const { return platforms_; }
    const std::vector<ModelEntry>& models() const { return models_; }
    const std::vector<FrameworkProfile>& frameworks() const { return frameworks_; }

    const Accelerator* accelerator(std::string_view id) const;
    const Platform* platform(std::string_view id) const;
    const Platform* usualPlatform(std::string_view acceleratorId) const;
    const ModelEntry* model(std::string_view id) const;
    const FrameworkProfile* framework(std::string_view id) const;
    const FrameworkProfile& newestFramework() const;
    /// Constants for the accelerator, or of its nearest relative, which is then named: the entry that lists it as its own,
    /// else of the same vendor and nearest release year, else the entry "default". Fitted constants of its generation lie over them.
    KernelConstants kernels(const Accelerator& accelerator) const;
    /// What is known of kernels' times beyond data sheets: fitted to tables, and a user's own measurements. Either may be null.
    struct OperatorTimes {
        std::shared_ptr<const OperatorPredictor> predictor;
        std::shared_ptr<const MeasuredTimes> measured;
    };
    void setOperatorTimes(OperatorTimes times) { operatorTimes_ = std::move(times); }
    const OperatorTimes& operatorTimes() const { return operatorTimes_; }
    /// Constants fitted to measured runs; `kernels` and the profiles have them already.
    const Calibration& calibration() const { return calibration_; }
    /// The same catalogue with other fitted constants; without any when `calibration` is empty.
    Catalog withCalibration(Calibration calibration) const;
    /// Figures that are no single accelerator's; every KernelConstants has them too.
    const PhysicsConstants& physics() const { return physics_; }
    /// What publishers of frameworks set in recipes of their own.
    const std::vector<RecipeSet>& recipes() const { return recipes_; }
    /// Communication libraries on machines of each kind.
    const LibraryCatalog& library() const { return library_; }
    /// An entry as its file has it, as JSON text; null when the id is unknown. `list`: "accelerators", "platforms", "frameworks".
    const std::string* record(std::string_view list, std::string_view id) const;

private:
    std::vector<Accelerator> accelerators_;
    std::vector<Platform> platforms_;
    std::vector<ModelEntry> models_;
    std::vector<FrameworkProfile> plainFrameworks_; ///< without fitted constants
    std::vector<FrameworkProfile> frameworks_;
    std::vector<KernelConstants> kernels_; ///< without fitted constants
    Calibration calibration_;
    LibraryCatalog library_;
    std::vector<RecipeSet> recipes_;
    OperatorTimes operatorTimes_;
    std::map<std::string, std::string, std::less<>> standIns_;                       ///< accelerator → the one whose constants stand in for it
    std::shared_ptr<const std::map<std::string, std::string, std::less<>>> records_; ///< by list and id: "accelerators/b100"
    PhysicsConstants physics_;
};

} // namespace orrery
