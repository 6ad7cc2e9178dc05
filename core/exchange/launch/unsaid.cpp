// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch/unsaid.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace orrery {
namespace {

/// What a scenario's figures follow from, beside its model and cluster; `hybrid` and `beside` name files, which stay where they are.
constexpr const char* sections[] = {"workload", "parallelism", "execution", "economics", "reliability", "hybrid", "beside"};

class Difference {
public:
    explicit Difference(const Scenario& scenario) : scenario_(scenario) {}

    void compare(const Json* wanted, const Json* imported, const std::vector<std::string>& at) {
        if (wanted && imported && wanted->is_object() && imported->is_object()) return compareMembers(*wanted, *imported, at);
        if (wanted && imported && *wanted == *imported) return;
        const std::string pointer = joinPointer(at);
        if (wanted && wanted->is_object() && !imported) return compareMembers(*wanted, Json::object(), at);
        if (wanted && !imported && isUsual(at, *wanted)) return;
        if (wanted) edits_.push_back({pointer, *wanted});
        else if (imported && !isAssumed(pointer, *imported)) remove(*imported, at);
    }

    std::vector<ScenarioEdit> take() { return std::move(edits_); }

private:
    void compareMembers(const Json& wanted, const Json& imported, std::vector<std::string> at) {
        at.emplace_back();
        for (const auto& [key, value] : imported.items()) {
            if (wanted.contains(key)) continue;
            at.back() = key;
            compare(nullptr, &value, at);
        }
        for (const auto& [key, value] : wanted.items()) {
            at.back() = key;
            const auto found = imported.find(key);
            compare(&value, found == imported.end() ? nullptr : &*found, at);
        }
    }

    /// Member by member, for some of an object's may be what is assumed anyway.
    void remove(const Json& imported, std::vector<std::string> at) {
        if (!imported.is_object() || imported.empty()) {
            edits_.push_back({joinPointer(at), nullptr});
            return;
        }
        const std::size_t before = edits_.size();
        at.emplace_back();
        std::size_t members = 0;
        for (const auto& [key, value] : imported.items()) {
            at.back() = key;
            compare(nullptr, &value, at);
            ++members;
        }
        at.pop_back();
        if (edits_.size() - before < members) return;
        edits_.resize(before);
        edits_.push_back({joinPointer(at), nullptr});
    }

    /// Degrees of 1 and switches that are off mean what leaving them out does; but instances are otherwise as many as there is room for, and
    /// some schedules hold two chunks.
    static bool isUsual(const std::vector<std::string>& at, const Json& value) {
        if (at.front() != "parallelism" || at.back() == "data" || at.back() == "virtual_pipeline") return false;
        return value == false || (at.back() == "zero_stage" ? value == 0 : value == 1);
    }

    bool isAssumed(const std::string& pointer, const Json& value) const {
        return std::any_of(scenario_.assumed.begin(), scenario_.assumed.end(), [&](const Assumption& assumption) { return assumption.pointer == pointer && *assumption.value == value; });
    }

    const Scenario& scenario_;
    std::vector<ScenarioEdit> edits_;
};

} // namespace

std::vector<ScenarioEdit> unsaid(const Json& document, const Scenario& scenario, const Json& imported) {
    const auto memberOf = [](const Json& object, const char* key) {
        const auto found = object.find(key);
        return found == object.end() ? nullptr : &*found;
    };
    std::vector<ScenarioEdit> edits;
    // A model is named or described, never half of each.
    const Json* model = memberOf(document, "model");
    const Json* importedModel = memberOf(imported, "model");
    if (model && !(importedModel && *importedModel == *model)) edits.push_back({"/model", *model});
    Difference difference(scenario);
    // What machines a launch gets is not the launch's to say: a drawn cluster is left out, but for what it is made of.
    const Json* cluster = memberOf(document, "cluster");
    const Json madeOf{{"accelerator", scenario.cluster.accelerator.id}};
    const bool drawn = cluster && cluster->contains("topology");
    const Json* importedCluster = memberOf(imported, "cluster");
    if (!drawn) difference.compare(cluster, importedCluster, {"cluster"});
    else if (importedCluster) difference.compare(&madeOf["accelerator"], memberOf(*importedCluster, "accelerator"), {"cluster", "accelerator"});
    for (const char* section : sections) difference.compare(memberOf(document, section), memberOf(imported, section), {section});
    std::vector<ScenarioEdit> others = difference.take();
    std::move(others.begin(), others.end(), std::back_inserter(edits));
    return edits;
}

} // namespace orrery
